"""The card with the file that is looked at: both sides beside each other, and the way from place to place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from core.precheck.source.records import FileDifference, SourceState, SourceText
from gui.context import Context
from gui.models.source.rows import ShownRows
from gui.names import shown
from gui.source.state import SourceState as State
from gui.views.source.overview import Overview
from gui.views.source.panes import SourcePanes
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons

_BUTTON = 26
"""Pixels of a button in the heading."""


class PairCard(Translated, Card):
    """Rows in which nothing counts stand behind gaps, unless all are wanted."""

    file_turned = Signal(bool)
    """There is no further difference in this file: the next one, or the one before, is wanted."""

    def __init__(self, context: Context, state: State) -> None:
        super().__init__()
        self._settings, self._state = context.settings, state
        self._opened: frozenset[int] = frozenset()
        self._shown: FileDifference | None = None
        self._from_end = False
        self.panes = SourcePanes(context.theme)
        self.overview = Overview(context.theme)
        self.turns = TurnButtons(("gui.sources.previous", "gui.sources.next"))
        self.whole = QToolButton()
        self.whole.setObjectName("toggle")
        self.whole.setCheckable(True)
        self.whole.setChecked(self._settings.source_whole)
        self.whole.setFixedHeight(_BUTTON)
        self.header.add(self.turns)
        self.header.add(self.whole)
        self._names = (
            ElidedLabel(mode=Qt.TextElideMode.ElideLeft),
            ElidedLabel(mode=Qt.TextElideMode.ElideLeft),
        )
        heads = QHBoxLayout()
        heads.setContentsMargins(12, 5, 12 + self.overview.sizeHint().width(), 5)
        heads.setSpacing(16)
        for name in self._names:
            name.setObjectName("dim")
            heads.addWidget(name, 1)
        beside = QHBoxLayout()
        beside.setSpacing(0)
        beside.addWidget(self.panes, 1)
        beside.addWidget(self.overview)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addLayout(heads)
        column.addLayout(beside, 1)
        self.note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(page)
        self._stack.addWidget(self.note)
        self.body.addWidget(self._stack)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self._state.reading.changed.connect(self._load)
        self._state.file_changed.connect(self._load)
        self._state.options_changed.connect(self._arrange)
        self.panes.place_changed.connect(self._place)
        self.panes.gap_wanted.connect(self._open_gap)
        self.overview.chosen.connect(self._look_at)
        self.turns.turned.connect(self.turn)
        self.whole.toggled.connect(self._show_whole)

    # ---- content

    def _load(self) -> None:
        difference = self._state.reading.difference
        if difference is not self._shown:
            self._shown, self._opened = difference, frozenset()
            self._arrange(keep=-1)
            if difference is not None and self._from_end and self.panes.rows is not None:
                starts = self.panes.rows.starts
                self.panes.go_to(int(starts[-1]) if len(starts) else 0, centre=True)
            self._from_end = self._from_end and difference is None
        self._explain()

    def _arrange(self, keep: int | None = None) -> None:
        """Show the rows by the options in force, at the same place where it is the same file."""
        difference = self._shown
        if difference is None:
            self.panes.show_rows(None)
            return
        rows = ShownRows(difference, self._state.options, self._settings.source_whole, self._opened)
        self.panes.show_rows(rows, self.panes.row if keep is None else keep)

    def _show_whole(self, whole: bool) -> None:
        self._settings.source_whole = whole
        self._arrange()

    def _open_gap(self, first: int) -> None:
        self._opened |= {first}
        self._arrange()

    def _look_at(self, at: int) -> None:
        self.panes.go_to(at, centre=True)

    # ---- from place to place

    def turn(self, forward: bool) -> None:
        """Look at the next difference, or the one before; at an end, in the next file.

        A file that is still being read is waited for.
        """
        reading = self._state.reading
        if self._state.file is not None and reading.difference is None and not reading.failed:
            return
        rows = self.panes.rows
        starts = rows.starts.tolist() if rows is not None else []
        current = self.panes.current
        at = bisect_right(starts, current) if forward else bisect_left(starts, self._begin(starts)) - 1
        if 0 <= at < len(starts):
            self.panes.go_to(starts[at], centre=True)
        else:
            self._from_end = not forward
            self.file_turned.emit(forward)

    def _begin(self, starts: list[int]) -> int:
        """Return where the difference begins that is looked at; the one before it is before that."""
        return starts[self._at(starts)] if starts and self._at(starts) >= 0 else self.panes.current

    def _at(self, starts: list[int]) -> int:
        return bisect_right(starts, self.panes.current) - 1

    def _place(self) -> None:
        rows = self.panes.rows
        starts = rows.starts.tolist() if rows is not None else []
        self.turns.set_place(max(self._at(starts), 0), len(starts))
        self.overview.show_rows(rows, self.panes.seen)

    # ---- words

    def _explain(self) -> None:
        reading, file = self._state.reading, self._state.file
        self.set_title(shown(file.name) if file is not None else text("gui.sources.title"))
        for label, path in zip(
            self._names, (file.target_path, file.golden_path) if file is not None else ("", "")
        ):
            label.setText(path or text("gui.sources.absent"))
        self._stack.setCurrentIndex(0 if reading.difference is not None and not self._unread() else 1)
        if file is None:
            self.note.set_texts(
                text("gui.sources.no_file" if self._state.differing else "gui.sources.no_files")
            )
        elif reading.failed:
            self.note.set_texts(text("gui.sources.file.failed"))
        else:
            self.note.set_texts(self._unread() or text("gui.sources.file.reading"))

    def _unread(self) -> str:
        """Return why the file cannot be shown; empty where it can."""
        difference = self._state.reading.difference
        if difference is None:
            return ""
        return "\n".join(filter(None, map(_why, (difference.target, difference.golden))))

    def copied_text(self) -> str:
        """Return the selected rows, as ``diff -u`` writes them."""
        return self.panes.copied_text()

    def retranslate(self) -> None:
        self.whole.setText(text("gui.sources.whole"))
        self.whole.setToolTip(text("gui.sources.whole.help"))
        self.panes.setAccessibleName(text("gui.sources.panes"))
        self.panes.setToolTip("")
        self._explain()


def _why(source: SourceText) -> str:
    if source.state is SourceState.READ or not source.path:
        return ""
    return text(f"gui.sources.unread.{source.state.value}", path=source.path)
