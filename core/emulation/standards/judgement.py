"""An output judged by the standard that the official checker means for its operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from core.dtypes import DType, Kind
from core.emulation.standards.measures import (
    Measures,
    ThresholdRates,
    accumulated_rates,
    measure,
    ratio_to_control,
)
from core.emulation.standards.numbers import (
    Standard,
    Variant,
    benchmark_limits,
    level_of,
    listed_standard,
    numbers_of,
    thousandth_share,
)
from core.emulation.standards.pairs import Array, require_pair
from core.messages import Message

_COMPARED = (
    "small_value_error_share",
    "rmse",
    "max_relative_error",
    "mean_relative_error",
    "error_balance",
)
"""What is set against the control's; the balance is shown, not judged."""


@dataclass(frozen=True)
class StandardJudgement:
    """What a standard says of one output.

    Attributes
    ----------
    standard
        The one meant for the operator, which was applied.
    variant
        Whose numbers were used.
    passed
        ``None`` where the standard cannot say: it needs a control, or does not cover the format.
    released_standard
        The one that release 26.2.0 of the tool applies in fact. It returns the benchmark standard for every
        float output before it looks the operator up (precision_standard/standard_register.py).
        ``None`` for formats that it skips.
    metrics
        Of the output against its bench; ``None`` for whole numbers and formats not covered.
    ratios
        Metrics over the control's, by name; empty without a control.
    reasons
        Why it did not pass, or could not be judged.
    level
        Of the operator, by which the benchmark's ratios are limited.
    """

    standard: Standard
    variant: Variant
    passed: bool | None
    released_standard: Standard | None
    metrics: Measures | None = None
    ratios: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[Message, ...] = ()
    level: str = "L0"


def intended_standard(operator_name: str, dtype: DType, input_dtype: DType | None = None) -> Standard:
    """Return the standard meant for an output of *dtype*.

    Eight-bit floats and whole numbers come before the lists of operators, as in the tool.
    """
    if _is_tiny_float(dtype):
        return Standard.ULP
    if input_dtype is not None and _is_tiny_float(input_dtype):
        return Standard.ABSOLUTE_THRESHOLD
    if dtype.kind in (Kind.INTEGER, Kind.BOOL):
        return Standard.BINARY_CONSISTENCY
    return listed_standard(operator_name)


def released_standard(dtype: DType, input_dtype: DType | None = None) -> Standard | None:
    """Return the standard that release 26.2.0 applies to an output of *dtype*, whatever the operator."""
    if dtype.kind is Kind.COMPLEX or dtype.name == "float64":
        return None
    # The operator is never looked up: as if it were in no list.
    return intended_standard("", dtype, input_dtype)


def judge(
    operator_name: str,
    device: Array,
    bench: Array,
    *,
    dtype: DType,
    variant: Variant,
    control: Array | None = None,
    input_dtype: DType | None = None,
) -> StandardJudgement:
    """Judge an output by the standard meant for its operator.

    Parameters
    ----------
    operator_name
        The API without prefix and count, as the tool's lists have it: ``__add__``, ``matmul``.
    device
        The output as numbers (bfloat16 and eight-bit formats widened), any shape.
    bench
        The same call in a finer format, same shape.
    dtype
        Format of the device's output.
    variant
        Whose numbers to use.
    control
        The same call in the device's precision elsewhere (a GPU, a CPU), same shape.
    input_dtype
        Coarsest format of the inputs; only an eight-bit float matters.

    Raises
    ------
    ValueError
        If shapes differ.
    """
    standard = intended_standard(operator_name, dtype, input_dtype)
    released = released_standard(dtype, input_dtype)
    if released is None:
        if device.shape != bench.shape:
            raise ValueError(f"shapes {device.shape} and {bench.shape}")
        reason = Message("standard.format_not_covered", {"format": dtype.name})
        return StandardJudgement(standard, variant, None, None, reasons=(reason,))
    require_pair(device, bench, dtype)
    if control is not None:
        require_pair(control, bench, dtype)
    if dtype.kind is not Kind.FLOAT:
        unequal = int(np.count_nonzero(np.asarray(device != bench)))
        reasons = _unequal(unequal / device.size if device.size else 0.0)
        return StandardJudgement(standard, variant, not reasons, released, reasons=reasons)
    found = measure(device, bench, dtype, variant)
    beside = None if control is None else measure(control, bench, dtype, variant)
    level = level_of(operator_name, variant)
    if standard is Standard.BENCHMARK:
        passed, ratios, reasons = _benchmark(found, beside, dtype, variant, level)
    elif standard is Standard.ULP:
        passed, ratios, reasons = _ulp(found, beside, dtype, variant)
    else:
        ratios = {}
        if standard is Standard.ACCUMULATIVE_ERROR:
            rates = accumulated_rates(device, bench, dtype, variant)
            limit = numbers_of(dtype, variant).accumulative_balance
            reasons = _beyond(rates) + _unbalanced(found.error_balance, limit)
        elif standard is Standard.THOUSANDTH:
            reasons = _too_few(found.thousandth_share, variant)
        elif standard is Standard.BINARY_CONSISTENCY:
            reasons = _unequal(found.unequal_share)
        else:
            reasons = _beyond(_rates_of(found))
        passed = not reasons
    return StandardJudgement(standard, variant, passed, released, found, ratios, reasons, level)


_Said = tuple[bool | None, dict[str, float], tuple[Message, ...]]


def _benchmark(
    found: Measures, control: Measures | None, dtype: DType, variant: Variant, level: str
) -> _Said:
    if not found.size:
        return True, {}, ()
    if control is None:
        return None, {}, (Message("standard.needs_control"),)
    floor = numbers_of(dtype, variant).ratio_floor
    limits = benchmark_limits(level)
    ratios: dict[str, float] = {}
    reasons: list[Message] = []
    for name in _COMPARED:
        mine, its = getattr(found, name), getattr(control, name)
        ratios[name] = ratio_to_control(mine, its, floor)
        limit = limits.get(name)
        if limit is None:
            continue
        if isnan(ratios[name]):
            if not _same_special(mine, its):
                reasons.append(Message(f"standard.benchmark.{name}", {"ratio": ratios[name], "limit": limit}))
        elif ratios[name] > limit:
            reasons.append(Message(f"standard.benchmark.{name}", {"ratio": ratios[name], "limit": limit}))
    return not reasons, ratios, tuple(reasons)


def _ulp(found: Measures, control: Measures | None, dtype: DType, variant: Variant) -> _Said:
    """Judge by any one of: a small mean (float32), a small share, a share below the control's.

    The code divides by the control's share or a floor: below that floor, it need not be the smaller one.
    """
    numbers = numbers_of(dtype, variant)
    few = found.ulp_share < numbers.ulp_share
    reason = Message("standard.ulp", {"share": found.ulp_share, "mean": found.mean_ulp})
    if _is_tiny_float(dtype):
        return few, {}, () if few else (reason,)
    near = found.mean_ulp < numbers.ulp_mean
    if control is None:
        if (few or near) and np.isfinite(found.mean_ulp):
            return True, {}, ()
        return None, {}, (Message("standard.needs_control"),)
    floor = numbers.ratio_floor if variant is Variant.CODE else 0.0
    lower = found.ulp_share < max(control.ulp_share, floor)
    ratios = {"ulp_share": found.ulp_share / max(control.ulp_share, numbers.ratio_floor)}
    finite = bool(np.isfinite(found.mean_ulp) and np.isfinite(control.mean_ulp))
    consistent = finite or _same_special(found.mean_ulp, control.mean_ulp)
    passed = consistent and (near or few or lower)
    return passed, ratios, () if passed else (reason,)


def _beyond(rates: ThresholdRates) -> tuple[Message, ...]:
    found = (
        Message("standard.threshold.special", {"share": rates.special_error_rate}),
        Message("standard.threshold.relative", {"share": rates.relative_error_ratio}),
        Message("standard.threshold.absolute", {"share": rates.absolute_error_ratio}),
    )
    return tuple(reason for reason in found if reason.parameters["share"] != 0)


def _rates_of(found: Measures) -> ThresholdRates:
    return ThresholdRates(found.special_error_rate, found.relative_error_ratio, found.absolute_error_ratio)


def _unbalanced(balance: float, limit: float) -> tuple[Message, ...]:
    if balance <= limit:
        return ()
    return (Message("standard.accumulative.balance", {"balance": balance, "limit": limit}),)


def _too_few(share: float, variant: Variant) -> tuple[Message, ...]:
    """Return a reason if too few elements are near: by the code, exactly 0.999 still passes."""
    limit = thousandth_share()
    if share > limit or (variant is Variant.CODE and share == limit):
        return ()
    return (Message("standard.thousandth", {"share": share, "limit": limit}),)


def _unequal(share: float) -> tuple[Message, ...]:
    return (Message("standard.binary", {"share": share}),) if share else ()


def _same_special(first: float, second: float) -> bool:
    """Whether both are NaN, or both the same infinity."""
    return (isnan(first) and isnan(second)) or (first == second and not np.isfinite(first))


def _is_tiny_float(dtype: DType) -> bool:
    return dtype.kind is Kind.FLOAT and dtype.itemsize == 1
