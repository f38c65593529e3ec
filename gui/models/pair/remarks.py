"""What the user noted on calls, as columns over rows. Imports no Qt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from core.messages import text
from core.records.notes import Notes
from gui.models.pair.facts import Facts
from gui.models.pair.ignoring import with_ignored
from gui.models.pair.scopes import call_name


def with_notes(facts: Facts, notes: Notes) -> Facts:
    """Return *facts*, of which nothing is noted yet, with what *notes* say of its calls."""
    made = with_ignored(facts, notes.ignored)
    return replace(made, remarks=dict(notes.remarks)) if notes.remarks else made


def note_of(facts: Facts, row: int) -> str:
    """Return what is noted on the call of *row*, and why it is ignored; empty where nothing is."""
    why, remark = facts.why_ignored(row), facts.remarks.get(call_name(facts, row), "")
    return "  ·  ".join(
        part for part in (text("gui.note.ignored", reason=why) if why else "", remark) if part
    )


def rows_of_calls(facts: Facts, names: Collection[str]) -> np.ndarray:
    """Return the rows of the calls called *names*."""
    places = [place for name in names if (place := facts.operators.texts.find(name)) >= 0]
    return np.isin(facts.operator, places)


def noted(facts: Facts) -> np.ndarray:
    """Return the rows of which :func:`note_of` says something."""
    found = rows_of_calls(facts, facts.remarks)
    return found if facts.ignored is None else found | (facts.ignored >= 0)


def has_notes(facts: Facts) -> bool:
    """Return whether anything is noted on a call of the cell, or ignored."""
    return facts.ignored is not None or any(facts.operators.texts.find(name) >= 0 for name in facts.remarks)


def rows_noted(facts: Facts, words: str) -> np.ndarray:
    """Return the rows whose note or reason holds *words*, in lower case."""
    found = rows_of_calls(facts, [name for name, said in facts.remarks.items() if words in said.lower()])
    if facts.ignored is not None:
        holding = np.array([words in reason.lower() for reason in facts.reasons] + [False])
        found = found | holding[facts.ignored]
    return found
