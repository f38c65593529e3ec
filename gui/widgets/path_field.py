"""A path that can be typed, pasted, browsed for or dropped."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from core.messages import text
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.widgets.translated import Translated


class PathField(Translated, QWidget):
    """Label, field, and a button to browse for a folder or a file."""

    changed = Signal()
    entered = Signal()

    def __init__(self, theme: Theme, label_code: str, hint_code: str) -> None:
        super().__init__()
        self._theme, self._label_code, self._hint_code = theme, label_code, hint_code
        self.folder = ""
        self._label = QLabel()
        self._label.setMinimumWidth(58)
        self.field = QLineEdit()
        self.field.setClearButtonEnabled(False)
        self.field.setMinimumHeight(32)
        self.field.setAcceptDrops(False)
        self._label.setBuddy(self.field)
        self._browse = QToolButton()
        self._browse.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self._folder_action = menu.addAction("")
        self._file_action = menu.addAction("")
        self._browse.setMenu(menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addWidget(self.field, 1)
        row.addWidget(self._browse)
        self.field.textChanged.connect(self.changed)
        self.field.returnPressed.connect(self.entered)
        self._folder_action.triggered.connect(self.browse_folder)
        self._file_action.triggered.connect(self.browse_file)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def path(self) -> str:
        """What is entered, without quotes that a copied path may have."""
        return self.field.text().strip().strip("\"'")

    def browse_folder(self) -> None:
        """Ask for a folder."""
        chosen = QFileDialog.getExistingDirectory(self, text("gui.open.folder"), self.path or self.folder)
        if chosen:
            self.field.setText(chosen)

    def browse_file(self) -> None:
        """Ask for a file."""
        chosen, _ = QFileDialog.getOpenFileName(self, text("gui.open.file"), self.path or self.folder)
        if chosen:
            self.field.setText(chosen)

    def _restyle(self) -> None:
        self._browse.setIcon(icon("folder", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._label.setText(text(self._label_code))
        self.field.setPlaceholderText(text(self._hint_code))
        self.field.setAccessibleName(text(self._label_code))
        self._browse.setToolTip(text("gui.open.browse"))
        self._browse.setAccessibleName(text("gui.open.browse"))
        self._folder_action.setText(text("gui.open.folder"))
        self._file_action.setText(text("gui.open.file"))
