"""A line of words and numbers that leaves out whole parts where it is narrow."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from gui.looks.theme import Theme

_WITHIN, _BETWEEN = " " * 2, " " * 5
"""Between the name and the value of a part, and between parts."""


@dataclass(frozen=True)
class Part:
    """A *name*, told dim, and a *value*, told strong; either may be empty."""

    name: str
    value: str
    worth: int = 0
    """The larger, the earlier it is left out."""


class PartsLabel(QLabel):
    """What is left out is told by the tool tip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts: tuple[Part, ...] = ()
        self._help = ""
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height() + 2)

    def sizeHint(self) -> QSize:
        """Ask for room for all parts."""
        return QSize(self._width(self._parts), self.fontMetrics().height() + 2)

    def least_width(self) -> int:
        """Return the pixels without which there is nothing to tell."""
        return self._width(self._parts[:1])

    def show_parts(self, parts: list[Part], tip: str = "") -> None:
        """Tell *parts*; *tip* explains them."""
        self._parts, self._help = tuple(parts), tip
        self.setAccessibleName(self.words)
        self._compose()
        self.updateGeometry()

    @property
    def words(self) -> str:
        """All of it, as plain text."""
        return "   ".join(f"{part.name} {part.value}".strip() for part in self._parts)

    @property
    def told(self) -> tuple[Part, ...]:
        """The parts that there is room for."""
        left = list(self._parts)
        while len(left) > 1 and self._width(tuple(left)) > self.width():
            worst = max(part.worth for part in left)
            last = max(at for at, part in enumerate(left) if part.worth == worst)
            del left[last]
        return tuple(left)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._compose()

    def _compose(self) -> None:
        dim, told = self._theme.colours.dim, self.told
        spelled = []
        for part in told:
            label = f'<span style="color:{dim}">{escape(part.name)}</span>' if part.name else ""
            value = f"<b>{escape(part.value)}</b>" if part.value else ""
            spelled.append(_hard(_WITHIN).join(filter(None, (label, value))))
        self.setText(_hard(_BETWEEN).join(spelled))
        fits = len(told) == len(self._parts)
        self.setToolTip("\n".join(filter(None, ("" if fits else self.words, self._help))))

    def _width(self, parts: tuple[Part, ...]) -> int:
        font = self.font()
        plain = QFontMetrics(font)
        font.setBold(True)
        bold = QFontMetrics(font)
        gaps = plain.horizontalAdvance(_BETWEEN) * max(len(parts) - 1, 0) + 4
        for part in parts:
            gaps += plain.horizontalAdvance(part.name) + bold.horizontalAdvance(part.value)
            gaps += plain.horizontalAdvance(_WITHIN) if part.name and part.value else 0
        return gaps


def _hard(spaces: str) -> str:
    return "&nbsp;" * len(spaces)
