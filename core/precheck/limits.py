"""The limits that the pre-check judges by.

The shipped table is ``resources/tables/precheck.toml``, where each number's source stands. A user may load
another one; what it does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from core.formats import limit_table

SECTION = "precheck"
_TABLE = "precheck"


@dataclass(frozen=True, slots=True)
class PrecheckLimits:
    """``precheck.toml`` explains each."""

    sum_tolerance: float

    def to_toml(self) -> str:
        """Return the text of a file that :func:`load_limits` reads."""
        return limit_table.as_toml(SECTION, self.as_mapping())

    def as_mapping(self) -> dict[str, float]:
        """Return plain numbers by name, as reports show them."""
        return asdict(self)


@lru_cache(maxsize=1)
def shipped_limits() -> PrecheckLimits:
    """Return the limits that ulpscope comes with."""
    return PrecheckLimits(**tomllib.loads(shipped_limits_text())[SECTION])


def shipped_limits_text() -> str:
    """Return the text of the table that ulpscope comes with: what each number means, and its source."""
    return limit_table.shipped_text(_TABLE)


def load_limits(path: str | Path) -> PrecheckLimits:
    """Return the shipped limits with what the file *path* says instead.

    Raises
    ------
    InputError
        See :func:`core.formats.limit_table.load_limits`.
    """
    return limit_table.load_limits(path, SECTION, shipped_limits())
