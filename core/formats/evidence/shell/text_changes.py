"""What ``${NAME%...}``, ``${NAME/...}`` and their relatives make of a text."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from core.formats.evidence.shell.arithmetic import NotComputable, compute

_LONGEST_PATTERN, _LONGEST_TEXT = 100, 1000


def no_number(name: str) -> int:
    """Know no variable."""
    raise NotComputable(name)


def changed(operator: str, text: str, operand: str) -> str | None:
    """Return *text* as a parameter expansion changes it, ``None`` where that is not followed."""
    if operator == "length":
        return str(len(text))
    if operator in ("^^", ",,", "^", ",") and not operand:
        change = str.upper if "^" in operator else str.lower
        return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
    if operator == ":":
        return _slice(text, operand)
    if len(operand) > _LONGEST_PATTERN or len(text) > _LONGEST_TEXT:
        return None
    if operator in ("%", "%%", "#", "##"):
        return _trimmed(operator, text, operand)
    if operator in ("/", "//"):
        pattern, _, replacement = operand.partition("/")
        if not pattern or set(pattern) & set("*?[\\"):
            return text if not pattern else None
        return text.replace(pattern, replacement, 1 if operator == "/" else -1)
    return None


def _slice(text: str, operand: str) -> str | None:
    try:
        numbers = [compute(piece, no_number) for piece in operand.split(":")]
    except NotComputable:
        return None
    start = numbers[0] if numbers[0] >= 0 else max(len(text) + numbers[0], 0)
    if len(numbers) == 1:
        return text[start:]
    end = start + numbers[1] if numbers[1] >= 0 else len(text) + numbers[1]
    return text[start:end] if len(numbers) == 2 else None


def _trimmed(operator: str, text: str, pattern: str) -> str:
    """Cut off the shortest (or, doubled, longest) beginning or end that *pattern* matches."""
    matches = re.compile(fnmatch.translate(pattern)).match
    lengths: Sequence[int] = range(len(text) + 1)
    for length in lengths if len(operator) == 1 else reversed(lengths):
        if operator[0] == "%":
            if matches(text[len(text) - length :]):
                return text[: len(text) - length]
        elif matches(text[:length]):
            return text[length:]
    return text
