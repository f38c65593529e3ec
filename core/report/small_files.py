"""Reports that fit into memory as a whole: one JSON document, or one csv table."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.report.cells import safe_text
from core.store.places import finished_file


def write_document(path: str | Path, document: Mapping[str, Any]) -> str:
    """Write *document* as JSON in ASCII, without NaN; return the path.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    with finished_file(Path(path)) as unfinished, unfinished.open("w", encoding="utf-8") as stream:
        json.dump(document, stream, ensure_ascii=True, allow_nan=False, indent=1)
    return str(path)


def write_rows(path: str | Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a csv that spreadsheets open as UTF-8 and take no formula from; return the path.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    with (
        finished_file(Path(path)) as unfinished,
        unfinished.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as stream,
    ):
        writer = csv.writer(stream)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([safe_text(cell) for cell in row])
    return str(path)
