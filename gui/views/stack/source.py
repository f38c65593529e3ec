"""The source around the selected frame, or why it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.records.stacks import Frame
from gui.comparison.source_reading import read_source
from gui.context import Context
from gui.names import shown
from gui.processes.picture_client import PictureClient
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from core.formats.source_lines import SourceLines

_CHANNEL = "source"


class SourcePane(Translated, QWidget):
    """Some lines with their numbers; the one that is meant is marked."""

    found = Signal()
    """Whether the frame's file lies here is known now."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._settings = context.theme, context.settings
        self._folders = context.session.source_folders
        self._reader = PictureClient(context.session.pictures, self)
        self._frame: Frame | None = None
        self._answer: SourceLines | None = None
        self._lost = ""
        """The folder that was chosen in vain."""
        self.place = ElidedLabel(mode=Qt.TextElideMode.ElideLeft)
        self.place.setObjectName("strong")
        self.words = wrapped_label("dim")
        self.lines = QPlainTextEdit()
        self.lines.setReadOnly(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.lines.setFont(context.theme.fixed_font())
        self.locate_button = QPushButton()
        self.locate_button.setProperty("compact", True)
        self.locate_button.clicked.connect(self._locate)
        top = QHBoxLayout()
        top.addWidget(self.place, 1)
        top.addWidget(self.locate_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 10)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.words)
        column.addWidget(self.lines, 1)
        self.setMinimumWidth(200)
        self._reader.answered.connect(self._take)
        self._reader.rejected.connect(self._fail)
        self._reader.crashed.connect(self._fail)
        self._folders.changed.connect(self._read)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def show_frame(self, frame: Frame | None) -> None:
        """Show the source of another frame."""
        if frame != self._frame:
            self._frame, self._lost = frame, ""
            self._read()

    @property
    def file(self) -> str:
        """Where the file of the frame lies here; empty where it was not found."""
        return self._answer.path if self._answer is not None else ""

    def open_file(self) -> None:
        """Open the file in what the system opens such files with."""
        if self.file:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self.file))

    def locate(self, folder: str) -> None:
        """Take *folder* for where the sources lie."""
        if self._frame is not None and folder:
            self._lost = "" if self._folders.locate(self._frame.path, folder) else folder
            self.retranslate()

    def _locate(self) -> None:
        self.locate(
            QFileDialog.getExistingDirectory(self, text("gui.source.locate"), self._settings.last_folder)
        )

    def _read(self) -> None:
        self._answer = None
        self._reader.forget(_CHANNEL)
        if self._frame is not None and self._frame.line:
            self._reader.request(_CHANNEL, read_source, self._frame, self._folders.rules)
        self.retranslate()
        self.found.emit()

    def _take(self, _channel: str, answer: SourceLines) -> None:
        self._answer = answer
        self.retranslate()
        self.found.emit()

    def _fail(self, _channel: str, _why: object) -> None:
        self.words.setText(text("gui.source.failed"))

    # ---- looks

    def retranslate(self) -> None:
        self.locate_button.setText(text("gui.source.locate"))
        self.locate_button.setToolTip(text("gui.source.locate.help"))
        self.lines.setAccessibleName(text("gui.source.title"))
        frame, answer = self._frame, self._answer
        self.locate_button.setVisible(frame is not None and bool(frame.line))
        self.words.setText(self._words())
        self.words.setVisible(bool(self.words.text()))
        if frame is None:
            self.place.setText(text("gui.source.title"))
            self.lines.setPlainText("")
            return
        self.place.setText(f"{frame.path}:{frame.line}" if frame.line else frame.path)
        if answer is not None and answer.lines:
            width = len(str(answer.first + len(answer.lines)))
            numbered = enumerate(answer.lines, answer.first)
            self.lines.setPlainText(
                "\n".join(f"{number:>{width}}  {shown(line)}" for number, line in numbered)
            )
        else:
            code = "\n".join(map(shown, frame.code.strip().split("\n")))
            self.lines.setPlainText(f"{frame.line}  {code}" if frame.line else code)
        self._mark()

    def _words(self) -> str:
        frame, answer = self._frame, self._answer
        if frame is None:
            return text("gui.source.no_frame")
        if self._lost:
            return text("gui.source.lost", folder=self._lost, name=frame.path)
        if not frame.line:
            return text("gui.source.no_line")
        if answer is None:
            return text("gui.source.reading")
        return text(
            f"gui.source.state.{answer.state.name.lower()}",
            path=answer.path,
            line=frame.line,
            now=answer.marked,
        )

    def _mark(self) -> None:
        """Draw the ground of the line that is meant, and put it in the middle."""
        answer = self._answer
        at = answer.marked - answer.first if answer is not None and answer.marked else 0
        block = self.lines.document().findBlockByNumber(at)
        cursor = QTextCursor(block)
        selection = QTextEdit.ExtraSelection()
        selection.format.setBackground(self._theme.colour("selection"))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.cursor = cursor
        self.lines.setExtraSelections([selection])
        self.lines.setTextCursor(cursor)
        self.lines.centerCursor()

    def _restyle(self) -> None:
        self._mark()

    def copied_text(self) -> str:
        """Return what is selected of the lines, else all of them."""
        selected = self.lines.textCursor().selectedText().replace("\u2029", "\n")
        return selected or self.lines.toPlainText()
