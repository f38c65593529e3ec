"""The tensors of the call in focus: pictures, a line of values, facts and patterns; or why there are none."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import text
from core.metrics.inspection.pictures import PairPictures
from core.metrics.inspection.values import ElementPair
from core.metrics.patterns.pattern import Pattern
from core.metrics.pictures.plane import Region
from gui.context import Context
from gui.models.pair.facts import shape_label
from gui.tensors.looks import VALUES, heat_looks
from gui.tensors.marked_boxes import boxes_of, first_place
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.asking import Desk
from gui.views.tensors.maps_page import MapsPage
from gui.views.tensors.number_page import NumberPage
from gui.views.tensors.output import Output
from gui.views.tensors.pointing import Pointing
from gui.views.tensors.showing import Showing
from gui.views.tensors.telling import Telling
from gui.views.tensors.toolbar import ToolBar
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_AROUND = 28
"""Pixels above, below and between toolbar, pictures and values."""


class TensorsView(Translated, QWidget):
    """Follows *pair*; asks only while it is seen."""

    arguments_wanted = Signal()
    """The slot holds no tensor, and the user wants to see what the call was given."""

    def __init__(self, context: Context, pair: ShownPair) -> None:
        super().__init__()
        self._context, self._pair = context, pair
        self._due = self._fresh = True
        """Whether another pair is on show than was asked for; whether nothing of this one was drawn yet."""
        self.looks = heat_looks(context)
        self._desk = Desk(context.session.pictures, pair, self.looks, self)
        self.toolbar = ToolBar(context.theme, self.looks)
        self.maps = MapsPage(context.theme, self.looks, self._desk.reading)
        self.number = NumberPage()
        self.telling = Telling(context.theme, pair)
        self.note = EmptyNote()
        self._lay_out()
        self._showing = Showing(pair, self.maps, self._desk)
        self._pointing = Pointing(pair, self.maps, self._desk)
        self.output = Output(context, pair, self)
        self.toolbar.set_menu(self.output.menu)
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        self._body = QStackedWidget()
        self._body.addWidget(self.maps)
        self._body.addWidget(self.number)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 8, 14, 8)
        column.setSpacing(6)
        column.addWidget(self.toolbar)
        column.addWidget(self._body, 1)
        column.addWidget(self.telling)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(page)
        self._stack.addWidget(self.note)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

    def _connect(self) -> None:
        pair, desk, maps, output, bar = self._pair, self._desk, self.maps, self.output, self.toolbar
        pair.changed.connect(self._begin)
        pair.plane_changed.connect(self._turn)
        pair.place_changed.connect(self._pointing.bring_place)
        self._showing.drawn.connect(self._show_drawn)
        self._showing.emptied.connect(partial(self._body.setCurrentIndex, 0))
        self._showing.blocked.connect(self._block)
        desk.valued.connect(self._show_values)
        desk.patterns_found.connect(self._show_patterns)
        desk.found_special.connect(self._go_to)
        desk.copied.connect(output.put_text)
        desk.failed.connect(self._fail)
        desk.refused.connect(output.refuse)
        for pane in maps.panes:
            pane.canvas.menu_wanted.connect(output.menu.popup)
            pane.way_out_wanted.connect(self._context.actions["locate"].trigger)
            pane.specials.wanted.connect(
                partial(desk.find_special, "golden" if pane is maps.golden else "target")
            )
            of_difference = pane in (maps.difference, maps.curve_difference)
            pane.bar.dragged.connect(partial(self._drag_range, of_difference))
        bar.axes.laid_out.connect(pair.lay_out)
        bar.axes.slid.connect(partial(pair.set_plane, pinned=True))
        bar.axes.reset.connect(pair.lay_out_anew)
        bar.fit_wanted.connect(maps.fit)
        bar.worst_wanted.connect(pair.go_to_worst)
        bar.lock_wanted.connect(self._lock)
        bar.panel.fixed.connect(partial(self._lock, True))
        output.menu.fit_wanted.connect(maps.fit)
        output.copy_wanted.connect(desk.copy)
        self.looks.changed.connect(self._recolour)
        self.looks.question_changed.connect(self._ask)
        self.telling.strip.chosen.connect(self._go_to_pattern)
        self.telling.strip.shown.connect(self._show_boxes)
        self.note.pressed.connect(self._leave)
        self._context.theme.changed.connect(self._recolour)

    @property
    def pictures(self) -> PairPictures | None:
        """Those on show."""
        return self._showing.pictures

    @property
    def readout(self) -> str:
        """The line of values."""
        return self.telling.values.words

    def copied_text(self) -> str:
        """Return the line of values, for the clipboard."""
        return self.readout

    # ---- what is on show

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._due:
            self._begin()

    def _begin(self) -> None:
        """Show another pair."""
        self._due = not self.isVisible()
        if self._due:
            return
        self._fresh = True
        self._desk.forget()
        self._showing.expect_others()
        self._showing.locate_words = self._locate_words()
        nothing = self._pair.nothing
        if nothing is not None:
            self._say(nothing.sentence, text("gui.tab.arguments") if nothing.arguments else "")
            return
        self.telling.begin()
        self._turn()
        self._pair.seek_worst()

    def _turn(self) -> None:
        """Show another plane of the pair."""
        if self._pair.sources is None or not self.isVisible():
            self._due = True
            return
        self.toolbar.show_plane(self._pair.shape, self._pair.plane, self._pair.laid_out)
        self._show_boxes()
        self._ask()

    def _ask(self) -> None:
        if not self.isVisible():  # another window chose otherwise
            self._due = True
            return
        self.telling.values.show_kind(self.looks.difference)
        self._showing.ask()
        self._pointing.show_place()

    def _show_drawn(self) -> None:
        """Let be seen what was drawn."""
        pictures = self.pictures
        assert pictures is not None
        if self._fresh:
            self._fresh = False
            if not self.looks.locked:
                self._pointing.show_all_unless_in_sight()
        single = math.prod(self._pair.shape) == 1 and pictures.no_difference is None
        turned = self._stack.currentIndex() != 0
        self._stack.setCurrentIndex(0)
        self._body.setCurrentIndex(1 if single else 0)
        dtypes = {pictures.target.dtype, pictures.golden.dtype}
        self.toolbar.offer(self._is_pair(), single, bool(dtypes & {"complex64", "complex128"}))
        self._recolour()
        self.telling.facts.show_origin(pictures.kept)
        if pictures.whole:
            both = pictures.target.shape is not None and pictures.golden.shape is not None
            if both and self._is_pair():
                self._desk.find_patterns()
            else:
                self.telling.show_no_search()
        if turned:
            self._pointing.show_place()
        self._place_lines()

    def _is_pair(self) -> bool:
        return not self._pair.focus.exploring and self._pair.alone is None

    def _show_patterns(self, patterns: tuple[Pattern, ...]) -> None:
        pictures = self.pictures
        self.telling.show_patterns(patterns, pictures is None or pictures.no_difference is None)

    def _block(self, words: str, lost: bool) -> None:
        """Say why there are no pictures; *lost*: they may come once the dumps are found."""
        sources, dumps = self._pair.sources, self._context.session.dumps
        if lost and dumps.lost and sources is not None and sources.kept is None:
            words = text("gui.tensors.not_in_result")
        self._say(words, self._locate_words() if lost else "")

    def _say(self, sentence: str, button: str = "") -> None:
        """Show a sentence instead of the tensors."""
        self._showing.clear()
        self._desk.forget()
        self.note.set_texts(sentence, button)
        self._stack.setCurrentIndex(1)

    def _fail(self, what: Problem | str) -> None:
        if isinstance(what, Problem):
            self._say(what.sentence(), self._locate_words())
        else:
            self._say(text("gui.tensors.crashed", why=what))

    def _leave(self) -> None:
        nothing = self._pair.nothing
        if nothing is not None and nothing.arguments:
            self.arguments_wanted.emit()
        else:
            self._context.actions["locate"].trigger()

    def _locate_words(self) -> str:
        """Return the words of the button that finds dumps which were moved; empty where none were."""
        return text("gui.action.locate") if self._context.session.dumps.lost else ""

    # ---- what is said of it

    def _show_values(self, values: ElementPair | None) -> None:
        pictures = self.pictures
        stored = (pictures.target.stored, pictures.golden.stored) if pictures is not None else ("", "")
        self.telling.show_values(values, stored)
        if values is not None and math.prod(self._pair.shape) == 1:
            self.number.show_values(values, stored, self._pair.focus.exploring)

    def _show_boxes(self) -> None:
        """Outline what the pattern speaks of, unless that is all there is."""
        pattern, pair = self.telling.strip.current, self._pair
        rows, columns = pair.plane.size(pair.shape)
        boxes: list[Region] = []
        for mark in pattern.marks if pattern is not None else ():
            boxes += boxes_of(mark, pair.shape, pair.plane)
        self.maps.set_boxes(tuple(box for box in boxes if box != Region(0, rows, 0, columns)))

    def _go_to_pattern(self, pattern: Pattern) -> None:
        places = (first_place(mark, self._pair.shape) for mark in pattern.marks)
        self._go_to(next((place for place in places if place is not None), None))

    def _go_to(self, place: tuple[int, ...] | None) -> None:
        if place is not None:
            self._pair.go_to(place)

    # ---- looks

    def _lock(self, wanted: bool) -> None:
        """Keep the ranges in force, or follow the values again."""
        self.looks.set_locked(wanted, self.pictures, self._context.theme.colours)

    def _drag_range(self, of_difference: bool, low: float, high: float) -> None:
        self.looks.keep(self.looks.difference_key if of_difference else VALUES, low, high)

    def _recolour(self) -> None:
        pictures = self.pictures
        if pictures is None:
            return
        values, difference = self.maps.recolour(pictures)
        shown = difference if pictures.difference is not None else None
        self.toolbar.panel.show_shades(values, shown)
        self.maps.set_titles(self._detail(), shown, self.looks.locked)

    def _detail(self) -> str:
        """Return the slot and the slice on show."""
        pair = self._pair
        slot, plane = pair.slot, pair.plane
        if not slot:
            return ""
        if not any(pair.shape[axis] > 1 for axis in plane.free):
            return f"{slot} · {shape_label(pair.shape)}"
        spelled = [str(at) if axis in plane.free else ":" for axis, at in enumerate(plane.fixed)]
        return f"{slot} · [{', '.join(spelled)}]"

    def minimumSizeHint(self) -> QSize:
        """Ask for the pictures and the values; facts and patterns are told where there is more room."""
        tall = sum(part.minimumSizeHint().height() for part in (self.toolbar, self.maps, self.telling))
        return QSize(super().minimumSizeHint().width(), tall + _AROUND)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_lines()

    def _place_lines(self) -> None:
        """Let the pictures have the room where it is low."""
        spare = self.height() - self.minimumSizeHint().height()
        strip = self.telling.strip
        if self.telling.has_room_for_strip(spare):
            self.toolbar.take_strip(None)
            self.telling.take_strip()
        else:
            self.toolbar.take_strip(strip)
        self.telling.arrange(spare, self._body.currentIndex() == 1)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.tab.tensors"))
        if self.pictures is not None:
            self._showing.locate_words = self._locate_words()
            self._showing.complain()
            self._recolour()
        elif self._stack.currentIndex() == 1:
            self._begin()
