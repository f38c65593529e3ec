"""Notes on calls and what is ignored: the commands, and the dialogs that they open."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from core.messages import Message
from gui.context import Context
from gui.models.pair.scopes import call_name, rule_of_row


class RemarkCommands(QObject):
    """Carries out ``note``, ``ignore`` and ``ignored``; the dialogs stand beside the work, not in its way."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._session, self._window = context, context.session, window
        self._open: list[QDialog] = []
        context.actions.connect_to("note", self.note)
        context.actions.connect_to("ignore", self.ignore)
        context.actions.connect_to("ignored", self.list_ignored)
        self._session.opened.connect(self.close_all)

    def note(self) -> None:
        """Write a note on the selected call, or change the one there is."""
        from gui.views.remarks.note import NoteDialog

        facts, row = self._session.facts, self._session.row
        if facts is not None and row >= 0:
            self._show(NoteDialog(self._context, call_name(facts, row), self._window))

    def ignore(self) -> None:
        """Ask what to leave out around the selected call; one that is ignored counts again."""
        from gui.views.remarks.ignore import IgnoreDialog

        facts, row = self._session.facts, self._session.row
        if facts is None or row < 0:
            return
        rule = rule_of_row(facts, self._session.suspects.notes.ignored, row)
        if rule is None:
            self._show(IgnoreDialog(self._context, facts, row, self._window))
            return
        self._session.suspects.heed(rule)
        self._session.succeeded.emit(Message("gui.ignore.stopped", {"value": rule.value}))

    def list_ignored(self) -> None:
        """Show all that is ignored."""
        from gui.views.remarks.ignored import IgnoredDialog

        self._show(IgnoredDialog(self._context, self._window))

    def close_all(self) -> None:
        """Close what is open: it was about another pair."""
        for dialog in list(self._open):
            dialog.reject()

    @property
    def dialogs(self) -> tuple[QDialog, ...]:
        """What is open, the latest last."""
        return tuple(self._open)

    def _show(self, dialog: QDialog) -> None:
        self._open.append(dialog)
        dialog.finished.connect(lambda _how: self._open.remove(dialog))
        dialog.show()
