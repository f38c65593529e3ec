"""Conditions of a script that its own text decides: ``[ $TP -gt 1 ]``, ``[[ $MODE == train ]]``."""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Sequence

from core.formats.evidence.shell.values import Field

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-gt": operator.gt, "-ge": operator.ge, "-lt": operator.lt,
    "-le": operator.le,
}  # fmt: skip
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})", re.A)


def decide(fields: Sequence[Field]) -> bool | None:
    """Return what the command *fields* answers, ``None`` where only the machine can tell."""
    words = [field.text for field in fields]
    if not words:
        return None
    if words[0] in ("true", ":"):
        return True
    if words[0] == "false":
        return False
    double = words[0] == "[["
    if words[0] not in ("[", "[[", "test"):
        return None
    inner = list(fields[1:])
    if words[0] == "[":
        if words[-1] != "]":
            return None
        inner.pop()
    negated = bool(inner) and inner[0].text == "!"
    answer = _answer(inner[1:] if negated else inner, double)
    return answer if answer is None or not negated else not answer


def _never_set(field: Field) -> bool:
    """Tell whether *field* is a variable that nothing in the script sets.

    It counts as empty, as it does where the script gives it a default by ``${NAME:-...}``.
    """
    return not field.known and bool(_VARIABLE.fullmatch(field.text))


def _answer(fields: Sequence[Field], pattern: bool) -> bool | None:
    if len(fields) == 2 and fields[0].text in ("-z", "-n") and _never_set(fields[1]):
        return fields[0].text == "-z"
    if not all(field.known for field in fields):
        return None
    words = [field.text for field in fields]
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2 and words[0] in ("-z", "-n"):
        return bool(words[1]) == (words[0] == "-n")
    if len(words) != 3:
        return None
    left, sign, right = words
    if sign in ("=", "==", "!="):
        if pattern and set(right) & set("*?[") and len(right) < 100 and len(left) < 1000:
            return fnmatch.fnmatchcase(left, right) == (sign != "!=")
        return (left == right) == (sign != "!=")
    if sign in _NUMBERS:
        try:
            return _NUMBERS[sign](int(left[:20]), int(right[:20]))
        except ValueError:
            return None
    return None
