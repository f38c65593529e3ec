"""Target, golden and difference of the selected pair as linked heat maps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.errors import Problem
from core.messages import render, text
from core.metrics.pictures import Picture
from core.records.result import Reason
from gui import numbers
from gui.comparison.focus import Focus
from gui.comparison.tensor_pictures import Answer, Question, Values, draw, source_of, value_at
from gui.context import Context
from gui.models.call.plain_value import plain_value
from gui.processes.picture_client import PictureClient
from gui.views.tensors.heat_colours import Pixels, diverging, limits, sequential, symmetric_limit
from gui.views.tensors.heat_pane import HeatPane
from gui.views.tensors.slices import SliceChooser
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_SETTLED = 60
"""Milliseconds without another zoom before the visible part is asked for in detail."""
_AROUND = 48
"""Pixels beside and between the values and the controls."""
_MARGIN = 0.25
"""How much of the visible part is asked for beyond each of its edges."""


class TensorsView(Translated, QWidget):
    """Three panes, a line of values, and what to show."""

    arguments_wanted = Signal()
    """The slot holds no tensor, and the user wants to see what the call was given."""

    def __init__(self, context: Context, focus: Focus) -> None:
        super().__init__()
        self._focus, self._theme = focus, context.theme
        self._dumps, self._actions = context.session.dumps, context.actions
        self._way_out: Callable[[], object] | None = None
        """What the button of the note leads to."""
        self._widest = 0
        """Pixels that the values of this row took at most."""
        self._pictures = PictureClient(context.session.pictures, self)
        self._question: Question | None = None
        self._answer: Answer | None = None
        self._values: Values | None = None
        self._range: tuple[float, float] = (0.0, 1.0)
        self._difference_limit = 1.0
        self._pinned = False
        self._last_plane = (0, 0)
        self.target, self.golden, self.difference = (HeatPane(context.theme) for _ in range(3))
        self._panes = (self.target, self.golden, self.difference)
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLED)
        self._timer.timeout.connect(self._refine)
        self._connect()
        self._restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        self._slices = SliceChooser()
        self._worst, self._fit = QPushButton(), QPushButton()
        self._lock = QCheckBox()
        self._readout = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._controls = controls = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        controls.setSpacing(4)
        controls.addWidget(self._readout, 1)
        self._buttons = buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addStretch(1)
        for widget in (self._slices, self._worst, self._fit, self._lock):
            buttons.addWidget(widget)
        controls.addLayout(buttons)
        panes = QHBoxLayout()
        panes.setSpacing(14)
        for pane in self._panes:
            panes.addWidget(pane, 1)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 10, 14, 8)
        column.setSpacing(6)
        column.addLayout(panes, 1)
        column.addLayout(controls)
        self._note = EmptyNote()
        self._stack = QStackedWidget(self)
        self._stack.addWidget(page)
        self._stack.addWidget(self._note)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_controls()

    def _place_controls(self) -> None:
        """Give the line of values a line of its own where the controls would leave it too little."""
        taken = self._readout.fontMetrics().horizontalAdvance(self._readout.text())
        self._widest = max(self._widest, taken)  # under the pointer nothing is to jump to and fro
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        fits = self._widest + self._buttons.sizeHint().width() + _AROUND <= self.width()
        self._controls.setDirection(beside if fits else below)

    def _connect(self) -> None:
        for pane in self._panes:
            pane.hovered.connect(self._hover)
            pane.left.connect(self._show_worst_value)
            pane.fit_wanted.connect(self.fit)
            pane.way_out_wanted.connect(self._actions["locate"].trigger)
        self._note.pressed.connect(self._leave)
        self._dumps.changed.connect(self._load)
        self.golden.box.setXLink(self.target.box)
        self.golden.box.setYLink(self.target.box)
        self.difference.box.setXLink(self.target.box)
        self.difference.box.setYLink(self.target.box)
        self.target.box.sigRangeChanged.connect(self._zoomed)
        self.target.resized.connect(self._zoomed)
        self._slices.changed.connect(self._choose_slice)
        self._worst.clicked.connect(self.show_worst)
        self._fit.clicked.connect(self.fit)
        self._focus.row_changed.connect(self._load)
        self._focus.cell_changed.connect(self._load)
        self._pictures.answered.connect(self._take)
        self._pictures.rejected.connect(self._reject)
        self._pictures.crashed.connect(self._crash)
        self._theme.changed.connect(self._restyle)

    # ---- asking

    def _load(self) -> None:
        """Ask for the pictures of the selected row."""
        self._values, self._widest = None, 0
        self._readout.setText("")
        cell, row = self._focus.cell, self._focus.row
        if cell is None or row < 0:
            self._say(text("gui.detail.nothing_selected"))
            return
        target = source_of(cell.target, int(cell.rows.target_slot[row]))
        golden = source_of(cell.golden, int(cell.rows.golden_slot[row]))
        if target is None and golden is None:
            plain = plain_value(cell, row)
            if plain is not None:
                self._say_plain(*plain)
                return
            one_sided = Reason(int(cell.rows.reason[row])) in (Reason.TARGET_ONLY, Reason.GOLDEN_ONLY)
            self._say(text("gui.tensors.one_sided" if one_sided else "gui.tensors.none"))
            return
        fixed = self._slices.fixed() if self._pinned else self._worst_index()
        self._ask(Question(target, golden, fixed, None, self.target.pixels()))

    def _say_plain(self, target: str, golden: str) -> None:
        """Say what stands there instead of a tensor, and lead to where all arguments are."""
        if self._focus.exploring or target == golden:
            sentence = text("gui.tensors.plain", value=target or golden)
        else:
            sentence = text("gui.tensors.plain_both", target=target or "—", golden=golden or "—")
        self._say(sentence, text("gui.tab.arguments"), self.arguments_wanted.emit)

    def _leave(self) -> None:
        if self._way_out is not None:
            self._way_out()

    def _locate_words(self) -> str:
        """Return the words of the button that finds dumps which were moved; empty where none were."""
        return text("gui.action.locate") if self._dumps.lost else ""

    def _say(self, sentence: str, button: str = "", way_out: Callable[[], object] | None = None) -> None:
        self._question = self._answer = None
        for channel in ("picture", "part", "value"):
            self._pictures.forget(channel)
        self._way_out = way_out
        self._note.set_texts(sentence, button)
        self._stack.setCurrentIndex(1)

    def _ask(self, question: Question) -> None:
        self._question = question
        self._pictures.forget("part")
        self._pictures.request("picture", draw, question)

    def _worst_index(self) -> tuple[int, ...]:
        """Return the index of the largest difference of the selected row; empty where it is not known."""
        cell, row = self._focus.cell, self._focus.row
        if cell is None or row < 0:
            return ()
        flat, slot = int(cell.rows.max_abs_index[row]), int(cell.rows.target_slot[row])
        shape = cell.target.shape(slot) if slot >= 0 else None
        if not shape or not 0 <= flat < int(np.prod(shape)):
            return ()
        return tuple(int(at) for at in np.unravel_index(flat, shape))

    def _zoomed(self, *_: object) -> None:
        self._timer.start()

    def _refine(self) -> None:
        """Ask for the visible part in the detail that the screen has, where the overview has less."""
        answer, question = self._answer, self._question
        shown = next((found for found in (answer.target, answer.golden) if found), None) if answer else None
        if shown is None or question is None or answer is None:
            return
        height, width = self.target.pixels()
        if shown.block == (1, 1):
            return
        (left, right), (top, bottom) = self.target.box.viewRange()
        rows, columns = answer.plane
        if right - left > 0.95 * columns and bottom - top > 0.95 * rows:
            if question.pixels != (height, width):
                self._ask(Question(question.target, question.golden, question.fixed, None, (height, width)))
            return
        wide, tall = (right - left) * _MARGIN, (bottom - top) * _MARGIN
        region = (
            max(int(top - tall), 0), min(int(bottom + tall) + 1, rows),
            max(int(left - wide), 0), min(int(right + wide) + 1, columns),
        )  # fmt: skip
        scale = 1 + 2 * _MARGIN
        pixels = (int(height * scale), int(width * scale))
        self._pictures.request(
            "part", draw, Question(question.target, question.golden, question.fixed, region, pixels)
        )

    def _hover(self, row: int, column: int) -> None:
        if self._question is None or self._answer is None:
            return
        rows, columns = self._answer.plane
        if 0 <= row < rows and 0 <= column < columns:
            for pane in self._panes:
                pane.mark((row, column))
            self._pictures.request("value", value_at, self._question, row, column)

    def _show_worst_value(self) -> None:
        place = self._worst_place()
        for pane in self._panes:
            pane.mark(place)
        if place is not None and self._question is not None:
            self._pictures.request("value", value_at, self._question, *place)

    def _worst_place(self) -> tuple[int, int] | None:
        """Return row and column of the largest difference, if it lies in the plane on show."""
        answer, worst = self._answer, self._worst_index()
        if answer is None or not worst or len(worst) != len(answer.shape):
            return None
        if len(worst) == 1:
            columns = max(answer.plane[1], 1)
            return worst[0] // columns, worst[0] % columns
        return (worst[-2], worst[-1]) if answer.fixed[:-2] == worst[:-2] else None

    # ---- answers

    def _take(self, channel: str, answer: object) -> None:
        if channel == "value":
            if answer is None or isinstance(answer, Values):
                self._values = answer
                self._show_values()
            return
        if not isinstance(answer, Answer):
            return
        if channel == "part":
            self._draw(answer, part=True)
        elif channel == "picture":
            self._answer = answer
            self._stack.setCurrentIndex(0)
            if not self._lock.isChecked():
                self._range = limits(answer.target, answer.golden)
                self._difference_limit = symmetric_limit(answer.difference)
            for pane in self._panes:
                pane.set_plane(*answer.plane)
            self._slices.show_slice(answer.shape, answer.fixed)
            self._place_controls()
            self._draw(answer, part=False)
            if answer.plane != self._last_plane:  # tensors of one size keep the zoom
                self._last_plane = answer.plane
                self.fit()
            self._headings()
            self._show_worst_value()

    def _draw(self, answer: Answer, part: bool) -> None:
        single = self._focus.exploring
        low, high = self._range
        bound = self._difference_limit
        plans: tuple[tuple[HeatPane, Picture | None, Pixels, float, float], ...] = (
            (self.target, answer.target, self._sequential, low, high),
            (self.golden, answer.golden, self._sequential, low, high),
            (self.difference, answer.difference, self._diverging, -bound, bound),
        )
        for pane, shown, table, least, most in plans:
            if shown is not None:
                pane.show_picture(shown, table, least, most, part)
            elif not part:
                why = self._why_missing(answer, pane)
                lost = pane is not self.difference and bool(answer.problems)
                pane.show_note(why, self._locate_words() if lost else "")
        self.golden.setVisible(not single)
        self.difference.setVisible(not single)

    def _why_missing(self, answer: Answer, pane: HeatPane) -> str:
        if pane is self.difference and answer.no_difference is not None:
            return render(answer.no_difference)
        if pane is not self.difference and answer.problems:
            side = answer.question.target if pane is self.target else answer.question.golden
            mine = [problem for problem in answer.problems if side is not None and side.file in problem.path]
            if mine:
                return mine[0].sentence()
        return text(
            "gui.tensors.side_missing" if pane is not self.difference else "gui.tensors.no_difference"
        )

    def _reject(self, channel: str, problem: Problem) -> None:
        if channel == "picture":
            self._say(problem.sentence(), self._locate_words(), self._actions["locate"].trigger)

    def _crash(self, channel: str, traceback: str) -> None:
        if channel == "picture":
            self._say(text("gui.tensors.crashed", why=traceback.strip().split("\n")[-1]))

    # ---- choosing

    def fit(self) -> None:
        """Show the whole plane."""
        if self._answer is not None:
            rows, columns = self._answer.plane
            self.target.box.setRange(xRange=(0, max(columns, 1)), yRange=(0, max(rows, 1)), padding=0)

    def _choose_slice(self) -> None:
        self._pinned = True
        if self._question is not None:
            question = self._question
            self._ask(
                Question(question.target, question.golden, self._slices.fixed(), None, self.target.pixels())
            )

    def show_worst(self) -> None:
        """Go to the slice of the largest difference, and follow it from row to row again."""
        self._pinned = False
        question = self._question
        if question is not None:
            self._ask(
                Question(question.target, question.golden, self._worst_index(), None, self.target.pixels())
            )

    # ---- looks

    def _show_values(self) -> None:
        values = self._values
        if values is None:
            self._readout.setText("")
            return
        parts = []
        for code, number in (("gui.target", values.target), ("gui.golden", values.golden)):
            if number is not None:
                parts.append(f"{text(code)}  {numbers.compact(number, 7)}")
        if values.difference is not None:
            parts.append(f"{text('gui.tensors.difference')}  {numbers.scientific(values.difference)}")
        if values.ulps is not None:
            shown = (
                numbers.grouped(round(values.ulps))
                if values.ulps < 1e9
                else numbers.scientific(values.ulps, 1)
            )
            parts.append(f"{shown} ULP")
        parts.append(f"[{', '.join(map(str, values.index))}]")
        self._readout.setText("     ".join(parts))  # what is cut at its end is where, not what
        self._place_controls()

    @property
    def readout(self) -> str:
        """The line of values."""
        return self._readout.text()

    def _headings(self) -> None:
        facts, row = self._focus.facts, self._focus.row
        slot = facts.slots[int(facts.slot[row])] if facts is not None and row >= 0 else ""
        answer = self._answer
        plane = ""
        if answer is not None and len(answer.shape) > 2:
            plane = f"[{', '.join([*map(str, answer.fixed[:-2]), ':', ':'])}]"
        single = self._focus.exploring
        self._worst.setVisible(not single)
        self.target.set_title(text("gui.run" if single else "gui.target"), f"{slot}  {plane}".strip())
        self.golden.set_title(text("gui.golden"))
        bound = numbers.scientific(self._difference_limit, 1) if answer and answer.difference else ""
        locked = f", {text('gui.tensors.locked')}" if self._lock.isChecked() and bound else ""
        self.difference.set_title(text("gui.tensors.difference"), f"±{bound}{locked}" if bound else "")

    def _restyle(self) -> None:
        self._sequential, self._diverging = sequential(), diverging(self._theme.colours)
        for pane in self._panes:
            pane.restyle()
        if self._answer is not None:
            self._draw(self._answer, part=False)

    def retranslate(self) -> None:
        self._worst.setText(text("gui.tensors.worst"))
        self._worst.setToolTip(text("gui.tensors.worst.help"))
        self._fit.setText(text("gui.tensors.fit"))
        self._lock.setText(text("gui.tensors.lock"))
        self._lock.setToolTip(text("gui.tensors.lock.help"))
        self._headings()
        self._show_values()
        if self._answer is not None:
            self._draw(self._answer, part=False)
        elif self._question is None:
            self._load()
