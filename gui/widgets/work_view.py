"""A view of one piece of work that stands on a page: what it answers to the commands of the window."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

from gui.processes.work_state import WorkState
from gui.widgets.shared_room import SharedRoom
from gui.widgets.translated import Translated
from gui.widgets.work_stack import WorkStack

State = TypeVar("State", bound=WorkState)


class WorkView(Translated, QWidget, Generic[State]):
    """Follows *state*; a subclass makes the stack that shows it and the room that its parts share."""

    _stack: WorkStack
    _room: SharedRoom

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state

    @property
    def working(self) -> bool:
        """Whether it is being worked at."""
        return self.state.working

    def cancel(self) -> None:
        """Stop working."""
        self.state.cancel()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        self._stack.take_focus()

    def arrange_anew(self) -> None:
        """Share the room as the settings say, or as at first."""
        self._room.share_anew()

    def copied_text(self) -> str:
        """Return what is selected, for the clipboard; empty where nothing is found yet."""
        raise NotImplementedError
