"""Single elements of the shown pair: the worst ones, exact numbers around the cursor, statistics."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import text
from core.metrics.pictures.plane import Plane, Region
from gui.context import Context
from gui.tensors.asking import AskingView
from gui.tensors.shown_pair import ShownPair
from gui.views.elements.cell_words import CellWords
from gui.views.elements.export_buttons import COPY, ExportButtons
from gui.views.elements.plane_area import Cell
from gui.views.elements.statistics import StatisticsPanel
from gui.views.elements.value_grid import ValueGrid
from gui.views.elements.worst_list import FIRST, WorstList
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.page_area import PageArea
from gui.widgets.segments import Segments
from gui.widgets.shared_room import SharedRoom, gap_splitter

if TYPE_CHECKING:
    from core.metrics.inspection.elements import RegionStatistics, ValueWindow, WorstElements

_VALUES, _STATISTICS = "values", "statistics"
_MARGIN = 24
"""Rows and columns that are asked for beyond those in sight."""
_WORST, _STATISTICS_WIDTH = 0.4, 234
"""Share of the width that the worst elements take at first, and pixels of the statistics."""
_ROOMY = 240
"""Pixels of height from which on the whole index has a line of its own."""
_SOON = 30
"""Milliseconds of scrolling and marking that are asked for together."""


class _StatisticsArea(PageArea):
    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.statistics.area"))


class ElementsView(AskingView):
    """Three parts beside each other; all follow the place that is looked at."""

    def __init__(self, context: Context, pair: ShownPair) -> None:
        super().__init__(context, pair)
        self._settings = context.settings
        self.worst, self.grid, self.statistics = (
            WorstList(context),
            ValueGrid(context.theme),
            StatisticsPanel(),
        )
        self.shown = Segments(("all", "target", "golden", "difference"))
        self.shown.choose(self._settings.elements_shown)
        self.place = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self.place.setObjectName("dim")
        self.export = ExportButtons(context, pair, self._client)
        self._dtypes = ("", "")
        self._kept = False
        """Whether the numbers are those that a result keeps: few of all."""
        self._asked: Region | None = None
        self._ranked: tuple[Plane, Region] | None = None
        """Of which part the worst elements were asked for."""
        self._values_soon, self._part_soon = (QTimer(self) for _ in range(2))
        for timer, ask in (
            (self._values_soon, self._ask_values), (self._part_soon, self._ask_part),
        ):  # fmt: skip
            timer.setSingleShot(True)
            timer.setInterval(_SOON)
            timer.timeout.connect(ask)
        self._lay_out()
        self._connect()
        self._clear()
        self.retranslate()

    def _lay_out(self) -> None:
        left, middle, right = QWidget(), QWidget(), QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 8, 0, 6)
        column.addWidget(self.worst)
        heading = QHBoxLayout()
        heading.setSpacing(10)
        heading.addWidget(self.shown)
        heading.addWidget(self.reading, 1)
        heading.addStretch(0)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 8, 0, 6)
        column.setSpacing(4)
        column.addLayout(heading)
        column.addWidget(self.grid, 1)
        column.addWidget(self.place)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 4, 0)
        column.addWidget(self.statistics)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 8, 8, 6)
        column.setSpacing(6)
        column.addWidget(_StatisticsArea(page), 1)
        column.addWidget(self.export)
        self._list = left
        self.splitter: QSplitter = gap_splitter(Qt.Orientation.Horizontal, left, middle, right)
        for at, stretch in enumerate((2, 3, 0)):
            self.splitter.setStretchFactor(at, stretch)
        self._room = SharedRoom(self.splitter, self._share, self._remember)
        whole = QVBoxLayout(self.body)
        whole.setContentsMargins(0, 0, 0, 0)
        area = QScrollArea()  # where there is too little room for all three, it is scrolled
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(self.splitter)
        self.splitter.setAutoFillBackground(False)  # the area wants it filled
        whole.addWidget(area)

    def _share(self, width: int, _height: int) -> None:
        kept = self._settings.elements_sizes
        first = min(kept[0], width - _STATISTICS_WIDTH - 200) if kept else round(width * _WORST)
        self.splitter.setSizes([first, max(width - first - _STATISTICS_WIDTH, 160), _STATISTICS_WIDTH])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the line under the numbers out where it would cost a row of them."""
        super().resizeEvent(event)
        self.place.setVisible(self.height() >= _ROOMY)

    def _remember(self) -> None:
        self._settings.elements_sizes = self.splitter.sizes()[:1]

    def _connect(self) -> None:
        pair = self._pair
        self.worst.wanted.connect(self._ask_worst)
        self.worst.place_chosen.connect(pair.go_to)
        self.statistics.whole_wanted.connect(partial(pair.select, None))
        self.shown.chosen.connect(self._choose_shown)
        self.grid.cursor_moved.connect(self._look_at)
        self.grid.marked.connect(pair.select)
        self.grid.sight_changed.connect(self._follow_sight)
        pair.place_changed.connect(self._follow_place)
        pair.plane_changed.connect(self._follow_plane)
        pair.rectangle_changed.connect(self._follow_rectangle)

    @property
    def channels(self) -> tuple[str, ...]:
        return self.channel, _VALUES, _STATISTICS

    # ---- asking

    def _ask(self) -> None:
        for part in (self._list, self.shown):
            part.setVisible(not self._single)
        self._follow_plane()
        self._ask_worst()

    @property
    def _single(self) -> bool:
        """Whether there is nothing to compare: one run, or a call that only one has."""
        sources = self._pair.sources
        return sources is None or None in (sources.target, sources.golden)

    def _ask_worst(self) -> None:
        from core.metrics.inspection.elements import By, WorstRequest, worst_elements

        pair = self._pair
        if pair.sources is None:
            return
        self.reading.begin()
        request = WorstRequest(pair.sources, By(self.worst.by.word), self.worst.count)
        if pair.rectangle is not None:
            request = replace(request, plane=pair.plane, rectangle=pair.rectangle)
        self._ranked = self._part
        self._client.request(self.channel, worst_elements, request)

    def _follow_plane(self) -> None:
        if self._pair.sources is None:
            return
        self.grid.show_plane(self._pair.shape, self._pair.plane)
        self._asked = None
        self._follow_place()
        self._follow_rectangle()
        self._follow_sight()

    def _follow_sight(self) -> None:
        window, sight = self.grid.held, self.grid.sight
        known = window is not None and _holds(Region(
            window.rows.start, window.rows.stop, window.columns.start, window.columns.stop
        ), sight)  # fmt: skip
        if self.isVisible() and not known and not (self._asked and _holds(self._asked, sight)):
            self._values_soon.start()

    def _ask_values(self) -> None:
        from core.metrics.inspection.elements import value_window

        pair, sight = self._pair, self.grid.sight
        if pair.sources is None:
            return
        wanted = Region(
            sight.top - _MARGIN, sight.bottom + _MARGIN, sight.left - _MARGIN, sight.right + _MARGIN
        )  # fmt: skip
        top, bottom, left, right = self._asked = wanted.clipped(self.grid.rows, self.grid.columns)
        self._client.request(
            _VALUES, value_window, pair.sources, pair.plane, top, left, bottom - top, right - left
        )

    def _ask_part(self) -> None:
        """Ask anew for what depends on the rectangle."""
        self._ask_statistics()
        if self.isVisible() and self._ranked != self._part:
            self.worst.count = FIRST
            self._ask_worst()

    @property
    def _part(self) -> tuple[Plane, Region] | None:
        pair = self._pair
        return (pair.plane, pair.rectangle) if pair.rectangle is not None else None

    def _ask_statistics(self) -> None:
        from core.metrics.inspection.elements import region_statistics

        pair = self._pair
        if pair.sources is None or not self.isVisible():
            return
        self.statistics.reading.begin()
        self._client.request(_STATISTICS, region_statistics, pair.sources, *(self._part or ()))

    def _clear(self) -> None:
        self._values_soon.stop()
        self._part_soon.stop()
        self._asked = None
        self.worst.clear()
        self.statistics.clear()
        self.place.setText("")

    # ---- answers

    def _show_answer(self, channel: str, answer: object) -> None:
        if channel == self.channel:
            self._show_worst(cast("WorstElements", answer))
        elif channel == _VALUES:
            self._show_values(cast("ValueWindow", answer))
        elif channel == _STATISTICS:
            marked = self._pair.rectangle is not None
            self.statistics.show_found(cast("RegionStatistics", answer), marked, self._pair.focus.exploring)
        elif channel == COPY:
            self.export.take_copied(str(answer))

    def _show_worst(self, found: WorstElements) -> None:
        sources = self._pair.sources
        assert sources is not None
        lost = [problem.sentence() for problem in found.problems if problem is not None]
        sides = sum(side is not None for side in (sources.target, sources.golden))
        self._kept = found.kept
        if lost and len(lost) >= sides and not found.rows:
            sentence = " ".join(dict.fromkeys(lost))
            if found.request.rectangle is None and not found.kept:
                self._say(sentence)
            else:
                self.worst.show_sentence(sentence)
            return
        self.worst.empty = 0 in self._pair.shape
        self.worst.show_found(found)
        self.grid.show_words(self._words())
        self._read_place()
        self.worst.mark(self._pair.place)

    def _show_values(self, window: ValueWindow) -> None:
        self._dtypes = (window.target_dtype, window.golden_dtype)
        self.grid.show_words(self._words())
        self.grid.show_window(window)
        self._read_place()
        self._follow_sight()

    def _words(self) -> CellWords:
        selected = self._pair.focus.selected
        largest = float(selected[0].rows.max_abs[selected[2]]) if selected is not None else 0.0
        return CellWords(self.shown.word, self._dtypes, self._single, largest, self._kept)

    def _reject(self, channel: str, problem: object) -> None:
        """Say in its place what stands in the way of a part; the others are there all the same."""
        if channel == _STATISTICS and isinstance(problem, Problem):
            self.statistics.show_reason(problem.sentence(), self._pair.rectangle is not None)
        elif channel == _VALUES and isinstance(problem, Problem):
            self.place.setText(problem.sentence())
        else:
            super()._reject(channel, problem)

    # ---- following

    def _look_at(self, row: int, column: int) -> None:
        place = self._pair.plane.index(self._pair.shape, row, column)
        if place is not None:
            self._pair.go_to(place)

    def _follow_place(self) -> None:
        place = self._pair.place
        cursor = self._pair.plane.position(self._pair.shape, place) if place is not None else None
        self.grid.mark_cursor(cursor)
        self.worst.mark(place)
        self._read_place()

    def _read_place(self) -> None:
        """Say the whole index of the cursor: the table's headings hold a part of it."""
        place = self._pair.place
        index = "" if place is None else f"[{', '.join(map(str, place))}]"
        self.place.setText(
            "   ".join(filter(None, (index, text("gui.heat.facts.kept") if self._kept else "")))
        )
        self.grid.viewport().setAccessibleDescription(self._spoken(self.grid.current))

    def _spoken(self, cursor: Cell | None) -> str:
        found = None if cursor is None else self.grid.words.at(self.grid.held, *cursor)
        said = "; ".join(line for line, _ in found.lines) if found is not None else ""
        return f"{self.place.text()} {said}".strip()

    def _follow_rectangle(self) -> None:
        self.grid.mark_rectangle(self._pair.rectangle)
        self.export.offer()
        self._part_soon.start()

    def _choose_shown(self, word: str) -> None:
        self._settings.elements_shown = word
        self.grid.show_words(self._words())
        self._follow_sight()

    def copied_text(self) -> str:
        """Return the rows of the worst elements."""
        return self.worst.copied_text()

    def retranslate(self) -> None:
        super().retranslate()
        self.shown.say(
            text("gui.elements.shown"),
            (
                text("gui.elements.all"), text("gui.target"), text("gui.golden"),
                text("gui.tensors.difference"),
            ),
            (text("gui.elements.all.help"),),
        )  # fmt: skip
        self.grid.setAccessibleName(text("gui.elements.values"))


def _holds(whole: Region, part: Region) -> bool:
    return (
        whole.top <= part.top and part.bottom <= whole.bottom
        and whole.left <= part.left and part.right <= whole.right
    )  # fmt: skip
