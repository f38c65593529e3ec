"""Commands that open, exchange, read again, stop, copy and write."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.messages import text
from gui.context import Context
from gui.copied import copied_from
from gui.frame.export_dialog import export_page
from gui.pages.bar import Page
from gui.pages.stack import PageStack
from gui.paths import pair_label

_TABLES = "JSON (*.json)"


class OpenCommands(QObject):
    """Each is for the page on show, where that has something of its own to be opened or read again."""

    def __init__(self, context: Context, pages: PageStack, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._pages, self._window = context, pages, window
        self._session, self._settings = context.session, context.settings
        self.stays_for: tuple[str, str] | None = None
        """The pair that is read again: it leaves the page on show."""
        for name, callback in (
            ("open_target", partial(self._open_side, False)), ("open_golden", partial(self._open_side, True)),
            ("open_file", self._open_file), ("swap", self._swap), ("rerun", self._rerun),
            ("cancel", self._cancel), ("export", self.export), ("copy", self._copy),
            ("add_target_evidence", partial(self._add_evidence, False)),
            ("add_golden_evidence", partial(self._add_evidence, True)),
            ("open_table", self._open_table), ("save_table", self._save_table),
        ):  # fmt: skip
            context.actions.connect_to(name, callback)

    def _open_side(self, golden: bool) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self._window,
            text("gui.open.golden" if golden else "gui.open.target"),
            self._settings.last_folder,
        )
        if chosen:
            self._session.open_side(chosen, as_golden=golden)

    def _open_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(
            self._window, text("gui.open.file"), self._settings.last_folder, text("gui.open.filter")
        )
        if chosen:
            self._session.open_pair(chosen, "")

    def _add_evidence(self, golden: bool) -> None:
        self._pages.show_precheck()
        self._pages.ensure_precheck().ask_for_evidence(golden)

    def _open_table(self) -> None:
        """Go on with a pre-check that was saved."""
        chosen, _ = QFileDialog.getOpenFileName(
            self._window, text("gui.action.open_table"), self._settings.last_folder, _TABLES
        )
        if chosen:
            self._pages.show_precheck()
            self._session.precheck.tables.open(chosen)

    def _save_table(self) -> None:
        suggestion = str(Path(self._settings.last_folder) / "precheck_table.json")
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, text("gui.action.save_table"), suggestion, _TABLES
        )
        if chosen:
            self._session.precheck.save_table(chosen if Path(chosen).suffix else f"{chosen}.json")

    def fill_recent(self) -> None:
        """List the recent pairs in their menu."""
        actions = self._context.actions
        actions.recent.clear()
        for target, golden in self._settings.recent:
            action = actions.recent.addAction(pair_label(target, golden))
            action.triggered.connect(partial(self._session.open_pair, target, golden))
        actions["recent"].setEnabled(bool(self._settings.recent))

    def export(self) -> None:
        """Ask where to, and write what the page shows."""
        export_page(self._window, self._context, self._pages)

    def _rerun(self) -> None:
        """Read the log on show again, else all of the pair; the page stays, as it is the same one."""
        overflow, curves = self._pages.overflow, self._pages.curves
        if overflow is not None and self._pages.page is Page.OVERFLOW and overflow.log:
            overflow.read_log_again()
        elif curves is not None and self._pages.page is Page.CURVES:
            curves.again()
        elif self._pages.page is Page.PRECHECK:
            self._session.precheck.again()
        else:
            self.stays_for = self._session.opening
            self._session.rerun()

    def _swap(self) -> None:
        """Exchange target and golden of the curves on show, else of the pair that is open."""
        if self._pages.curves is not None and self._pages.page is Page.CURVES:
            self._pages.curves.swap()
        else:
            self._session.swap()

    def _cancel(self) -> None:
        """Stop what is being opened or written, and what is worked out for the tab on show."""
        self._session.cancel()
        self._session.overflow.exports.cancel()
        self._session.emulation.exports.cancel()
        self._session.precheck.exports.cancel()
        if self._pages.working_page is not None:
            self._pages.working_page.cancel()

    def _copy(self) -> None:
        """Copy from the view that has the focus, else the table's selected rows."""
        workspace = self._pages.workspace
        copied = copied_from(QApplication.focusWidget(), workspace.table if workspace is not None else None)
        if copied:
            QGuiApplication.clipboard().setText(copied)
