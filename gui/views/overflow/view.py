"""Where things are born: the answer on top, the births and where they are, lanes, and details beside."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.overflow.state import Overflow
from gui.views.overflow.births import BirthsView
from gui.views.overflow.calm import CalmView
from gui.views.overflow.details import DetailsView
from gui.views.overflow.headline import HeadlineView
from gui.views.overflow.lanes import LanesView
from gui.views.overflow.matrix import MatrixView
from gui.views.overflow.official_line import OfficialLine
from gui.views.overflow.waiting import WaitingView
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_view import WorkView

_WIDE = 1300
_SIDE, _NARROW_SIDE = 372, 292
"""Pixels of the details in a wide page and in a narrow one."""
_LANES_SHARE = 0.58
"""The most of the height under the headline that the lanes take at first."""
_MATRIX, _LEAST_BIRTHS = 340, 420
"""The most that the matrix takes at first, and the least that it leaves to the list."""


class OverflowView(WorkView[Overflow]):
    """All of it, or what stands there while there is no answer."""

    compare_wanted = Signal()
    """The call looked at is to be shown in the comparison."""
    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.session.overflow)
        self.official = OfficialLine(context)
        self.waiting, self.calm, self.headline = (
            WaitingView(context),
            CalmView(context),
            HeadlineView(context),
        )
        self.births, self.matrix = BirthsView(context), MatrixView(context)
        self.lanes, self.details = LanesView(context), DetailsView(context)
        self._settings = context.settings
        self._upper = gap_splitter(Qt.Orientation.Horizontal, self.matrix, self.births)
        self._left = gap_splitter(Qt.Orientation.Vertical, self._upper, self.lanes)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.headline)
        column.addWidget(self._left, 1)
        self._whole = gap_splitter(Qt.Orientation.Horizontal, middle, self.details)
        self._whole.setStretchFactor(0, 1)
        self._whole.setStretchFactor(1, 0)
        self._upper.setStretchFactor(0, 0)
        self._upper.setStretchFactor(1, 1)
        self._parts = QStackedWidget()
        self._parts.addWidget(self.waiting)
        self._parts.addWidget(self._whole)
        self._parts.addWidget(self.calm)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GAP)
        outer.addWidget(self.official)
        outer.addWidget(self._parts, 1)
        self._room = SharedRoom(self._whole, self._share, self._remember, self._left, self._upper)
        for part in (self.births, self.lanes, self.details):
            part.show_wanted.connect(self.compare_wanted)
        self.births.export_wanted.connect(self.export_wanted)
        self.state.changed.connect(self._load)
        self.retranslate()
        self._load()

    def _load(self) -> None:
        report = self.state.report
        self.official.setVisible(self.state.official is not None)
        listed = report is not None and bool(report.origins or report.expected)
        drawn = report is not None and any(len(track.rows) for track in report.tracks)
        if report is None:
            self._parts.setCurrentWidget(self.waiting)
            return
        self._parts.setCurrentWidget(self._whole if listed or drawn else self.calm)
        self.births.setVisible(listed)
        self.matrix.setVisible(self.matrix.useful)
        self.lanes.setVisible(drawn)
        self.details.setVisible(listed)
        self._upper.setVisible(listed or self.matrix.useful)
        self._room.share_anew()

    def _share(self, width: int, height: int) -> None:
        left = width - (self._side(width) + GAP if self.details.isVisibleTo(self) else 0)
        matrix = max(min(self.matrix.canvas.wanted_width() + 14, _MATRIX, left - _LEAST_BIRTHS), 150)
        room = height - max(self.headline.heightForWidth(left), 0) - 2 * GAP
        lanes = min(int(room * _LANES_SHARE), self.lanes.wanted_height())
        side, matrix, lanes = self._settings.overflow_sizes or (self._side(width), matrix, lanes)
        self._whole.setSizes([width - side - GAP, side])
        self._upper.setSizes([matrix, left - matrix - GAP])
        self._left.setSizes([room - lanes, lanes])

    @staticmethod
    def _side(width: int) -> int:
        return _SIDE if width >= _WIDE else _NARROW_SIDE

    def _remember(self) -> None:
        """Keep how the user shares the room; what is hidden now keeps what it had."""
        before = self._settings.overflow_sizes or [_SIDE, _MATRIX, self.lanes.wanted_height()]
        sizes = (self.details.width(), self.matrix.width(), self.lanes.height())
        shown = (self.details, self.matrix, self.lanes)
        self._settings.overflow_sizes = [
            size if part.isVisible() else old for part, size, old in zip(shown, sizes, before)
        ]

    # ---- commands

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        if self.state.report is None:
            wanted: QWidget = self.waiting.first
        else:
            wanted = self.births.tree if self.births.isVisibleTo(self) else self
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def copied_text(self) -> str:
        """Return what the list has selected, else the answer."""
        if self._parts.currentWidget() is self.calm:
            return self.calm.copied_text()
        return self.births.copied_text() or self.headline.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.overflow"))
