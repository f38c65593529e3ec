"""The numbers of the official checker's standards, from the one table that names their sources."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from importlib.resources import files
from math import nan
from typing import Any

from core.dtypes import DType


class Variant(Enum):
    """Whose numbers and rules: those of the released tool, or those of its guide."""

    CODE = "code"
    """What the tool computes, with its slips."""
    DOCUMENT = "document"
    """What its guide says; where the guide is silent, as the code."""


class Standard(Enum):
    """How an output is judged; words of the tool's own table of operators."""

    ABSOLUTE_THRESHOLD = "absolute_threshold"
    BINARY_CONSISTENCY = "binary_consistency"
    ULP = "ulp"
    THOUSANDTH = "thousandth"
    BENCHMARK = "benchmark"
    ACCUMULATIVE_ERROR = "accumulative_error"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers for one format; ``standards.toml`` explains each."""

    relative_epsilon: float
    rtol: float
    accumulative_bound: float
    accumulative_balance: float
    ratio_floor: float
    ulp_fraction_bits: int
    ulp_least_exponent: int
    ulp_limit: float
    ulp_share: float
    small_value: float
    threshold_atol: float
    benchmark_atol: float
    ulp_mean: float = nan
    """NaN where the format has no limit of the mean."""


@dataclass(frozen=True, slots=True)
class FirstStageNumbers:
    """The numbers of the first stage; ``standards.toml`` explains each."""

    cosine: float
    max_abs: float
    zero: float
    hundredth: float
    thousandth: float
    ten_thousandth: float
    quantized_max_abs: float
    quantized: tuple[str, ...]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    return tomllib.loads((files("resources") / "tables" / "standards.toml").read_text("utf-8"))


@lru_cache(maxsize=64)
def numbers_of(dtype: DType, variant: Variant) -> Numbers:
    """Return the numbers for *dtype*; float32's, the tool's default, where it has none of its own."""
    found: dict[str, Any] = {}
    for section in ("format", variant.value):
        by_format = _table()[section]
        found |= by_format["float32"] | by_format.get(dtype.name, {})
    if "ulp_mean" not in _table()["format"].get(dtype.name, found):
        found.pop("ulp_mean")
    return Numbers(**found)


@lru_cache(maxsize=1)
def first_stage_numbers() -> FirstStageNumbers:
    """Return the numbers of the first stage."""
    found = _table()["first_stage"]
    return FirstStageNumbers(**(found | {"quantized": tuple(found["quantized"])}))


def thousandth_share() -> float:
    """Return the share of relative errors below a thousandth that the standard asks for."""
    return float(_table()["thousandth"]["share"])


def accumulative_small_value() -> float:
    """Return the magnitude up to which a value is small for the accumulative error."""
    return float(_table()["accumulative_error"]["small_value"])


def level_of(operator_name: str, variant: Variant) -> str:
    """Return L0, L1 or L2; the code tells capitals from small letters, so that no gelu is its GELU."""
    for level, names in _table()["levels"].items():
        if operator_name in names:
            return str(level)
        if variant is Variant.DOCUMENT and operator_name.lower() in map(str.lower, names):
            return str(level)
    return "L0"


def benchmark_limits(level: str) -> Mapping[str, float]:
    """Return the largest ratio to the control by the name of the metric."""
    limits: Mapping[str, float] = _table()["benchmark"][level]
    return limits


def listed_standard(operator_name: str) -> Standard:
    """Return the standard that the tool's table means for the operator: benchmark if it is in no list."""
    for name, operators in _table()["operators"].items():
        if operator_name in operators:
            return Standard(name)
    return Standard.BENCHMARK
