"""The dialog that pairs calls by hand: choose two, add the pair, compare again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.messages import Message, text
from gui.context import Context
from gui.models.call.partners import Partners, partners_in
from gui.views.pairing.calls import CallChoice
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_SIZE = (980, 620)
_PAIR_ROLE = Qt.ItemDataRole.UserRole


class PairingDialog(Translated, QDialog):
    """Calls of both runs side by side, and the pairs made so far; saved with the two runs."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._settings = context.session, context.settings
        self._explanation = wrapped_label("dim")
        self.target = CallChoice("gui.pairing.target")
        self.golden = CallChoice("gui.pairing.golden")
        self.only_alone = QCheckBox()
        self.add, self.remove = QPushButton(), QPushButton()
        self.pairs = QListWidget()
        self.pairs.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.pairs.setFixedHeight(104)
        self.pairs.setSpacing(2)
        self.save, self.cancel, self.compare = QPushButton(), QPushButton(), QPushButton()
        self.compare.setObjectName("primary")
        self._lay_out()
        self._partners = Partners({}, {}) if self._session.cell is None else partners_in(self._session.cell)
        self.only_alone.setChecked(self._start_alone())
        self._offer()
        self._choose_selected()
        self._show_pairs(dict(self._session.suspects.notes.pairs))
        self._connect()
        self.resize(*_SIZE)
        self.retranslate()
        self._enable()

    def _lay_out(self) -> None:
        sides = QSplitter()
        sides.setChildrenCollapsible(False)
        sides.setHandleWidth(14)
        sides.addWidget(self.target)
        sides.addWidget(self.golden)
        adding, ending = QHBoxLayout(), QHBoxLayout()
        for row, widgets in ((adding, (self.add, self.remove)), (ending, (self.cancel, self.compare))):
            row.setSpacing(8)
            row.addWidget(self.only_alone if row is adding else self.save)
            row.addStretch(1)
            for widget in widgets:
                row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(10)
        column.addWidget(self._explanation)
        column.addWidget(sides, 1)
        column.addLayout(adding)
        column.addWidget(self.pairs)
        column.addLayout(ending)

    def _connect(self) -> None:
        self.only_alone.toggled.connect(self._offer)
        for side in (self.target, self.golden):
            side.chosen.connect(self._enable)
        self.target.list.doubleClicked.connect(self.golden.search.setFocus)
        self.golden.list.doubleClicked.connect(self._add)
        self.pairs.itemSelectionChanged.connect(self._enable)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.pairs, self._remove)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self.compare.clicked.connect(self.accept)
        for button in (self.add, self.remove, self.save, self.cancel):
            button.setAutoDefault(False)

    # ---- what is offered

    def _start_alone(self) -> bool:
        """Whether the selected call, if any, has no partner."""
        selected = self._selected_names()
        return not any(self._partners.target.get(name) for name in selected[:1])

    def _selected_names(self) -> tuple[str, str]:
        """Return the calls of the selected row, empty for a side that has none."""
        cell, row = self._session.cell, self._session.row
        if cell is None or row < 0:
            return "", ""
        left, right = int(cell.rows.target_operator[row]), int(cell.rows.golden_operator[row])
        return (
            cell.target.operator_name(left) if left >= 0 else "",
            cell.golden.operator_name(right) if right >= 0 else "",
        )

    def _choose_selected(self) -> None:
        for side, name in zip((self.target, self.golden), self._selected_names()):
            side.choose(name)

    def _offer(self) -> None:
        alone = self.only_alone.isChecked()
        self.target.set_calls(self._partners.target, alone)
        self.golden.set_calls(self._partners.golden, alone)

    # ---- pairs

    def chosen_pairs(self) -> dict[str, str]:
        """Return golden by target call, as they stand in the list."""
        return dict(self.pairs.item(row).data(_PAIR_ROLE) for row in range(self.pairs.count()))

    def _show_pairs(self, pairs: dict[str, str]) -> None:
        self.pairs.clear()
        for target, golden in pairs.items():
            item = QListWidgetItem(f"{target}  ⇄  {golden}")
            item.setData(_PAIR_ROLE, (target, golden))
            item.setToolTip(item.text())
            self.pairs.addItem(item)
        self._enable()

    def _add(self) -> None:
        target, golden = self.target.current(), self.golden.current()
        if target and golden:
            kept = {
                ours: theirs
                for ours, theirs in self.chosen_pairs().items()
                if ours != target and theirs != golden
            }
            self._show_pairs({**kept, target: golden})
            self.pairs.setCurrentRow(self.pairs.count() - 1)

    def _remove(self) -> None:
        for item in self.pairs.selectedItems():
            self.pairs.takeItem(self.pairs.row(item))
        self._enable()

    def _enable(self) -> None:
        self.add.setEnabled(bool(self.target.current() and self.golden.current()))
        self.remove.setEnabled(bool(self.pairs.selectedItems()))
        self.save.setEnabled(self.pairs.count() > 0)
        self.compare.setEnabled(self.chosen_pairs() != dict(self._session.suspects.notes.pairs))

    # ---- ending

    def accept(self) -> None:
        """Keep the pairs with the two runs, and compare these again."""
        pairs = self.chosen_pairs()
        super().accept()
        self._session.pair_by_hand(pairs)

    def _save(self) -> None:
        """Write the pairs to a file that the command line takes as a mapping."""
        chosen, _ = QFileDialog.getSaveFileName(
            self, text("gui.pairing.save"), f"{self._settings.last_folder}/pairs.json", "JSON (*.json)"
        )
        if not chosen:
            return
        from core.match.mapping_files import save_pairs

        try:
            save_pairs(chosen, self.chosen_pairs())
        except OSError as error:
            self._session.noticed.emit(Message("gui.diagnosis.not_saved", {"why": str(error)}), "")
        else:
            self._session.succeeded.emit(Message("gui.notice.exported", {"path": chosen}))

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.pairing.title"))
        self._explanation.setText(text("gui.pairing.explanation"))
        self.only_alone.setText(text("gui.pairing.only_alone"))
        self.add.setText(text("gui.pairing.add"))
        self.remove.setText(text("gui.pairing.remove"))
        self.pairs.setAccessibleName(text("gui.pairing.pairs"))
        self.save.setText(text("gui.pairing.save"))
        self.cancel.setText(text("gui.cancel"))
        self.compare.setText(text("gui.pairing.compare"))
