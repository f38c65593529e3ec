"""The official checker's first stage: one API against a more precise run, without a control."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf, nan, sqrt

import numpy as np

from core.dtypes import DType, Kind
from core.emulation.standards.numbers import FirstStageNumbers, Variant, first_stage_numbers
from core.emulation.standards.pairs import CHUNK, Array, Float64, pieces, require_pair


class Status(Enum):
    """The tool's words."""

    PASS = "pass"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class FirstStage:
    """What the first stage says.

    All figures are computed, also those behind the step that decided, which the tool leaves blank.

    Attributes
    ----------
    cosine
        NaN where the tool does not compute it: one element, a tensor of zeros, NaN or infinities, no float.
    max_abs
        Largest absolute difference; NaN if any is NaN.
    below_hundredth, below_thousandth, below_ten_thousandth
        Shares of elements whose relative error is smaller; NaN for whole numbers and truth values.
    """

    status: Status
    cosine: float
    max_abs: float
    below_hundredth: float
    below_thousandth: float
    below_ten_thousandth: float


def first_stage(device: Array, bench: Array, dtype: DType, operator_name: str = "") -> FirstStage:
    """Judge an output by cosine, largest difference and shares of relative errors, in this order.

    (msprobe api_accuracy_checker, compare/compare.py; its guide agrees.) Whole numbers and truth values
    must be equal, but for outputs of quantizing operators, which may be one off. An empty tensor, which
    the tool skips, passes. Eight-bit floats never come to the relative errors, as in the tool.

    Parameters
    ----------
    device
        The output as numbers (bfloat16 and eight-bit formats widened), any shape.
    bench
        The same call in a finer format. Another shape is an error, as in the tool.
    dtype
        Format of the device's output.
    operator_name
        The API without prefix and count, as ``npu_dynamic_quant``.

    Raises
    ------
    ValueError
        For complex formats.
    """
    if device.shape != bench.shape:
        return FirstStage(Status.ERROR, nan, nan, nan, nan, nan)
    require_pair(device, bench, dtype)
    numbers = first_stage_numbers()
    with np.errstate(all="ignore"):
        if dtype.kind is not Kind.FLOAT:
            return _whole(device, bench, operator_name, numbers)
        return _float(device, bench, dtype, numbers)


def _whole(device: Array, bench: Array, operator_name: str, numbers: FirstStageNumbers) -> FirstStage:
    distance = np.abs(device.astype(np.float64) - bench.astype(np.float64))
    largest = float(np.max(distance, initial=0.0))
    if operator_name in numbers.quantized:
        right = largest <= numbers.quantized_max_abs
    else:
        right = bool(np.array_equal(device, bench))
    return FirstStage(Status.PASS if right else Status.ERROR, nan, largest, nan, nan, nan)


def _float(device: Array, bench: Array, dtype: DType, numbers: FirstStageNumbers) -> FirstStage:
    size = device.size
    largest = 0.0
    limits = (numbers.hundredth, numbers.thousandth, numbers.ten_thousandth)
    below = [0, 0, 0]
    # The first stage has no thresholds in which the variants differ.
    for piece in pieces(device, bench, dtype, Variant.CODE):
        largest = float(np.maximum(largest, np.max(piece.absolute)))
        for index, limit in enumerate(limits):
            below[index] += int(np.count_nonzero(piece.relative < limit))
    shares = [count / size if size else 1.0 for count in below]
    cosine, alike = _cosine(np.ravel(device), np.ravel(bench), numbers)
    enough = [share > 1 - limit for share, limit in zip(shares, limits)]
    status = _decided(dtype, alike, largest < numbers.max_abs, enough)
    return FirstStage(status, cosine, largest, shares[0], shares[1], shares[2])


def _decided(dtype: DType, alike: bool, near: bool, enough: list[bool]) -> Status:
    hundredth, thousandth, ten_thousandth = enough
    if not alike:
        return Status.ERROR
    if near:
        return Status.PASS
    if dtype.itemsize == 2:
        if not hundredth:
            return Status.ERROR
        return Status.PASS if thousandth else Status.WARNING
    if dtype.itemsize >= 4:
        if not thousandth:
            return Status.ERROR
        return Status.PASS if ten_thousandth else Status.WARNING
    return Status.PASS


def _cosine(device: Array, bench: Array, numbers: FirstStageNumbers) -> tuple[float, bool]:
    """Return the cosine and whether it lets the output go on to the next step."""
    if device.size <= 1:
        return nan, True
    device_top, bench_top = _largest(device), _largest(bench)
    if device_top <= numbers.zero or bench_top <= numbers.zero:
        return nan, device_top <= numbers.zero and bench_top <= numbers.zero
    if not (device_top < inf and bench_top < inf):
        return nan, True
    product = device_squares = bench_squares = 0.0
    for start in range(0, device.size, CHUNK):
        d: Float64 = device[start : start + CHUNK].astype(np.float64) / device_top
        b: Float64 = bench[start : start + CHUNK].astype(np.float64) / bench_top
        product += float(d @ b)
        device_squares += float(d @ d)
        bench_squares += float(b @ b)
    cosine = min(1.0, max(-1.0, product / (sqrt(device_squares) * sqrt(bench_squares))))
    return cosine, cosine > numbers.cosine


def _largest(array: Array) -> float:
    return float(np.max(np.abs(array).astype(np.float64)))
