"""What the value of a setting is, whatever its spelling: 1e-5 is 0.00001, an option alone is true."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from enum import StrEnum

from core.messages import Message
from core.precheck.settings.places import named_by
from core.records.evidence import Scalar, Value

Meaning = bool | int | float | str | tuple["bool | int | float | str | None", ...] | None
"""A value by its meaning. Numbers are what a training computes with: whole ones ``int``, others float64."""


_MOST_BITS = 8192
"""Python refuses to spell larger whole numbers in decimals."""


class SettingKind(StrEnum):
    """What values a setting takes."""

    NUMBER = "number"
    WHOLE = "whole"
    LENGTH = "length"
    """A whole number that is counted in powers of two: ``4k`` is 4096."""
    FLAG = "flag"
    CHOICE = "choice"
    TEXT = "text"
    NUMBERS = "numbers"
    PLACES = "places"
    """Paths or names in a hub: what counts is what they name, not where it lies."""


_TRUE = frozenset(("true", "1", "yes", "on", "y", "store_true", "enable", "enabled"))
_FALSE = frozenset(("false", "0", "no", "off", "n", "store_false", "disable", "disabled"))
NOTHING = frozenset(("none", "null", "nil", ""))
"""Words for a setting that is not set."""

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?", re.ASCII)
_POWER = re.compile(r"(\d+)\s*(?:\*\*|\^)\s*(\d+)", re.ASCII)
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)\s*([kKmMgGbBtT])", re.ASCII)
_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12}
_BINARY = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LONGEST_NUMBER = 400
"""Characters: no setting is longer, and Python turns longer ones into numbers slowly."""


_REFERENCE = re.compile(r"\$(?:[{(]|[A-Za-z_])", re.ASCII)


def refers(text: str) -> bool:
    """Whether *text* is filled in elsewhere: ``$LR``, ``${optimizer.lr}``, ``{{ lr }}``, ``<your rate>``."""
    plain = text.strip()
    template = plain.startswith("{{") and plain.endswith("}}") and plain.count("{{") == 1
    blank = plain.startswith("<") and plain.endswith(">") and plain.count("<") == 1 and " " in plain
    return template or (blank and "|" not in plain) or _REFERENCE.search(text) is not None


def number_of(value: Value) -> int | float | None:
    """Return the number that *value* is or spells, ``None`` if it is none; flags are no numbers."""
    if isinstance(value, bool) or value is None or isinstance(value, tuple):
        return None
    if isinstance(value, int | float):
        return _plain(value)
    spelled = value.strip().strip("\"'")
    if len(spelled) > _LONGEST_NUMBER:
        return None
    if _NUMBER.fullmatch(spelled):
        digits = spelled.replace("_", "")
        return int(digits) if digits.lstrip("+-").isdigit() else _plain(float(digits))
    power = _POWER.fullmatch(spelled)
    if power and int(power[2]) <= 64 and int(power[1]) <= 64:
        return int(pow(int(power[1]), int(power[2])))
    named = spelled.lower().lstrip("+")
    return float(named) if named in ("inf", "-inf", "infinity", "-infinity", "nan") else None


def _plain(number: int | float) -> int | float:
    return int(number) if isinstance(number, float) and number.is_integer() else number


def with_unit(value: Value, *, binary: bool) -> int | float | None:
    """Return what ``4k`` or ``1.5B`` is: *binary* for lengths, where k is 1024; ``None`` without a unit."""
    match = _WITH_UNIT.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 32 else None
    if match is None:
        return None
    units = {**_DECIMAL, **_BINARY} if binary else _DECIMAL
    return _plain(float(match[1]) * units[match[2].lower()])


def flag_of(value: Value) -> bool | None:
    """Return whether *value* switches a flag on; ``None`` if it says neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.strip().strip("\"'").lower() if isinstance(value, str) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def meaning_of(
    value: Value, kind: SettingKind, same: Mapping[str, str] | None = None
) -> tuple[Meaning, Message | None]:
    """Return what *value* means as a setting of *kind*, and a remark where its spelling leaves a doubt.

    Parameters
    ----------
    value
        As the file says it.
    kind
        What values the setting takes; what cannot be one stays the text that it is.
    same
        Choices by their other spellings, these folded by :func:`folded`.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in NOTHING):
        return None, None
    if kind is SettingKind.FLAG:
        flag = flag_of(value)
        return (flag if flag is not None else text_of(value)), None
    if kind in (SettingKind.NUMBER, SettingKind.WHOLE, SettingKind.LENGTH):
        return _number(value, kind)
    if kind is SettingKind.PLACES:
        return (None if isinstance(value, bool) else named_by(value)), None
    if kind is SettingKind.CHOICE and isinstance(value, tuple) and len(value) == 1:
        return meaning_of(value[0], kind, same)
    if isinstance(value, tuple):
        return tuple(_element(item) for item in value), None
    if kind is SettingKind.CHOICE:
        if isinstance(value, bool):
            value = str(value)
        word = folded(text_of(value))
        return (same or {}).get(word, word), None
    return _element(value), None


def _number(value: Value, kind: SettingKind) -> tuple[Meaning, Message | None]:
    number = number_of(value)
    if number is not None:
        return number, None
    counted = with_unit(value, binary=kind is SettingKind.LENGTH)
    if counted is None:
        return text_of(value), None
    return counted, Message("precheck.setting.unit", {"spelled": text_of(value), "number": shown(counted)})


def _element(value: Scalar) -> bool | int | float | str | None:
    if isinstance(value, bool) or value is None:
        return value
    number = number_of(value)
    if number is not None:
        return number
    return " ".join(str(value).split())


def folded(word: str) -> str:
    """Return *word* as choices and names are compared: without case, dashes are underscores."""
    return word.strip().strip("\"'").lower().replace("-", "_")


def text_of(value: Value) -> str:
    """Return *value* as people read it: the shortest spelling of numbers."""
    return shown(value) if not isinstance(value, str) else " ".join(value.split())


def shown(value: Meaning) -> str:
    """Return a value as it stands in a table: ``4096``, ``1e-05``, ``true``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return hex(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    return str(value)


def same_meaning(first: Meaning, second: Meaning) -> bool:
    """Whether two values mean the same: numbers by their number, never a flag for a number."""
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(same_meaning, first, second))
    if isinstance(first, bool) is not isinstance(second, bool):
        return False
    if isinstance(first, float) and isinstance(second, float) and math.isnan(first) and math.isnan(second):
        return True
    return first == second
