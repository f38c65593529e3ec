"""Where the selected call was made, on both sides, and the source around it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.records.stack_pairs import pair_stacks
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.details import Stacks, stacks_of
from gui.models.call.stack_table import StackTable
from gui.views.stack.frames import FramesTable
from gui.views.stack.source import SourcePane
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.translated import Translated


class StackView(Translated, QWidget):
    """Frames of both sides in pairs; the source of the one that is selected beside them."""

    def __init__(self, context: Context, focus: Focus) -> None:
        super().__init__()
        self._focus, self._settings = focus, context.settings
        self.model = StackTable(self)
        self.frames = FramesTable(context.theme, self.model)
        self.source = SourcePane(context)
        self.own_button = QToolButton()
        self.own_button.setObjectName("toggle")
        self.own_button.setCheckable(True)
        self.own_button.setChecked(context.settings.own_frames_only)
        self.model.own_only = context.settings.own_frames_only
        self._heading = QLabel()
        self._heading.setObjectName("cardSubtitle")
        self._stacks = Stacks()
        self._lay_out()
        self.frames.frame_chosen.connect(self._show_source)
        self.frames.customContextMenuRequested.connect(self._menu)
        self.own_button.toggled.connect(self._show_own_only)
        focus.row_changed.connect(self._load)
        focus.cell_changed.connect(self._load)
        self.retranslate()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 6, 8, 4)
        top.addWidget(self._heading, 1)
        top.addWidget(self.own_button)
        self._none_own = EmptyNote()
        self._list = QStackedWidget()
        self._list.addWidget(self.frames)
        self._list.addWidget(self._none_own)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._list, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.source)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 3)
        split.setSizes([500, 300])
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(split)
        self._stack.addWidget(self._note)
        row = QVBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._stack)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        if not self.isVisible():
            return  # looked up once it is seen
        selected = self._focus.selected
        stacks = stacks_of(*selected) if selected is not None else Stacks()
        if stacks != self._stacks:
            self._stacks = stacks
            compared = bool(stacks.target and stacks.golden)
            self.model.set_pairs(pair_stacks(stacks.target, stacks.golden), compared)
            self._begin()
        for column, frames in enumerate((stacks.target, stacks.golden)):
            self.frames.setColumnHidden(column, not frames and bool(stacks.target or stacks.golden))
        self.retranslate()

    def _begin(self) -> None:
        self._list.setCurrentIndex(0 if self.model.pairs else 1)
        self.frames.begin()

    def _show_own_only(self, wanted: bool) -> None:
        self._settings.own_frames_only = wanted
        self.model.show_own_only(wanted)
        self._begin()

    def _show_source(self) -> None:
        self.source.show_frame(self.frames.frame)

    def _menu(self, position: QPoint) -> None:
        opening: Commands = {"gui.source.open": self.source.open_file if self.source.file else None}
        offer_commands(self.frames, position, {"gui.action.copy": self._copy}, opening)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def copied_text(self) -> str:
        """Return the stack of the side that the current frame is of."""
        return self.model.as_text(max(self.frames.currentIndex().column(), 0))

    def retranslate(self) -> None:
        stacks = self._stacks
        some = bool(stacks.target or stacks.golden)
        self._stack.setCurrentIndex(0 if some else 1)
        nothing = "gui.detail.nothing_selected" if self._focus.selected is None else "gui.stack.none"
        self._note.set_texts(text(nothing))
        self._none_own.set_texts(text("gui.stack.none_own"))
        parts = [text("gui.stack.of_forward")] if stacks.of_forward else []
        if some and not self._focus.exploring and not (stacks.target and stacks.golden):
            parts.append(
                text("gui.stack.one_sided", side=text("gui.golden" if stacks.target else "gui.target"))
            )
        elif stacks.target and stacks.golden:
            own, foreign = self.model.differs
            parts.append(
                text(
                    "gui.stack.some_differ"
                    if own
                    else "gui.stack.foreign_differ"
                    if foreign
                    else "gui.stack.all_same"
                )
            )
        self._heading.setText("  ·  ".join(parts))
        self.own_button.setText(text("gui.stack.own_only"))
        self.own_button.setToolTip(text("gui.stack.own_only.help"))
        self.frames.setAccessibleName(text("gui.tab.stack"))
        self.model.retranslate()
