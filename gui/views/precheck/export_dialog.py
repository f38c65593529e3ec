"""How a pre-check is exported: as what, in which language, and who stands for it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import LANGUAGES, current_language, text
from gui.context import Context
from gui.widgets.card_dialog import card_of
from gui.widgets.labels import wrapped_label
from gui.widgets.segments import Segments

FORMATS = {"xlsx": "Excel", "html": "HTML", "md": "Markdown", "json": "JSON"}
"""What there is, by its ending."""
_LANGUAGES = {"en": "gui.action.language_en", "zh_CN": "gui.action.language_zh_cn"}
"""What each is called."""


class PrecheckExportDialog(QDialog):
    """Asks, then writes in a worker; nobody signs who does not write a name each time."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._settings, self._state = context.settings, context.session.precheck
        self.format, self.language, self.signer = Segments(list(FORMATS)), QComboBox(), QLineEdit()
        self.format.say(text("gui.precheck.export.format"), list(FORMATS.values()))
        self.format.choose(self._settings.precheck_format)
        for language in LANGUAGES:
            self.language.addItem(text(_LANGUAGES[language]), language)
        self.language.setCurrentIndex(LANGUAGES.index(current_language()))
        self.language.setAccessibleName(text("gui.precheck.export.language"))
        self.signer.setPlaceholderText(text("gui.precheck.export.signer.hint"))
        self.signer.setAccessibleName(text("gui.precheck.export.signer"))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(text("gui.cancel"))
        self.save = QPushButton(text("gui.precheck.export.save"))
        self.save.setObjectName("primary")
        self.save.setDefault(True)
        self.buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay()
        self.setWindowTitle(text("gui.precheck.export"))
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)
        self.resize(480, self.sizeHint().height())

    def _lay(self) -> None:
        column = QVBoxLayout()
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        title = QLabel(text("gui.precheck.export"))
        title.setObjectName("title")
        column.addWidget(title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        for row, (code, field) in enumerate(
            (
                ("gui.precheck.export.format", self.format),
                ("gui.precheck.export.language", self.language),
                ("gui.precheck.export.signer", self.signer),
            )
        ):
            label = QLabel(text(code))
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft if row == 0 else Qt.AlignmentFlag(0))
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        help_label = wrapped_label("dim")
        help_label.setText(text("gui.precheck.export.signer.help"))
        column.addWidget(help_label)
        column.addWidget(self.buttons)
        card_of(self).addLayout(column)

    def _save(self) -> None:
        ending = self.format.word
        suggestion = str(Path(self._settings.last_folder) / f"precheck.{ending}")
        kind = f"{FORMATS[ending]} (*.{ending})"
        chosen, _ = QFileDialog.getSaveFileName(self, text("gui.precheck.export"), suggestion, kind)
        if not chosen:
            return
        if Path(chosen).suffix.lower() != f".{ending}":
            chosen += f".{ending}"
        signer = self.signer.text().strip()
        self._settings.precheck_format = ending
        self._settings.precheck_name = signer or self._settings.precheck_name
        self._settings.last_folder = str(Path(chosen).parent)
        self._state.export(chosen, str(self.language.currentData()), signer)
        self.accept()
