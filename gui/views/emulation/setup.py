"""What is to be replayed and how: the chip's profile, what of it is set otherwise, one cell or all."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.emulation.chips.profile import Profile, shipped_profiles
from core.errors import Problem
from core.messages import Message, text
from gui import numbers
from gui.context import Context
from gui.emulation import work as emulation_work
from gui.models.pair.suspects import cell_label
from gui.settings import Settings
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

OPTIONS = ("overflow", "float32_product", "float32_convolution")
"""Parameters of a profile that can be set here: what a training script itself may choose."""
_FORMATS = ("float16", "hf32", "float32")
_BASES = ("documented", "inferred", "assumed", "given")
_CHANNEL = "chip profile"
_WIDEST = 300


def _labelled(label: QLabel, field: QWidget) -> QWidget:
    """Return *field* under its *label*."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(3)
    label.setObjectName("dim")
    label.setBuddy(field)
    column.addWidget(label)
    column.addWidget(field)
    return box


class SetupPanel(Translated, QWidget):
    """Remembers what was chosen last; nothing runs before the button is pressed."""

    replay_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._settings = context.session, context.settings
        self._profiles = list(shipped_profiles())
        self._own: tuple[str, Profile] | None = None
        self._asked = ""
        self.profile, self.scope = QComboBox(), QComboBox()
        self.options = {name: QComboBox() for name in OPTIONS}
        self.own, self.replay = QPushButton(), QPushButton()
        self.replay.setObjectName("primary")
        self.known = wrapped_label("dim")
        self._labels = {name: QLabel() for name in ("profile", "scope", *OPTIONS)}
        self.profile.setMaximumWidth(_WIDEST)
        chip = QHBoxLayout()
        chip.setSpacing(8)
        chip.addWidget(self.profile, 1)
        chip.addWidget(self.own)
        chosen = QWidget()
        chip.setContentsMargins(0, 0, 0, 0)
        chosen.setLayout(chip)
        fields = QWidget()
        flow = FlowLayout(14)
        fields.setLayout(flow)
        self._boxes = {"profile": _labelled(self._labels["profile"], chosen)}
        self._labels["profile"].setBuddy(self.profile)
        for name in OPTIONS:
            self._boxes[name] = _labelled(self._labels[name], self.options[name])
        self._boxes["scope"] = _labelled(self._labels["scope"], self.scope)
        for box in self._boxes.values():
            flow.addWidget(box)
        below = QHBoxLayout()
        below.addWidget(self.replay)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(fields)
        column.addWidget(self.known)
        column.addLayout(below)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        session = self._session
        self.profile.activated.connect(self._choose_profile)
        self.scope.activated.connect(self._remember)
        for combo in self.options.values():
            combo.activated.connect(self._remember)
        self.own.clicked.connect(self._ask_for_own)
        self.replay.clicked.connect(self.replay_wanted)
        session.pictures.answered.connect(self._take_own)
        session.pictures.rejected.connect(self._refuse_own)
        session.opened.connect(self._load)
        session.cell_changed.connect(self._load)
        session.pictures.crashed.connect(self._break_at_own)
        if self._settings.emulation_profile not in [profile.name for profile in self._profiles]:
            self._read_own(self._settings.emulation_profile)

    # ---- what is chosen

    @property
    def chosen(self) -> Profile:
        """The profile that is chosen."""
        name = self._settings.emulation_profile
        if self._own is not None and name == self._own[0]:
            return self._own[1]
        by_name = {profile.name: profile for profile in self._profiles}
        return by_name.get(name) or by_name.get(Settings.emulation_profile) or self._profiles[0]

    def wanted(self) -> tuple[str, dict[str, str], bool]:
        """Return the profile's name or file, what of it is set otherwise, and whether all cells count."""
        own = self._own is not None and self.chosen is self._own[1]
        name = self._own[0] if self._own is not None and own else self.chosen.name
        return name, dict(self._settings.emulation_changed), self._settings.emulation_all_cells

    def _choose_profile(self) -> None:
        self._settings.emulation_profile = str(self.profile.currentData())
        self._settings.emulation_changed = {}
        self._load()

    def _remember(self) -> None:
        profile = self.chosen
        picked = {name: str(combo.currentData()) for name, combo in self.options.items()}
        self._settings.emulation_changed = {
            name: value for name, value in picked.items() if value != profile[name]
        }
        self._settings.emulation_all_cells = bool(self.scope.currentData())

    # ---- a profile of the user's own

    def _ask_for_own(self) -> None:
        kinds = text("gui.emulation.own.filter")
        folder = self._settings.last_folder
        chosen, _ = QFileDialog.getOpenFileName(self, text("gui.emulation.own"), folder, kinds)
        if chosen:
            self._read_own(chosen)

    def _read_own(self, path: str) -> None:
        """Read the file in a worker: it may be anything, anywhere."""
        self._asked = path
        self._session.pictures.request(_CHANNEL, emulation_work.read_profile, path)

    def _take_own(self, channel: str, profile: object) -> None:
        if channel != _CHANNEL or not isinstance(profile, Profile):
            return
        self._own = (self._asked, profile)
        if self._settings.emulation_profile != self._asked:
            self._settings.emulation_profile, self._settings.emulation_changed = self._asked, {}
        self._load()

    def _refuse_own(self, channel: str, problem: Problem) -> None:
        if channel == _CHANNEL:
            self._session.noticed.emit(problem, "")

    def _break_at_own(self, channel: str, traceback: str) -> None:
        if channel == _CHANNEL:
            self._session.noticed.emit(Message("gui.notice.crashed"), traceback)

    # ---- looks

    def _load(self) -> None:
        profile = self.chosen
        with QSignalBlocker(self.profile):
            self.profile.clear()
            for each in self._profiles:
                self.profile.addItem(each.title, each.name)
            if self._own is not None:
                self.profile.addItem(self._own[1].title, self._own[0])
            name = self.wanted()[0]
            self.profile.setCurrentIndex(max(self.profile.findData(name), 0))
        self.profile.setToolTip(", ".join(profile.chips))
        self._load_options(profile)
        self._load_scope()
        known = [(basis, sum(p.basis == basis for p in profile.parameters.values())) for basis in _BASES]
        words = [f"{count} {text(f'emulation.basis.{basis}')}" for basis, count in known if count]
        every = numbers.grouped(len(profile.parameters))
        self.known.setText(text("gui.emulation.known", all=every, known=", ".join(words)))
        self.replay.setEnabled(bool(self._session.result_path))

    def _load_options(self, profile: Profile) -> None:
        for name, combo in self.options.items():
            values = list(profile["overflow_modes"]) if name == "overflow" else list(_FORMATS)
            with QSignalBlocker(combo):
                combo.clear()
                for value in values:
                    words = text(f"gui.emulation.value.{value}") if name == "overflow" else value
                    usual = value == profile[name]
                    combo.addItem(text("gui.emulation.usual", value=words) if usual else words, value)
                wanted = self._settings.emulation_changed.get(name, profile[name])
                combo.setCurrentIndex(max(combo.findData(wanted), 0))
            self._boxes[name].setVisible(len(values) > 1)

    def _load_scope(self) -> None:
        info, cell = self._session.info, self._session.cell
        cells = info.cells if info is not None else ()
        here = f"  ({cell_label(cell.key)})" if cell is not None else ""
        with QSignalBlocker(self.scope):
            self.scope.clear()
            self.scope.addItem(text("gui.emulation.scope.cell") + here, False)
            count = len(cells)
            number = numbers.grouped(count)
            self.scope.addItem(text("gui.emulation.scope.all", count=count, number=number), True)
            self.scope.setCurrentIndex(int(self._settings.emulation_all_cells))
        self._boxes["scope"].setVisible(len(cells) > 1)

    def retranslate(self) -> None:
        self._labels["profile"].setText(text("gui.emulation.profile"))
        self._labels["scope"].setText(text("gui.emulation.scope"))
        for name in OPTIONS:
            self._labels[name].setText(text(f"emulation.parameter.{name}"))
        for name, combo in {"profile": self.profile, "scope": self.scope, **self.options}.items():
            combo.setAccessibleName(self._labels[name].text())
        self.own.setText(text("gui.emulation.own"))
        self.own.setToolTip(text("gui.emulation.own.help"))
        self.replay.setText(text("gui.emulation.replay"))
        self._load()
