"""Arguments: values that are no tensors. They are exact but for floats, which may carry rounding."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.metrics.noise import NoiseTable
from core.records.dump import Dump
from core.records.result import Evidence, Reason, RowTable, Verdict

_DEVICE = re.compile(r"^(npu|cuda|cpu|gpu|xpu|meta|ascend)(:\d+)?$", re.I)
_DEVICE_TYPES = ("device", "ProcessGroup")

Judged = tuple[Verdict, Reason, float, float]
"""Verdict, reason, relative error, allowed relative error."""


def judge_arguments(
    rows: RowTable, where: NDArray[np.int64], target: Dump, golden: Dump, noise: NoiseTable
) -> None:
    """Fill verdict, reason, evidence, error and allowed of the rows *where*, all argument pairs.

    Few different values occur in a million calls, so each different pair is judged once.
    """
    left, right = rows.target_slot[where], rows.golden_slot[where]
    keys = np.stack(
        [
            target.slots.type[left],
            target.slots.value[left],
            golden.slots.type[right],
            golden.slots.value[right],
        ],
        axis=1,
    )
    different, inverse = np.unique(keys, axis=0, return_inverse=True)
    judged = [
        judge_argument(
            target.strings[kind_t],
            target.strings[text_t],
            golden.strings[kind_g],
            golden.strings[text_g],
            noise,
        )
        for kind_t, text_t, kind_g, text_g in different.tolist()
    ]
    inverse = inverse.reshape(-1)
    for position, name in enumerate(("verdict", "reason", "error", "allowed")):
        column = getattr(rows, name)
        column[where] = np.array([item[position] for item in judged], column.dtype)[inverse]
    rows.evidence[where] = Evidence.FULL


def judge_argument(kind_t: str, text_t: str, kind_g: str, text_g: str, noise: NoiseTable) -> Judged:
    """Judge one pair of argument values, given as the dumps' types and JSON texts."""
    if kind_t == kind_g and text_t == text_g:
        return Verdict.EQUAL, Reason.IDENTICAL, 0.0, 0.0
    if kind_t.endswith(_DEVICE_TYPES) and kind_g.endswith(_DEVICE_TYPES):
        return Verdict.CLOSE, Reason.DEVICE, math.nan, math.nan
    left, right = _value(kind_t, text_t), _value(kind_g, text_g)
    if isinstance(left, str) and isinstance(right, str) and _DEVICE.match(left) and _DEVICE.match(right):
        return Verdict.CLOSE, Reason.DEVICE, math.nan, math.nan
    if _is_number(left) and _is_number(right):
        return _judge_numbers(left, right, noise)
    if type(left) is not type(right):
        return Verdict.DIFFERS, Reason.TYPE, math.nan, math.nan
    if left == right:
        return Verdict.EQUAL, Reason.SAME_VALUES, 0.0, 0.0
    return Verdict.DIFFERS, Reason.VALUE, math.nan, math.nan


def _value(kind: str, text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, str) and kind.startswith("float"):
        with_name = {
            "nan": math.nan,
            "inf": math.inf,
            "-inf": -math.inf,
            "infinity": math.inf,
            "-infinity": -math.inf,
        }
        return with_name.get(value.lower(), value)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _judge_numbers(left: float, right: float, noise: NoiseTable) -> Judged:
    if left == right or (left != left and right != right):
        return Verdict.EQUAL, Reason.SAME_VALUES, 0.0, 0.0
    if isinstance(left, int) and isinstance(right, int):
        return Verdict.DIFFERS, Reason.VALUE, math.nan, 0.0
    if not math.isfinite(left) or not math.isfinite(right):
        return Verdict.DIFFERS, Reason.SPECIAL_VALUES, math.nan, math.nan
    # A Python float is float64, but what a model computes with was float32 somewhere on the way.
    float32 = DTYPES["float32"]
    allowed = noise.of(float32).relative_l2_factor * float32.unit_roundoff
    error = abs(left - right) / abs(right) if right else math.inf
    if error <= allowed:
        return Verdict.CLOSE, Reason.WITHIN_NOISE, error, allowed
    return Verdict.DIFFERS, Reason.VALUE, error, allowed
