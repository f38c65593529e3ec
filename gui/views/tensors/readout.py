"""One line: an element's index, both exact values, their difference; or what is marked."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from core.messages import text
from core.metrics.inspection.values import ElementPair
from core.metrics.pictures.plane import Region
from gui import numbers
from gui.looks.theme import Theme
from gui.tensors.value_words import value_words
from gui.widgets.translated import Translated


class Readout(Translated, QLabel):
    """Words dim, numbers plain; what does not fit is cut at the end and told by the tool tip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._values: ElementPair | None = None
        self._rectangle: Region | None = None
        self._stored = ("", "")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.retranslate)
        self.retranslate()

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height() + 2)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height() + 2)

    def show_values(self, values: ElementPair | None, stored: tuple[str, str] = ("", "")) -> None:
        """Tell *values*; *stored* are the formats of target and golden."""
        self._values, self._stored = values, stored
        self.retranslate()

    def show_rectangle(self, rectangle: Region | None) -> None:
        """Tell the size of what is marked."""
        self._rectangle = rectangle
        self.retranslate()

    @property
    def values(self) -> ElementPair | None:
        """What is told."""
        return self._values

    @property
    def words(self) -> str:
        """The line, as plain text."""
        return "   ".join(f"{name} {value}".strip() for name, value in self._parts())

    def _parts(self) -> list[tuple[str, str]]:
        parts: list[tuple[str, str]] = []
        values = self._values
        if values is not None:
            parts.append(("", f"[{', '.join(map(str, values.index))}]"))
            for code, value, stored in zip(
                ("gui.target", "gui.golden"), (values.target, values.golden), self._stored
            ):
                if value is not None:
                    parts.append((text(code), value_words(value, stored)))
            if values.kept and values.target is None and values.golden is None:
                parts.append((text("gui.heat.not_kept"), ""))
            if values.difference is not None:
                parts.append((text("gui.tensors.difference"), _difference(values)))
            if values.ulps is not None:
                parts.append(("", f"{ulp_words(values.ulps)} ULP"))
        marked = self._rectangle
        if marked is not None:
            rows, columns = marked.bottom - marked.top, marked.right - marked.left
            size = f"{numbers.grouped(rows)} × {numbers.grouped(columns)}"
            parts.append((text("gui.heat.marked"), f"{size} = {numbers.grouped(rows * columns)}"))
        return parts

    def retranslate(self) -> None:
        colours = self._theme.colours
        spelled = []
        for name, value in self._parts():
            label = f'<span style="color:{colours.dim}">{escape(name)}</span>&nbsp; ' if name else ""
            spelled.append(label + f"<b>{escape(value)}</b>")
        self.setText("&nbsp;&nbsp;&nbsp; ".join(spelled))
        self._tip()
        self.setAccessibleName(self.words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tip()

    def _tip(self) -> None:
        fits = super().sizeHint().width() <= self.width() + 8
        self.setToolTip("" if fits else self.words)


def _difference(values: ElementPair) -> str:
    difference = values.difference
    if isinstance(difference, bool | int):
        return numbers.grouped(int(difference))
    if isinstance(difference, complex):
        return value_words(difference)
    return numbers.scientific(float(difference or 0.0))


def ulp_words(ulps: float) -> str:
    """Return a number of units in the last place, whole where it is large."""
    if ulps >= 1e9:
        return numbers.scientific(ulps, 1)
    return numbers.grouped(round(ulps)) if ulps >= 10 or ulps == round(ulps) else numbers.compact(ulps, 2)
