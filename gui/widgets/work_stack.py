"""A view of one piece of work: where it starts, how far it is, what kept it from an answer, the answer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.processes.work_state import WorkState
from gui.widgets.work_note import WorkNote

Part = tuple[QWidget, QWidget]
"""What is shown, and what in it answers to keys first."""


class WorkStack(QStackedWidget):
    """Calls *show* whenever the work is further; the focus stays in it while its parts take turns."""

    def __init__(
        self, state: WorkState, show: Callable[[], None], answer: Part, before: Part | None = None
    ) -> None:
        super().__init__()
        self._show, self._answer = show, answer[0]
        self.note = WorkNote()
        self._parts = [answer, *((before,) if before is not None else ())]
        for widget in (*(widget for widget, _ in reversed(self._parts)), self.note):
            self.addWidget(widget)
        self.note.cancelled.connect(state.cancel)
        state.progressed.connect(self.note.show_progress)
        state.changed.connect(self.refresh)

    @property
    def answered(self) -> bool:
        """Whether the answer is on show."""
        return self.currentWidget() is self._answer

    def refresh(self) -> None:
        """Show what there is now; the button that had the focus may be gone then."""
        shown, focus = self.currentWidget(), self.window().focusWidget()
        inside = shown is not None and focus is not None and shown.isAncestorOf(focus)
        attended = inside and not self.answered
        self._show()
        if attended and self.isVisible():
            self.take_focus()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        shown = self.currentWidget()
        wanted = next((first for part, first in self._parts if part is shown), self.note.first)
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
