"""The menu of a row: commands under the pointer, by the codes of their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractItemView, QMenu

from core.messages import text

Commands = Mapping[str, Callable[[], object] | None]
"""What a command does by its code; ``None`` for one that cannot be given now."""


def offer_commands(view: QAbstractItemView, position: QPoint, *groups: Commands) -> None:
    """Show *groups* of commands at *position* of the viewport of *view*, and do the one that is chosen."""
    menu = QMenu(view)
    does = {}
    for number, group in enumerate(groups):
        if number:
            menu.addSeparator()
        for code, command in group.items():
            action = menu.addAction(text(code))
            action.setEnabled(command is not None)
            does[action] = command
    chosen = menu.exec(view.viewport().mapToGlobal(position))
    command = does.get(chosen)
    menu.deleteLater()
    if command is not None:
        command()
