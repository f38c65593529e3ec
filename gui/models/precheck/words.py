"""How checks, their results and the evidence are called, and what a row says in short."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from core.messages import LANGUAGES, render, text
from core.precheck.telling import sentence_of, title_of
from core.records.evidence import EvidenceKind, Place
from core.records.precheck import Check, Group, Item, Outcome, Standing
from gui.models.pair.categories import Category

CATEGORIES = {
    Outcome.FAIL: Category.INTRODUCED,
    Outcome.PASS: Category.EQUAL,
    Outcome.NOT_DONE: Category.NOT_COMPARED,
}
"""Whose mark and colour each result has: that of rows that stand as they do."""
COUNTS = (Standing.DIFFERS, Standing.TARGET_ONLY, Standing.GOLDEN_ONLY)
"""How things stand that make a check fail."""
_MOST_SHOWN = 3
"""Things that a row tells of before it says how many more there are."""


def enumerated(words: Sequence[str]) -> str:
    """Return *words* as the language lists them."""
    return (
        reduce(lambda one, other: text("gui.precheck.listed", one=one, other=other), words) if words else ""
    )


def outcome_word(outcome: Outcome) -> str:
    """Return the word for a result."""
    return text(f"precheck.outcome.{outcome.value}")


def group_title(group: Group) -> str:
    """Return what a part of the list is called."""
    return text(f"precheck.group.{group.value}")


def kind_word(kind: EvidenceKind) -> str:
    """Return what evidence of *kind* is called."""
    return text(f"precheck.kind.{kind.value}")


def kind_example(kind: EvidenceKind) -> str:
    """Return how one comes by evidence of *kind*."""
    return text(f"gui.precheck.example.{kind.value}")


def place_text(place: Place | None) -> str:
    """Return file and line of *place*, the file by its name; empty for none."""
    if place is None:
        return ""
    name = (place.member or place.path).replace("\\", "/").rstrip("/").rpartition("/")[2]
    return f"{name}:{place.line}" if place.line else name


def whole_place(place: Place) -> str:
    """Return file and line of *place*, with all folders."""
    inside = f"!{place.member}" if place.member else ""
    return f"{place.path}{inside}:{place.line}" if place.line else f"{place.path}{inside}"


def is_one_sided(item: Item) -> bool:
    """Return whether only one side has *item*."""
    return item.standing in (Standing.TARGET_ONLY, Standing.GOLDEN_ONLY)


def counts(check: Check, item: Item) -> bool:
    """Return whether *item* makes *check* fail: where nothing was judged, what one side lacks does not."""
    return item.standing in COUNTS and not (check.found is Outcome.NOT_DONE and is_one_sided(item))


def side_value(check: Check, item: Item, golden: bool) -> str:
    """Return what one side has of *item*, or that it has nothing, or says nothing of it."""
    value = item.golden if golden else item.target
    absent = Standing.TARGET_ONLY if golden else Standing.GOLDEN_ONLY
    if value or item.standing is not absent:
        return value
    return text("gui.precheck.not_told" if check.found is Outcome.NOT_DONE else "gui.precheck.missing")


def telling(check: Check) -> list[Item]:
    """Return what in *check* is worth telling in a line: what counts, else what was compared."""
    counting = [item for item in check.items if counts(check, item)]
    return counting or [item for item in check.items if item.standing is not Standing.UNKNOWN]


def side_summary(check: Check, golden: bool) -> str:
    """Return what one side has of that which counts, in a line."""
    items = telling(check)
    shown = [side_value(check, item, golden) for item in items[:_MOST_SHOWN]]
    if len(items) > 1:
        shown = [f"{item.called} {value}".strip() for item, value in zip(items, shown)]
    left = len(items) + check.left_off - _MOST_SHOWN
    if left > 0:
        shown.append(text("gui.precheck.more", count=left))
    return enumerated(shown)


def signed_text(check: Check) -> str:
    """Return what a person remarked, and who that was."""
    entry = check.entry
    return "  ·  ".join(part for part in (entry.remark, entry.name) if part)


def matches(check: Check, words: str) -> bool:
    """Return whether *check* says all *words*: in its title, in any language, its sentence or its items."""
    wanted = words.lower().split()
    if not wanted:
        return True
    said = [
        check.id,
        *(title_of(check, language) for language in LANGUAGES),
        render(sentence_of(check)),
        group_title(check.group),
        signed_text(check),
        *(part for item in check.items for part in (item.name, item.called, item.target, item.golden)),
    ]
    joined = "\n".join(said).lower()
    return all(word in joined for word in wanted)
