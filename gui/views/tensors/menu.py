"""What can be copied and saved of the tensors on show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from core.messages import text
from gui.tensors.shown_pair import ShownPair
from gui.widgets.translated import Translated

SIDES = ("target", "golden", "difference")
FORMS = ("tsv", "numpy", "json")


class TensorMenu(Translated, QMenu):
    """One menu for the button and for the pictures."""

    fit_wanted = Signal()
    worst_wanted = Signal()
    layout_reset = Signal()
    picture_copied = Signal()
    picture_saved = Signal()
    array_saved = Signal(str, bool)
    """A side, and whether only what is marked."""
    values_copied = Signal(str, str)
    """A side and a form."""
    unmarked = Signal()

    def __init__(self, pair: ShownPair, parent: QWidget) -> None:
        super().__init__(parent)
        self._pair = pair
        self._words: list[tuple[QAction | QMenu, str]] = []
        self._marked: list[QAction | QMenu] = []
        self._both: list[QAction] = []
        self.worst = self._add(self, "gui.tensors.worst", self.worst_wanted.emit)
        self._add(self, "gui.heat.fit", self.fit_wanted.emit)
        self.reset = self._add(self, "gui.heat.reset_layout", self.layout_reset.emit)
        self.addSeparator()
        self._add(self, "gui.heat.copy_picture", self.picture_copied.emit)
        self._add(self, "gui.heat.save_picture", self.picture_saved.emit)
        self.addSeparator()
        whole = self._sub("gui.heat.save_whole")
        part = self._sub("gui.heat.save_marked")
        for menu, marked in ((whole, False), (part, True)):
            for side in SIDES:
                self._side(menu, side, partial(self.array_saved.emit, side, marked))
        copies = [self._sub(f"gui.heat.copy_marked.{form}") for form in FORMS]
        for form, menu in zip(FORMS, copies):
            for side in SIDES:
                self._side(menu, side, partial(self.values_copied.emit, side, form))
        self._marked += [part, *copies, self._add(self, "gui.heat.unmark", self.unmarked.emit)]
        self.aboutToShow.connect(self._enable)
        self.retranslate()

    def _add(self, menu: QMenu, code: str, do: Callable[[], object]) -> QAction:
        action = menu.addAction("")
        action.triggered.connect(lambda _=False: do())
        self._words.append((action, code))
        return action

    def _sub(self, code: str) -> QMenu:
        menu = self.addMenu("")
        self._words.append((menu, code))
        return menu

    def _side(self, menu: QMenu, side: str, do: Callable[[], object]) -> None:
        code = "gui.tensors.difference" if side == "difference" else f"gui.{side}"
        action = self._add(menu, code, do)
        action.setObjectName(side)
        self._both.append(action)

    def _enable(self) -> None:
        pair = self._pair
        sources = pair.sources
        there = {
            "target": sources is not None and sources.target is not None,
            "golden": sources is not None and sources.golden is not None,
        }
        there["difference"] = there["target"] and there["golden"]
        for action in self._both:
            action.setEnabled(there[action.objectName()])
        for entry in self._marked:
            entry.setEnabled(pair.rectangle is not None)
        self.worst.setEnabled(pair.worst is not None)
        self.reset.setEnabled(pair.laid_out)

    def retranslate(self) -> None:
        for entry, code in self._words:
            entry.setTitle(text(code)) if isinstance(entry, QMenu) else entry.setText(text(code))


def title_of(pair: ShownPair) -> str:
    """Return the call and its slot, as a title or the name of a file."""
    selected = pair.focus.selected
    if selected is None:
        return ""
    _, facts, row = selected
    return f"{facts.operators[int(facts.operator[row])]} {pair.slot}".strip()
