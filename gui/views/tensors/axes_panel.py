"""Which axes of a tensor make the rows, which the columns, and which are slid along."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.metrics.pictures.plane import Plane, Shape
from gui.views.tensors.popup_panel import PopupPanel
from gui.widgets.translated import Translated


class Role(IntEnum):
    """What an axis is used for."""

    ROWS = 0
    COLUMNS = 1
    SLIDE = 2


class AxesPanel(Translated, PopupPanel):
    """A line for each axis; of a tensor of one axis, whether it is a curve or folded, and how wide."""

    chosen = Signal(object)
    """The :class:`Plane` that the user wants."""
    reset = Signal()

    def __init__(self, button: QToolButton) -> None:
        super().__init__(button)
        self._shape: Shape = ()
        self._plane = Plane()
        self._title = QLabel()
        self._title.setObjectName("strong")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(4)
        self._heads = [QLabel() for _ in Role]
        for role, head in zip(Role, self._heads):
            head.setObjectName("dim")
            self._grid.addWidget(head, 0, 1 + role)
        self._names: list[QLabel] = []
        self.roles: list[list[QRadioButton]] = []
        self._groups: list[QButtonGroup] = []
        self._line = QWidget()
        line = QHBoxLayout(self._line)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(10)
        self.curve, self.folded, self.width_box = QRadioButton(), QRadioButton(), QSpinBox()
        self.width_box.setRange(1, 1_000_000_000)
        self.width_box.setKeyboardTracking(False)
        self.width_box.setMinimumWidth(80)
        for widget in (self.curve, self.folded, self.width_box):
            line.addWidget(widget)
        line.addStretch(1)
        self.flatten, self.again = QPushButton(), QPushButton()
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.flatten)
        buttons.addWidget(self.again)
        buttons.addStretch(1)
        self._hint = QLabel()
        self._hint.setObjectName("small")
        self._hint.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(9)
        column.addWidget(self._title)
        column.addLayout(self._grid)
        column.addWidget(self._line)
        column.addLayout(buttons)
        column.addWidget(self._hint)
        self.curve.clicked.connect(self._choose_line)
        self.folded.clicked.connect(self._choose_fold)
        self.width_box.valueChanged.connect(self._choose_fold)
        self.flatten.clicked.connect(lambda: self.chosen.emit(Plane.whole(self._shape)))
        self.again.clicked.connect(self.reset)
        self.retranslate()

    def show_plane(self, shape: Shape, plane: Plane, own: bool) -> None:
        """Show how a tensor of *shape* is laid out; *own*: by the user's choice."""
        self._shape, self._plane = shape, plane
        for axis in range(len(self.roles), len(shape)):
            self._add_axis(axis)
        several = len(shape) > 1
        for axis, (name, buttons) in enumerate(zip(self._names, self.roles)):
            there = several and axis < len(shape)
            name.setVisible(there)
            for button in buttons:
                button.setVisible(there)
            if there:
                self._fill_axis(axis)
        for head in self._heads:
            head.setVisible(several)
        self._line.setVisible(len(shape) == 1)
        self.flatten.setVisible(len(shape) > 2)
        self.again.setEnabled(own)
        if len(shape) == 1:
            curve = plane.size(shape)[0] <= 1
            self.curve.setChecked(curve)
            self.folded.setChecked(not curve)
            with QSignalBlocker(self.width_box):
                self.width_box.setValue(Plane.of(shape).fold(shape) if curve else plane.fold(shape))
        self.adjustSize()

    def _add_axis(self, axis: int) -> None:
        name, group = QLabel(), QButtonGroup(self)
        self._grid.addWidget(name, 1 + axis, 0)
        buttons = [QRadioButton() for _ in Role]
        for role, button in zip(Role, buttons):
            group.addButton(button, role)
            self._grid.addWidget(button, 1 + axis, 1 + role)
        group.idClicked.connect(lambda role, axis=axis: self._assign(axis, Role(role)))
        self._names.append(name)
        self.roles.append(buttons)
        self._groups.append(group)

    def _fill_axis(self, axis: int) -> None:
        plane = self._plane
        role = Role.ROWS if axis in plane.rows else Role.COLUMNS if axis in plane.columns else Role.SLIDE
        words = text("gui.heat.axis", axis=axis, size=self._shape[axis])
        self._names[axis].setText(words)
        for at, button in zip(Role, self.roles[axis]):
            button.setAccessibleName(f"{words}: {text(f'gui.heat.role.{at.name.lower()}')}")
            button.setChecked(at is role)

    def _assign(self, axis: int, role: Role) -> None:
        plane = self._plane
        rows = sorted({*plane.rows, axis} if role is Role.ROWS else {*plane.rows} - {axis})
        columns = sorted({*plane.columns, axis} if role is Role.COLUMNS else {*plane.columns} - {axis})
        self.chosen.emit(Plane(tuple(rows), tuple(columns), plane.fixed, plane.width))

    def _choose_line(self) -> None:
        self.chosen.emit(Plane.line(self._shape))

    def _choose_fold(self) -> None:
        self.folded.setChecked(True)
        plane = Plane.of(self._shape)
        self.chosen.emit(Plane(plane.rows, plane.columns, plane.fixed, self.width_box.value()))

    def retranslate(self) -> None:
        self._title.setText(text("gui.heat.layout"))
        for role, head in zip(Role, self._heads):
            head.setText(text(f"gui.heat.role.{role.name.lower()}"))
        self.curve.setText(text("gui.heat.curve"))
        self.folded.setText(text("gui.heat.folded"))
        self.width_box.setAccessibleName(text("gui.heat.fold_width"))
        self.width_box.setToolTip(text("gui.heat.fold_width"))
        self.flatten.setText(text("gui.heat.flatten"))
        self.flatten.setToolTip(text("gui.heat.flatten.help"))
        self.again.setText(text("gui.heat.reset_layout"))
        self._hint.setText(text("gui.heat.layout.help"))
        self.show_plane(self._shape, self._plane, self.again.isEnabled())
