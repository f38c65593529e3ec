"""One plot with its name, a line of numbers, and a sentence where there is nothing to plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


_HEADING = 28
"""Pixels of the line over a plot, with a box of choices in it or without."""


class PlotPane(Translated, QWidget):
    """The line beside the name says what is pointed at, and else the facts."""

    value_wanted = Signal(object)
    """Elements within a :class:`core.metrics.distributions.records.ValueRange` are looked for."""
    group_wanted = Signal(int, int, int)
    """The worst element is looked for whose index along an axis lies from one number up to another."""

    name = ""
    """In the program and in the settings."""

    def __init__(self, canvas: QWidget) -> None:
        super().__init__()
        self._found: Distributions | None = None
        self._title, self._line = QLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._title.setObjectName("strong")
        self._line.setObjectName("dim")
        self._canvas, self._note = canvas, EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(canvas)
        self._stack.addWidget(self._note)
        self._heading = QHBoxLayout()
        self._heading.setSpacing(8)
        self._heading.addStrut(_HEADING)
        self._heading.addWidget(self._title)
        self._heading.addWidget(self._line, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._heading)
        column.addWidget(self._stack, 1)

    # ---- what differs

    def _title_words(self) -> str:
        raise NotImplementedError

    def _tip(self) -> str:
        """Return what the plot means, and what it hides."""
        raise NotImplementedError

    def _fill(self, found: Distributions) -> str:
        """Plot *found*; return a sentence where there is nothing to plot."""
        raise NotImplementedError

    def _facts(self) -> str:
        """Return the line of facts."""
        return ""

    # ---- content

    def show_found(self, found: Distributions) -> None:
        """Plot the answer of the service."""
        self._found = found
        self.redraw()

    def redraw(self) -> None:
        """Draw what is there in the way that the settings ask for now."""
        if self._found is None:
            return
        found = self._found
        sentence = self._fill(found) if found.values is not None else _lost(found)
        self._note.set_texts(sentence)
        self._stack.setCurrentIndex(1 if sentence else 0)
        self._read("")

    def clear(self) -> None:
        """Plot nothing."""
        self._found = None
        self._note.set_texts("")
        self._stack.setCurrentIndex(1)
        self._line.setText("")

    def _read(self, words: str) -> None:
        """Say what is pointed at; the facts if that is nothing."""
        facts = "" if self._found is None or self._stack.currentIndex() else self._facts()
        self._line.setText(words or facts)
        self._canvas.setAccessibleDescription(words or facts)

    @property
    def line(self) -> str:
        """The numbers beside the name."""
        return self._line.text()

    @property
    def title(self) -> str:
        """Its name on the screen."""
        return self._title.text()

    def retranslate(self) -> None:
        self._title.setText(self._title_words())
        self._title.setToolTip(self._tip())
        self._canvas.setToolTip("")
        self._canvas.setAccessibleName(self._title_words())
        self.redraw()


def _lost(found: Distributions) -> str:
    """Return why nothing was counted."""
    return " ".join(dict.fromkeys(problem.sentence() for problem in found.problems if problem is not None))
