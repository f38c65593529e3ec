"""The evidence of one side: a row for each file or folder, how it is read, and ways to bring more."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.models.precheck.evidence import EvidenceLine, evidence_lines
from gui.precheck.sides import Side
from gui.views.precheck.evidence_row import EvidenceRow
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_SHOWN = 60
"""Rows at first, and with each wish for more: a row has many parts, and there may be thousands."""
_ROOM_FOR_WORDS, _ROOM_FOR_CHIPS = 460, 470
"""Pixels of a card from which its buttons have words, and its rows chips."""


class EvidenceCard(Translated, Card):
    """All rows of one side."""

    def __init__(self, context: Context, side: Side) -> None:
        super().__init__()
        self.side = side
        self._theme, self._settings = context.theme, context.settings
        self._state = context.session.precheck
        self.rows: list[EvidenceRow] = []
        self._unfolded: set[str] = set()
        self._most = _SHOWN
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(0, 3, 0, 3)
        self._column.setSpacing(1)
        self.more = QToolButton()
        self.more.setObjectName("link")
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._column.addWidget(self.more)
        self._column.addStretch(1)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(page_area(page))
        zone = QFrame()
        zone.setObjectName("dropTarget")
        inside = QVBoxLayout(zone)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self._note)
        around = QWidget()
        outside = QVBoxLayout(around)
        outside.setContentsMargins(8, 2, 8, 2)
        outside.addWidget(zone)
        self._stack.addWidget(around)
        self.body.addWidget(self._stack)
        self.add_files, self.add_folder = QToolButton(), QToolButton()
        for button in (self.add_files, self.add_folder):
            button.setIconSize(QSize(14, 14))
            button.setObjectName("link")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.header.add(button)
        self.setMinimumHeight(76)
        self.more.clicked.connect(self._show_more)
        self.add_files.clicked.connect(self.ask_for_files)
        self.add_folder.clicked.connect(self.ask_for_folder)
        self._state.changed.connect(self._load)
        self._state.evidence_changed.connect(self._load)
        self._theme.changed.connect(self._load)
        self.retranslate()

    @property
    def lines(self) -> list[EvidenceLine]:
        """What the rows on show are of."""
        return [row.line for row in self.rows if row.line is not None and not row.isHidden()]

    def _load(self) -> None:
        report, golden = self._state.report, self.side is Side.GOLDEN
        summaries = () if report is None else report.golden_evidence if golden else report.target_evidence
        given = evidence_lines(self._state.given(self.side), summaries)
        if len(given) > _SHOWN:  # what is wrong is not left to be looked for
            given.sort(key=lambda line: not line.is_troubled)
        elif not given:
            self._most = _SHOWN
        lines = [
            each for line in given for each in (line, *(line.parts if line.path in self._unfolded else ()))
        ]
        shown = lines[: self._most]
        while len(self.rows) < len(shown):
            row = EvidenceRow(self._theme, self._state, self.side)
            row.be_narrow(self.width() < _ROOM_FOR_CHIPS)
            row.fold_wanted.connect(self._fold)
            self._column.insertWidget(len(self.rows), row)
            self.rows.append(row)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(shown))
            if number < len(shown):
                row.show_line(shown[number], unfolded=shown[number].path in self._unfolded)
        left = len(lines) - len(shown)
        self.more.setVisible(left > 0)
        self.more.setText(text("gui.precheck.show_more", count=left))
        self.more.setToolTip(text("gui.precheck.show_more.help", count=min(left, _SHOWN)))
        self._stack.setCurrentIndex(0 if lines else 1)
        troubled = sum(line.is_troubled for line in given)
        subtitle = text("gui.precheck.files", count=sum(line.files for line in given)) if given else ""
        if troubled:
            subtitle += "  ·  " + text("gui.precheck.troubled", count=troubled)
        title = "gui.precheck.golden_evidence" if golden else "gui.precheck.target_evidence"
        self.set_title(text(title), subtitle)
        for button in (self.add_files, self.add_folder):
            button.setIcon(icon("folder" if button is self.add_folder else "result", self._theme.colours.dim))

    def _show_more(self) -> None:
        """Show further rows; the first of them has the focus."""
        first = self._most
        self._most += _SHOWN
        self._load()
        self.rows[first].kind.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fold(self, path: str) -> None:
        """Show what was taken of a folder file by file, or no longer."""
        self._unfolded ^= {path}
        self._load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the words of the buttons out where the title would have no room."""
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        wanted = (
            style.ToolButtonTextBesideIcon if self.width() >= _ROOM_FOR_WORDS else style.ToolButtonIconOnly
        )
        for button in (self.add_files, self.add_folder):
            button.setToolButtonStyle(wanted)
        for row in self.rows:
            row.be_narrow(self.width() < _ROOM_FOR_CHIPS)

    def ask_for_files(self) -> None:
        """Ask for files, and take them."""
        chosen, _ = QFileDialog.getOpenFileNames(
            self, text("gui.precheck.add_files"), self._settings.last_folder
        )
        self._take(chosen)

    def ask_for_folder(self) -> None:
        """Ask for a folder, and take it."""
        chosen = QFileDialog.getExistingDirectory(
            self, text("gui.precheck.add_folder"), self._settings.last_folder
        )
        self._take([chosen] if chosen else [])

    def _take(self, paths: list[str]) -> None:
        if paths:
            self._settings.last_folder = str(Path(paths[0]).parent)
            self._state.add(self.side, paths)

    def copied_text(self) -> str:
        """Return the paths, a line each, with what they were understood as."""
        return "\n".join(f"{line.path}\t{', '.join(line.words)}" for line in self.lines)

    def retranslate(self) -> None:
        golden = self.side is Side.GOLDEN
        self._note.set_texts(text("gui.precheck.drop.golden" if golden else "gui.precheck.drop.target"))
        whose = text("gui.golden" if golden else "gui.target")
        for button, code in (
            (self.add_files, "gui.precheck.add_files"), (self.add_folder, "gui.precheck.add_folder"),
        ):  # fmt: skip
            button.setText(text(code))
            button.setAccessibleName(f"{whose}: {text(code)}")
            button.setToolTip(f"{text(code)}\n{text('gui.precheck.add.help')}")
        self._load()
