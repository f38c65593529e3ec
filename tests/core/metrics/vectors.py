"""Pairs that today's tools judge wrongly, with the right verdict; shared by the tests of both evidences."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import ml_dtypes
import numpy as np

from core.dtypes import DTYPES, DType
from core.formats.tensors import TensorHandle
from core.metrics.statistics import StatisticsSide, dtype_code
from core.records.dump import Known
from core.records.result import Reason, Verdict

X = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
F32 = np.float32
BF16 = np.dtype(ml_dtypes.bfloat16)
IDS_IN_FLOAT = np.arange(100_001, 100_010, dtype=F32)
ONE_BEAT = F32(1e-3) * (np.arange(9) == 4)
WHOLE = np.arange(2049, 2060)
HALF = np.where(np.arange(20) % 2, F32(1.5), F32(1.0)).reshape(4, 5)


@dataclass(frozen=True)
class Vector:
    """One pair; *statistics* is what statistics alone can say of it, where that is less."""

    name: str
    target: np.ndarray
    golden: np.ndarray
    verdict: Verdict
    reason: Reason
    statistics: tuple[Verdict, Reason] | None = None


D, C, E, N = Verdict.DIFFERS, Verdict.CLOSE, Verdict.EQUAL, Verdict.NOT_COMPARED

VECTORS = [
    Vector("1 scaled by 1.0004", X * F32(1.0004), X, D, Reason.BEYOND_NOISE),
    Vector("2 scaled by 1.0015", X * F32(1.0015), X, D, Reason.BEYOND_NOISE),
    Vector("3 half scaled by 1.5", X * HALF, X, D, Reason.BEYOND_NOISE),
    Vector("4 sign flip", -X, X, D, Reason.BEYOND_NOISE),
    Vector("5 NaN in target", np.array([1, nan, 3], F32), np.array([1, 2, 3], F32), D, Reason.SPECIAL_VALUES),
    Vector(
        "6 NaN hides a difference",
        np.array([1, nan, 3, inf], F32),
        np.array([1, nan, 3.5, inf], F32),
        D,
        Reason.BEYOND_NOISE,
        (N, Reason.SHARED_SPECIAL_VALUES),
    ),
    Vector(
        "7 sign of Inf", np.array([1, inf, 3], F32), np.array([1, -inf, 3], F32), D, Reason.SPECIAL_VALUES
    ),
    Vector("8 zeros", np.zeros(4, F32), np.zeros(4, F32), E, Reason.IDENTICAL),
    Vector("9 zeros against ones", np.zeros(4, F32), np.ones(4, F32), D, Reason.BEYOND_NOISE),
    Vector("10 ones against zeros", np.ones(4, F32), np.zeros(4, F32), D, Reason.BEYOND_NOISE),
    Vector("11 below the floor", np.full(4, 1e-17, F32), np.full(4, -1e-17, F32), C, Reason.WITHIN_NOISE),
    Vector("12 shapes", np.ones(4, F32), np.ones(5, F32), D, Reason.SHAPE),
    Vector("13 ones in the shape", X[:1].copy(), X[:1].T.copy(), C, Reason.SHAPE_ONES),
    Vector("14 fp16 against fp32", X.astype(np.float16), X, C, Reason.DTYPE),
    Vector("15 fp64 against fp32", X.astype(np.float64), X, E, Reason.DTYPE),
    Vector("16 int64 against fp32", np.arange(1, 4), np.arange(1, 4, dtype=F32), C, Reason.DTYPE_CLASS),
    Vector("17 uint8 number", np.array(3, np.uint8), np.array(5, np.uint8), D, Reason.VALUE),
    Vector("18 uint8", np.array([3, 4], np.uint8), np.array([5, 4], np.uint8), D, Reason.VALUE),
    Vector("19 bool", np.array([True, False, True]), np.array([True] * 3), D, Reason.VALUE),
    Vector("20 number", np.array(1.5, F32), np.array(1.0, F32), D, Reason.BEYOND_NOISE),
    Vector("20 one element", np.array([1.5], F32), np.array([1.0], F32), D, Reason.BEYOND_NOISE),
    Vector("21 NaN number", np.array(nan, F32), np.array(nan, F32), E, Reason.SHARED_SPECIAL_VALUES),
    Vector("22 empty", np.zeros((0, 3), F32), np.zeros((0, 3), F32), N, Reason.BOTH_EMPTY),
    Vector("23 bf16 by 1.01", (X * F32(1.01)).astype(BF16), X.astype(BF16), C, Reason.WITHIN_NOISE),
    Vector("empty on one side", np.zeros((0, 3), F32), np.zeros((2, 3), F32), D, Reason.EMPTY),
    Vector("two kinds of empty", np.zeros((0, 3), F32), np.zeros((4, 0), F32), D, Reason.SHAPE),
    Vector(
        "NaN in golden only",
        np.array([1, 2, 3], F32),
        np.array([1, nan, 3], F32),
        Verdict.GOLDEN_INVALID,
        Reason.GOLDEN_SPECIAL_VALUES,
    ),
    Vector(
        "Inf in golden only",
        np.array([1, 2, 3], F32),
        np.array([1, inf, 3], F32),
        Verdict.GOLDEN_INVALID,
        Reason.GOLDEN_SPECIAL_VALUES,
    ),
    Vector(
        "golden NaN beside a wrong value",
        np.array([1, 2, 9], F32),
        np.array([1, nan, 3], F32),
        D,
        Reason.BEYOND_NOISE,
        (Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES),
    ),
    Vector(
        "saturation",
        np.array([1, 65504, 3], np.float16),
        np.array([1, inf, 3], np.float16),
        D,
        Reason.SPECIAL_VALUES,
    ),
    Vector(
        "a mask of -Inf", np.array([1, -inf], F32), np.array([1, -inf], F32), E, Reason.SHARED_SPECIAL_VALUES
    ),
    Vector(
        "a mask of -Inf, the rest differs",
        np.array([1, -inf], F32),
        np.array([2, -inf], F32),
        D,
        Reason.BEYOND_NOISE,
    ),
    Vector("int64 against int32", np.arange(9), np.arange(9, dtype=np.int32), E, Reason.DTYPE),
    Vector("bool against int", np.array([True, False]), np.array([1, 0]), E, Reason.DTYPE),
    Vector("ids in a float", np.arange(100_000, 100_009), IDS_IN_FLOAT, D, Reason.BEYOND_NOISE),
    Vector("id off by one", np.array([7, 50256]), np.array([7, 50257]), D, Reason.VALUE),
    Vector("rounded to fp16", WHOLE.astype(np.float16), WHOLE, C, Reason.DTYPE_CLASS),
    Vector("0 against 1e-3", ONE_BEAT, np.zeros(9, F32), D, Reason.BEYOND_NOISE),
    Vector(
        "signed zeros",
        np.array([0.0, 1.0]),
        np.array([-0.0, 1.0]),
        E,
        Reason.SAME_VALUES,
        (E, Reason.IDENTICAL),
    ),
]

IDS = [vector.name for vector in VECTORS]


def dtype_of(array: np.ndarray) -> DType:
    return DTYPES[array.dtype.name]


def handle(array: np.ndarray) -> TensorHandle:
    dtype = dtype_of(array)
    return TensorHandle(array.view(dtype.storage) if not dtype.native else array.view(), dtype)


def sides(*pairs: tuple[np.ndarray, np.ndarray]) -> tuple[StatisticsSide, StatisticsSide]:
    """Return the statistics that the official dumper would record of each pair."""
    shapes: dict[tuple[int, ...], int] = {}
    return _side([t for t, _ in pairs], shapes), _side([g for _, g in pairs], shapes)


def _side(arrays: list[np.ndarray], shapes: dict[tuple[int, ...], int]) -> StatisticsSide:
    rows: list[tuple[Any, ...]] = []
    for array in arrays:
        dtype = dtype_of(array)
        bare = tuple(size for size in array.shape if size != 1)
        ids = [shapes.setdefault(shape, len(shapes)) for shape in (array.shape, bare)]
        rows.append((dtype_code(dtype), *ids, array.size, *_statistics(array, dtype)))
    columns = [np.array(column) for column in zip(*rows)]
    kinds = (np.uint8, np.int32, np.int32, np.int64, np.uint8, float, float, float, float)
    return StatisticsSide(*(column.astype(kind) for column, kind in zip(columns, kinds)))


def _statistics(array: np.ndarray, dtype: DType) -> tuple[float, ...]:
    """Return known, max, min, mean, norm. Integers have no mean and norm, float64 neither."""
    if not array.size:
        return 0, 0.0, 0.0, 0.0, 0.0
    wide = array.astype(np.float64)
    known = Known.ALL if dtype.precision and dtype.name != "float64" else Known.MAX | Known.MIN
    with np.errstate(invalid="ignore"):
        narrow = wide.mean().astype(np.float32), np.sqrt((wide**2).sum()).astype(np.float32)
    return int(known), float(wide.max()), float(wide.min()), float(narrow[0]), float(narrow[1])
