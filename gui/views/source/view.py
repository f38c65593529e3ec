"""The difference of two sources: which files, and each of them side by side."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.processes.work_state import Stage
from gui.source.state import SourceState
from gui.views.source.files import FilesCard
from gui.views.source.headline import SourceHeadline
from gui.views.source.pair import PairCard
from gui.views.source.start import SourceStart
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _NARROW_SIDE, _WIDE = 430, 300, 1300
"""Pixels of the list of files in a wide view and in a narrow one, and from where it is wide."""


class SourceView(WorkView[SourceState]):
    """Of the folders that are evidence of the pre-check, or that are chosen here."""

    def __init__(self, context: Context) -> None:
        super().__init__(SourceState(context.session, context.settings))
        self._settings = context.settings
        self.start = SourceStart(context, self.state)
        self.headline = SourceHeadline(context, self.state)
        self.files = FilesCard(context, self.state)
        self.pair = PairCard(context, self.state)
        self._choosing = False
        self._lower = gap_splitter(Qt.Orientation.Horizontal, self.files, self.pair)
        self._lower.setStretchFactor(1, 1)
        self._room = SharedRoom(self._lower, self._share, self._remember)
        self._content = QWidget()
        inside = QVBoxLayout(self._content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        inside.addWidget(self.headline)
        inside.addWidget(self._lower, 1)
        self._stack = WorkStack(
            self.state,
            self._show_state,
            (self._content, self.files.table),
            (self.start, self.start.target.field),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.start.wanted.connect(self.open)
        self.headline.others_wanted.connect(self._choose_others)
        self.files.entered_on.connect(self.pair.panes.setFocus)
        self.pair.file_turned.connect(self._turn_file)
        self._stack.note.pressed.connect(self.state.again)
        for keys, forward in (("Alt+Down", True), ("Alt+Up", False)):  # wherever the focus is in here
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(partial(self.turn, forward))
        self.retranslate()

    # ---- opening

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.want()

    def open(self, target: str, golden: str) -> None:
        """Compare two folders, or files."""
        self._choosing = False
        self.state.open([target], [golden])
        self.state.again()

    def _choose_others(self) -> None:
        self._choosing = True
        self.start.load()
        self._stack.refresh()
        self._stack.take_focus()

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        if self._choosing and state.stage is not Stage.WORKING:
            self._stack.setCurrentWidget(self.start)
        elif state.tree is not None:
            self._stack.setCurrentWidget(self._content)
        elif state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self.start)
        else:
            self._choosing = False
            self._stack.setCurrentWidget(self._stack.note)
            paths = "\n".join(" + ".join(paths) for paths in (state.target, state.golden))
            words = WorkWords(
                working=(text("gui.sources.working"), paths), stopped=(text("gui.sources.stopped"), paths),
                failed=text("gui.sources.failed"), again=text("gui.sources.again"),
            )  # fmt: skip
            self._stack.note.tell(state, words)

    def turn(self, forward: bool) -> None:
        """Look at the next difference, or the one before."""
        if self._stack.answered:
            self.pair.turn(forward)

    def _turn_file(self, forward: bool) -> None:
        self.files.turn(forward)

    # ---- room

    def _share(self, width: int, _height: int) -> None:
        side = _SIDE if width >= _WIDE else _NARROW_SIDE
        (side,) = self._settings.source_sizes or (side,)
        self._lower.setSizes([side, max(width - side - GAP, 1)])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.source_sizes = [self.files.width()]

    # ---- commands

    def copied_text(self) -> str:
        """Return the selected lines while the focus is on them, the selected files while it is there."""
        if self.state.tree is None:
            return ""
        if self.pair.panes.hasFocus():
            return self.pair.copied_text()
        if self.files.table.hasFocus():
            return self.files.copied_text()
        return self.headline.words

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.sources.title"))
        self._show_state()
