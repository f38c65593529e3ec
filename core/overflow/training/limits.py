"""The limits that overflow over a training is judged by.

The shipped table is ``resources/tables/overflow.toml``, where each number's source stands. A user may load
another one; what it does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.errors import InputError, Problem

SECTION = "training"


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
        lines = [f"[{SECTION}]", *(f"{name} = {value!r}" for name, value in asdict(self).items()), ""]
        return "\n".join(lines)

    def as_mapping(self) -> dict[str, float]:
        """Return plain numbers by name, as reports show them."""
        return asdict(self)


_NAMES = tuple(item.name for item in fields(OverflowLimits))


@lru_cache(maxsize=1)
def shipped_limits() -> OverflowLimits:
    """Return the limits that ulpscope comes with."""
    return OverflowLimits(**tomllib.loads(shipped_limits_text())[SECTION])


def shipped_limits_text() -> str:
    """Return the text of the table that ulpscope comes with: what each number means, and its source."""
    return (files("resources") / "tables/overflow.toml").read_text("utf-8")


def load_limits(path: str | Path) -> OverflowLimits:
    """Return the shipped limits with what the file *path* says instead.

    Raises
    ------
    InputError
        ``overflow_limits_unreadable``, ``overflow_limits_syntax``, ``overflow_limits_unknown``,
        ``overflow_limits_bad_number``: nothing of a wrong table is used.
    """
    name = str(path)
    try:
        said = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(Problem("overflow_limits_syntax", name, {"detail": str(error)})) from None
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(Problem("overflow_limits_unreadable", name, {"detail": detail})) from None
    return limits_from(said, name)


def limits_from(said: Mapping[str, Any], path: str = "") -> OverflowLimits:
    """Return the shipped limits with the numbers of *said* instead; *path* is named in problems.

    Raises
    ------
    InputError
        See :func:`load_limits`.
    """
    limits = shipped_limits()
    for section, numbers in said.items():
        if section != SECTION or not isinstance(numbers, Mapping):
            parameters = {"name": str(section), "known": f"[{SECTION}]"}
            raise InputError(Problem("overflow_limits_unknown", path, parameters))
        for key, value in numbers.items():
            if key not in _NAMES:
                parameters = {"name": f"{section}.{key}", "known": ", ".join(_NAMES)}
                raise InputError(Problem("overflow_limits_unknown", path, parameters))
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e300:
                parameters = {"name": f"{section}.{key}", "value": str(value)}
                raise InputError(Problem("overflow_limits_bad_number", path, parameters))
        limits = replace(limits, **{key: float(value) for key, value in numbers.items()})
    return limits
