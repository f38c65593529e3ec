"""The window: what stands where, and which command does what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from core.messages import current_language, set_language, text
from gui.actions import Actions
from gui.command_palette import CommandPalette
from gui.context import Context
from gui.copied import copied_from
from gui.detail_window import DetailWindows
from gui.drop import DropOverlay
from gui.enabling import enable_actions
from gui.export_dialog import export_page
from gui.page_stack import PageStack
from gui.pages import CurvesTab, OverflowTab, Page, PageBar
from gui.paths import pair_label, short_names
from gui.remarks import RemarkCommands
from gui.session import Session
from gui.settings import Settings, SettingsFile, decode_state, encode_state
from gui.shortcuts import ShortcutList
from gui.status_line import StatusLine
from gui.theme import MODES, Theme
from gui.top_bar import TopBar
from gui.warming import Warming
from gui.widgets.notice_bar import NoticeBar
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from gui.views.welcome.view import WelcomeView
    from gui.workspace import Workspace

_FIRST_SIZE = (1440, 900)


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
        self.notice = NoticeBar(theme)
        self.page_bar = PageBar(self.context)
        self.pages = PageStack(self.context, self.page_bar)
        self._focus_table_soon = self._restored = False
        self._stay_for: tuple[str, str] | None = None
        """The pair that is read again: it leaves the page on show."""
        self._area = QWidget()
        self._area.setObjectName("ground")
        inner = QVBoxLayout(self._area)
        inner.setContentsMargins(10, 10, 10, 10)
        inner.setSpacing(10)
        inner.addWidget(self.notice)
        inner.addWidget(self.pages, 1)
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
        self.palette_view = CommandPalette(self, theme)
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
        self.status.problems_wanted.connect(self._toggle_problems)
        self.top.menu_wanted.connect(self._popup_menu)
        self.pages.switched.connect(self._switched)
        self.pages.export_wanted.connect(self.export)
        session.arrivals.logs_found.connect(self._cell_changed)
        session.curves.changed.connect(self._cell_changed)
        session.curves.runs_changed.connect(self._cell_changed)
        session.curves.exports.changed.connect(self._enable)
        session.overflow.changed.connect(self._enable)
        session.overflow.exports.changed.connect(self._enable)
        session.emulation.exports.changed.connect(self._enable)
        session.emulation.changed.connect(self._enable)
        commands = (
            ("open_target", partial(self._open_side, False)), ("open_golden", partial(self._open_side, True)),
            ("open_file", self._open_file), ("swap", self._swap), ("rerun", self._rerun),
            ("cancel", self._cancel), ("export", self.export), ("close", self.close), ("copy", self.copy),
            ("find", self._find), ("clear_filter", self._clear_filter),
            ("pair", self._pair),
            ("next_suspect", partial(self._step, True)), ("previous_suspect", partial(self._step, False)),
            ("next_birth", partial(self._step_birth, True)),
            ("previous_birth", partial(self._step_birth, False)),
            ("next_outside", partial(session.emulation.turn, True)),
            ("previous_outside", partial(session.emulation.turn, False)),
            ("page_compare", self.pages.show_compare), ("page_overflow", self.pages.show_overflow),
            ("page_emulation", self.pages.show_emulation), ("page_curves", self.pages.show_curves),
            ("next_finding", partial(self._step_finding, True)),
            ("previous_finding", partial(self._step_finding, False)),
            *((f"tab_{tab.value}", partial(self.pages.show_curves_tab, tab)) for tab in CurvesTab),
            *((f"tab_{tab.value}", partial(self.pages.show_tab, tab)) for tab in OverflowTab),
            ("back", partial(session.history.go, False)), ("forward", partial(session.history.go, True)),
            ("next", partial(session.step, True)), ("previous", partial(session.step, False)),
            ("focus_tree", partial(self._focus, "operators")),
            ("focus_plot", partial(self._focus, "trajectory")),
            ("focus_table", partial(self._focus, "table")), ("focus_detail", partial(self._focus, "detail")),
            ("focus_diagnosis", self._focus_diagnosis), ("cells", self._toggle_cells),
            ("reset_layout", self._reset_layout), ("shortcuts", self._show_shortcuts),
            ("palette", self._show_palette),
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
        if session.opening != self._stay_for:
            self.pages.show_compare()
        self._stay_for = None
        if not self._restored:
            self._restored = self._focus_table_soon = True
            workspace.restore(self.width(), self.height())
        self._settings.remember_pair(*session.opening)
        self._settings.last_folder = str(Path(session.opening[0]).parent)
        self._keeper.save(self._settings)
        self._fill_recent()

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

    def _open_side(self, golden: bool) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self, text("gui.open.golden" if golden else "gui.open.target"), self._settings.last_folder
        )
        if chosen:
            self.session.open_side(chosen, as_golden=golden)

    def _open_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(
            self, text("gui.open.file"), self._settings.last_folder, text("gui.open.filter")
        )
        if chosen:
            self.session.open_pair(chosen, "")

    def export(self) -> None:
        """Ask where to, and write what the page shows."""
        export_page(self, self.context, self.pages)

    def _rerun(self) -> None:
        """Read the log on show again, else all of the pair; the page stays, as it is the same one."""
        page = self.pages.overflow
        if page is not None and self.pages.page is Page.OVERFLOW and page.log:
            page.read_log_again()
            return
        if self.pages.curves is not None and self.pages.page is Page.CURVES:
            self.pages.curves.again()
            return
        self._stay_for = self.session.opening
        self.session.rerun()

    def _swap(self) -> None:
        """Exchange target and golden of the curves on show, else of the pair that is open."""
        if self.pages.curves is not None and self.pages.page is Page.CURVES:
            self.pages.curves.swap()
        else:
            self.session.swap()

    def _cancel(self) -> None:
        """Stop what is being opened or written, and what is worked out for the tab on show."""
        self.session.cancel()
        self.session.overflow.exports.cancel()
        self.session.emulation.exports.cancel()
        if self.pages.working_page is not None:
            self.pages.working_page.cancel()

    def copy(self) -> None:
        """Copy from the view that has the focus, else the table's selected rows."""
        fallback = self.workspace.table if self.workspace is not None else None
        copied = copied_from(QApplication.focusWidget(), fallback)
        if copied:
            QGuiApplication.clipboard().setText(copied)

    def _step(self, forward: bool) -> None:
        """Go to the next suspect, or row that differs when nothing is held responsible."""
        suspects = self.session.suspects
        if suspects.open:
            suspects.step(forward)
        else:
            self.session.step(forward)

    def _step_finding(self, forward: bool) -> None:
        if self.pages.curves is not None:
            self.pages.curves.turn(forward)

    def _step_birth(self, forward: bool) -> None:
        """Go to the next birth; from another tab, back to the one that was looked at."""
        if not self.pages.back_to_births():
            self.session.overflow.choice.turn(forward)

    def _find(self) -> None:
        self.pages.show_compare()
        self.top.search.setFocus()
        self.top.search.selectAll()

    def _clear_filter(self) -> None:
        self.session.set_filter(text="", categories=frozenset(), node=-1)

    def _focus(self, name: str) -> None:
        self.pages.show_compare()
        if self.workspace is None:
            return
        targets: dict[str, QWidget] = {
            "operators": self.workspace.operators.tree, "trajectory": self.workspace.trajectory,
            "table": self.workspace.table.table, "detail": self.workspace.detail.tabs,
        }  # fmt: skip
        targets[name].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _toggle_cells(self) -> None:
        self.pages.show_compare()
        if self.workspace is not None:
            self.workspace.toggle_cells()

    def _focus_diagnosis(self) -> None:
        self.pages.show_compare()
        if self.workspace is not None:
            self.workspace.unfold(focus=True)

    def _pair(self) -> None:
        from gui.views.pairing.dialog import PairingDialog

        PairingDialog(self.context, self).open()

    def _toggle_problems(self) -> None:
        if self.session.cell is not None:
            self.pages.show_compare()
            self.pages.ensure_workspace().toggle_problems()

    def _reset_layout(self) -> None:
        if self.workspace is not None:
            self.workspace.arrange(self.width(), self.height())
            self.workspace.table.columns.reset()
        self._settings.forget_sizes()
        for page in (self.pages.overflow, self.pages.emulation, self.pages.curves):
            if page is not None:
                page.arrange_anew()

    def _show_shortcuts(self) -> None:
        ShortcutList(self.actions_registry, self).show()

    def _say_good(self, message: object) -> None:
        self.notice.say(message, good=True)  # type: ignore[arg-type]

    # ---- menus, theme, language

    def _docks(self) -> list[QAction]:
        return self.workspace.dock_actions() if self.workspace is not None and self.session.cell else []

    def _show_palette(self) -> None:
        self.palette_view.open(self.actions_registry.entries(self._docks()))

    def _popup_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        self.actions_registry.fill_menus(menu.addMenu, self._docks())
        menu.exec(where)
        menu.deleteLater()

    def _fill_recent(self) -> None:
        menu = self.actions_registry.recent
        menu.clear()
        for target, golden in self._settings.recent:
            action = menu.addAction(pair_label(target, golden))
            action.triggered.connect(partial(self.session.open_pair, target, golden))
        self.actions_registry["recent"].setEnabled(bool(self._settings.recent))

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
        self._fill_recent()
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
