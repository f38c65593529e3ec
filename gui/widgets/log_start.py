"""Where there is no log on show: where to drop one, a button, and the logs near what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.names import shown
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.labels import heading_label, wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.pressable import Pressable
from gui.widgets.translated import Translated


@dataclass(frozen=True)
class StartCodes:
    """Catalogue codes of what is said."""

    title: str
    help: str
    open: str
    near: str
    """Over the logs near what is open."""


class LogRow(Pressable):
    """One log: its name, where it is, its size."""

    def __init__(self) -> None:
        super().__init__("listRow")
        self.name, self._place, self._size = QLabel(), ElidedLabel(), QLabel()
        self._place.setObjectName("dim")
        self._size.setObjectName("dim")
        self.path = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 10, 5)
        row.setSpacing(10)
        row.addWidget(self.name)
        row.addWidget(self._place, 1)
        row.addWidget(self._size)

    def show_log(self, path: str, size: int) -> None:
        """Show another log."""
        self.path = path
        place = Path(path)
        self.name.setText(shown(place.name))
        self._place.setText(str(place.parent))
        self._size.setText(numbers.size(size))
        self.setAccessibleName(shown(path))


class LogStart(Translated, Card):
    """The way to a log."""

    open_wanted = Signal()
    log_chosen = Signal(str)

    def __init__(self, codes: StartCodes) -> None:
        super().__init__(heading=False)
        self._codes = codes
        self._logs: Sequence[tuple[str, int]] = ()
        self.rows: list[LogRow] = []
        zone = QFrame()
        zone.setObjectName("dropTarget")
        self._title, self._words, self._why = QLabel(), wrapped_label("dim"), wrapped_label("dim")
        self._title.setObjectName("title")
        self._why.hide()
        for label in (self._title, self._words, self._why):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.open = QPushButton()
        self.open.setObjectName("primary")
        inside = QVBoxLayout(zone)
        inside.setContentsMargins(24, 18, 24, 18)
        inside.setSpacing(8)
        for widget in (self._title, self._words, self._why):
            inside.addWidget(widget)
        inside.addWidget(self.open, 0, Qt.AlignmentFlag.AlignHCenter)
        self._near = heading_label()
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(28, 18, 28, 18)
        self._column.setSpacing(4)
        self._column.addStretch(1)
        self._column.addWidget(zone)
        self._column.addSpacing(6)
        self._column.addWidget(self._near)
        self._first = self._column.count()
        self._column.addStretch(2)
        self.body.addWidget(page_area(page))
        self.open.clicked.connect(self.open_wanted)
        self.retranslate()

    def show_logs(self, logs: Sequence[tuple[str, int]]) -> None:
        """Offer *logs*, paths and sizes in bytes."""
        self._logs = logs
        self._load()

    def explain(self, why: str) -> None:
        """Say why there is no log on show; nothing where *why* is empty."""
        self._why.setText(why)
        self._why.setVisible(bool(why))

    @property
    def sentence(self) -> str:
        """What it explains."""
        return "" if self._why.isHidden() else self._why.text()

    def _load(self) -> None:
        logs = self._logs
        self._near.setVisible(bool(logs))
        while len(self.rows) < len(logs):
            row = LogRow()
            row.pressed.connect(partial(self._choose, len(self.rows)))
            self._column.insertWidget(self._first + len(self.rows), row)
            self.rows.append(row)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(logs))
            if number < len(logs):
                row.show_log(*logs[number])

    def _choose(self, number: int) -> None:
        self.log_chosen.emit(self.rows[number].path)

    def retranslate(self) -> None:
        self._title.setText(text(self._codes.title))
        self._words.setText(text(self._codes.help))
        self.open.setText(text(self._codes.open))
        self._near.setText(text(self._codes.near))
        self._load()
