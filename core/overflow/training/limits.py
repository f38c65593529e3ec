"""The limits that overflow over a training is judged by.

The shipped table is ``resources/tables/overflow.toml``, where each number's source stands. A user may load
another one; what it does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.formats import limit_table

SECTION = "training"
_TABLE = "overflow"


@dataclass(frozen=True, slots=True)
class OverflowLimits:
    """``overflow.toml`` explains each."""

    limit: float
    large_batch_limit: float
    large_batch: float
    smallest_scale: float
    consecutive_falls: float
    growth_interval: float

    def to_toml(self) -> str:
        """Return the text of a file that :func:`load_limits` reads."""
        return limit_table.as_toml(SECTION, self.as_mapping())

    def as_mapping(self) -> dict[str, float]:
        """Return plain numbers by name, as reports show them."""
        return asdict(self)


@lru_cache(maxsize=1)
def shipped_limits() -> OverflowLimits:
    """Return the limits that ulpscope comes with."""
    return OverflowLimits(**tomllib.loads(shipped_limits_text())[SECTION])


def shipped_limits_text() -> str:
    """Return the text of the table that ulpscope comes with: what each number means, and its source."""
    return limit_table.shipped_text(_TABLE)


def load_limits(path: str | Path) -> OverflowLimits:
    """Return the shipped limits with what the file *path* says instead.

    Raises
    ------
    InputError
        See :func:`core.formats.limit_table.load_limits`.
    """
    return limit_table.load_limits(path, SECTION, shipped_limits())


def limits_from(said: Mapping[str, Any], path: str = "") -> OverflowLimits:
    """Return the shipped limits with the numbers of *said* instead; *path* is named in problems.

    Raises
    ------
    InputError
        See :func:`core.formats.limit_table.load_limits`.
    """
    return limit_table.limits_from(said, SECTION, shipped_limits(), path)
