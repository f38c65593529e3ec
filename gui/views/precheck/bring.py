"""Where there is nothing to go by: what evidence there is, and how one comes by it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from core.messages import text
from core.records.evidence import EvidenceKind
from gui.models.precheck.words import kind_example, kind_word
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_LISTED = (
    EvidenceKind.SCRIPT, EvidenceKind.CONFIG, EvidenceKind.LOG, EvidenceKind.PACKAGES,
    EvidenceKind.ENVIRONMENT, EvidenceKind.DEVICES, EvidenceKind.CHECKSUMS, EvidenceKind.FILES,
    EvidenceKind.SHARDS, EvidenceKind.WEIGHTS, EvidenceKind.SOURCE, EvidenceKind.DUMP,
)  # fmt: skip


class BringCard(Translated, Card):
    """The most telling kinds first."""

    def __init__(self) -> None:
        super().__init__(heading=False)
        self._title, self._lead = QLabel(), wrapped_label("dim")
        self._title.setObjectName("title")
        self._labels = [(QLabel(), wrapped_label("dim")) for _ in _LISTED]
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(22, 18, 22, 18)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addWidget(self._lead)
        column.addSpacing(4)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(12)
        rows = (len(_LISTED) + 1) // 2
        for number, (name, example) in enumerate(self._labels):
            name.setObjectName("strong")
            left = 0 if number < rows else 2
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(name, number % rows, left, top)
            grid.addWidget(example, number % rows, left + 1, top)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        column.addLayout(grid)
        column.addStretch(1)
        self.body.addWidget(page_area(page))
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.precheck.bring_what"))
        self._title.setText(text("gui.precheck.bring_what"))
        self._lead.setText(text("gui.precheck.bring_what.help"))
        for kind, (name, example) in zip(_LISTED, self._labels):
            name.setText(kind_word(kind))
            example.setText(kind_example(kind))
