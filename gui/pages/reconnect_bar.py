"""One line above the work while the dumps behind a result are not to be had, with the way to them."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.names import shown
from gui.widgets.labels import breakable, wrapped_label
from gui.widgets.translated import Translated


class ReconnectBar(Translated, QFrame):
    """Hidden while nothing is missing, or the user does not want to know for this result."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._context, self._theme = context, context.theme
        self._dumps = context.session.dumps
        self._closed_for = ""
        self._mark = QLabel()
        self._mark.setFixedWidth(18)
        self._words = wrapped_label("")
        self.anyway, self.locate_button, self.close_button = QPushButton(), QPushButton(), QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self._words, 1)
        for button in (self.anyway, self.locate_button, self.close_button):
            row.addWidget(button)
        context.actions.connect_to("locate", self.ask)
        self.locate_button.clicked.connect(context.actions["locate"].trigger)
        self.anyway.clicked.connect(self._dumps.take_anyway)
        self.close_button.clicked.connect(self._close)
        self._dumps.changed.connect(self.retranslate)
        context.session.cell_changed.connect(self.retranslate)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._words.text().replace("\u200b", "")

    def ask(self) -> None:
        """Ask for the folder in which the dumps lie now."""
        chosen = QFileDialog.getExistingDirectory(
            self, text("gui.dumps.choose"), self._context.settings.last_folder
        )
        if chosen:
            self._dumps.locate(chosen)

    def _close(self) -> None:
        self._closed_for = self._context.session.result_path
        self.retranslate()

    def _restyle(self) -> None:
        colours = self._theme.colours
        self._mark.setPixmap(icon("warning", colours.inherited).pixmap(16, 16))
        self.close_button.setIcon(icon("close", colours.dim))

    def retranslate(self) -> None:
        dumps = self._dumps
        self.locate_button.setText(text("gui.dumps.locate"))
        self.locate_button.setToolTip(text("gui.dumps.locate.help"))
        self.anyway.setText(text("gui.dumps.anyway"))
        self.anyway.setToolTip(text("gui.dumps.anyway.help"))
        self.close_button.setToolTip(text("gui.close"))
        self.close_button.setAccessibleName(text("gui.close"))
        self.anyway.setVisible(bool(dumps.offered))
        closed = self._closed_for == self._context.session.result_path and not dumps.offered
        self.setVisible(bool(dumps.lost) and not closed)
        if not dumps.lost:
            return
        if dumps.offered:
            one = dumps.offered[0]
            words = text("gui.dumps.offered", folder=shown(one.rule.new), file=shown(one.look.file))
        elif dumps.refusal is not None:
            words = shown(dumps.refusal.sentence())
        else:
            words = self._missing()
        self._words.setText(breakable(words))
        self.setAccessibleName(words)

    def _missing(self) -> str:
        dumps, lost = self._dumps, self._dumps.lost
        if dumps.altered:
            return text("gui.dumps.altered", folder=shown(dumps.folder_of(lost[0])))
        if len(lost) > 1:
            return text("gui.dumps.both_missing")
        code = "gui.dumps.target_missing" if lost[0] == "target" else "gui.dumps.golden_missing"
        return text(code, folder=shown(dumps.folder_of(lost[0])))
