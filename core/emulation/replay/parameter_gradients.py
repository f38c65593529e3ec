"""Which calls the gradients of a module's parameters come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.records.dump import Dump
from core.records.names import OperatorKind, OperatorName, parse_operator_name


@dataclass(frozen=True)
class GradientCalls:
    """The only forward call of a module, by row and name, and the row of its backward call."""

    forward: int
    name: OperatorName
    backward: int


def gradient_calls(dump: Dump, gradients: OperatorName) -> GradientCalls:
    """Return the calls that *gradients*, a call of kind PARAMETERS_GRAD, come from.

    Raises
    ------
    NotReplayable
        ACCUMULATED if the module was called more than once, MISSING_TENSOR if a call was not dumped.
    """
    forwards = _calls(dump, f"{gradients.stem}.forward")
    backwards = _calls(dump, f"{gradients.stem}.backward")
    if len(forwards) > 1 or len(backwards) > 1:
        raise NotReplayable(NotReplayed.ACCUMULATED, gradients.stem)
    if not forwards or not backwards:
        raise NotReplayable(NotReplayed.MISSING_TENSOR, gradients.stem)
    name = parse_operator_name(dump.operator_name(forwards[0]))
    return GradientCalls(forwards[0], name, backwards[0])


def _calls(dump: Dump, module: str) -> list[int]:
    """Return the rows of the calls of a module in one direction, by the names they can have."""
    operators = dump.operators
    counts = operators.occurrence[operators.kind == OperatorKind.MODULE]
    endings = ["abnormal", *map(str, range(int(counts.max(initial=-1)) + 1))]
    present = [found for end in endings if (found := dump.strings.find(f"{module}.{end}")) >= 0]
    rows: list[int] = np.flatnonzero(np.isin(operators.name, present)).tolist() if present else []
    return rows
