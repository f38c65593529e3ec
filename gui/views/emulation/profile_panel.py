"""The profile that was used: each parameter with its value, how it is known, and where from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.messages import text
from core.records.emulation import ProfileParameter
from gui.context import Context
from gui.models.emulation.words import parameter_name
from gui.names import shown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.labels import wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_SHORT = 18
"""Signs of a value that stand beside the name; a longer one has a line of its own."""


class ParameterRow(QFrame):
    """Name and value, a badge for how it is known, the source under them."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._name, self._badge = ElidedLabel(mode=Qt.TextElideMode.ElideRight), QLabel()
        self._value, self._long_value = QLabel(), wrapped_label("")
        for label in (self._value, self._long_value):
            label.setFont(context.theme.fixed_font())
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._source = wrapped_label("small")
        self._badge.setObjectName("badge")
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._name, 1)
        top.addWidget(self._value)
        top.addWidget(self._badge)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 5)
        column.setSpacing(2)
        column.addLayout(top)
        column.addWidget(self._long_value)
        column.addWidget(self._source)

    def show_parameter(self, parameter: ProfileParameter) -> None:
        """Show another one."""
        self._name.setText(parameter_name(parameter.name))
        value = shown(parameter.value)
        fits = len(value) <= _SHORT
        self._value.setText(value if fits else "")
        self._long_value.setText("" if fits else value)
        self._long_value.setVisible(not fits)
        self._badge.setText(text(f"emulation.basis.{parameter.basis}"))
        self._badge.setProperty("basis", parameter.basis)
        self._badge.style().unpolish(self._badge)
        self._badge.style().polish(self._badge)
        self._badge.setToolTip(text(f"emulation.basis.{parameter.basis}.help"))
        self._source.setText(shown(parameter.source))
        self.setToolTip(shown(parameter.source))
        self.setAccessibleName(f"{self._name.text()}: {parameter.value}, {self._badge.text()}")

    @property
    def words(self) -> tuple[str, str, str]:
        """Name, value and badge."""
        return self._name.text(), self._value.text() or self._long_value.text(), self._badge.text()


class ProfilePanel(Translated, QWidget):
    """A column that scrolls; on top what the model is and is not."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._parameters: tuple[ProfileParameter, ...] = ()
        self.honest, self._title = wrapped_label("dim"), wrapped_label("strong")
        self.rows: list[ParameterRow] = []
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(14, 12, 14, 14)
        self._column.setSpacing(0)
        self._column.addWidget(self._title)
        self._column.addSpacing(4)
        self._column.addWidget(self.honest)
        self._column.addSpacing(8)
        self._first = self._column.count()
        self._column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(page_area(page))
        self._shown_title = ""
        self.retranslate()

    def show_profile(self, title: str, parameters: tuple[ProfileParameter, ...]) -> None:
        """Show another profile."""
        self._shown_title, self._parameters = title, parameters
        while len(self.rows) < len(parameters):
            row = ParameterRow(self._context)
            self._column.insertWidget(self._first + len(self.rows), row)
            self.rows.append(row)
        self.retranslate()

    def copied_text(self) -> str:
        """Return the parameters as tab-separated text."""
        lines = [f"{item.name}\t{item.value}\t{item.basis}\t{item.source}" for item in self._parameters]
        return "\n".join(lines) + "\n"

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.emulation.profile"))
        self.honest.setText(text("emulation.honest"))
        self._title.setText(self._shown_title)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(self._parameters))
            if number < len(self._parameters):
                row.show_parameter(self._parameters[number])
