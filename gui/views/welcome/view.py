"""What the window shows before anything is open: how to open it, what was open last, and the progress."""

from __future__ import annotations

from functools import partial
from importlib.resources import files

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from core.progress import Progress
from gui.context import Context
from gui.looks.icons import icon
from gui.paths import pair_label
from gui.widgets.page_area import page_area
from gui.widgets.path_field import PathField
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated

_RECENT_SHOWN = 5
_TALL = 560
"""Pixels of height from which there is room for a picture."""


class WelcomeView(Translated, QWidget):
    """Empty and loading state of the whole window."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("ground")
        self._session, self._theme, self._settings = context.session, context.theme, context.settings
        self._precheck = context.actions["page_precheck"]
        self._hero = QLabel()
        self._hero.setObjectName("hero")
        self._lead = QLabel()
        self._lead.setObjectName("lead")
        self._lead.setWordWrap(True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._open_panel())
        self._stack.addWidget(self._loading_panel())
        self._recent_title = QLabel()
        self._recent_title.setObjectName("strong")
        self._recent = QVBoxLayout()
        self._recent.setSpacing(2)
        self._recent_buttons: list[QToolButton] = []
        column = QWidget()
        column.setMaximumWidth(680)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(20, 20, 20, 20)
        layout.setSpacing(10)
        layout.addWidget(self._hero)
        layout.addWidget(self._lead)
        layout.addSpacing(14)
        layout.addWidget(self._stack)
        layout.addSpacing(14)
        layout.addWidget(self._recent_title)
        layout.addLayout(self._recent)
        page = QWidget()
        outer = QVBoxLayout(page)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addStretch(2)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(column, 8)
        row.addStretch(1)
        outer.addLayout(row)
        outer.addStretch(3)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(page_area(page))  # where it is low it scrolls, and nothing is cut
        self._session.busy_changed.connect(self._follow)
        self._session.progressed.connect(self._progress)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self._follow()

    def _open_panel(self) -> QWidget:
        panel = QFrame()
        panel.setObjectName("dropTarget")
        self._arrow = QLabel()
        self._arrow.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._invitation = QLabel()
        self._invitation.setObjectName("title")
        self._invitation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._details = QLabel()
        self._details.setObjectName("dim")
        self._details.setWordWrap(True)
        self._details.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.target = PathField(self._theme, "gui.target", "gui.welcome.target_hint")
        self.golden = PathField(self._theme, "gui.golden", "gui.welcome.golden_hint")
        for field in (self.target, self.golden):
            field.folder = self._settings.last_folder
            field.changed.connect(self._check)
            field.entered.connect(self._open)
        self.open_button = QPushButton()
        self.open_button.setObjectName("primary")
        self.open_button.setMinimumHeight(32)
        self.open_button.clicked.connect(self._open)
        buttons = QHBoxLayout()
        self.demo_button = QPushButton()
        self.demo_button.setMinimumHeight(32)
        self.demo_button.clicked.connect(self._open_demo)
        buttons.addWidget(self.demo_button)
        self.precheck_button = QPushButton()
        self.precheck_button.setMinimumHeight(32)
        self.precheck_button.clicked.connect(self._precheck.trigger)
        buttons.addWidget(self.precheck_button)
        buttons.addStretch(1)
        buttons.addWidget(self.open_button)
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(28, 26, 28, 24)
        layout.setSpacing(10)
        layout.addWidget(self._arrow)
        layout.addWidget(self._invitation)
        layout.addWidget(self._details)
        layout.addSpacing(10)
        layout.addWidget(self.target)
        layout.addWidget(self.golden)
        layout.addLayout(buttons)
        return panel

    def _loading_panel(self) -> QWidget:
        panel = QFrame()
        panel.setObjectName("card")
        self._loading_title = QLabel()
        self._loading_title.setObjectName("title")
        self._loading_names = QLabel()
        self._loading_names.setObjectName("dim")
        self._loading_names.setWordWrap(True)
        self.progress = ProgressStrip()
        self.progress.cancelled.connect(self._session.cancel)
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(28, 26, 28, 24)
        layout.setSpacing(10)
        layout.addWidget(self._loading_title)
        layout.addWidget(self._loading_names)
        layout.addSpacing(18)
        layout.addWidget(self.progress)
        layout.addStretch(1)
        return panel

    def _check(self) -> None:
        self.open_button.setEnabled(bool(self.target.path or self.golden.path))
        both = bool(self.target.path and self.golden.path)
        self.open_button.setText(text("gui.welcome.compare" if both else "gui.welcome.open"))

    def _open(self) -> None:
        target, golden = self.target.path, self.golden.path
        if target or golden:
            self._session.open_pair(target or golden, golden if target else "")

    def _open_demo(self) -> None:
        """Open the pair that comes with ulpscope, as ``ulpscope demo`` does."""
        folder = files("resources") / "demo"
        self._session.open_pair(str(folder / "target"), str(folder / "golden"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the arrow out where it is low."""
        super().resizeEvent(event)
        self._arrow.setVisible(self.height() >= _TALL)

    def _follow(self) -> None:
        busy = self._session.busy
        self._stack.setCurrentIndex(int(busy))
        if busy:
            self.progress.begin()
            self._show_names()
        self._show_recent()

    def _show_names(self) -> None:
        target, golden = self._session.opening
        self._loading_title.setText(text("gui.welcome.comparing" if golden else "gui.welcome.reading"))
        self._loading_names.setText("\n".join(path for path in (target, golden) if path))

    def _progress(self, progress: Progress) -> None:
        self.progress.show_progress(progress)

    def _show_recent(self) -> None:
        pairs = [] if self._session.busy else self._settings.recent[:_RECENT_SHOWN]
        self._recent_title.setVisible(bool(pairs))
        for button in self._recent_buttons:
            self._recent.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._recent_buttons = []
        for target, golden in pairs:
            button = QToolButton()
            button.setObjectName("pair")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(16, 16))
            button.setIcon(icon("folder" if golden else "result", self._theme.colours.dim))
            button.setText(pair_label(target, golden))
            button.setToolTip("\n".join(path for path in (target, golden) if path))
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(partial(self._session.open_pair, target, golden))
            self._recent.addWidget(button)
            self._recent_buttons.append(button)

    def _restyle(self) -> None:
        self._arrow.setPixmap(icon("drop", self._theme.colours.accent, 36).pixmap(36, 36))
        self._show_recent()

    def retranslate(self) -> None:
        self._hero.setText(text("gui.welcome.hero"))
        self._lead.setText(text("gui.welcome.lead"))
        self._invitation.setText(text("gui.welcome.drop"))
        self._details.setText(text("gui.welcome.details"))
        for field in (self.target, self.golden):
            field.setToolTip(text("gui.welcome.field_help"))
        self.demo_button.setText(text("gui.welcome.demo"))
        self.demo_button.setToolTip(text("gui.welcome.demo.help"))
        self.precheck_button.setText(text("gui.welcome.precheck"))
        self.precheck_button.setToolTip(text("gui.welcome.precheck.help"))
        self._recent_title.setText(text("gui.welcome.recent"))
        self._check()
        self._show_names()
