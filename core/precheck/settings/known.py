"""What is known of one setting of a side, and how it is known."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from core.messages import Message
from core.precheck.settings.values import Meaning
from core.records.evidence import Dialect, Place

_MOST = 1 << 53
"""No training counts further, and float64 holds whole numbers up to here."""


class How(StrEnum):
    """How a value is known, what is believed first at the top."""

    PRINTED = "printed"
    """The training printed it into its log."""
    SAID = "said"
    """A command line or a configuration says it."""
    ENVIRONMENT = "environment"
    DERIVED = "derived"
    DEFAULT = "default"
    """The command line is complete and does not say it, so that the framework's own value holds."""


class Known(NamedTuple):
    """One setting of a side."""

    name: str
    """Its canonical name."""
    value: Meaning
    spelled: str
    """As people read it: as the file spells it, or the derived value."""
    place: Place | None
    how: How
    said_as: str = ""
    """The name that the file uses."""
    dialect: Dialect | None = None
    remark: Message | None = None
    """How it was worked out, that it is a default, or how its spelling was read."""


class Conflict(NamedTuple):
    """One side says two values of one setting; the first one holds."""

    name: str
    values: tuple[Known, ...]


class Contradiction(NamedTuple):
    """Numbers of one side that no training can have together."""

    name: str
    """The setting that does not fit, by its canonical name."""
    message: Message
    place: Place | None = None


def whole(known: Known | None) -> int | None:
    """Return the positive whole number that *known* holds, ``None`` if it holds none."""
    value = known.value if known is not None else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value < _MOST else None


def number(known: Known | None) -> float | None:
    """Return the finite number that *known* holds, ``None`` if it holds none."""
    value = known.value if known is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -_MOST < value < _MOST else None
