"""The line over the plots: of what, how they are drawn, which of them are shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.quiet_progress import QuietProgress
from gui.widgets.segments import Segments
from gui.widgets.translated import Translated

_READING = 130
"""Pixels of the word that says how far the answer is."""


class Controls(Translated, QWidget):
    """Remembers what is chosen in the settings."""

    bins_changed = Signal()
    whole_wanted = Signal()
    """The user takes the marked rectangle away."""
    drawing_changed = Signal()
    shown_changed = Signal()

    def __init__(self, context: Context, reading: QuietProgress, plots: Mapping[str, str]) -> None:
        """Take *plots*: their names in the program, and the codes of those on the screen."""
        super().__init__()
        self._settings, self._theme, self._plots = context.settings, context.theme, plots
        self.part, self.bins = Segments(("whole", "rectangle")), Segments(("linear", "symlog"))
        self.bins.choose(self._settings.distributions_bins)
        self.logarithmic, self.shown = QToolButton(), QToolButton()
        self.one = QComboBox()
        """Which plot is shown where there is room for one."""
        self.one.setFixedHeight(self.logarithmic.sizeHint().height())
        self.one.hide()
        self.logarithmic.setObjectName("toggle")
        self.logarithmic.setCheckable(True)
        self.logarithmic.setChecked(self._settings.distributions_log)
        self.shown.setObjectName("toggle")
        self.menu = QMenu(self.shown)
        self.menu.aboutToShow.connect(self._fill_menu)
        self._legend = QLabel()
        self._legend.setFixedHeight(self.logarithmic.sizeHint().height())
        self._single = False
        reading.setFixedWidth(_READING)
        line, outer = FlowLayout(10), QVBoxLayout(self)
        outer.setContentsMargins(12, 8, 12, 4)
        outer.addLayout(line)
        for part in (self.one, self.part, self.bins, self.logarithmic, self.shown, self._legend, reading):
            line.addWidget(part)
        self.part.chosen.connect(self._choose_part)
        self.one.activated.connect(self.shown_changed)
        self.bins.chosen.connect(self._choose_bins)
        self.logarithmic.toggled.connect(self._choose_heights)
        self.shown.clicked.connect(self._open_menu)
        self._theme.changed.connect(self._say_legend)
        self.retranslate()

    def offer_rectangle(self, offered: bool) -> None:
        """Say that what is marked is counted; the whole tensor where nothing is."""
        self.part.buttons["rectangle"].setEnabled(offered)
        self.part.choose("rectangle" if offered else "whole")
        self._leave_out()

    def _leave_out(self) -> None:
        """Where there is little room, say of what it is only where that is not the whole tensor."""
        small = self.one.isVisibleTo(self)
        self.part.setVisible(not small or self.part.word == "rectangle")

    def show_one(self, one: bool) -> None:
        """Let the user choose the one plot that there is room for."""
        self.one.setVisible(one)
        self._leave_out()
        for part in (self.shown, self._legend):
            part.setVisible(not one)

    def show_sides(self, single: bool) -> None:
        """Say by which colour the sides are known; a run that is looked at alone has no golden."""
        self._single = single
        self._say_legend()

    @property
    def hidden(self) -> list[str]:
        """The plots that are not shown."""
        if self.one.isVisibleTo(self):
            return [name for name in self._plots if name != self.one.currentData()]
        return [name for name in self._settings.distributions_hidden if name in self._plots]

    def _choose_part(self, word: str) -> None:
        if word == "whole":
            self.whole_wanted.emit()

    def _choose_bins(self, word: str) -> None:
        self._settings.distributions_bins = word
        self.bins_changed.emit()

    def _choose_heights(self, logarithmic: bool) -> None:
        self._settings.distributions_log = logarithmic
        self.drawing_changed.emit()

    def _fill_menu(self) -> None:
        self.menu.clear()
        hidden = self.hidden
        for name, code in self._plots.items():
            entry = self.menu.addAction(text(code))
            entry.setCheckable(True)
            entry.setChecked(name not in hidden)
            last = name not in hidden and len(hidden) == len(self._plots) - 1
            entry.setEnabled(not last)
            entry.setData(name)
            entry.triggered.connect(self._toggle)

    def _toggle(self) -> None:
        hidden = {entry.data() for entry in self.menu.actions() if not entry.isChecked()}
        self._settings.distributions_hidden = sorted(hidden)
        self.shown_changed.emit()

    def _open_menu(self) -> None:
        self.menu.popup(self.shown.mapToGlobal(QPoint(0, self.shown.height())))

    def _say_legend(self) -> None:
        colours = self._theme.colours
        sides = [(colours.target, text("gui.run" if self._single else "gui.target"))]
        sides += [] if self._single else [(colours.golden, text("gui.golden"))]
        self._legend.setText(
            "&nbsp;&nbsp;&nbsp;".join(
                f'<span style="color:{colour}">■</span> {name}' for colour, name in sides
            )
        )

    def retranslate(self) -> None:
        self.part.say(
            text("gui.part.name"),
            (text("gui.part.whole"), text("gui.part.rectangle")),
            (text("gui.part.whole.help"), text("gui.part.rectangle.help")),
        )
        self.bins.say(
            text("gui.bins.name"),
            (text("gui.bins.linear"), text("gui.bins.symlog")),
            (text("gui.bins.linear.help"), text("gui.bins.symlog.help")),
        )
        chosen = max(self.one.currentIndex(), 0)
        self.one.clear()
        for name, code in self._plots.items():
            self.one.addItem(text(code), name)
        self.one.setCurrentIndex(chosen)
        self.one.setAccessibleName(text("gui.distributions.one"))
        self.one.setToolTip(text("gui.distributions.one"))
        self.logarithmic.setText(text("gui.bins.log_counts"))
        self.logarithmic.setToolTip(text("gui.bins.log_counts.help"))
        self.shown.setText(text("gui.distributions.shown"))
        self.shown.setToolTip(text("gui.distributions.shown.help"))
        self._say_legend()
