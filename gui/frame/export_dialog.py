"""What the page on show exports, and the question where to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from core.messages import text
from gui.context import Context
from gui.pages.bar import Page
from gui.pages.stack import PageStack

if TYPE_CHECKING:
    from gui.views.table.view import TableView

_CSV = "CSV (*.csv)"
_CSV_OR_JSON = f"{_CSV};;JSON (*.json)"
_PICTURES = f"PNG (*.png);;SVG (*.svg);;{_CSV_OR_JSON}"
_ENDINGS = ("png", "svg", "json")
_SHOWN = {"csv": "CSV", "tsv": "TSV", "md": "Markdown"}
"""What a table as it is on show may be written as, by its ending."""


def export_page(parent: QWidget, context: Context, pages: PageStack) -> None:
    """Ask where to, and write what the page shows: rows as csv, other answers as csv or json.

    Curves are written as a picture too, a pre-check as a report.
    """
    session = context.session
    if pages.page is Page.PRECHECK:
        from gui.views.precheck.export_dialog import PrecheckExportDialog

        PrecheckExportDialog(context, parent).open()
    elif pages.page is Page.OVERFLOW:
        chosen = _asked(parent, context, "gui.overflow.export", "ulpscope_overflow.csv", _CSV_OR_JSON)
        if chosen:
            session.overflow.export(chosen)
    elif pages.page is Page.CURVES and pages.curves is not None:
        chosen = _asked(parent, context, "gui.curves.export", "ulpscope_curves.png", _PICTURES)
        if chosen:
            pages.curves.export(chosen)
    elif pages.page is Page.EMULATION:
        chosen = _asked(parent, context, "gui.emulation.export", "ulpscope_emulation.csv", _CSV_OR_JSON)
        if chosen:
            session.emulation.export(chosen)
    elif pages.workspace is not None and session.cell is not None:
        _export_table(parent, context, pages.workspace.table)


def _export_table(parent: QWidget, context: Context, table: TableView) -> None:
    """Write the rows on show as the report, or the table as it is on show."""
    kinds = {text("gui.export.report"): ""}
    kinds |= {text("gui.export.shown", kind=kind, ending=ending): ending for ending, kind in _SHOWN.items()}
    suggestion = str(Path(context.settings.last_folder) / "ulpscope.csv")
    chosen, kind = QFileDialog.getSaveFileName(
        parent, text("gui.action.export"), suggestion, ";;".join(kinds)
    )
    if not chosen:
        return
    ending, wanted = Path(chosen).suffix.lower()[1:], kinds.get(kind, "")
    if not ending:
        chosen = f"{chosen}.{wanted or 'csv'}"
    if wanted or ending in ("tsv", "md"):  # such a report there is not
        keys = [table.model.columns[number].key for number in table.columns.visible()]
        context.session.export_shown(chosen, table.model.order, keys, table.shows_calls)
    else:
        context.session.export(chosen, table.model.rows_of_order())


def _asked(parent: QWidget, context: Context, title: str, name: str, kinds: str) -> str:
    """Return the path that the user wants, empty for none; its ending says what is written."""
    suggestion = str(Path(context.settings.last_folder) / name)
    chosen, kind = QFileDialog.getSaveFileName(parent, text(title), suggestion, kinds)
    if chosen and kinds != _CSV and not Path(chosen).suffix:
        chosen += next((f".{ending}" for ending in _ENDINGS if ending in kind), ".csv")
    return chosen
