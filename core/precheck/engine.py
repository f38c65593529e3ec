"""The whole checklist over the evidence of two sides: every row has a result, and none passes unevaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import GeneratorType

from core.messages import Message
from core.precheck.checklist import CHECKLIST, CheckKind
from core.precheck.entering import with_entry
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.progress import Progress, Work
from core.records.precheck import Check, Entry, Item, Standing

MOST_ITEMS = 1000
"""Compared things that a row keeps; what differs comes first."""

_ORDER = (
    Standing.DIFFERS, Standing.TARGET_ONLY, Standing.GOLDEN_ONLY, Standing.UNKNOWN, Standing.REMARK,
    Standing.EQUAL,
)  # fmt: skip


def examine(pair: Pair, entries: Mapping[str, Entry] | None = None) -> Work[tuple[Check, ...]]:
    """Return every row of the checklist for *pair*; *entries* are what people entered, by the check's id."""
    checks = []
    for number, kind in enumerate(CHECKLIST):
        yield Progress(number, len(CHECKLIST), Message("progress.precheck"))
        found = yield from _found(kind, pair)
        checks.append(row_of(kind, found, (entries or {}).get(kind.id, Entry())))
    return tuple(checks)


def _found(kind: CheckKind, pair: Pair) -> Work[Finding]:
    if kind.examine is None:
        return not_done(Message("precheck.manual"))
    found = kind.examine(pair)
    return (yield from found) if isinstance(found, GeneratorType) else found  # type: ignore[return-value]


def row_of(kind: CheckKind, found: Finding, entry: Entry) -> Check:
    """Return the row that *found* makes; what a person entered counts instead."""
    items = sorted(found.items, key=lambda item: _ORDER.index(item.standing))
    row = Check(
        kind.id,
        kind.group,
        found.result,
        found.message,
        found.result,
        kind.rank,
        tuple(items[:MOST_ITEMS]),
        max(len(items) - MOST_ITEMS, 0),
        found.remarks,
        tuple(_files(found.target_files, items, golden=False)),
        tuple(_files(found.golden_files, items, golden=True)),
    )
    return with_entry(row, entry)


def _files(named: Sequence[str], items: Iterable[Item], *, golden: bool) -> Iterator[str]:
    """Yield the evidence that was looked at, each once."""
    places = (item.golden_place if golden else item.target_place for item in items)
    yield from dict.fromkeys((*named, *(place.path for place in places if place is not None)))
