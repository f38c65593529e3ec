"""Every command of the window, once: its words, its key, and what it does.

Menus, the window's shortcuts, the palette and the list of shortcuts are made from this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.messages import LANGUAGES, text
from gui.models.command_list import Entry


@dataclass(frozen=True)
class Command:
    """One entry. ``code`` is the catalogue code of its words; ``menu`` and ``group`` say where it stands."""

    id: str
    code: str
    menu: str
    group: int
    keys: tuple[str, ...] = ()


COMMANDS: tuple[Command, ...] = (
    Command("open_target", "gui.action.open_target", "file", 0, ("Ctrl+O",)),
    Command("open_golden", "gui.action.open_golden", "file", 0, ("Ctrl+G",)),
    Command("open_file", "gui.action.open_file", "file", 0, ("Ctrl+Shift+O",)),
    Command("add_target_evidence", "gui.action.add_target_evidence", "file", 0, ("Ctrl+Alt+O",)),
    Command("add_golden_evidence", "gui.action.add_golden_evidence", "file", 0, ("Ctrl+Alt+G",)),
    Command("open_table", "gui.action.open_table", "file", 0),
    Command("locate", "gui.action.locate", "file", 0, ("Ctrl+Shift+L",)),
    Command("recent", "gui.action.recent", "file", 1),
    Command("next_round", "gui.action.next_round", "file", 2, ("Ctrl+Shift+N",)),
    Command("swap", "gui.action.swap", "file", 2, ("Ctrl+Shift+X",)),
    Command("rerun", "gui.action.rerun", "file", 2, ("F5",)),
    Command("cancel", "gui.action.cancel", "file", 2, ("Ctrl+.",)),
    Command("export", "gui.action.export", "file", 3, ("Ctrl+E",)),
    Command("save_table", "gui.action.save_table", "file", 3, ("Ctrl+S",)),
    Command("close", "gui.action.close", "file", 4, ("Ctrl+W", "Ctrl+Q")),
    Command("copy", "gui.action.copy", "edit", 0, ("Ctrl+C",)),
    Command("copy_markdown", "gui.action.copy_markdown", "edit", 0, ("Ctrl+Shift+C",)),
    Command("find", "gui.action.find", "edit", 1, ("Ctrl+F", "Ctrl+K")),
    Command("clear_filter", "gui.action.clear_filter", "edit", 1, ("Ctrl+Shift+F",)),
    Command("find_in_tree", "gui.action.find_in_tree", "edit", 1, ("Ctrl+Shift+E",)),
    Command("next_match", "gui.action.next_match", "edit", 1, ("F3",)),
    Command("previous_match", "gui.action.previous_match", "edit", 1, ("Shift+F3",)),
    Command("pair", "gui.action.pair", "edit", 2, ("Ctrl+M",)),
    Command("note", "gui.action.note", "edit", 3, ("Ctrl+N",)),
    Command("ignore", "gui.action.ignore", "edit", 3, ("Ctrl+I",)),
    Command("ignored", "gui.action.ignored", "edit", 3, ("Ctrl+Shift+I",)),
    Command("next_suspect", "gui.action.next_suspect", "go", 0, ("F8",)),
    Command("previous_suspect", "gui.action.previous_suspect", "go", 0, ("Shift+F8",)),
    Command("next_birth", "gui.action.next_birth", "go", 0, ("F8",)),
    Command("previous_birth", "gui.action.previous_birth", "go", 0, ("Shift+F8",)),
    Command("next_outside", "gui.action.next_outside", "go", 0, ("F8",)),
    Command("previous_outside", "gui.action.previous_outside", "go", 0, ("Shift+F8",)),
    Command("next_finding", "gui.action.next_finding", "go", 0, ("F8",)),
    Command("previous_finding", "gui.action.previous_finding", "go", 0, ("Shift+F8",)),
    Command("next_fail", "gui.action.next_fail", "go", 0, ("F8",)),
    Command("previous_fail", "gui.action.previous_fail", "go", 0, ("Shift+F8",)),
    Command("next", "gui.action.next", "go", 0, ("Ctrl+F8",)),
    Command("previous", "gui.action.previous", "go", 0, ("Ctrl+Shift+F8",)),
    Command("back", "gui.action.back", "go", 0, ("Alt+Left",)),
    Command("forward", "gui.action.forward", "go", 0, ("Alt+Right",)),
    Command("open_detail", "gui.action.open_detail", "go", 0, ("Ctrl+D",)),
    Command("page_precheck", "gui.action.page_precheck", "go", 1, ("Ctrl+Shift+5",)),
    Command("page_compare", "gui.action.page_compare", "go", 1, ("Ctrl+Shift+1",)),
    Command("page_curves", "gui.action.page_curves", "go", 1, ("Ctrl+Shift+4",)),
    Command("page_overflow", "gui.action.page_overflow", "go", 1, ("Ctrl+Shift+2",)),
    Command("page_emulation", "gui.action.page_emulation", "go", 1, ("Ctrl+Shift+3",)),
    Command("tab_checklist", "gui.action.tab_checklist", "go", 1, ("Ctrl+Alt+6",)),
    Command("tab_source", "gui.action.tab_source", "go", 1, ("Ctrl+Alt+7",)),
    Command("tab_dataset", "gui.action.tab_dataset", "go", 1, ("Ctrl+Alt+8",)),
    Command("tab_births", "gui.action.tab_births", "go", 1, ("Ctrl+Alt+1",)),
    Command("tab_headroom", "gui.action.tab_headroom", "go", 1, ("Ctrl+Alt+2",)),
    Command("tab_training", "gui.action.tab_training", "go", 1, ("Ctrl+Alt+3",)),
    Command("tab_curves", "gui.action.tab_curves", "go", 1, ("Ctrl+Alt+4",)),
    Command("tab_trends", "gui.action.tab_trends", "go", 1, ("Ctrl+Alt+5",)),
    Command("focus_tree", "gui.action.focus_tree", "go", 2, ("Ctrl+1",)),
    Command("focus_plot", "gui.action.focus_plot", "go", 2, ("Ctrl+2",)),
    Command("focus_table", "gui.action.focus_table", "go", 2, ("Ctrl+3",)),
    Command("focus_detail", "gui.action.focus_detail", "go", 2, ("Ctrl+4",)),
    Command("focus_diagnosis", "gui.action.focus_diagnosis", "go", 2, ("Ctrl+5",)),
    Command("cells", "gui.action.cells", "go", 2, ("Ctrl+Shift+M",)),
    Command("switch_rows", "gui.action.switch_rows", "view", 0, ("Ctrl+Shift+R",)),
    Command("only_problems", "gui.action.only_problems", "view", 0, ("Ctrl+Shift+D",)),
    Command("tree_deeper", "gui.action.tree_deeper", "view", 0, ("Ctrl+Shift+Down",)),
    Command("tree_shallower", "gui.action.tree_shallower", "view", 0, ("Ctrl+Shift+Up",)),
    Command("tree_unfold", "gui.action.tree_unfold", "view", 0),
    Command("tree_fold", "gui.action.tree_fold", "view", 0),
    Command("theme_system", "gui.action.theme_system", "view", 1),
    Command("theme_light", "gui.action.theme_light", "view", 1),
    Command("theme_dark", "gui.action.theme_dark", "view", 1),
    Command("language_en", "gui.action.language_en", "view", 2),
    Command("language_zh_CN", "gui.action.language_zh_cn", "view", 2),
    Command("reset_layout", "gui.action.reset_layout", "view", 3),
    Command("palette", "gui.action.palette", "help", 0, ("Ctrl+Shift+P",)),
    Command("shortcuts", "gui.action.shortcuts", "help", 0, ("F1",)),
)
_MENU_CODES = {
    "file": "gui.menu.file", "edit": "gui.menu.edit", "go": "gui.menu.go", "view": "gui.menu.view",
    "help": "gui.menu.help",
}  # fmt: skip
_RADIO = ("theme_", "language_")


class Actions(QObject):
    """The QActions of all commands, owned by one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._actions: dict[str, QAction] = {}
        self._groups = {prefix: QActionGroup(self) for prefix in _RADIO}
        for command in COMMANDS:
            action = QAction(self)
            action.setObjectName(command.id)
            action.setShortcuts([QKeySequence(key) for key in command.keys])
            for prefix, group in self._groups.items():
                if command.id.startswith(prefix):
                    action.setCheckable(True)
                    group.addAction(action)
            window.addAction(action)
            self._actions[command.id] = action
        self.recent = QMenu(window)
        self._actions["recent"].setMenu(self.recent)
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def connect_to(self, name: str, callback: Callable[[], object]) -> None:
        """Run *callback* whenever the command is triggered."""
        self._actions[name].triggered.connect(callback)

    def fill_menus(self, add_menu: Callable[[str], QMenu], docks: list[QAction]) -> None:
        """Make all menus with *add_menu*; *docks* stand in the view menu."""
        for menu_id, code in _MENU_CODES.items():
            menu = add_menu(text(code))
            group = None
            if menu_id == "view":
                menu.addActions(docks)
                group = 0
            for command in COMMANDS:
                if command.menu == menu_id:
                    if group is not None and command.group != group:
                        menu.addSeparator()
                    menu.addAction(self._actions[command.id])
                    group = command.group

    def entries(self, docks: list[QAction]) -> list[Entry]:
        """Return all commands for the palette: recent pairs and *docks*, to show and hide, among them."""
        recent = text("gui.action.recent").rstrip("…")
        found = [
            Entry(self._actions[command.id], text(command.code), text(_MENU_CODES[command.menu]), others)
            for command in COMMANDS
            if command.id not in ("recent", "palette")
            for others in (" ".join(text(command.code, language) for language in LANGUAGES),)
        ]
        view = text(_MENU_CODES["view"])
        found += [Entry(dock, text("gui.palette.panel", name=dock.text()), view) for dock in docks]
        return found + [Entry(action, action.text(), recent) for action in self.recent.actions()]

    def shortcuts(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return each menu with words and keys of its commands, keys as this system writes them."""
        native = QKeySequence.SequenceFormat.NativeText
        found: dict[str, list[tuple[str, str]]] = {menu: [] for menu in _MENU_CODES}
        for command in COMMANDS:
            if command.keys:
                action = self._actions[command.id]
                keys = " / ".join(key.toString(native) for key in action.shortcuts())
                found[command.menu].append((action.text(), keys))
        return [(text(_MENU_CODES[menu]), listed) for menu, listed in found.items() if listed]

    def retranslate(self) -> None:
        """Set all words in the language in force."""
        for command in COMMANDS:
            self._actions[command.id].setText(text(command.code))
