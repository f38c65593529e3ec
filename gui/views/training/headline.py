"""The judgement on top: passed, failed or not judged, the rate against the limit, the limits, the log."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout

from core.messages import text
from core.records.training import Judgement, TrainingOverflow
from gui import numbers
from gui.context import Context
from gui.models.headroom.columns import share_text
from gui.models.pair.categories import Category
from gui.names import shown
from gui.training.state import TrainingState
from gui.views.training.limits import LimitsRow
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

_MARKS = {
    Judgement.PASS: Category.EQUAL, Judgement.FAIL: Category.INTRODUCED,
    Judgement.NOT_JUDGED: Category.NOT_COMPARED,
}  # fmt: skip


class TrainingHeadline(Translated, Card):
    """One card of two lines."""

    open_wanted = Signal()

    def __init__(self, context: Context, state: TrainingState) -> None:
        super().__init__(heading=False)
        self._state = state
        self._mark = CategoryMark(context.theme, 14)
        self._word = QLabel()
        self._word.setObjectName("title")
        self._rate = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._rate.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.logs = QComboBox()
        self.logs.setMinimumWidth(120)
        self.logs.setMaximumWidth(300)
        self.logs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.logs.setMinimumContentsLength(22)
        self.open = QPushButton()
        self.limits = LimitsRow(state)
        first = QHBoxLayout()
        first.setSpacing(8)
        for part in (self._mark, self._word):
            first.addWidget(part)
        first.addSpacing(6)
        first.addWidget(self._rate, 1)
        first.addWidget(self.logs)
        first.addWidget(self.open)
        column = QVBoxLayout()
        column.setContentsMargins(14, 9, 12, 9)
        column.setSpacing(7)
        column.addLayout(first)
        column.addWidget(self.limits)
        self.body.addLayout(column)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.open.clicked.connect(self.open_wanted)
        self.logs.activated.connect(self._choose)
        state.changed.connect(self._load)
        state.logs_changed.connect(self._list)
        self.retranslate()

    @property
    def words(self) -> tuple[str, str]:
        """The judgement, and what it rests on."""
        return self._word.text(), self._rate.text()

    def copied_text(self) -> str:
        """Return the judgement and what it rests on."""
        return f"{self._state.path}\n{self._word.text()}: {self._rate.text()}"

    def _load(self) -> None:
        self._list()
        history = self._state.history
        if history is None:
            return
        self._mark.show_category(_MARKS[history.judgement])
        self._word.setText(text(f"training.judgement.{history.judgement.value}"))
        self._rate.setText(_reason(history))
        self.setAccessibleName(f"{self._word.text()}: {self._rate.text()}")

    def _list(self) -> None:
        """Fill the box with the logs near what is open, and the one on show."""
        paths = [log.path for log in self._state.logs]
        if self._state.path and self._state.path not in paths:
            paths.insert(0, self._state.path)
        with QSignalBlocker(self.logs):
            self.logs.clear()
            for path in paths:
                place = Path(path)
                self.logs.addItem(shown(f"{place.parent.name}/{place.name}"), path)
                self.logs.setItemData(self.logs.count() - 1, shown(path), Qt.ItemDataRole.ToolTipRole)
            self.logs.setCurrentIndex(paths.index(self._state.path) if self._state.path in paths else -1)
        self.logs.setToolTip(shown(self._state.path))

    def _choose(self, number: int) -> None:
        path = self.logs.itemData(number)
        if path and path != self._state.path:
            self._state.open_log(str(path))

    def retranslate(self) -> None:
        self.open.setText(text("gui.training.open"))
        self.logs.setAccessibleName(text("gui.training.log"))
        self._load()


def _reason(history: TrainingOverflow) -> str:
    """Return the rate against the limit, or that nothing is counted."""
    limit = f"{history.limit * 100:.3f}".rstrip("0").rstrip(".") + f"{numbers.THIN_SPACE}%"
    if history.judgement is Judgement.NOT_JUDGED:
        return text("gui.training.not_judged")
    batch = numbers.grouped(history.global_batch) if history.global_batch is not None else ""
    return text(
        "gui.training.rate" if batch else "gui.training.rate_without_batch",
        rate=share_text(history.rate),
        limit=limit,
        overflowed=numbers.grouped(history.overflowed),
        steps=numbers.grouped(history.steps),
        batch=batch,
    )
