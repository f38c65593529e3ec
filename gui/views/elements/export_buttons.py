"""Buttons that copy what is marked, or the whole plane, and save tensors as files of numpy."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QToolButton, QWidget

from core.messages import Message, text
from core.metrics.pictures.plane import Region
from gui.context import Context
from gui.processes.picture_client import PictureClient
from gui.tensors.shown_pair import ShownPair
from gui.widgets.translated import Translated

COPY = "copy"
"""The channel of what is to be copied."""
_SIDES = ("target", "golden", "difference")
_FORMS = ("tsv", "numpy", "json")


class ExportButtons(Translated, QWidget):
    """Two menus; what they do runs in other processes."""

    def __init__(self, context: Context, pair: ShownPair, client: PictureClient) -> None:
        super().__init__()
        self._session, self._settings, self._pair, self._client = (
            context.session, context.settings, pair, client,
        )  # fmt: skip
        self.copy, self.save = QToolButton(), QToolButton()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for button, fill in ((self.copy, self._fill_copy), (self.save, self._fill_save)):
            button.setObjectName("toggle")
            menu = QMenu(button)
            menu.aboutToShow.connect(partial(fill, menu))
            button.clicked.connect(partial(self._open, button, menu))
            line.addWidget(button)
        line.addStretch(1)
        self.retranslate()

    def offer(self) -> None:
        """Offer what there is now."""
        self.setEnabled(self._pair.sources is not None)

    def _open(self, button: QToolButton, menu: QMenu) -> None:
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    @property
    def _sides(self) -> tuple[str, ...]:
        sources = self._pair.sources
        if sources is None:
            return ()
        there = [side for side, source in zip(_SIDES, (sources.target, sources.golden)) if source is not None]
        return tuple(there) if len(there) < 2 else _SIDES

    def _fill_copy(self, menu: QMenu) -> None:
        menu.clear()
        for side in self._sides:
            part = menu.addMenu(text(f"gui.elements.side.{side}"))
            for form in _FORMS:
                part.addAction(text(f"gui.elements.copy.{form}"), partial(self._copy, side, form))

    def _fill_save(self, menu: QMenu) -> None:
        menu.clear()
        for side in self._sides:
            menu.addAction(text(f"gui.elements.side.{side}"), partial(self._ask_path, side))

    def _copy(self, side: str, form: str) -> None:
        from gui.tensors.element_work import copied_values

        pair = self._pair
        rows, columns = pair.plane.size(pair.shape)
        region = pair.rectangle or Region(0, rows, 0, columns)
        self._client.request(COPY, copied_values, pair.sources, pair.plane, region, side, form)

    def _ask_path(self, side: str) -> None:
        start = Path(self._settings.last_folder or Path.home()) / f"{side}.npy"
        path, _ = QFileDialog.getSaveFileName(
            self, text("gui.elements.save"), str(start), f"{text('gui.elements.npy')} (*.npy)"
        )
        if path:
            self._save(side, path if Path(path).suffix else f"{path}.npy")

    def _save(self, side: str, path: str) -> None:
        from gui.tensors.element_work import saved_array

        pair = self._pair
        plane = pair.plane if pair.rectangle is not None else None
        self._session.exports.start(saved_array, pair.sources, side, path, plane, pair.rectangle)

    def take_copied(self, words: str) -> None:
        """Put what the service wrote on the clipboard, and say so."""
        QGuiApplication.clipboard().setText(words)
        self._session.succeeded.emit(Message("gui.elements.copied"))

    def retranslate(self) -> None:
        self.copy.setText(text("gui.elements.copy"))
        self.copy.setToolTip(text("gui.elements.copy.help"))
        self.copy.setAccessibleName(text("gui.elements.copy").rstrip(" ▾"))
        self.save.setText(text("gui.elements.save"))
        self.save.setToolTip(text("gui.elements.save.help"))
        self.save.setAccessibleName(text("gui.elements.save").rstrip(" ▾"))
