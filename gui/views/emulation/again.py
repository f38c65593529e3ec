"""Under which profile a call is replayed by itself, and the button that replays it again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from core.emulation.chips.profile import shipped_profiles
from core.messages import text
from gui.context import Context
from gui.models.emulation.words import parameter_name
from gui.widgets.translated import Translated

_LEAST = 70
"""Pixels of the profile's name, however narrow the place is; the tool tip has all of it."""


class ReplayAgain(Translated, QWidget):
    """Follows what is chosen on the page until another profile is chosen here."""

    wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._settings = context.settings
        self._page = self._own = ""
        self.profile, self.button = QComboBox(), QPushButton()
        self.profile.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.profile.setMinimumWidth(_LEAST)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.profile, 1)
        row.addWidget(self.button)
        self.profile.activated.connect(self._choose)
        self.button.clicked.connect(self.wanted)
        self.retranslate()

    @property
    def chosen(self) -> tuple[str, dict[str, str]]:
        """The profile's name or file, and what of it is set otherwise on the page."""
        name = str(self.profile.currentData())
        page = name == self._settings.emulation_profile
        return name, dict(self._settings.emulation_changed) if page else {}

    def _choose(self) -> None:
        self._own = str(self.profile.currentData())
        self._tell()

    def load(self, possible: bool) -> None:
        """Show what is chosen now; *possible* says whether there is something to replay from."""
        page = self._settings.emulation_profile
        if page != self._page:
            self._page, self._own = page, ""
        titles = {profile.name: profile.title for profile in shipped_profiles()}
        titles.setdefault(page, Path(page).stem)  # a file of the user's own
        with QSignalBlocker(self.profile):
            self.profile.clear()
            for name, title in titles.items():
                self.profile.addItem(title, name)
            self.profile.setCurrentIndex(max(self.profile.findData(self._own or page), 0))
        self.button.setEnabled(possible)
        self._tell()

    def _tell(self) -> None:
        _, changed = self.chosen
        otherwise = [f"{parameter_name(key)}: {value}" for key, value in changed.items()]
        self.profile.setToolTip("\n".join([self.profile.currentText(), *otherwise]))

    def retranslate(self) -> None:
        self.profile.setAccessibleName(text("gui.emulation.profile"))
        self.button.setText(text("gui.emulation.replay_again"))
        self.button.setToolTip(text("gui.emulation.replay_again.help"))
