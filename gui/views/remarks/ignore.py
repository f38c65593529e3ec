"""What is to be left out of account around the selected call, and why."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from core.messages import Message, text
from core.records.ignoring import IgnoreKind, IgnoreRule
from gui import numbers
from gui.context import Context
from gui.models.pair.facts import Facts
from gui.models.pair.ignoring import rows_taken
from gui.models.pair.scopes import call_name, modules_around, scope_words, type_name
from gui.names import shown
from gui.widgets.card_dialog import card_of
from gui.widgets.elided_combo import ElidedCombo
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_WIDTH, _LEAST_MODULE = 720, 120


class IgnoreDialog(Translated, QDialog):
    """One call, all of its type, or a module; a reason is needed. Stays with the row it was opened for."""

    def __init__(self, context: Context, facts: Facts, row: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._facts = context.session, facts
        self._key = context.actions["ignored"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self._modules = modules_around(facts, row)
        self._values = {IgnoreKind.CALL: call_name(facts, row), IgnoreKind.TYPE: type_name(facts, row)}
        self._explanation = wrapped_label("dim")
        self.choices = {kind: QRadioButton() for kind in IgnoreKind}
        self._labels = {kind: ElidedLabel() for kind in self._values}
        self._counts = {kind: ElidedLabel() for kind in IgnoreKind}
        self.module = ElidedCombo()
        self.module.addItems([shown(name) for name in self._modules])
        self.module.setMinimumWidth(_LEAST_MODULE)
        self.module.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.reason = QLineEdit()
        self.cancel, self.ignore = QPushButton(), QPushButton()
        self.ignore.setObjectName("primary")
        self._lay_out()
        self._connect()
        self.choices[IgnoreKind.CALL].setChecked(True)
        self.retranslate()
        self._enable()
        self.resize(_WIDTH, self.sizeHint().height())
        self.reason.setFocus()

    def _lay_out(self) -> None:
        self._group = QButtonGroup(self)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for line, (kind, choice) in enumerate(self.choices.items()):
            self._group.addButton(choice)
            value = self.module if kind is IgnoreKind.MODULE else self._labels[kind]
            self._counts[kind].setObjectName("dim")
            self._counts[kind].setMinimumWidth(150)
            self._counts[kind].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for at, widget in enumerate((choice, value, self._counts[kind])):
                grid.addWidget(widget, line, at)
        for widget in (self.choices[IgnoreKind.MODULE], self.module, self._counts[IgnoreKind.MODULE]):
            widget.setVisible(bool(self._modules))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.ignore)
        column = card_of(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(12)
        column.addWidget(self._explanation)
        column.addLayout(grid)
        column.addWidget(self.reason)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.reason.textChanged.connect(self._enable)
        self.module.activated.connect(self._choose_module)
        self.module.currentIndexChanged.connect(self._count)
        self.cancel.clicked.connect(self.reject)
        self.ignore.clicked.connect(self.accept)
        self.cancel.setAutoDefault(False)
        self.ignore.setDefault(True)

    def rule(self) -> IgnoreRule:
        """Return the rule that is chosen, with the reason as it stands."""
        kind = next(kind for kind, choice in self.choices.items() if choice.isChecked())
        return IgnoreRule(kind, self._value(kind), self.reason.text().strip())

    def _value(self, kind: IgnoreKind) -> str:
        if kind is not IgnoreKind.MODULE:
            return self._values[kind]
        at = self.module.currentIndex()
        return self._modules[at] if at >= 0 else ""

    def _choose_module(self) -> None:
        self.choices[IgnoreKind.MODULE].setChecked(True)

    def _enable(self) -> None:
        self.ignore.setEnabled(bool(self.reason.text().strip()))

    def accept(self) -> None:
        """Keep the rule with the pair; without a reason nothing happens."""
        rule = self.rule()
        if rule.reason:
            super().accept()
            self._session.suspects.ignore(rule)
            done = Message("gui.ignore.done", {"value": rule.value, "key": self._key})
            self._session.succeeded.emit(done)

    def _count(self) -> None:
        for kind in IgnoreKind:
            rows = int(rows_taken(self._facts, IgnoreRule(kind, self._value(kind), "")).sum())
            self._counts[kind].setText(text("gui.ignore.rows", count=rows, rows=numbers.grouped(rows)))
        name = shown(self._value(IgnoreKind.MODULE))
        self.module.setToolTip("\n".join(part for part in (name, text("gui.ignore.module.help")) if part))

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.ignore.title"))
        self._explanation.setText(text("gui.ignore.explanation"))
        for kind, choice in self.choices.items():
            choice.setText(scope_words(kind))
        for kind, label in self._labels.items():
            label.setText(shown(self._values[kind]))
            label.setToolTip(shown(self._values[kind]))
        self.module.setAccessibleName(text("gui.ignore.module"))
        self.reason.setPlaceholderText(text("gui.ignore.reason"))
        self.reason.setAccessibleName(text("gui.ignore.reason"))
        self.cancel.setText(text("gui.cancel"))
        self.ignore.setText(text("gui.ignore.do"))
        self._count()
