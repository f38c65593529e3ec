"""A row of evidence: what it is, as what it is read, and away with it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton

from core.messages import text
from core.records.evidence import EvidenceKind
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.models.precheck.evidence import EvidenceLine
from gui.models.precheck.words import enumerated, kind_example, kind_word
from gui.names import shown
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.widgets.elided_combo import ElidedCombo
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.word_chips import WordChips

_CHIPS = 3
"""Kinds that are told beside a name."""


class EvidenceRow(QFrame):
    """One path: its name, what it was understood as, as what it is to be read, and away with it.

    A folder unfolds into its files; a file of a folder that is to be read as another kind is given by itself.
    """

    fold_wanted = Signal(str)
    """The files of this folder are to be listed, or no longer."""

    def __init__(self, theme: Theme, state: PrecheckState, side: Side) -> None:
        super().__init__()
        self.setObjectName("plain")
        self._theme, self._state, self._side = theme, state, side
        self.line: EvidenceLine | None = None
        self._narrow = False
        self.fold = QToolButton()
        self.fold.setObjectName("link")
        self.fold.setIconSize(QSize(12, 12))
        self.warning, self.name, self.found = QLabel(), ElidedLabel(), QLabel()
        self.name.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.found.setObjectName("badge")
        self.chips = WordChips(_CHIPS)
        self.kind, self.more, self.away = ElidedCombo(), QToolButton(), QToolButton()
        self.kind.setProperty("compact", True)
        self.kind.setFixedWidth(136)
        self.kind.view().setMinimumWidth(230)
        self.more.setObjectName("link")
        self.more.setText("⋯")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(QMenu(self))
        self.away.setObjectName("link")
        for button in (self.fold, self.more, self.away):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row = row = QHBoxLayout(self)
        row.setSpacing(6)
        row.addWidget(self.fold)
        row.addWidget(self.warning)
        row.addWidget(self.name, 1)
        row.addWidget(self.found)
        for chip in self.chips.labels:
            row.addWidget(chip)
        for part in (self.kind, self.more, self.away):
            row.addWidget(part)
        self.kind.activated.connect(self._choose_kind)
        self.away.clicked.connect(self._remove)
        self.fold.clicked.connect(self._fold)

    def show_line(self, line: EvidenceLine, unfolded: bool = False) -> None:
        """Show how it is with *line*; of a folder, whether its files are listed."""
        self.line = line
        name = _name_of(line)
        self._row.setContentsMargins(34 if line.part_of else 4 if line.parts else 10, 1, 6, 1)
        self.fold.setVisible(bool(line.parts))
        self.fold.setIcon(icon("branch-open" if unfolded else "branch-closed", self._theme.colours.dim))
        fold = text("gui.precheck.fold" if unfolded else "gui.precheck.unfold", name=name)
        self.fold.setToolTip(fold)
        self.fold.setAccessibleName(fold)
        self.name.setText(name)
        problems = "\n".join(problem.sentence() for problem in line.problems)
        refused = line.is_refused and not line.problems
        said = problems or (text("gui.precheck.refused") if refused else "")
        self.warning.setVisible(bool(said))
        self.warning.setPixmap(icon("warning", self._theme.colours.inherited).pixmap(16, 16))
        self.warning.setToolTip(said)
        kinds = enumerated(line.words)
        tip = "\n".join(part for part in (shown(line.path), kinds, said) if part)
        self.name.setToolTip(tip)
        self.found.setVisible(line.found and not line.part_of)
        is_dump = line.kinds == (EvidenceKind.DUMP,)
        self.found.setText(text("gui.precheck.open" if is_dump else "gui.precheck.found"))
        self.found.setToolTip(text("gui.precheck.open.help" if is_dump else "gui.precheck.found.help"))
        self._show_chips()
        self.kind.setVisible(not line.found and line.path != line.part_of)
        self.away.setVisible(not line.found and not line.part_of)
        self._fill_kinds(line, name)
        self._fill_more(line)
        self.away.setIcon(icon("close", self._theme.colours.dim, 12))
        self.away.setToolTip(text("gui.precheck.remove"))
        self.away.setAccessibleName(text("gui.precheck.remove.of", name=name))
        self.more.setAccessibleName(text("gui.precheck.more.of", name=name))
        self.setAccessibleName(enumerated([part for part in (name, kinds, said) if part]))

    def _show_chips(self) -> None:
        words = self.line.words if self.line is not None and not self._narrow else []
        left = words[_CHIPS - 1 :]
        if len(left) > 1:
            words = [*words[: _CHIPS - 1], f"+{len(left)}"]
        tips = [*words[: _CHIPS - 1], enumerated(left)]
        self.chips.say(*zip(words, tips))

    def be_narrow(self, narrow: bool) -> None:
        """Leave the chips out where it is *narrow*: the box of kinds says the same."""
        if narrow is not self._narrow:
            self._narrow = narrow
            if self.line is not None:
                self._show_chips()
                self._fill_kinds(self.line, self.name.text())

    def _fill_kinds(self, line: EvidenceLine, name: str) -> None:
        known = "" if not self._narrow else enumerated([kind_word(kind) for kind in line.kinds])
        first = known or text("gui.precheck.by_content")
        with QSignalBlocker(self.kind):
            self.kind.clear()
            self.kind.addItem(first, None)
            self.kind.setItemData(0, text("gui.precheck.by_content"), Qt.ItemDataRole.ToolTipRole)
            for kind in EvidenceKind:
                self.kind.addItem(kind_word(kind), kind)
                self.kind.setItemData(self.kind.count() - 1, kind_example(kind), Qt.ItemDataRole.ToolTipRole)
            self.kind.setCurrentIndex(0 if line.asked is None else list(EvidenceKind).index(line.asked) + 1)
        self.kind.setToolTip(text("gui.precheck.kind.help"))
        self.kind.setAccessibleName(text("gui.precheck.kind.of", name=name))

    def _fill_more(self, line: EvidenceLine) -> None:
        menu = self.more.menu()
        menu.clear()
        if not line.found and not line.part_of:
            code = "gui.precheck.to_golden" if self._side is Side.TARGET else "gui.precheck.to_target"
            menu.addAction(text(code)).triggered.connect(self._move)
        menu.addAction(text("gui.curves.copy_path")).triggered.connect(self._copy_path)

    def _choose_kind(self) -> None:
        if self.line is not None:
            chosen = self.kind.currentData()
            kind = None if chosen is None else EvidenceKind(chosen)
            if not self.line.part_of:
                self._state.set_kind(self._side, self.line.path, kind)
            elif kind is not None:
                self._state.add(self._side, [self.line.path], kind)

    def _fold(self) -> None:
        if self.line is not None:
            self.fold_wanted.emit(self.line.path)

    def _move(self) -> None:
        if self.line is not None:
            self._state.move(self._side, self.line.path)

    def _remove(self) -> None:
        if self.line is not None:
            self._state.remove(self._side, self.line.path)

    def _copy_path(self) -> None:
        if self.line is not None:
            QGuiApplication.clipboard().setText(self.line.path)


def _name_of(line: EvidenceLine) -> str:
    """Return the name of a path; of a file in a given folder, where it lies in that."""
    path = Path(line.path)
    if line.part_of and line.path != line.part_of and path.is_relative_to(line.part_of):
        return shown(path.relative_to(line.part_of).as_posix())
    return shown(path.name or line.path)
