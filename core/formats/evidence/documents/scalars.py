"""What a bare word of a document stands for."""

from __future__ import annotations

import math
import re

from core.records.evidence import Scalar

_MOST_DIGITS = 400
"""More digits than any number of a configuration has; Python's own limit is 4300."""
_WHOLE = re.compile(r"[-+]?[0-9][0-9_]*", re.A)
_OCTAL = re.compile(r"[-+]?0[0-7_]{0,100}[0-7]", re.A)
_RADIX = re.compile(r"[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)", re.A)
_FRACTION = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9][0-9_]*(?=[eE]))(?:[eE][-+]?[0-9]+)?", re.A
)
_SPECIAL = {
    ".inf": math.inf, "inf": math.inf, "infinity": math.inf, "-.inf": -math.inf, "-inf": -math.inf,
    "-infinity": -math.inf, "+.inf": math.inf, ".nan": math.nan, "nan": math.nan,
}  # fmt: skip
_NOTHING = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"))
_FALSE = frozenset(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"))


def number_of(word: str) -> int | float | None:
    """Return the number that *word* spells, ``None`` if it spells none or one of absurd length."""
    if not word or len(word) > _MOST_DIGITS:
        return None
    if _WHOLE.fullmatch(word):
        return int(word.replace("_", ""))
    if _RADIX.fullmatch(word) and word[-1] != "_":
        return int(word.replace("_", ""), 0)
    if _FRACTION.fullmatch(word):
        return float(word.replace("_", ""))
    return _SPECIAL.get(word.lower())


def yaml_scalar(word: str) -> Scalar:
    """Return what the plain scalar *word* means in yaml.

    As PyYAML reads it, which trainings use, where ``on`` and ``no`` are booleans; but ``1e-5``, which it
    takes for a text because yaml 1.1 asks for a dot, is the number that everybody means by it.
    """
    if word in _NOTHING:
        return None
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    if _OCTAL.fullmatch(word):
        return int(word.replace("_", ""), 8)
    number = number_of(word) if word.lower().lstrip("+-") not in ("inf", "infinity", "nan") else None
    return word if number is None else number


def python_scalar(word: str) -> Scalar:
    """Return what *word* means where Python printed it; what is no literal is a text, unquoted."""
    word = word.strip()
    if word in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[word]
    number = number_of(word)
    if number is not None:
        return number
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return word[1:-1]
    return word
