"""The report of a pre-check as xlsx, html, Markdown or JSON, in any language, with a block to sign."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.records.precheck import PrecheckReport, Signature
from core.report.precheck.document import as_document
from core.report.precheck.markdown import as_markdown
from core.report.precheck.page import as_page
from core.report.precheck.sheet import Sheet
from core.report.precheck.workbook import write_workbook
from core.report.small_files import write_document
from core.store.places import finished_file

SUFFIXES = (".xlsx", ".html", ".md", ".json")
"""What a report can be written as, by the name's ending."""


def write_precheck(
    path: str, report: PrecheckReport, signature: Signature | None = None, language: str | None = None
) -> str:
    """Write *report* to *path*, whose ending says as what; return the path.

    Parameters
    ----------
    signature
        Who stands for it; the block of the signature is empty without.
    language
        Of all words; by default the one in force.

    Raises
    ------
    InputError
        ``no_xlsxwriter`` for an xlsx without the package XlsxWriter.
    OSError
        If it cannot be written; nothing half-written stays.
    """
    sheet = Sheet(report, signature, language) if language else Sheet(report, signature)
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        return write_document(path, as_document(sheet))
    with finished_file(Path(path)) as unfinished:
        if suffix == ".xlsx":
            write_workbook(unfinished, sheet)
        else:
            _write(unfinished, as_markdown(sheet) if suffix == ".md" else as_page(sheet))
    return path


def _write(place: Path, parts: Iterable[str]) -> None:
    with place.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        for part in parts:
            stream.write(part)
