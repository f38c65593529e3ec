"""The range of the colours, its scale and the colours themselves."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QToolButton

from core.messages import text
from gui import numbers
from gui.tensors.looks import VALUES, HeatLooks
from gui.tensors.scales import ColourMap, Extent, Scale, Shades
from gui.views.tensors.popup_panel import PopupPanel
from gui.widgets.translated import Translated


class LooksPanel(Translated, PopupPanel):
    """Sets *looks*; shows the ranges in force."""

    fixed = Signal()
    """The ranges in force are to stay."""

    def __init__(self, button: QToolButton, looks: HeatLooks) -> None:
        super().__init__(button)
        self._looks = looks
        self._shades: tuple[Shades | None, Shades | None] = (None, None)
        self.extent, self.scale, self.colours = QComboBox(), QComboBox(), QComboBox()
        self.each_own = QCheckBox()
        self.low, self.high, self.limit = QLineEdit(), QLineEdit(), QLineEdit()
        self._labels = [QLabel() for _ in range(5)]
        self._kinds: tuple[tuple[QComboBox, type[StrEnum]], ...] = (
            (self.extent, Extent), (self.scale, Scale), (self.colours, ColourMap),
        )  # fmt: skip
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        for row, (box, kind) in enumerate(self._kinds):
            for member in kind:
                box.addItem("", member)
            box.setMinimumWidth(180)
            grid.addWidget(self._labels[row], row, 0)
            grid.addWidget(box, row, 1, 1, 2)
        grid.addWidget(self._labels[3], 3, 0)
        grid.addWidget(self.low, 3, 1)
        grid.addWidget(self.high, 3, 2)
        grid.addWidget(self._labels[4], 4, 0)
        grid.addWidget(self.limit, 4, 1)
        grid.addWidget(self.each_own, 5, 0, 1, 3)
        for label in self._labels:
            label.setObjectName("dim")
        for field in (self.low, self.high, self.limit):
            field.setFixedWidth(92)
            field.setProperty("compact", True)
        self.extent.activated.connect(self._choose_extent)
        self.scale.activated.connect(lambda _: looks.set_scale(Scale(self.scale.currentData())))
        self.colours.activated.connect(lambda _: looks.set_colour_map(ColourMap(self.colours.currentData())))
        self.each_own.toggled.connect(looks.set_each_own)
        self.low.editingFinished.connect(self._take_values)
        self.high.editingFinished.connect(self._take_values)
        self.limit.editingFinished.connect(self._take_limit)
        looks.changed.connect(self.prepare)
        self.retranslate()

    def show_shades(self, values: Shades | None, difference: Shades | None) -> None:
        """Tell the ranges in force."""
        self._shades = values, difference
        self.prepare()

    def prepare(self) -> None:
        looks = self._looks
        wanted: tuple[StrEnum, ...] = (looks.extent, looks.scale, looks.colour_map)
        for (box, _), member in zip(self._kinds, wanted):
            box.setCurrentIndex(box.findData(member))
        with QSignalBlocker(self.each_own):
            self.each_own.setChecked(looks.each_own)
        self.each_own.setEnabled(not looks.locked)
        values, difference = self._shades
        ends = (values.low, values.high) if values is not None else None
        limit = difference.high if difference is not None and not difference.names else None
        for field, number in (
            (self.low, ends and ends[0]), (self.high, ends and ends[1]), (self.limit, limit),
        ):  # fmt: skip
            field.setEnabled(number is not None)
            if not field.isModified() or not field.hasFocus():
                field.setText(numbers.compact(number, 6) if number is not None else "")
                _say_wrong(field, False)

    def _choose_extent(self, _index: int) -> None:
        wanted = Extent(self.extent.currentData())  # Qt gives back a plain string
        if wanted is Extent.FIXED:
            self.fixed.emit()
        else:
            self._looks.set_extent(wanted)

    def _take_values(self) -> None:
        if not (self.low.isModified() or self.high.isModified()):
            return
        low, high = _number(self.low), _number(self.high)
        wrong = low is None or high is None or not low < high
        for field in (self.low, self.high):
            _say_wrong(field, wrong)
        if not wrong and low is not None and high is not None:
            for field in (self.low, self.high):
                field.setModified(False)
            self._looks.keep(VALUES, low, high)

    def _take_limit(self) -> None:
        if not self.limit.isModified():
            return
        limit = _number(self.limit)
        wrong = limit is None or limit <= 0
        _say_wrong(self.limit, wrong)
        if limit is not None and not wrong:
            self.limit.setModified(False)
            self._looks.keep(self._looks.difference_key, -limit, limit)

    def retranslate(self) -> None:
        codes = ("gui.heat.extent", "gui.heat.scale", "gui.heat.colours", "gui.heat.ends", "gui.heat.limit")
        for label, code in zip(self._labels, codes):
            label.setText(text(code))
        for box, kind in self._kinds:
            name = {Extent: "extent", Scale: "scale", ColourMap: "map"}[kind]
            for at, member in enumerate(kind):
                box.setItemText(at, text(f"gui.heat.{name}.{member.value}"))
        self.extent.setAccessibleName(text("gui.heat.extent"))
        self.scale.setAccessibleName(text("gui.heat.scale"))
        self.scale.setToolTip(text("gui.heat.scale.help"))
        self.colours.setAccessibleName(text("gui.heat.colours"))
        self.low.setAccessibleName(text("gui.heat.low"))
        self.high.setAccessibleName(text("gui.heat.high"))
        self.limit.setAccessibleName(text("gui.heat.limit"))
        self.each_own.setText(text("gui.heat.each_own"))
        self.each_own.setToolTip(text("gui.heat.each_own.help"))


def _number(field: QLineEdit) -> float | None:
    """Return the number in *field*, however its minus is written; ``None`` for anything else."""
    try:
        number = float(field.text().replace(numbers.MINUS, "-").replace(numbers.THIN_SPACE, ""))
    except ValueError:
        return None
    return number if abs(number) < 1e300 else None


def _say_wrong(field: QLineEdit, wrong: bool) -> None:
    if bool(field.property("wrong")) != wrong:
        field.setProperty("wrong", wrong)
        field.style().unpolish(field)
        field.style().polish(field)
