"""Settings as the readers make them: secrets masked, and no more of them than any configuration has."""

from __future__ import annotations

from collections.abc import Iterable

from core.formats.evidence.secrets import mask_value
from core.records.evidence import Dialect, Place, Scalar, Setting, Value

MOST_SETTINGS = 20_000
"""Settings of one file that are kept; a configuration has some hundreds."""
_LARGEST = 10**300
LONGEST_NAME, LONGEST_VALUE = 300, 4000
"""Characters of a name and of a text that are kept."""


def setting(name: str, value: Value, place: Place, dialect: Dialect, known: bool = True) -> Setting:
    """Return the setting *name*, without the secrets in *value*; a text that is cut is not known."""
    items = value if isinstance(value, tuple) else (value,)
    shown = tuple(_shown(name, item) for item in items)
    known = known and not any(isinstance(item, str) and len(item) > LONGEST_VALUE for item in items)
    return Setting(
        name[:LONGEST_NAME], shown if isinstance(value, tuple) else shown[0], place, dialect, known
    )


def _shown(name: str, value: Scalar) -> Scalar:
    if isinstance(value, str):
        return mask_value(name, value)[:LONGEST_VALUE]
    if value is None or isinstance(value, bool):
        return value
    text = repr(value) if isinstance(value, float) or abs(value) < _LARGEST else ""
    masked = mask_value(name, text)  # a password may be a number
    return value if masked == text else masked


def each_once(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return *settings* in their order, at most :data:`MOST_SETTINGS`; what is said twice at one place, once.

    Of two such the later one stays.
    """
    kept: dict[tuple[str, Place], Setting] = {}
    for item in settings:
        kept.pop((item.name, item.place), None)
        kept[item.name, item.place] = item
        if len(kept) >= MOST_SETTINGS:
            break
    return tuple(kept.values())
