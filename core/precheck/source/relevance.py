"""Whether a line that differs touches numbers, only prints, or only names another folder."""

from __future__ import annotations

import re

from core.precheck.source.folders import same_below_another_root
from core.precheck.source.keys import Keys
from core.precheck.source.printing import TEXT, only_prints
from core.precheck.source.records import Change
from core.precheck.source.table import source_table

_PATH = (
    r"(?P<path>(?:[A-Za-z]:[\\/]|~/|\.{1,2}/|/)?(?=[\d_.\-@+]*[^\W\d_])[\w.\-@+]++[\\/]"
    r"(?:[\w.\-@+]+[\\/])*+[\w.\-@+]*)|"
)
_OTHERS = (
    r"(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?\w*)|(?P<word>[^\W\d]\w*)|"
    r"(?P<operator>\*\*|//|[+\-*/%@]|<<|>>|[<>!=]=|[<>])|(?P<sign>\S)"
)
_TOKEN, _TOKEN_OR_PATH = re.compile(_OTHERS), re.compile(_PATH + _OTHERS)
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
_DEPTH = re.compile(r"\A\d+:")
_COMPARED = re.compile(r"[=<>~!]=\s*\Z|[\w.\-]\Z")
"""What stands before a number that is a version: ``torch==1.10``, ``torch-1.10``."""
_FRACTION = re.compile(r"0*\.\d+|\d+\.0*|[\d.]+[eE][+-]?\d+")
"""Numbers that are no version, however they are spelt: ``0.10``, ``1.0``, ``1e-5``."""
_MOST_LETTERS = 4_000
"""Letters of a line that are looked at; of a longer one all is taken to matter."""


Token = tuple[str, str]
"""Kind and text. A number that may be a version is of the kind ``version``: ``1.10`` is not ``1.1``."""


def of_one(keys: Keys, row: int) -> Change:
    """Return what line *row* is that only one side has."""
    if not keys.blanks[row]:
        return Change.BLANK
    if not keys.code[row]:
        return Change.COMMENT
    if not keys.whole[row]:
        return Change.DEVICE
    line = _DEPTH.sub("", keys.whole[row])
    if len(line) > _MOST_LETTERS:
        return Change.NUMERIC
    if only_prints(line, free=keys.free):
        return Change.LOGGING
    return Change.NUMERIC if any(map(_touches_numbers, _tokens(line, keys.free))) else Change.CODE


def of_two(target: Keys, row: int, golden: Keys, beside: int) -> Change:
    """Return what lines *row* and *beside* differ in that stand for each other but are not the same text."""
    for change, keys, others in (
        (Change.BLANK, target.blanks, golden.blanks),
        (Change.COMMENT, target.code, golden.code),
        (Change.DEVICE, target.device, golden.device),
        (Change.PATH, target.whole, golden.whole),
    ):
        if keys[row] == others[beside]:
            return change
    left, right = target.whole[row], golden.whole[beside]
    if not left or not right:
        return max(of_one(target, row), of_one(golden, beside))
    if len(left) > _MOST_LETTERS or len(right) > _MOST_LETTERS:
        return Change.NUMERIC
    left, right = _DEPTH.sub("", left), _DEPTH.sub("", right)
    if only_prints(left, free=target.free) and only_prints(right, free=golden.free):
        return Change.LOGGING
    tokens, others_tokens = _tokens(left, target.free), _tokens(right, golden.free)
    if tokens == others_tokens:  # it stands deeper, or blanks differ inside a text
        return max(of_one(target, row), of_one(golden, beside))
    if list(map(_value, tokens)) == list(map(_value, others_tokens)):
        return Change.BLANK
    if len(tokens) == len(others_tokens) and all(map(_same_place, tokens, others_tokens)):
        return Change.PATH
    differing = _not_shared(tokens, others_tokens)
    return Change.NUMERIC if any(map(_touches_numbers, differing)) else Change.CODE


def _tokens(line: str, free: bool) -> list[Token]:
    """Return the words of *line*; *free*: a slash outside of quotes divides, and is part of no path."""
    tokens = []
    versions = "version" in line.lower()
    for place, part in enumerate(TEXT.split(line)):
        computes = free and not place % 2  # a dash in an option or a text is no minus
        for found in (_TOKEN if computes else _TOKEN_OR_PATH).finditer(part):
            kind = str(found.lastgroup)
            if kind == "number" and not computes and (free or versions or _is_version(found)):
                kind = "version"
            tokens.append(("sign" if kind == "operator" and not computes else kind, found[0]))
    return tokens


def _is_version(found: re.Match[str]) -> bool:
    """Return whether the number *found*, in no formula, may be one in which ``1.10`` is not ``1.1``."""
    start = found.start()
    compared = _COMPARED.search(found.string, max(start - 4, 0), start)
    return compared is not None or _FRACTION.fullmatch(found[0]) is None


def _value(token: Token) -> str:
    """Return *token*, a number with a point or an exponent as it is spelt shortest."""
    kind, words = token
    if kind != "number" or words.isdigit():
        return words
    try:
        return repr(float(words))
    except ValueError:
        return words


def _same_place(one: Token, other: Token) -> bool:
    if one[0] == other[0] == "path":
        return same_below_another_root(one[1], other[1])
    return _value(one) == _value(other)


def _not_shared(left: list[Token], right: list[Token]) -> list[Token]:
    """Return the tokens of both lines that the other does not have in its place."""
    from rapidfuzz.distance import Indel

    found = []
    for part in Indel.opcodes(left, right):
        if part.tag != "equal":
            found += left[part.src_start : part.src_end] + right[part.dest_start : part.dest_end]
    return found


def _touches_numbers(token: Token) -> bool:
    kind, words = token
    if kind in ("number", "version", "operator"):
        return True
    return kind != "sign" and any(part in source_table().numeric_words for part in _words_of(words))


def _words_of(name: str) -> list[str]:
    return [*(part.lower() for part in _PARTS.findall(name)), *re.split(r"[\W_]+", name.lower())]
