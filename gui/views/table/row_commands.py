"""What can be done with the rows that are selected: copies of them, and the menu under the pointer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication

from gui.context import Context
from gui.copying import copied_markdown, copied_rows
from gui.views.table.pane import TablePane
from gui.widgets.row_menu import Commands, offer_commands

_ON_CALLS = ("note", "ignore")


class RowCommands:
    """Carries them out for the pane that is on show."""

    def __init__(self, context: Context) -> None:
        self._session, self._actions = context.session, context.actions

    def copied_text(self, pane: TablePane) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        return copied_rows(self._session, pane.model, pane.table.selected_rows(), pane.columns.visible())

    def copied_markdown(self, pane: TablePane) -> str:
        """Return the selected rows as a table of Markdown; empty when there are too many."""
        return copied_markdown(self._session, pane.model, pane.table.selected_rows(), pane.columns.visible())

    def copy_markdown(self, pane: TablePane) -> None:
        """Put the selected rows onto the clipboard as Markdown."""
        _to_clipboard(self.copied_markdown(pane))

    def _copy(self, pane: TablePane) -> None:
        _to_clipboard(self.copied_text(pane))

    def offer(self, pane: TablePane, position: QPoint) -> None:
        """Show the menu of the selected rows at *position* of the table, and do what is chosen."""
        facts, row, actions = self._session.facts, self._session.row, self._actions
        if facts is None or row < 0:
            return
        name = facts.operators[int(facts.operator[row])]
        index = pane.table.indexAt(position)
        value = pane.model.plain_text(index) if index.isValid() else ""
        copying: Commands = {
            "gui.action.copy": partial(self._copy, pane),
            "gui.action.copy_markdown": partial(self.copy_markdown, pane),
            "gui.table.copy_value": partial(_to_clipboard, value) if value else None,
            "gui.table.copy_name": partial(_to_clipboard, name),
        }
        only: Commands = {
            "gui.table.only_operator": partial(self._session.set_filter, text=f'"{name}"'),
            "gui.action.switch_rows": actions["switch_rows"].trigger,
        }
        opening: Commands = {"gui.action.open_detail": actions["open_detail"].trigger}
        noting: Commands = {
            f"gui.action.{command}": actions[command].trigger if actions[command].isEnabled() else None
            for command in _ON_CALLS
        }
        offer_commands(pane.table, position, copying, only, opening, noting)


def _to_clipboard(copied: str) -> None:
    if copied:
        QGuiApplication.clipboard().setText(copied)
