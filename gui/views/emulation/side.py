"""The card beside the table: the call that is looked at, and the profile it was replayed under."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QStackedWidget

from core.messages import text
from gui.context import Context
from gui.models.emulation.calls import Replayed
from gui.views.emulation.call_panel import CallPanel
from gui.views.emulation.profile_panel import ProfilePanel
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.page_area import over_buttons
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons

_LEAST = 380


class SideCard(Translated, Card):
    """Two tabs."""

    show_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._state = context.session, context.session.emulation
        self.turn = TurnButtons(("gui.action.previous_outside", "gui.action.next_outside"))
        self.call, self.profile, self._none = CallPanel(context), ProfilePanel(context), EmptyNote()
        self.show_button, self.copy_button = QPushButton(), QPushButton()
        self.show_button.setObjectName("primary")
        self._calls = QStackedWidget()
        self._calls.addWidget(self.call)
        self._calls.addWidget(self._none)
        whole = over_buttons(self._calls, self.show_button, self.copy_button)
        self.tabs = StackTabs(whole, self.profile)
        self.tabs.fill(self)
        self.header.add(self.turn)
        self.setMinimumWidth(_LEAST)
        self.turn.turned.connect(self._state.turn)
        self.show_button.clicked.connect(self.show_wanted)
        self.copy_button.clicked.connect(self._copy)
        self._state.row_changed.connect(self._load)
        self.retranslate()

    def show_found(self, found: Replayed) -> None:
        """Show another emulation's profile and call."""
        self.profile.show_profile(found.title, found.parameters)
        self._load()

    def _load(self) -> None:
        found, call = self._state.found, self._state.call
        self._calls.setCurrentIndex(0 if call is not None else 1)
        for button in (self.show_button, self.copy_button):
            button.setEnabled(call is not None)
        if found is None or call is None:
            self.turn.set_place(0, 0)
            return
        self.call.show_call(call, found.title)
        info = self._session.info
        self.show_button.setEnabled(info is not None and call.cell in info.cells)
        rows = found.calls.outside.tolist()
        at = rows.index(self._state.row) if self._state.row in rows else -1
        self.turn.set_place(at, len(rows) if at >= 0 else 0)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.call.copied_text())

    def copied_text(self) -> str:
        """Return what the tab on show has to be copied."""
        return self.profile.copied_text() if self.tabs.currentIndex() else self.call.copied_text()

    def retranslate(self) -> None:
        for tab, code in enumerate(("gui.emulation.call", "gui.emulation.profile")):
            self.tabs.setTabText(tab, text(code))
        self.tabs.setAccessibleName(text("gui.emulation.side"))
        self.setAccessibleName(text("gui.emulation.side"))
        self.show_button.setText(text("gui.overflow.show"))
        self.show_button.setToolTip(text("gui.overflow.show.help"))
        self.copy_button.setText(text("gui.emulation.copy"))
        self.copy_button.setToolTip(text("gui.emulation.copy.help"))
        self._none.set_texts(text("gui.emulation.choose"))
