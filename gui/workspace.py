"""The work area: tree at the left, plot and table in the middle, detail under them, summary at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.detail import DetailCard
from gui.settings import decode_state, encode_state
from gui.views.operators.view import OperatorsView
from gui.views.problems.view import ProblemsView
from gui.views.summary.view import SummaryView
from gui.views.table.view import TableView
from gui.views.trajectory.view import TrajectoryView
from gui.views.verdicts.view import VerdictsView
from gui.widgets.card_dock import CardDock
from gui.widgets.translated import Translated

_GAP = 10
_WIDE = 1500
"""Pixels from which the summary has room beside the table."""
_STATE_VERSION = 1


class Workspace(Translated, QMainWindow):
    """Docks around the middle column; a window only to Qt, for its docks."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("workspace")
        self.setWindowFlags(Qt.WindowType.Widget)
        self._settings = context.settings
        self.verdicts, self.trajectory, self.table = (
            VerdictsView(context), TrajectoryView(context), TableView(context)
        )  # fmt: skip
        self.operators, self.summary = OperatorsView(context), SummaryView(context)
        self.detail, self.problems = DetailCard(context), ProblemsView(context)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(_GAP)
        self._split.addWidget(self.trajectory)
        self._split.addWidget(self.table)
        self._split.setStretchFactor(0, 2)
        self._split.setStretchFactor(1, 3)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.verdicts)
        column.addWidget(self._split, 1)
        self.setCentralWidget(middle)
        self._make_docks()
        self.retranslate()

    def _make_docks(self) -> None:
        self.setDockOptions(self.DockOption.AnimatedDocks | self.DockOption.AllowNestedDocks)
        area = Qt.DockWidgetArea
        self.docks = {
            "operators": CardDock("operators", self.operators),
            "summary": CardDock("summary", self.summary),
            "detail": CardDock("detail", self.detail),
            "problems": CardDock("problems", self.problems),
        }
        for corner, side in (
            (Qt.Corner.TopLeftCorner, area.LeftDockWidgetArea),
            (Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea),
            (Qt.Corner.TopRightCorner, area.RightDockWidgetArea),
            (Qt.Corner.BottomRightCorner, area.RightDockWidgetArea),
        ):
            self.setCorner(corner, side)
        self.addDockWidget(area.LeftDockWidgetArea, self.docks["operators"])
        self.addDockWidget(area.RightDockWidgetArea, self.docks["summary"])
        self.addDockWidget(area.BottomDockWidgetArea, self.docks["detail"])
        self.addDockWidget(area.BottomDockWidgetArea, self.docks["problems"])
        self.docks["summary"].visibilityChanged.connect(self._place_summary)
        self.problems.close_button.clicked.connect(self.docks["problems"].hide)

    def _place_summary(self, _visible: bool) -> None:
        self.detail.offer_summary(self.docks["summary"].isHidden())

    def dock_actions(self) -> list[QAction]:
        """Return the actions that show and hide the docks."""
        return [dock.toggleViewAction() for dock in self.docks.values()]

    def toggle_problems(self) -> None:
        """Show or hide the list of problems."""
        dock = self.docks["problems"]
        dock.setVisible(dock.isHidden())
        if not dock.isHidden() and not dock.isFloating():
            self.resizeDocks([dock], [160], Qt.Orientation.Vertical)

    # ---- layout

    def arrange(self, width: int, height: int) -> None:
        """Lay everything out as at first, for a window of this size."""
        for name, area in (
            ("operators", Qt.DockWidgetArea.LeftDockWidgetArea),
            ("summary", Qt.DockWidgetArea.RightDockWidgetArea),
            ("detail", Qt.DockWidgetArea.BottomDockWidgetArea),
            ("problems", Qt.DockWidgetArea.BottomDockWidgetArea),
        ):
            self.docks[name].setFloating(False)
            self.addDockWidget(area, self.docks[name])
        self.docks["operators"].show()
        self.docks["detail"].show()
        self.splitDockWidget(self.docks["detail"], self.docks["problems"], Qt.Orientation.Vertical)
        self.docks["problems"].hide()
        self.docks["summary"].setVisible(width >= _WIDE)
        self.resizeDocks(
            [self.docks["operators"], self.docks["summary"]],
            [264 if width >= _WIDE else 230, 310],
            Qt.Orientation.Horizontal,
        )
        self.resizeDocks([self.docks["detail"]], [int(height * 0.33)], Qt.Orientation.Vertical)
        self._split.setSizes([int(height * 0.24), int(height * 0.33)])
        self._place_summary(True)

    def restore(self, width: int, height: int) -> None:
        """Lay everything out as it was left, or as at first."""
        self.arrange(width, height)
        if self._settings.workspace:
            self.restoreState(decode_state(self._settings.workspace), _STATE_VERSION)
        if self._settings.splitter:
            self._split.restoreState(decode_state(self._settings.splitter))
        self._place_summary(True)

    def remember(self) -> None:
        """Put the layout into the settings."""
        self._settings.workspace = encode_state(self.saveState(_STATE_VERSION))
        self._settings.splitter = encode_state(self._split.saveState())

    def retranslate(self) -> None:
        for name, dock in self.docks.items():
            dock.set_title(text(f"gui.dock.{name}"))
