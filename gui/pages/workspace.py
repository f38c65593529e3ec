"""The work area: tree at the left, plot and table, detail under them, diagnosis at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.pages.workspace_parts import Parts
from gui.settings import decode_state, encode_state
from gui.views.trajectory.view import LEAST_HEIGHT
from gui.widgets.card_dock import CardDock
from gui.widgets.translated import Translated

_GAP = 10
_WIDE = 1500
"""Pixels from which diagnosis or summary have room beside the table."""
_SIDE, _NARROW_SIDE, _NARROW_TREE = 362, 290, 220
"""Pixels of the diagnosis in a wide window; of the diagnosis and the tree beside it in a narrow one."""
_TALL = 900
"""Pixels of height from which the detail takes a third of it."""
_ROUNDS = 460
"""Pixels of width of the rounds."""
_PROBLEMS = 160
"""Pixels of height of the problems."""
_STATE_VERSION = 2


class Workspace(Translated, QMainWindow):
    """Docks around the middle column; a window only to Qt, for its docks."""

    def __init__(self, context: Context, parts: Parts) -> None:
        super().__init__()
        self.setObjectName("workspace")
        self.setWindowFlags(Qt.WindowType.Widget)
        self._settings, self._suspects = context.settings, context.session.suspects
        self._diagnosed = self._folded_for_room = self._made_room = self._tree_made_room = False
        self.verdicts, self.trajectory, self.table = parts.verdicts, parts.trajectory, parts.table
        self.operators, self.summary, self.detail = parts.operators, parts.summary, parts.detail
        self.diagnosis, self.strip, self.problems = parts.diagnosis, parts.strip, parts.problems
        self.rounds, self.reconnect, self.cells = parts.rounds, parts.reconnect, parts.cells
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
        column.addWidget(self.reconnect)
        column.addWidget(self.strip)
        column.addWidget(self.verdicts)
        column.addWidget(self._split, 1)
        self._split.installEventFilter(self)
        self.setCentralWidget(middle)
        self._make_docks()
        self.strip.pressed.connect(self.unfold)
        self.diagnosis.fold_wanted.connect(self.docks["diagnosis"].hide)
        self._suspects.changed.connect(self._diagnose)
        self._place_side()
        self.retranslate()

    def _make_docks(self) -> None:
        self.setDockOptions(self.DockOption.AnimatedDocks | self.DockOption.AllowNestedDocks)
        area = Qt.DockWidgetArea
        self.docks = {
            "operators": CardDock("operators", self.operators),
            "diagnosis": CardDock("diagnosis", self.diagnosis),
            "summary": CardDock("summary", self.summary),
            "detail": CardDock("detail", self.detail),
            "problems": CardDock("problems", self.problems),
            "rounds": CardDock("rounds", self.rounds),
            "cells": CardDock("cells", self.cells),
        }
        for corner, side in (
            (Qt.Corner.TopLeftCorner, area.LeftDockWidgetArea),
            (Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea),
            (Qt.Corner.TopRightCorner, area.RightDockWidgetArea),
            (Qt.Corner.BottomRightCorner, area.RightDockWidgetArea),
        ):
            self.setCorner(corner, side)
        self.addDockWidget(area.LeftDockWidgetArea, self.docks["operators"])
        self.addDockWidget(area.RightDockWidgetArea, self.docks["diagnosis"])
        self.addDockWidget(area.RightDockWidgetArea, self.docks["summary"])
        self.addDockWidget(area.BottomDockWidgetArea, self.docks["detail"])
        self.addDockWidget(area.BottomDockWidgetArea, self.docks["problems"])
        self.addDockWidget(area.BottomDockWidgetArea, self.docks["rounds"])
        self.addDockWidget(area.RightDockWidgetArea, self.docks["cells"])
        self.docks["cells"].hide()
        self.cells.useful_changed.connect(self._offer_cells)
        for name in ("diagnosis", "summary"):
            self.docks[name].visibilityChanged.connect(self._place_side)
        self.docks["diagnosis"].visibilityChanged.connect(self._give_tree_back)
        self.problems.close_button.clicked.connect(self.docks["problems"].hide)
        self.rounds.close_button.clicked.connect(self.docks["rounds"].hide)
        self.rounds.wanted.connect(self._show_rounds)
        self.docks["problems"].visibilityChanged.connect(self._give_room_back)

    def _place_side(self, _visible: bool = True) -> None:
        """Give what has no dock on show its other place: the summary a tab, the diagnosis its strip."""
        self.detail.offer_summary(self.docks["summary"].isHidden())
        self.strip.setVisible(self._diagnosed and self.docks["diagnosis"].isHidden())

    def _diagnose(self) -> None:
        """Put the diagnosis where the summary was when there is one, and the summary back when not."""
        if self._diagnosed != (self._suspects.diagnosis is not None):
            self._diagnosed = not self._diagnosed
            self._choose_side(not (self.docks["summary"].isHidden() and self.docks["diagnosis"].isHidden()))

    def unfold(self, focus: bool = False) -> None:
        """Show the diagnosis, and give it the *focus*, also when its strip had it."""
        if not self._diagnosed:
            return
        docks = [self.docks["operators"], self.docks["diagnosis"]]
        focus = focus or self.strip.hasFocus()
        folded = docks[1].isHidden()
        middle = self._least_middle_width()
        needed = _NARROW_TREE + middle + _NARROW_SIDE + 2 * _GAP
        if folded and self.width() < needed and not docks[0].isHidden() and not docks[0].isFloating():
            self._tree_made_room = True
            docks[0].hide()
        docks[1].show()
        if self.width() < _WIDE - 2 * _GAP and folded:
            side = max(min(_NARROW_SIDE, self.width() - middle - _GAP), self.diagnosis.minimumWidth())
            self.resizeDocks(docks, [_NARROW_TREE, side], Qt.Orientation.Horizontal)
        if focus:
            self.diagnosis.take_focus()

    def _least_middle_width(self) -> int:
        """Return the pixels that plot, table and detail need beside tree and diagnosis."""
        parts = (self.verdicts, self.table, self.detail, self.detail.header)
        return max(part.minimumSizeHint().width() for part in parts)

    def _give_tree_back(self, shown: bool) -> None:
        """Show the tree again that gave its room to the diagnosis."""
        if not shown and self._tree_made_room and self.docks["diagnosis"].isHidden():
            self._tree_made_room = False
            self.docks["operators"].show()

    def reveal(self, part: QWidget) -> None:
        """Show *part* where it gave its room to others: the tree, the detail, or the plot."""
        if self._tree_made_room and self.docks["operators"].isAncestorOf(part):
            self.docks["diagnosis"].hide()
        for dock in self.docks.values():
            if dock.isAncestorOf(part) and dock.isHidden():
                dock.show()
        detail = self.docks["detail"]
        if part is self.trajectory and part.isHidden() and part.possible and not detail.isHidden():
            self._made_room = True
            detail.hide()
        for whole in (self, self._split.parentWidget()):  # now: what is hidden takes no focus
            layout = whole.layout() if whole is not None else None
            if layout is not None:
                layout.activate()

    def _choose_side(self, shown: bool) -> None:
        self.docks["diagnosis"].toggleViewAction().setEnabled(self._diagnosed)
        self.docks["diagnosis"].setVisible(shown and self._diagnosed)
        self.docks["summary"].setVisible(shown and not self._diagnosed)
        self._place_side()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the diagnosis when the window gets too narrow for it; unfold it when there is room again."""
        super().resizeEvent(event)
        before, now = event.oldSize().width(), event.size().width()
        dock, limit = self.docks["diagnosis"], _WIDE - 2 * _GAP
        if before >= limit > now and not dock.isHidden() and not dock.isFloating():
            dock.hide()
            self._folded_for_room = True
        elif before < limit <= now and self._folded_for_room:
            self._folded_for_room = False
            dock.setVisible(self._diagnosed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fold the plot away where plot and table do not both have the room they need."""
        if watched is self._split and event.type() == QEvent.Type.Resize:
            needed = LEAST_HEIGHT + _GAP + self.table.minimumSizeHint().height()
            self.trajectory.fold(self._split.height() < needed)
            sizes = self._split.sizes()
            if not self.trajectory.isHidden() and 0 < sizes[0] < LEAST_HEIGHT:
                self._split.setSizes([LEAST_HEIGHT, self._split.height() - _GAP - LEAST_HEIGHT])
        return False

    def dock_actions(self) -> list[QAction]:
        """Return the actions that show and hide the docks."""
        return [dock.toggleViewAction() for dock in self.docks.values()]

    def toggle_problems(self) -> None:
        """Show or hide the list of problems."""
        dock = self.docks["problems"]
        dock.setVisible(dock.isHidden())
        if dock.isHidden() or dock.isFloating():
            return
        docks = [dock, self.docks["detail"]]
        heights = [_PROBLEMS, docks[1].height() - _PROBLEMS - _GAP]
        if not docks[1].isHidden() and heights[1] < docks[1].minimumSizeHint().height():
            self._made_room = True
            docks[1].hide()
        self.resizeDocks(docks, heights, Qt.Orientation.Vertical)

    def _show_rounds(self) -> None:
        """Show the rounds, wide enough for a sentence and names."""
        rounds, detail = self.docks["rounds"], self.docks["detail"]
        fresh = rounds.isHidden()
        rounds.show()
        if fresh and not rounds.isFloating() and not detail.isHidden():
            width = detail.width()
            mine = min(_ROUNDS, width // 2)
            self.resizeDocks([detail, rounds], [width - mine - _GAP, mine], Qt.Orientation.Horizontal)

    def toggle_cells(self) -> None:
        """Show the map of steps and ranks and go to it; hide it once it has the focus."""
        dock = self.docks["cells"]
        if not dock.isHidden() and self.cells.canvas.hasFocus():
            dock.hide()
            return
        if dock.isHidden():
            detail = self.docks["detail"]
            heights = [self.cells.wanted_height(), detail.height()]
            dock.show()
            if not dock.isFloating():
                for each, wanted in zip((dock, detail), heights):  # they are not in one column
                    self.resizeDocks([each], [wanted], Qt.Orientation.Vertical)
        dock.raise_()
        self.cells.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _offer_cells(self, useful: bool) -> None:
        """Offer the map where there are several steps or ranks; take it away where there are not."""
        dock = self.docks["cells"]
        dock.toggleViewAction().setVisible(useful)
        if not useful:
            dock.hide()

    def _give_room_back(self, shown: bool) -> None:
        """Show the detail again that gave its room to the problems."""
        if not shown and self._made_room and self.docks["problems"].isHidden():
            self._made_room = False
            self.docks["detail"].show()

    # ---- layout

    def arrange(self, width: int, height: int) -> None:
        """Lay everything out as at first, for a window of this size."""
        sides = Qt.DockWidgetArea
        for name, area in (
            ("operators", Qt.DockWidgetArea.LeftDockWidgetArea),
            ("diagnosis", Qt.DockWidgetArea.RightDockWidgetArea),
            ("summary", Qt.DockWidgetArea.RightDockWidgetArea),
            ("detail", Qt.DockWidgetArea.BottomDockWidgetArea),
            ("problems", Qt.DockWidgetArea.BottomDockWidgetArea),
            ("rounds", Qt.DockWidgetArea.BottomDockWidgetArea),
            ("cells", sides.RightDockWidgetArea if width >= _WIDE else sides.LeftDockWidgetArea),
        ):
            self.docks[name].setFloating(False)
            self.addDockWidget(area, self.docks[name])
        self._made_room = self._tree_made_room = False
        self.docks["operators"].show()
        self.docks["detail"].show()
        self.splitDockWidget(self.docks["detail"], self.docks["problems"], Qt.Orientation.Vertical)
        self.docks["problems"].hide()
        self.splitDockWidget(self.docks["detail"], self.docks["rounds"], Qt.Orientation.Horizontal)
        self.docks["rounds"].hide()
        self.docks["cells"].hide()
        self.splitDockWidget(self.docks["diagnosis"], self.docks["summary"], Qt.Orientation.Vertical)
        self._diagnosed = self._suspects.diagnosis is not None
        self._choose_side(width >= _WIDE)
        self._folded_for_room = width < _WIDE
        self.resizeDocks(
            [self.docks["operators"], self.docks["diagnosis" if self._diagnosed else "summary"]],
            [264 if width >= _WIDE else 230, _SIDE if self._diagnosed else 310],
            Qt.Orientation.Horizontal,
        )
        share = 0.33 if height >= _TALL else 0.28  # where it is low, plot and table need the rest
        self.resizeDocks([self.docks["detail"]], [int(height * share)], Qt.Orientation.Vertical)
        self._split.setSizes([int(height * 0.24), int(height * 0.33)])

    def restore(self, width: int, height: int) -> None:
        """Lay everything out as it was left, or as at first."""
        self.arrange(width, height)
        if self._settings.workspace:
            self.restoreState(decode_state(self._settings.workspace), _STATE_VERSION)
        if self._settings.splitter:
            self._split.restoreState(decode_state(self._settings.splitter))
        # what was left may have been the other kind of pair
        wrong = self.docks["summary" if self._diagnosed else "diagnosis"]
        right = self.docks["diagnosis" if self._diagnosed else "summary"]
        if not wrong.isHidden() and right.isHidden():
            self._choose_side(True)
        self._place_side()

    def remember(self) -> None:
        """Put the layout into the settings."""
        if self._made_room:  # what makes room does so for a while
            self.docks["detail"].show()
        if self._tree_made_room:
            self.docks["operators"].show()
        self._settings.workspace = encode_state(self.saveState(_STATE_VERSION))
        self._settings.splitter = encode_state(self._split.saveState())

    def retranslate(self) -> None:
        for name, dock in self.docks.items():
            dock.set_title(text(f"gui.dock.{name}"))
