"""What the user chooses about the heat map: metric, side, what lies across, which bad cell is next."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from core.messages import text
from core.records.columns import Int64
from core.records.trends import GridAxis
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.trends.scale import TrendSide
from gui.names import shown
from gui.trends.state import TrendsState
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_HEIGHT = 30


class PlaceBox(QSpinBox):
    """A number out of those that there are; what lies between two goes to the nearer one."""

    place_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._places: Int64 = np.zeros(1, np.int64)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self._choose)

    def show_place(self, places: Int64, at: int) -> None:
        """Offer *places*, ascending, and show *at*."""
        self._places = places
        with QSignalBlocker(self):
            limit = 2**31 - 1
            self.setRange(max(int(places[0]), -limit), min(int(places[-1]), limit))
            self.setValue(at)
        self.setEnabled(len(places) > 1)

    def stepBy(self, steps: int) -> None:
        at = int(np.searchsorted(self._places, self.value()))
        self.setValue(int(self._places[min(max(at + steps, 0), len(self._places) - 1)]))

    def _choose(self, value: int) -> None:
        nearest = int(self._places[np.argmin(np.abs(self._places - value))])
        with QSignalBlocker(self):
            self.setValue(nearest)
        self.place_chosen.emit(nearest)


class MapControls(Translated, QWidget):
    """One line, or two where there is no room."""

    fit_wanted = Signal()

    def __init__(self, context: Context, state: TrendsState) -> None:
        super().__init__()
        self._state, self._picture, self._theme = state, state.picture, context.theme
        self.kind, self.statistic, self.axis = QComboBox(), QComboBox(), QComboBox()
        self.place = PlaceBox()
        self.sides = {side: QToolButton() for side in TrendSide}
        self.count, self.before, self.after = QLabel(), QToolButton(), QToolButton()
        self.fit, self.export = QToolButton(), QToolButton()
        self._build()
        self.kind.activated.connect(self._choose_kind)
        self.statistic.activated.connect(self._choose_statistic)
        self.axis.activated.connect(self._choose_axis)
        self.place.place_chosen.connect(self._picture.choose_place)
        self.before.clicked.connect(partial(self._picture.turn, False))
        self.after.clicked.connect(partial(self._picture.turn, True))
        self.fit.clicked.connect(self.fit_wanted)
        for signal in (self._picture.chosen_changed, self._picture.drawn, self._picture.cell_changed):
            signal.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _build(self) -> None:
        for combo, most in ((self.kind, 240), (self.statistic, 150), (self.axis, 130)):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.setMaximumWidth(most)
            combo.setFixedHeight(_HEIGHT)
        self.place.setFixedSize(58, _HEIGHT - 4)
        group = QButtonGroup(self)
        sides, row = self._group()
        for side, button in self.sides.items():
            button.setCheckable(True)
            button.setObjectName("toggle")
            button.setFixedHeight(_HEIGHT)
            group.addButton(button)
            row.addWidget(button)
            button.clicked.connect(partial(self._picture.choose_side, side))
        walk, row = self._group()
        self.count.setObjectName("dim")
        row.addWidget(self.count)
        for button, sign in ((self.before, "‹"), (self.after, "›")):
            button.setObjectName("turn")
            button.setText(sign)
            button.setFixedSize(24, 24)
            row.addWidget(button)
        self._walk = walk
        across, row = self._group()
        row.addWidget(self.axis)
        row.addWidget(self.place)
        metric, row = self._group()
        row.addWidget(self.kind)
        row.addWidget(self.statistic)
        for button in (self.fit, self.export):
            button.setFixedHeight(_HEIGHT)
            button.setIconSize(QSize(16, 16))
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        commands, row = self._group()
        row.addWidget(self.fit)
        row.addWidget(self.export)
        flow = FlowLayout(7)
        self.setLayout(flow)
        for part in (metric, sides, across, walk, commands):
            flow.addWidget(part)

    @staticmethod
    def _group() -> tuple[QWidget, QHBoxLayout]:
        made = QWidget()
        made.setFixedHeight(_HEIGHT)
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        return made, row

    # ---- content

    def _load(self) -> None:
        picture = self._picture
        metrics, name = picture.metrics, picture.metric
        kind = metrics.kind_of(name)
        kinds = [(_counted(item, metrics.over(item)), item) for item in metrics.kinds]
        self._fill(self.kind, kinds, kind)
        self._fill(
            self.statistic,
            [(_counted(item.statistic, item.over), item.name) for item in metrics.of_kind(kind)],
            name,
        )
        for side, button in self.sides.items():
            button.setVisible(len(picture.sides) > 1)
            button.setChecked(side is picture.side)
        axes = [(text(f"gui.trends.axis.{axis.value}"), axis.value) for axis in GridAxis]
        self._fill(self.axis, axes, picture.axis.value)
        places = picture.ranks if picture.axis is GridAxis.STEP else picture.steps
        if len(places):
            self.place.show_place(places, picture.at)
        self.place.setAccessibleName(text(f"gui.trends.at.{picture.axis.value}"))
        self.place.setToolTip(text(f"gui.trends.at.{picture.axis.value}"))
        self._count()

    def _count(self) -> None:
        facts, cell = self._picture.facts, self._picture.cell
        bad = facts.bad if facts is not None else 0
        elsewhere = any(metric.over for metric in self._picture.metrics.every)
        self._walk.setVisible(bad > 0 or elsewhere)
        code = "over" if len(self._picture.sides) > 1 else "broken"
        if cell is not None and cell.bad:
            place, all_bad = numbers.grouped(cell.number + 1), numbers.grouped(bad)
            self.count.setText(text(f"gui.trends.bad.{code}.place", place=place, number=all_bad))
        else:
            self.count.setText(text(f"gui.trends.bad.{code}", count=bad, number=numbers.grouped(bad)))
        self._walk.updateGeometry()

    @staticmethod
    def _fill(combo: QComboBox, items: list[tuple[str, str]], chosen: str) -> None:
        there = [(combo.itemText(at), combo.itemData(at)) for at in range(combo.count())]
        with QSignalBlocker(combo):
            if there != items:
                combo.clear()
                for words, data in items:
                    combo.addItem(words, data)
            combo.setCurrentIndex(combo.findData(chosen))
        combo.setEnabled(len(items) > 1)

    def _choose_kind(self, at: int) -> None:
        metrics = self._picture.metrics
        self._picture.choose_metric(metrics.like(str(self.kind.itemData(at)), self._picture.metric))

    def _choose_statistic(self, at: int) -> None:
        self._picture.choose_metric(str(self.statistic.itemData(at)))

    def _choose_axis(self, at: int) -> None:
        self._picture.choose_axis(GridAxis(self.axis.itemData(at)))

    # ---- looks

    def _restyle(self) -> None:
        self.fit.setIcon(icon("fit", self._theme.colours.dim))
        self.export.setIcon(icon("export", self._theme.colours.dim))

    def retranslate(self) -> None:
        for side, button in self.sides.items():
            button.setText(text(f"gui.trends.side.{side.value}"))
            button.setToolTip(text(f"gui.trends.side.{side.value}.help"))
        for widget, code in (
            (self.kind, "gui.trends.kind"), (self.statistic, "gui.trends.statistic"),
            (self.axis, "gui.trends.axis"), (self.before, "gui.trends.previous"),
            (self.after, "gui.trends.next"), (self.fit, "gui.trends.fit"), (self.export, "gui.trends.export"),
        ):  # fmt: skip
            widget.setToolTip(text(code))
            widget.setAccessibleName(text(code))
        self._load()


def _counted(name: str, over: int) -> str:
    """Return a name, and how much of it is over the limit."""
    return f"{shown(name)}   {numbers.grouped(over)} ▲" if over else shown(name)
