"""A tensor of one element: both numbers, large, and how far they are from each other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from core.messages import text
from core.metrics.inspection.values import ElementPair
from gui.tensors.value_words import value_words
from gui.views.tensors.readout import ulp_words
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated


class NumberPage(Translated, QWidget):
    """Target, golden and difference beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self._values: ElementPair | None = None
        self._stored = ("", "")
        self._exploring = False
        flow = FlowLayout(28)
        self.setLayout(flow)
        self._columns: list[tuple[QWidget, QLabel, QLabel, QLabel]] = []
        for _ in range(3):
            holder, name, number, below = QWidget(), QLabel(), QLabel(), QLabel()
            name.setObjectName("strong")
            number.setObjectName("hero")
            number.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            below.setObjectName("dim")
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(4)
            column.addWidget(name)
            column.addWidget(number)
            column.addWidget(below)
            column.addStretch(1)
            flow.addWidget(holder)
            self._columns.append((holder, name, number, below))
        self.retranslate()

    def show_values(self, values: ElementPair | None, stored: tuple[str, str], exploring: bool) -> None:
        """Tell *values*; *stored* are the formats of target and golden."""
        self._values, self._stored, self._exploring = values, stored, exploring
        self.retranslate()

    @property
    def words(self) -> str:
        """All that is told, as plain text."""
        shown = [column for column in self._columns if not column[0].isHidden()]
        return "   ".join(" ".join(label.text() for label in column[1:]).strip() for column in shown)

    def retranslate(self) -> None:
        values = self._values
        target, golden = (values.target, values.golden) if values else (None, None)
        ulps = f"{ulp_words(values.ulps)} ULP" if values and values.ulps is not None else ""
        difference = values.difference if values else None
        for (holder, name, number, below), code, value, note, there in zip(
            self._columns,
            ("gui.run" if self._exploring else "gui.target", "gui.golden", "gui.tensors.difference"),
            (value_words(target, self._stored[0]), value_words(golden, self._stored[1]),
             value_words(difference, "float64")),
            (*self._stored, ulps),
            (True, not self._exploring, not self._exploring),
        ):  # fmt: skip
            name.setText(text(code))
            number.setText(value)
            below.setText(note)
            holder.setVisible(there)
