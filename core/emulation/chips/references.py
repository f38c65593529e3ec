"""How far outputs are from float64, and a golden call from the same arithmetic on a CPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.dtypes import Kind
from core.emulation.arithmetic.rounding import Conversion
from core.emulation.chips.chip import control_computing, delivered
from core.emulation.chips.distances import distance_between
from core.emulation.replay.runnable import Result, Runnable
from core.emulation.terms.computing import Array, computing_in
from core.records.emulation import Distance


def golden_distances(runnable: Runnable) -> list[dict[str, Distance]]:
    """Return how far the outputs of a golden call are from float64 and from float32, on its own inputs."""
    found: list[dict[str, Distance]] = []
    with np.errstate(all="ignore"):
        with computing_in(control_computing(runnable.call.storage)):
            control = runnable.outputs()
        for result, exact, near in zip(runnable.results, runnable.reference, control):
            if result.dumped.dtype.kind is not Kind.FLOAT:
                found.append({})
                continue
            values = delivered(near.value, Conversion(result.format), result.dumped.dtype)
            found.append(
                {
                    "reference": distance_between(
                        result.dumped.array, exact.value.reshape(result.dumped.shape), result.format
                    ),
                    "control": distance_between(result.dumped.array, values, result.format),
                }
            )
    return found


def distance_from_reference(dumped: Array, exact: Array, result: Result) -> Distance:
    """Return the distance from float64; equal are elements that hold it rounded to their format."""
    found = distance_between(dumped, exact, result.format)
    rounded = delivered(exact, Conversion(result.format), result.dumped.dtype)
    equal = float(np.mean(rounded == dumped)) if rounded.size else 1.0
    return replace(found, equal=equal)
