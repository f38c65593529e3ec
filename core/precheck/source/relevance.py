"""Whether a line that differs touches numbers, only prints, or only names another folder."""

from __future__ import annotations

import re

from core.precheck.source.keys import Keys
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
_SEVERAL = re.compile(r";|&&|\|\||\|(?!\|)|>|`|\$\(")
"""What puts a second statement, or a file, into a line that prints."""
_TEXT = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
_MOST_LETTERS = 4_000
"""Letters of a line that are looked at; of a longer one all is taken to matter."""


Token = tuple[str, str]
"""Kind and text."""


def of_one(keys: Keys, row: int) -> Change:
    """Return what line *row* is that only one side has."""
    if not keys.blanks[row]:
        return Change.BLANK
    if not keys.code[row]:
        return Change.COMMENT
    if not keys.whole[row]:
        return Change.DEVICE
    line = _DEPTH.sub("", keys.whole[row])
    if _only_prints(line):
        return Change.LOGGING
    if len(line) > _MOST_LETTERS:
        return Change.NUMERIC
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
    if _only_prints(left) and _only_prints(right):
        return Change.LOGGING
    tokens, others_tokens = _tokens(left, target.free), _tokens(right, golden.free)
    if tokens == others_tokens:  # it stands deeper, or blanks differ inside a text
        return max(of_one(target, row), of_one(golden, beside))
    if list(map(_value, tokens)) == list(map(_value, others_tokens)):
        return Change.BLANK
    if list(map(_without_folders, tokens)) == list(map(_without_folders, others_tokens)):
        return Change.PATH
    differing = _not_shared(tokens, others_tokens)
    return Change.NUMERIC if any(map(_touches_numbers, differing)) else Change.CODE


def _only_prints(line: str) -> bool:
    table = source_table()
    if table.logging.match(line) is None:
        return False
    bare = _TEXT.sub("''", line)
    return not _SEVERAL.search(bare) and not table.effects.search(bare)


def _tokens(line: str, free: bool) -> list[Token]:
    """Return the words of *line*; *free*: a slash outside of quotes divides, and is part of no path."""
    tokens = []
    for place, part in enumerate(_TEXT.split(line)):
        computes = free and not place % 2  # a dash in an option or a text is no minus
        for found in (_TOKEN if computes else _TOKEN_OR_PATH).finditer(part):
            kind = str(found.lastgroup)
            tokens.append(("sign" if kind == "operator" and not computes else kind, found[0]))
    return tokens


def _value(token: Token) -> str:
    """Return *token*, a number with a point or an exponent as it is spelt shortest."""
    kind, words = token
    if kind != "number" or words.isdigit():
        return words
    try:
        return repr(float(words))
    except ValueError:
        return words


def _without_folders(token: Token) -> str:
    return re.split(r"[\\/]", token[1])[-1] if token[0] == "path" else token[1]


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
    if kind in ("number", "operator"):
        return True
    return kind != "sign" and any(part in source_table().numeric_words for part in _words_of(words))


def _words_of(name: str) -> list[str]:
    return [*(part.lower() for part in _PARTS.findall(name)), *re.split(r"[\W_]+", name.lower())]
