"""Where the selected call was made, on both sides."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListView,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from gui.context import Context
from gui.models.details import Stacks, stacks_of
from gui.models.stack import StackList
from gui.widgets.cell_delegate import FrameDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated


class _Side(QWidget):
    """One side: its heading, its frames, or a note that there are none."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setObjectName("strong")
        self.title.setContentsMargins(12, 8, 12, 4)
        self.model = StackList(self)
        self.frames = QListView()
        self.frames.setModel(self.model)
        self.frames.setItemDelegate(FrameDelegate(context.theme, self.frames))
        self.frames.setMouseTracking(True)
        self.frames.setUniformItemSizes(True)
        self.frames.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.frames.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.frames)
        self._stack.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self._stack, 1)

    def show_frames(self, frames: tuple, changed: tuple[bool, ...]) -> None:
        self.model.set_frames(frames, changed)
        self._stack.setCurrentIndex(0 if frames else 1)


class StackView(Translated, QWidget):
    """Both sides next to each other."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session = context.session
        self.target, self.golden = _Side(context), _Side(context)
        self._stacks = Stacks()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.target, 1)
        row.addWidget(self.golden, 1)
        self._session.row_changed.connect(self._load)
        self._session.cell_changed.connect(self._load)
        self.retranslate()

    def _load(self) -> None:
        session = self._session
        self._stacks = (
            stacks_of(session.cell, session.facts, session.row)
            if session.cell is not None and session.facts is not None and session.row >= 0
            else Stacks()
        )
        self.target.show_frames(self._stacks.target, self._stacks.target_changed)
        self.golden.show_frames(self._stacks.golden, self._stacks.golden_changed)
        self.golden.setVisible(not session.is_exploring())
        self.retranslate()

    def copied_text(self) -> str:
        """Return the stack of the side that has the focus, else the target's."""
        side = self.golden if self.golden.frames.hasFocus() else self.target
        return side.model.as_text()

    def retranslate(self) -> None:
        of_forward = f"  ({text('gui.stack.of_forward')})" if self._stacks.of_forward else ""
        for side, code in ((self.target, "gui.target"), (self.golden, "gui.golden")):
            side.title.setText(text(code) + of_forward)
            side.frames.setAccessibleName(f"{text('gui.tab.stack')} {text(code)}")
            side.note.set_texts(text("gui.stack.none"))
