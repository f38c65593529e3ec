"""Layouts learned from lines that were parsed by their form.

Other numbers are put in place of a line's own and it is parsed again: that shows which numbers are the step,
the rank and the value of each column. What stands around them becomes a regular expression, and lines that
match it give the same record as their form would, only faster. A number is only taken for one that is spelled
alike: for digits alone digits, for a fraction a fraction, NaN or infinity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from core.formats.logs import dicts, printed
from core.formats.logs.layouts import Counted, Feed, Layout
from core.formats.logs.record import LogRecord

Parse = Callable[[str], LogRecord | None]
_TOKEN = re.compile(
    r"(?:(?<![\w+\-])[-+])?+(?:\d++(?:\.\d++)?+(?:[eE][-+]?+\d++)?+|(?<![\w.])(?:nan|inf(?:inity)?+)(?![\w.]))",
    re.I | re.A,
)
_RANK_BEFORE = re.compile(r"(?:default|rank)\s*$", re.I)
_UNIT_AFTER = re.compile(r"(?:ms|us|s|it|h|m|d|[KMGT]i?B)(?![A-Za-z_])")
_FRACTION = (
    r"(?:\d{1,40}+(?:\.\d{1,40}+(?:[eE][-+]?+\d{1,5}+)?+|[eE][-+]?+\d{1,5}+)|"
    r"(?:[nN][aA][nN]|[iI][nN][fF](?:inity)?+)(?!\w))"
)
_MOST_TOKENS, _MOST_DIGITS, _LONGEST = 100, 15, 4000
_COUNTED_DIGITS = 9
"""Of a step that is counted on over epochs."""
_FARTHEST = 10**14
"""The most that may be added to such a step."""
_UNLEARNED = frozenset((dicts.NESTED, printed.BARE))
"""Forms that depend on more than how numbers are spelled; they are always parsed."""
_FACTORS = (1.0, 1000.0)


class _Token(NamedTuple):
    """A number in a line."""

    start: int
    end: int
    whole: bool
    """Digits and nothing else."""
    text: str


class _Uses(NamedTuple):
    """What the numbers of a line are, by their places among its tokens."""

    step: int | None
    offset: int
    rank: int | None
    feeds: tuple[tuple[str, int, float], ...]
    fixed: Mapping[str, float]


def learned(line: str, record: LogRecord, parse: Parse) -> Layout | None:
    """Return the layout of *line*, of which *parse* made *record*; ``None`` where it cannot be told.

    *line* must have no blanks at its ends.
    """
    if record.form in _UNLEARNED or len(line) > _LONGEST:
        return None
    tokens = _tokens(line)
    if not 0 < len(tokens) <= _MOST_TOKENS or _may_be_grouped(line, tokens):
        return None
    counted = None
    uses = _uses(line, tokens, record, parse, None)
    if uses is None and record.step is not None:
        counted = _counting(line, tokens, record, parse)
        if counted is None:
            return None
        tokens, place = counted
        uses = _uses(line, tokens, record, parse, place)
    if uses is None:
        return None
    made = _layout(line, tokens, record, uses)
    groups = made.match(line) if made else None
    if made is None or groups is None or not _same(made.record(groups), record):
        return None
    return made


def _may_be_grouped(line: str, tokens: Sequence[_Token]) -> bool:
    """Whether a comma between two numbers may set off thousands: how many digits follow it then matters.

    Behind a colon it is that of a time of day.
    """
    return any(
        line[one.end : other.start] == "," and line[one.start - 1 : one.start] != ":"
        for one, other in pairwise(tokens)
    )


def _mark(number: int) -> int:
    """Return what stands for the token *number*: six digits, as a rank may have no more."""
    return 100_003 + 7919 * number


def _uses(
    line: str, tokens: Sequence[_Token], record: LogRecord, parse: Parse, counted: int | None
) -> _Uses | None:
    """Return what *tokens* are; *counted*: which of them is the step, with something added."""
    places = {float(_mark(n) if token.whole else _mark(n) + 0.5): n for n, token in enumerate(tokens)}
    changed = parse(_replaced(line, tokens, range(len(tokens))))
    if changed is None or (changed.form, changed.event) != (record.form, record.event):
        return None
    if changed.values.keys() != record.values.keys() or (changed.step is None) != (record.step is None):
        return None
    feeds: list[tuple[str, int, float]] = []
    fixed: dict[str, float] = {}
    for name, value in changed.values.items():
        fed = next(((places[value / f], f) for f in _FACTORS if value / f in places), None)
        if fed is not None:
            feeds.append((str(name), *fed))
        elif repr(value) == repr(record.values[name]):
            fixed[str(name)] = value
        else:
            return None
    step, offset, rank = counted, 0, None
    if changed.step is not None and counted is not None:
        offset = changed.step - _mark(counted)
        if not 0 <= offset < _FARTHEST:
            return None
    elif changed.step is not None:
        step = places.get(float(changed.step))
        if step is None or not tokens[step].whole:
            return None
    if changed.rank != record.rank:
        rank = places.get(float(changed.rank))
        if rank is None or not tokens[rank].whole:
            return None
    return _Uses(step, offset, rank, tuple(feeds), fixed)


def _counting(
    line: str, tokens: Sequence[_Token], record: LogRecord, parse: Parse
) -> tuple[list[_Token], int] | None:
    """Return the tokens without those that the step is counted from but the last, and which one that is."""
    moving: list[int] = []
    last = None
    for number, token in enumerate(tokens):
        alone = parse(_replaced(line, [token], [number])) if token.whole else None
        if alone is None or alone.step is None or record.step is None or alone.step == record.step:
            continue
        moving.append(number)
        if alone.step - record.step == _mark(number) - int(token.text) and len(token.text) <= _COUNTED_DIGITS:
            last = number
    if last is None:
        return None
    kept = [token for number, token in enumerate(tokens) if number == last or number not in moving]
    return kept, kept.index(tokens[last])


def _tokens(line: str) -> list[_Token]:
    """Return the numbers of *line* that may be others in lines of the same layout."""
    found = []
    for match in _TOKEN.finditer(line):
        text, start, end = match[0], match.start(), match.end()
        before = line[start - 1 : start]
        bare = text.lstrip("+-")
        ranked = bare.isdigit() and _RANK_BEFORE.search(line[max(start - 10, 0) : start])
        if (_is_letter(before) or before == "_") and not ranked:
            continue
        after = line[end : end + 1]
        if (_is_letter(after) or after == "_") and not _UNIT_AFTER.match(line, end):
            continue
        if bare[0].isalpha() and line[:start].rstrip()[-1:] not in tuple(":=(["):
            continue
        if bare.isdigit():
            if len(bare) <= _MOST_DIGITS:
                found.append(_Token(end - len(bare), end, True, bare))
        else:
            found.append(_Token(start, end, False, text))
    return found


def _is_letter(character: str) -> bool:
    """Whether a number beside *character* is a part of a word; Chinese sets no blanks between them."""
    return character.isalpha() and character.isascii()


def _replaced(line: str, tokens: Sequence[_Token], numbers: Sequence[int]) -> str:
    """Return *line* with the marks of *numbers* in place of *tokens*."""
    pieces, at = [], 0
    for token, number in zip(tokens, numbers):
        pieces += [line[at : token.start], f"{_mark(number)}" if token.whole else f"{_mark(number)}.5"]
        at = token.end
    return "".join([*pieces, line[at:]])


def _layout(line: str, tokens: Sequence[_Token], record: LogRecord, uses: _Uses) -> Layout | None:
    used = {number for _, number, _ in uses.feeds} | ({uses.step, uses.rank} - {None})
    if not used:
        return None
    groups = {number: group for group, number in enumerate(sorted(n for n in used if n is not None))}
    body, at = [], 0
    for number, token in enumerate(tokens):
        most = 6 if number == uses.rank else _MOST_DIGITS
        if number == uses.step and uses.offset:
            most = _COUNTED_DIGITS
        pattern = _pattern(token, most, line[max(token.start - 1, 0) : token.start])
        body += [_literal(line[at : token.start]), f"({pattern})" if number in groups else pattern]
        at = token.end
    return Layout(
        "".join([*body, re.escape(line[at:])]),
        record.form,
        record.event,
        None if uses.step is None else Counted(groups[uses.step], uses.offset),
        None if uses.rank is None else groups[uses.rank],
        record.rank,
        [Feed(name, groups[number], factor) for name, number, factor in uses.feeds],
        uses.fixed,
    )


def _literal(text: str) -> str:
    """Return the expression of what stands before a number: numbers are often aligned by blanks."""
    bare = text.rstrip(" ")
    return re.escape(bare) + (" {1,32}+" if len(bare) < len(text) else "")


def _pattern(token: _Token, digits: int, before: str) -> str:
    """Return the expression of numbers spelled like *token*, which stands after the character *before*."""
    if token.whole:
        return rf"\d{{1,{digits}}}+"
    return _FRACTION if before in tuple("+-.") or before.isalnum() else "[-+]?+" + _FRACTION


def _same(one: LogRecord, other: LogRecord) -> bool:
    return (one.form, one.step, one.event, one.rank) == (
        other.form,
        other.step,
        other.event,
        other.rank,
    ) and {str(name): repr(value) for name, value in one.values.items()} == {
        str(name): repr(value) for name, value in other.values.items()
    }
