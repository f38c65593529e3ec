"""How bad values go through a step: one lane a rank, over the order of execution."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QToolTip, QWidget

from core.messages import text
from core.records.overflow import Birth, OverflowReport, Special
from core.records.run import CellKey
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.overflow.lanes import KINDS, Lanes, lanes_of, steps_of
from gui.models.overflow.words import sentence_of, value_words
from gui.models.pair.suspects import cell_label
from gui.names import shown
from gui.overflow.choice import Place, Step, step_of
from gui.views.overflow.lane_canvas import LaneCanvas
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated
from gui.widgets.value_chip import ValueChip

_FOOT, _LEAST_HEIGHT = 34, 190
"""Pixels of the line under the picture, and of the card below which it tells little."""


class LanesView(Translated, Card):
    """The card with the picture; the line under it says which call is looked at."""

    show_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._overflow = context.theme, context.session.overflow
        self._choice = context.session.overflow.choice
        self._lanes = Lanes()
        self._shown: tuple[OverflowReport | None, Step] = (None, Step("", 0))
        self._pointed: Birth | tuple[CellKey, int] | None = None
        self.canvas = LaneCanvas(context.theme)
        self.legend = [ValueChip(context.theme, kind, plain=True) for kind in KINDS]
        self.step = QComboBox()
        self.step.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.step.setFixedHeight(26)
        self.step.setStyleSheet("min-height: 16px; padding: 1px 8px;")
        self._fit = QToolButton()
        self._fit.setAutoRaise(True)
        self._fit.setIconSize(QSize(16, 16))
        for widget in (*self.legend, self.step, self._fit):
            self.header.add(widget)
        self._where, self._name = QLabel(), ElidedLabel()
        self._where.setObjectName("dim")
        self._name.setFont(context.theme.fixed_font())
        self._what = QLabel()
        self._what.setObjectName("dim")
        self.show_button = QToolButton()
        self.show_button.setObjectName("elsewhere")
        foot = QWidget()
        foot.setFixedHeight(_FOOT)
        line = QHBoxLayout(foot)
        line.setContentsMargins(12, 0, 8, 4)
        line.setSpacing(10)
        for part, stretch in ((self._where, 0), (self._name, 1), (self._what, 0), (self.show_button, 0)):
            line.addWidget(part, stretch)
        self.body.setContentsMargins(4, 4, 4, 0)
        self.body.addWidget(self.canvas, 1)
        self.body.addWidget(foot)
        self._connect()
        self._restyle()
        self.retranslate()

    def _connect(self) -> None:
        self.canvas.pointed.connect(self._hover)
        self.canvas.chosen.connect(self._choose)
        self.canvas.entered_on.connect(self.show_wanted)
        self.show_button.clicked.connect(self.show_wanted)
        self.step.activated.connect(self._choose_step)
        self._fit.clicked.connect(self.canvas.fit)
        self._overflow.changed.connect(self._load)
        self._choice.step_changed.connect(self._load)
        self._choice.birth_changed.connect(self._follow)
        self._choice.place_changed.connect(self._follow)
        self._choice.names_arrived.connect(self._named)
        self._theme.changed.connect(self._restyle)

    # ---- content

    def _load(self) -> None:
        report, step = self._choice.report, self._choice.step
        another = report is not self._shown[0] or step != self._shown[1]
        if another:  # another language leaves what is zoomed into as it is
            self._shown = (report, step)
            self._lanes = lanes_of(report, step.phase, step.step) if report is not None else Lanes()
            self.canvas.show_lanes(self._lanes)
        steps = steps_of(report) if report is not None else []
        with QSignalBlocker(self.step):
            self.step.clear()
            for phase, number in steps:
                self.step.addItem(f"{phase} {text('gui.top.step', value=number)}".strip(), (phase, number))
            if (step.phase, step.step) in steps:
                self.step.setCurrentIndex(steps.index((step.phase, step.step)))
        self.step.setVisible(len(steps) > 1)
        for chip in self.legend:
            chip.setVisible(chip.value in self._lanes.kinds)
        self._follow()
        self._heading()

    def _follow(self) -> None:
        place = self._choice.place
        where = (place.cell, place.row) if place is not None and place.row >= 0 else None
        self.canvas.look_at(self._choice.birth, self._choice.spread(), where)
        self._describe()

    def _choose_step(self, at: int) -> None:
        self._choice.choose_step(Step(*self.step.itemData(at)))

    def _choose(self, target: Birth | tuple[CellKey, int]) -> None:
        if isinstance(target, Birth):
            self._choice.choose_birth(target)
            return
        key, row = target
        for mark in self._lanes.marks:
            if mark.row == row and mark.birth.cell == key and not mark.expected:
                self._choice.choose_birth(mark.birth)
                return
        self._choice.choose_place(Place(key, row))

    # ---- what is pointed and looked at

    def _values(self, key: CellKey, row: int) -> str:
        lane = self._lanes.lane_of(key)
        if lane < 0:
            return ""
        track = self._lanes.tracks[lane]
        at = int(track.rows.searchsorted(row))
        if at >= len(track.rows) or track.rows[at] != row:
            return text("gui.overflow.all_finite")
        words = [
            " ".join(value_words(Special(int(flags[at])))) or text("gui.overflow.finite")
            for flags in (track.goes_in, track.comes_out)
        ]
        return text("gui.overflow.in_out", goes_in=words[0], comes_out=words[1])

    def _position(self, key: CellKey, row: int) -> str:
        lane = self._lanes.lane_of(key)
        total = self._lanes.tracks[lane].operators if lane >= 0 else 0
        if not total or row < 0:
            return cell_label(key)
        call = text("gui.overflow.call", at=numbers.grouped(row + 1), total=numbers.grouped(total))
        return f"{cell_label(key)} · {call}"

    def tip(self, target: Birth | tuple[CellKey, int]) -> str:
        """Return what the pointer is told."""
        if isinstance(target, Birth):
            key, row, said = target.cell, target.row, sentence_of(target)
        else:
            key, row = target
            said = shown(self._choice.name_of(Place(key, row)))
        lines = (said, self._position(key, row), self._values(key, row))
        return "\n".join(line for line in lines if line)

    def _hover(self, target: Birth | tuple[CellKey, int] | None) -> None:
        self._pointed = target
        if target is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(QCursor.pos() + QPoint(12, 10), self.tip(target), self.canvas)

    def _named(self) -> None:
        if self._pointed is not None and self.canvas.underMouse():
            self._hover(self._pointed)
        self._describe()

    def _describe(self) -> None:
        place = self._choice.place
        self.show_button.setEnabled(self._choice.comparable)
        self.show_button.setVisible(place is not None)
        if place is None:
            for label in (self._where, self._name, self._what):
                label.setText("")
            return
        self._where.setText(self._position(place.cell, place.row))
        self._name.setText(self._choice.name_of(place) or "…")
        self._what.setText(self._values(place.cell, place.row))
        self.canvas.setAccessibleDescription(
            " · ".join((self._name.text(), self._where.text(), self._what.text()))
        )

    def wanted_height(self) -> int:
        """Return the height in which all lanes are drawn at their largest."""
        most = max((len(lanes) for lanes in self._lanes_by_step()), default=1)
        return max(self.canvas.height_for(most) + self.header.height() + _FOOT + 10, _LEAST_HEIGHT)

    def _lanes_by_step(self) -> list[list[CellKey]]:
        report = self._choice.report
        by_step: dict[Step, list[CellKey]] = {}
        for track in report.tracks if report is not None else ():
            by_step.setdefault(step_of(track.key), []).append(track.key)
        return list(by_step.values())

    @property
    def footer(self) -> list[str]:
        """What the line under the picture says: where, which call, which values."""
        return [label.text() for label in (self._where, self._name, self._what)]

    def copied_text(self) -> str:
        """Return the name of the call looked at."""
        place = self._choice.place
        return self._choice.name_of(place) if place is not None else ""

    # ---- looks

    def _heading(self) -> None:
        self.set_title(text("gui.overflow.lanes.title"), text("gui.overflow.lanes.subtitle"))

    def _restyle(self) -> None:
        self._fit.setIcon(icon("fit", self._theme.colours.dim))
        self.canvas.viewport().update()

    def retranslate(self) -> None:
        self.canvas.retranslate()
        self._fit.setToolTip(text("gui.trajectory.fit"))
        self._fit.setAccessibleName(text("gui.trajectory.fit"))
        self.step.setAccessibleName(text("gui.top.step_name"))
        self.show_button.setText(text("gui.overflow.show") + "  →")
        self.show_button.setToolTip(text("gui.overflow.show.help"))
        if self._choice.report is not None:
            self._load()
        self._heading()
        self._describe()
