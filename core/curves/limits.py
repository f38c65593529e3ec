"""The limits that curves are judged by.

The shipped table is ``resources/tables/curves.toml``, where each number's source stands. A user may load
another one; what it does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from core.formats import limit_table

SECTION = "curves"
_TABLE = "curves"


@dataclass(frozen=True, slots=True)
class CurveLimits:
    """``curves.toml`` explains each."""

    limit: float
    window: float
    warm_up_share: float
    tail_share: float
    step_factor: float
    standing_share: float
    spike_factor: float
    spike_least: float
    spike_length: float
    huge_factor: float
    constant_records: float
    offset_reach: float
    offset_gain: float
    slow_factor: float
    swing_strength: float
    band_sigma: float
    band_least: float
    trend_limit: float

    def to_toml(self) -> str:
        """Return the text of a file that :func:`load_limits` reads."""
        return limit_table.as_toml(SECTION, self.as_mapping())

    def as_mapping(self) -> dict[str, float]:
        """Return plain numbers by name, as reports show them."""
        return asdict(self)


@lru_cache(maxsize=1)
def shipped_limits() -> CurveLimits:
    """Return the limits that ulpscope comes with."""
    return CurveLimits(**tomllib.loads(shipped_limits_text())[SECTION])


def shipped_limits_text() -> str:
    """Return the text of the table that ulpscope comes with: what each number means, and its source."""
    return limit_table.shipped_text(_TABLE)


def load_limits(path: str | Path) -> CurveLimits:
    """Return the shipped limits with what the file *path* says instead.

    Raises
    ------
    InputError
        See :func:`core.formats.limit_table.load_limits`.
    """
    return limit_table.load_limits(path, SECTION, shipped_limits())
