"""Copies and saves what is on show: pictures, values, arrays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from core.errors import Problem
from core.messages import Message, text
from gui.context import Context
from gui.tensors.element_work import saved_array
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.menu import TensorMenu, title_of
from gui.views.tensors.plate import Plate

if TYPE_CHECKING:
    from gui.views.tensors.view import TensorsView

_PICTURES = "PNG (*.png);;SVG (*.svg)"
_ARRAYS = "NumPy (*.npy)"


class Output(QObject):
    """Carries out the entries of :attr:`menu`."""

    copy_wanted = Signal(object, str, str)
    """The marked region, a side and a form."""

    def __init__(self, context: Context, pair: ShownPair, view: TensorsView) -> None:
        super().__init__(view)
        self._context, self._pair, self._view = context, pair, view
        self.menu = TensorMenu(pair, view)
        menu = self.menu
        menu.worst_wanted.connect(pair.go_to_worst)
        menu.layout_reset.connect(pair.lay_out_anew)
        menu.unmarked.connect(lambda: pair.select(None))
        menu.picture_copied.connect(self._copy_picture)
        menu.picture_saved.connect(self._save_picture)
        menu.array_saved.connect(self._save_array)
        menu.values_copied.connect(self._copy_values)

    def put_text(self, words: str) -> None:
        """Put *words* on the clipboard, and say so."""
        QGuiApplication.clipboard().setText(words)
        self._context.session.succeeded.emit(Message("gui.heat.copied"))

    def refuse(self, problem: Problem) -> None:
        """Say what stood in the way."""
        self._context.session.noticed.emit(problem, "")

    def plate(self) -> Plate:
        """Return the pictures on show as a figure."""
        view = self._view
        caption = "   ".join(filter(None, (view.telling.facts.words, view.telling.strip.sentence)))
        return Plate(self._context.theme, view.maps.shown, title_of(self._pair), caption, view.font())

    def _copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.plate().image())
        self._context.session.succeeded.emit(Message("gui.heat.copied"))

    def _copy_values(self, side: str, form: str) -> None:
        if self._pair.rectangle is not None:
            self.copy_wanted.emit(self._pair.rectangle, side, form)

    def _save_picture(self) -> None:
        path = self._asked("gui.heat.save_picture", ".png", _PICTURES)
        if path and self.plate().save(path):
            self._context.session.succeeded.emit(Message("gui.notice.exported", {"path": path}))
        elif path:
            self._context.session.noticed.emit(Message("gui.heat.not_saved", {"path": path}), "")

    def _save_array(self, side: str, marked: bool) -> None:
        sources, rectangle = self._pair.sources, self._pair.rectangle
        if sources is None or (marked and rectangle is None):
            return
        code = "gui.heat.save_marked" if marked else "gui.heat.save_whole"
        path = self._asked(code, f"_{side}.npy", _ARRAYS)
        if path:
            plane = self._pair.plane if marked else None
            self._context.session.exports.start(
                saved_array, sources, side, path, plane, rectangle if marked else None
            )

    def _asked(self, code: str, ending: str, kinds: str) -> str:
        """Return the path that the user wants; empty for none."""
        name = title_of(self._pair).replace(" ", "_").replace("/", "_")
        suggestion = str(Path(self._context.settings.last_folder) / (name + ending))
        chosen, kind = QFileDialog.getSaveFileName(self._view, text(code), suggestion, kinds)
        if chosen and not Path(chosen).suffix:
            chosen += ".svg" if "svg" in kind else ending[ending.index(".") :]
        return chosen
