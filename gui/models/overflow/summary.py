"""The answer of an overflow analysis in a sentence and a few lines. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import render, text
from core.records.overflow import OverflowReport
from gui import numbers
from gui.models.pair.categories import Category


@dataclass(frozen=True)
class Calm:
    """What is said when nothing is born."""

    category: Category
    """Whose mark stands before the sentence: good news only where all could be decided."""
    sentence: str
    details: tuple[str, ...]


def counted(sentence: str, count: int) -> str:
    """Return the sentence with this code about *count*, the number in groups of digits."""
    return text(sentence, count=count, number=numbers.grouped(count))


def calm_of(report: OverflowReport) -> Calm:
    """Return what to say of a run in which nothing is born."""
    calls = sum(track.operators for track in report.tracks)
    undecided = sum(track.undecided for track in report.tracks)
    details = []
    if report.tracks:
        cells = counted("gui.overflow.cells", len(report.tracks))
        details.append(
            text("gui.overflow.looked_at", calls=counted("gui.overflow.calls", calls), cells=cells)
        )
    if report.expected:
        details.append(counted("gui.overflow.calm.expected", len(report.expected)))
    details += [render(remark) for remark in report.remarks]
    if not calls:
        return Calm(Category.NOT_COMPARED, text("gui.overflow.nothing_to_look_at"), tuple(details))
    if undecided:
        return Calm(Category.NOT_COMPARED, text("gui.overflow.none_seen"), tuple(details))
    return Calm(Category.EQUAL, text("gui.overflow.clean"), tuple(details))


def first_line(report: OverflowReport) -> str:
    """Return how the sentence of the first birth is headed: what it is, of how many."""
    if len(report.origins) == 1:
        return text("gui.overflow.only_birth")
    return text("gui.overflow.first_birth", number=numbers.grouped(len(report.origins)))
