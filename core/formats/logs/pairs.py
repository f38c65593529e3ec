"""Names and numbers in printed lines: ``name: value``, ``name=value``, ``loss 2.3``, ``loss is [2.3]``."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.formats.logs.names import is_rank, loss_order, meaning_of, step_order
from core.formats.logs.numbers import read_grouped

VALUE = (
    r"(?:[a-z][\w.]{0,20}+\()?+[-+]?+(?:1\.#\w++|\d++(?:\.\d*+)?+(?:e[-+]?+\d++)?+(?:,\d[\d,]*+(?:\.\d*+)?+)?+|"
    r"\.\d++(?:e[-+]?+\d++)?+|nan|inf(?:inity)?+)"
)
END = r"(?:\s?(?:ms|s|it/s|s/it|%)(?![\w/]))?+(?![\w:/\\-]|\.\d)"
_PAIR = re.compile(
    r"(?:(?<![\w/='\"])|(?<=[{,\s(]['\"]))"
    r"(?P<name>[^\W\d][\w./%()\-]{0,60}+(?:[ \t][^\W\d][\w./%()\-]{0,60}+){0,4}?)['\"]?\s*+[:=]\s*+['\"]?"
    rf"(?P<value>{VALUE}){END}",
    re.I,
)
_WORDS = re.compile(
    rf"(?<![\w/])(?P<name>(?:(?:train(?:ing)?|val(?:id(?:ation)?)?|eval|test|lm|total|avg|mean)[ _]){{0,2}}"
    rf"(?:loss|acc(?:uracy)?|grad[ _]norm|lr)|(?:训练|验证)?损失值?)"
    rf"(?:\s++(?:is\s*+(?:\[\s*+)?|->\s*+)?|\s*+[:=]\s*+\[\s*+|\s*+为\s*+[:=]?\s*+)(?P<value>{VALUE}){END}",
    re.I,
)
_TIMES = ("eta", "elapsed", "remaining")
"""Say times of day or days, of which one part would be taken for a number."""
_FULL_WIDTH = str.maketrans("：，＝；（）［］｜−", ":,=;()[]|-")


class Pairs(NamedTuple):
    """The numbers of a line."""

    values: dict[str, float]
    """By name; of two of one name the first."""
    unclear: bool
    """One that matters has a comma in it that may mean anything: ``loss 2,31``."""


def plain(line: str) -> str:
    """Return *line* with the signs of Chinese print as ASCII has them, each in its place."""
    return line if line.isascii() else line.translate(_FULL_WIDTH)


def pairs_of(line: str) -> Pairs:
    """Return the numbers of *line*, which is :func:`plain`."""
    pairs: dict[str, float] = {}
    unclear = False
    for pattern in (_PAIR, _WORDS):
        for found in pattern.finditer(line):
            name, text = _known(found["name"]), found["value"]
            if step_order(name) is not None or is_rank(name) or name.lower() in _TIMES:
                continue
            if "," in text:
                text = text.rstrip(",")
            number = read_grouped(text + ")" if "(" in text else text)
            if number is not None:
                pairs.setdefault(name, number)
            elif "," in text and (meaning_of(name) is not None or loss_order(name) is not None):
                unclear = True
    return Pairs(pairs, unclear)


def _known(name: str) -> str:
    """Return *name* without the words before it, which belong to the sentence, if the rest is known."""
    words = name.split()
    for first in range(len(words)):
        rest = " ".join(words[first:])
        if meaning_of(rest) is not None or step_order(rest) is not None:
            return rest
    return " ".join(words[-2:])
