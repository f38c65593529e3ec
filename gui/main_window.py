"""The window: what stands where, and which command does what."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from core.messages import current_language, set_language
from gui.comparison.remarks import RemarkCommands
from gui.context import Context
from gui.frame.actions import Actions
from gui.frame.drop import DropOverlay
from gui.frame.enabling import enable_actions
from gui.frame.go_commands import GoCommands
from gui.frame.open_commands import OpenCommands
from gui.frame.status_line import StatusLine
from gui.frame.top_bar import TopBar
from gui.frame.warming import Warming
from gui.looks.theme import MODES, Theme
from gui.pages.bar import Page, PageBar
from gui.pages.detail_window import DetailWindows
from gui.pages.stack import PageStack
from gui.paths import short_names
from gui.processes.memory import give_back
from gui.session import Session
from gui.settings import Settings, SettingsFile, decode_state, encode_state
from gui.widgets.notice_bar import NoticeBar
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from gui.frame.command_palette import CommandPalette
    from gui.pages.workspace import Workspace
    from gui.views.welcome.view import WelcomeView

_FIRST_SIZE = (1440, 900)
_LET_GO = 1500
"""Milliseconds after another pair is open until all views have let the one before go."""


class MainWindow(Translated, QMainWindow):
    """Top bar, notice, work area or welcome, status."""

    def __init__(self, theme: Theme, settings: Settings, keeper: SettingsFile) -> None:
        super().__init__()
        self._keeper, self._settings = keeper, settings
        self.session = Session(self, settings)
        self.session.filter.text = settings.filter_text
        self.session.filter_pair = (settings.filter_target, settings.filter_golden)
        self.actions_registry = Actions(self)
        self.context = Context(self.session, theme, settings, self.actions_registry)
        self.top = TopBar(self.context)
        self.page_bar = PageBar(self.context)
        self.pages = PageStack(self.context, self.page_bar)
        self.open_commands = OpenCommands(self.context, self.pages, self)
        self._go_commands = GoCommands(self.context, self.pages, self.top, self)
        self._focus_table_soon = self._restored = False
        self._area = QWidget()
        self._area.setObjectName("ground")
        inner = QVBoxLayout(self._area)
        inner.setContentsMargins(10, 10, 10, 10)
        inner.setSpacing(10)
        inner.addWidget(self.pages, 1)
        self.notice = NoticeBar(theme, self._area)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addWidget(self.page_bar)
        below.addWidget(self._area, 1)
        column.addLayout(below, 1)
        self.setCentralWidget(middle)
        self.status = StatusLine(self.context)
        self.setStatusBar(self.status)
        self.overlay = DropOverlay(self, self.context)
        self.remarks = RemarkCommands(self.context, self)
        self._connect()
        self.setMinimumSize(860, 560)
        self._restore_geometry()
        self.retranslate()
        # after the first paint, so that the window is there before plots are imported
        self._warming = Warming(self.pages.steps(), self)

    def _connect(self) -> None:
        session = self.session
        commands: tuple[tuple[str, Callable[[], object]], ...]
        session.opened.connect(self._opened)
        session.cell_changed.connect(self._cell_changed)
        session.busy_changed.connect(self._enable)
        session.history.changed.connect(self._enable)
        session.focus.row_changed.connect(self._enable)
        session.noticed.connect(self.notice.say)
        session.succeeded.connect(self._say_good)
        session.progressed.connect(self._enable)
        self.status.problems_wanted.connect(self._go_commands.toggle_problems)
        self.top.menu_wanted.connect(self._popup_menu)
        self.pages.switched.connect(self._switched)
        self.pages.export_wanted.connect(self.open_commands.export)
        session.arrivals.logs_found.connect(self._cell_changed)
        session.curves.changed.connect(self._cell_changed)
        session.curves.runs_changed.connect(self._cell_changed)
        session.curves.exports.changed.connect(self._enable)
        session.overflow.changed.connect(self._enable)
        session.overflow.exports.changed.connect(self._enable)
        session.emulation.exports.changed.connect(self._enable)
        session.emulation.changed.connect(self._enable)
        session.precheck.changed.connect(self._enable)
        session.precheck.evidence_changed.connect(self._enable)
        session.precheck.wanted_changed.connect(self._enable)
        session.precheck.exports.changed.connect(self._enable)
        commands = (
            ("close", self.close), ("reset_layout", self._reset_layout),
            ("shortcuts", self._show_shortcuts), ("palette", self._show_palette),
            *((f"theme_{mode}", partial(self._choose_theme, mode)) for mode in MODES),
            ("language_en", partial(self._choose_language, "en")),
            ("language_zh_CN", partial(self._choose_language, "zh_CN")),
        )  # fmt: skip
        for name, callback in commands:
            self.actions_registry.connect_to(name, callback)
        self._enable()
        self.details = DetailWindows(self.context)

    # ---- pages

    @property
    def workspace(self) -> Workspace | None:
        """The compare page, ``None`` before it is made."""
        return self.pages.workspace

    @property
    def welcome(self) -> WelcomeView:
        """What stands there while nothing is open."""
        return self.pages.welcome

    def _switched(self) -> None:
        self.top.set_page(self.pages.page or Page.COMPARE, self.pages.tab)
        self._name_window()
        self._enable()

    def _opened(self) -> None:
        workspace = self.pages.ensure_workspace()
        self.notice.dismiss()
        session = self.session
        if session.opening != self.open_commands.stays_for:
            self.pages.show_compare()
        self.open_commands.stays_for = None
        if not self._restored:
            self._restored = self._focus_table_soon = True
            workspace.restore(self.width(), self.height())
        self._settings.remember_pair(*session.opening)
        self._settings.last_folder = str(Path(session.opening[0]).parent)
        QTimer.singleShot(0, self, partial(self._keeper.save, self._settings))  # the disk may take its time
        QTimer.singleShot(_LET_GO, self, give_back)
        self._list_recent()

    def _name_window(self) -> None:
        session = self.session
        paths = (session.target_path, session.golden_path)
        if not session.target_path:
            curves = self.pages.curves
            paths = (curves.paths if curves is not None else None) or (session.arrivals.log, "")
        names = [name for name in short_names(*paths) if name not in ("", ".")]
        self.setWindowTitle(f"{'  ⇄  '.join(names)} — ulpscope" if names else "ulpscope")

    def _cell_changed(self) -> None:
        self._name_window()
        if self._focus_table_soon and self.workspace is not None:
            self._focus_table_soon = False
            QTimer.singleShot(0, self.workspace.table.table, self.workspace.table.table.setFocus)
        self._enable()

    def _enable(self, *_: object) -> None:
        enable_actions(self.actions_registry, self.session, self.pages, self.page_bar.available())

    # ---- commands

    def _reset_layout(self) -> None:
        if self.workspace is not None:
            self.workspace.arrange(self.width(), self.height())
            self.workspace.table.columns.reset()
        self._settings.forget_sizes()
        for page in (self.pages.precheck, self.pages.overflow, self.pages.emulation, self.pages.curves):
            if page is not None:
                page.arrange_anew()

    def _show_shortcuts(self) -> None:
        from gui.frame.shortcuts import ShortcutList

        ShortcutList(self.actions_registry, self).show()

    def _say_good(self, message: object) -> None:
        self.notice.say(message, good=True)  # type: ignore[arg-type]

    # ---- menus, theme, language

    def _docks(self) -> list[QAction]:
        return self.workspace.dock_actions() if self.workspace is not None and self.session.cell else []

    @cached_property
    def palette_view(self) -> CommandPalette:
        """All commands, made when they are first asked for."""
        from gui.frame.command_palette import CommandPalette

        return CommandPalette(self, self.context.theme)

    def _show_palette(self) -> None:
        self.palette_view.open(self.actions_registry.entries(self._docks()))

    def _list_recent(self) -> None:
        """List the recent pairs anew, also in a palette that is open: their actions before are gone."""
        self.open_commands.fill_recent()
        if "palette_view" in vars(self):
            self.palette_view.renew(self.actions_registry.entries(self._docks()))

    def _popup_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        self.actions_registry.fill_menus(menu.addMenu, self._docks())
        menu.exec(where)
        menu.deleteLater()

    def _choose_theme(self, mode: str) -> None:
        self._settings.theme = mode
        self.context.theme.set_mode(mode)
        self._check_choices()

    def _choose_language(self, language: str) -> None:
        self._settings.language = language
        set_language(language)
        QApplication.sendEvent(self, QEvent(QEvent.Type.LanguageChange))

    def _check_choices(self) -> None:
        self.actions_registry[f"theme_{self._settings.theme}"].setChecked(True)
        self.actions_registry[f"language_{current_language()}"].setChecked(True)

    def retranslate(self) -> None:
        self.actions_registry.retranslate()
        self._list_recent()
        self._check_choices()
        self._cell_changed()
        self.details.retranslate()

    # ---- coming and going

    def _restore_geometry(self) -> None:
        screen = self.screen().availableGeometry()
        self.resize(min(_FIRST_SIZE[0], screen.width()), min(_FIRST_SIZE[1], screen.height()))
        if self._settings.geometry:
            self.restoreGeometry(decode_state(self._settings.geometry))

    def start(self, paths: list[str]) -> None:
        """Show the window, then open *paths*."""
        self.show()
        self.welcome.target.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._warming.start()
        if paths:
            self.session.open_paths(paths) if len(paths) != 2 else self.session.open_pair(*paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._warming.stop()
        self._settings.geometry = encode_state(self.saveGeometry())
        self._settings.filter_text = self.session.filter.text
        self._settings.filter_target, self._settings.filter_golden = self.session.filter_pair
        if self.workspace is not None and self.session.cell is not None:
            self.workspace.remember()
        self._keeper.save(self._settings)
        self.details.close_all()
        self.session.close()
        super().closeEvent(event)
