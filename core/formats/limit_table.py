"""Tables of limits: shipped as TOML, with a user's file over them.

A table is a frozen dataclass of positive floats; each number's meaning and source stand in its TOML file.
What a user's file does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.errors import InputError, Problem

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    T = TypeVar("T", bound=DataclassInstance)
else:
    T = TypeVar("T")


def shipped_text(name: str) -> str:
    """Return the text of the table *name* that ulpscope comes with, with the sources of its numbers."""
    return (files("resources") / "tables" / f"{name}.toml").read_text("utf-8")


def as_toml(section: str, limits: Mapping[str, float]) -> str:
    """Return the text of a file that :func:`load_limits` reads."""
    return "\n".join([f"[{section}]", *(f"{name} = {value!r}" for name, value in limits.items()), ""])


def load_limits(path: str | Path, section: str, shipped: T) -> T:
    """Return *shipped* with what the file *path* says instead.

    Raises
    ------
    InputError
        ``limits_unreadable``, ``limits_syntax``, ``limits_unknown``, ``limits_bad_number``: nothing of a
        wrong table is used.
    """
    name = str(path)
    try:
        said = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(Problem("limits_syntax", name, {"detail": str(error)})) from None
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(Problem("limits_unreadable", name, {"detail": detail})) from None
    return limits_from(said, section, shipped, name)


def limits_from(said: Mapping[str, Any], section: str, shipped: T, path: str = "") -> T:
    """Return *shipped* with the numbers of *said* instead; *path* is named in problems.

    Raises
    ------
    InputError
        See :func:`load_limits`.
    """
    names = tuple(item.name for item in fields(shipped))
    limits = shipped
    for part, numbers in said.items():
        if part != section or not isinstance(numbers, Mapping):
            raise InputError(Problem("limits_unknown", path, {"name": str(part), "known": f"[{section}]"}))
        for key, value in numbers.items():
            if key not in names:
                parameters = {"name": f"{part}.{key}", "known": ", ".join(names)}
                raise InputError(Problem("limits_unknown", path, parameters))
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e300:
                parameters = {"name": f"{part}.{key}", "value": str(value)}
                raise InputError(Problem("limits_bad_number", path, parameters))
        limits = replace(limits, **{key: float(value) for key, value in numbers.items()})
    return limits
