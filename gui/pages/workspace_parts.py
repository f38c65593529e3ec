"""The views of the compare page, made one after the other.

All of them at once would hold the window for longer than a person fails to notice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QWidget

from gui.context import Context
from gui.pages.detail import DetailCard
from gui.pages.reconnect_bar import ReconnectBar
from gui.views.cells.view import CellsView
from gui.views.diagnosis.strip import DiagnosisStrip
from gui.views.diagnosis.view import DiagnosisView
from gui.views.operators.view import OperatorsView
from gui.views.problems.view import ProblemsView
from gui.views.rounds.view import RoundsView
from gui.views.summary.view import SummaryView
from gui.views.table.view import TableView
from gui.views.trajectory.view import TrajectoryView
from gui.views.verdicts.view import VerdictsView


@dataclass(frozen=True)
class Parts:
    """What the page is laid out of."""

    verdicts: VerdictsView
    trajectory: TrajectoryView
    table: TableView
    operators: OperatorsView
    summary: SummaryView
    diagnosis: DiagnosisView
    strip: DiagnosisStrip
    detail: DetailCard
    problems: ProblemsView
    rounds: RoundsView
    reconnect: ReconnectBar
    cells: CellsView


def make_parts(context: Context, nursery: QWidget) -> Generator[None, None, Parts]:
    """Make the views, with a pause after each that takes long; returns them.

    They are children of *nursery*, which is hidden: a widget without a parent that something makes visible
    would be a window of its own.
    """
    focus = context.session.focus
    makers: tuple[tuple[str, Callable[[], QWidget]], ...] = (
        ("verdicts", lambda: VerdictsView(context)), ("trajectory", lambda: TrajectoryView(context)),
        ("table", lambda: TableView(context)), ("operators", lambda: OperatorsView(context)),
        ("summary", lambda: SummaryView(context, focus)), ("diagnosis", lambda: DiagnosisView(context)),
        ("strip", lambda: DiagnosisStrip(context)), ("detail", lambda: DetailCard(context, focus)),
        ("problems", lambda: ProblemsView(context)), ("rounds", lambda: RoundsView(context)),
        ("reconnect", lambda: ReconnectBar(context)), ("cells", lambda: CellsView(context)),
    )  # fmt: skip
    made: dict[str, Any] = {}
    for name, make in makers:
        part = made[name] = make()
        part.setParent(nursery)
        yield
    parts = Parts(**made)
    parts.detail.prepare()
    yield
    return parts
