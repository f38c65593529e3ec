"""The cells that are laid over the plot: their menu, and a line that says which colour is which."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from core.messages import render, text
from core.progress import Progress
from core.records.run import CellKey
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.suspects import cell_label
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_LINE = 24
"""Pixels of height of what stands in the line."""
_LISTED = 40
"""Cells that a menu lists one by one; the map of cells takes up any."""


class OverlayBar(Translated, QWidget):
    """One entry a cell in its colour; hidden while nothing is laid over the plot."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._overlays, self._theme = context.session, context.session.overlays, context.theme
        self.entries: list[QToolButton] = []
        self._said = QLabel()
        self._said.setObjectName("small")
        self.clear_button = QToolButton()
        self.clear_button.setObjectName("small")
        self.clear_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.clear_button.setIconSize(QSize(11, 11))
        self.clear_button.clicked.connect(self._overlays.clear)
        self._said.setFixedHeight(_LINE)
        self.clear_button.setFixedHeight(_LINE)
        self._flow = FlowLayout(4)
        self._flow.setContentsMargins(10, 2, 10, 0)
        self.setLayout(self._flow)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._flow.addWidget(self._said)
        self._flow.addWidget(self.clear_button)
        self._overlays.changed.connect(self.retranslate)
        self._overlays.progressed.connect(self._show_progress)
        self._theme.changed.connect(self.retranslate)
        self.retranslate()

    def _show_progress(self, progress: Progress) -> None:
        self._said.setText(
            text(
                "gui.overlays.reading",
                done=numbers.grouped(progress.done),
                total=numbers.grouped(progress.total),
            )
        )
        self._said.setToolTip(render(progress.message))

    def _open(self, key: CellKey) -> None:
        """Show the cell *key* at the call that is selected here."""
        session = self._session
        facts, row = session.facts, session.row
        name = facts.operators[int(facts.operator[row])] if facts is not None and row >= 0 else ""
        slot = facts.slots[int(facts.slot[row])] if facts is not None and row >= 0 else ""
        session.show_call(key, -1, name, slot)

    def retranslate(self) -> None:
        for entry in self.entries:
            self._flow.removeWidget(entry)
            entry.hide()
            entry.deleteLater()
        overlay, working = self._overlays.found, self._overlays.working
        lines = overlay.lines if overlay is not None else ()
        self.entries = []
        for line, colour in zip(lines, self._theme.colours.others):
            entry = QToolButton()
            entry.setObjectName("link")
            entry.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            entry.setIcon(_swatch(colour))
            entry.setIconSize(QSize(14, 8))
            words = cell_label(line.key)
            entry.setText(f" {words}")
            entry.setFixedHeight(_LINE)
            entry.setAccessibleName(words)
            count = numbers.grouped(line.shared)
            entry.setToolTip(text("gui.overlays.open", count=line.shared, calls=count, cell=words))
            entry.clicked.connect(partial(self._open, line.key))
            entry.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.entries.append(entry)
        self._flow.removeWidget(self._said)
        self._flow.removeWidget(self.clear_button)
        for widget in (*self.entries, self._said, self.clear_button):
            self._flow.addWidget(widget)
        band = overlay.band if overlay is not None else None
        if working:
            total = len(self._overlays.others)
            self._said.setText(text("gui.overlays.reading", done="0", total=numbers.grouped(total)))
        elif band is not None:
            rest = numbers.grouped(band.count)
            self._said.setText(text("gui.overlays.rest", count=band.count, cells=rest))
        self._said.setVisible(working or band is not None)
        self.clear_button.setText(text("gui.overlays.cancel" if working else "gui.overlays.remove"))
        self.clear_button.setIcon(icon("close", self._theme.colours.accent))
        self.clear_button.setToolTip(text("gui.overlays.remove.help"))
        self.clear_button.setAccessibleName(self.clear_button.text())
        self.setAccessibleName(text("gui.overlays.title"))
        self.setVisible(working or overlay is not None)
        self.updateGeometry()


def _swatch(colour: str) -> QIcon:
    picture = QPixmap(28, 16)
    picture.setDevicePixelRatio(2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.fillRect(0, 3, 14, 2, QColor(colour))
    painter.end()
    return QIcon(picture)


def fill_overlay_menu(menu: QMenu, context: Context) -> None:
    """Offer the other ranks of the step on show, the other steps of its rank, all, and each by itself."""
    session, overlays = context.session, context.session.overlays
    menu.clear()
    if session.info is None or session.cell is None:
        return
    here, cells = session.cell.key, session.info.cells
    ranks = [key for key in cells if (key.phase, key.step) == (here.phase, here.step) and key != here]
    steps = [key for key in cells if (key.phase, key.rank) == (here.phase, here.rank) and key != here]
    groups: tuple[tuple[str, list[CellKey]], ...] = (
        (text("gui.overlays.ranks", count=len(ranks), cells=numbers.grouped(len(ranks))), ranks),
        (text("gui.overlays.steps", count=len(steps), cells=numbers.grouped(len(steps))), steps),
    )
    for words, keys in groups:
        if keys:
            _add(menu, words, partial(overlays.compare, keys), overlays.others == tuple(sorted(keys)))
    if ranks and steps:
        everything = [key for key in cells if key != here]
        words = text("gui.overlays.all", count=len(everything), cells=numbers.grouped(len(everything)))
        _add(menu, words, partial(overlays.compare, everything), len(overlays.others) == len(everything))
    menu.addSeparator()
    for key in [*ranks, *steps][:_LISTED]:
        _add(menu, cell_label(key), partial(overlays.toggle, key), key in overlays.chosen)
    if len(cells) - 1 > _LISTED or len(ranks) + len(steps) < len(cells) - 1:
        menu.addAction(context.actions["cells"])
    menu.addSeparator()
    nothing = menu.addAction(text("gui.overlays.clear"))
    nothing.setEnabled(bool(overlays.others))
    nothing.triggered.connect(overlays.clear)


def _add(menu: QMenu, words: str, chosen: Callable[[], None], checked: bool) -> None:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(chosen)
