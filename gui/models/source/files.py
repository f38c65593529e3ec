"""The table of files that differ, those first on whose lines numbers depend."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.messages import text
from core.precheck.source.records import Change, DifferenceOptions, FileState, FileSummary
from gui import numbers
from gui.models.roles import Role
from gui.models.table.column_table import ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown

Files = list[FileSummary]
_WORDS = {
    FileState.EQUAL: "gui.sources.file.equal",
    FileState.DIFFERS: "gui.sources.file.differs",
    FileState.TARGET_ONLY: "gui.sources.file.target_only",
    FileState.GOLDEN_ONLY: "gui.sources.file.golden_only",
    FileState.NOT_COMPARED: "gui.sources.file.not_compared",
}


class FileColumn(TableColumn[Files, DifferenceOptions]):
    """A column of the table of files."""

    @property
    def title(self) -> str:
        return text(f"gui.sources.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.sources.column.{self.key}.help")


def _name(files: Files, _options: DifferenceOptions, row: int) -> str:
    file = files[row]
    return shown(f"{file.target} ← {file.golden}" if file.renamed else file.name)


def _state(files: Files, _options: DifferenceOptions, row: int) -> str:
    return text(_WORDS[files[row].state])


def _by_name(files: Files, options: DifferenceOptions) -> np.ndarray:
    names = [file.name for file in files]
    order = np.empty(len(names), np.int64)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return order


def _by_state(files: Files, _options: DifferenceOptions) -> np.ndarray:
    states = list(FileState)
    return np.array([states.index(file.state) for file in files], np.int64)


def _numeric(files: Files, _options: DifferenceOptions, row: int) -> int:
    return files[row].of(Change.NUMERIC)


def _target(files: Files, options: DifferenceOptions, row: int) -> int:
    return files[row].lines(options)[0]


def _golden(files: Files, options: DifferenceOptions, row: int) -> int:
    return files[row].lines(options)[1]


def _count(key: str, width: int, value: Any, sign: str = "") -> FileColumn:
    def sort(files: Files, options: DifferenceOptions) -> np.ndarray:
        return np.array([value(files, options, row) for row in range(len(files))], np.int64)

    def show(files: Files, options: DifferenceOptions, row: int) -> str:
        count = value(files, options, row)
        return sign + numbers.grouped(count) if count else ""

    def plain(files: Files, options: DifferenceOptions, row: int) -> str:
        return str(value(files, options, row))

    return FileColumn(key, Face.NUMBER, width, sort, show, plain, True)


FILE_COLUMNS: tuple[FileColumn, ...] = (
    FileColumn("file", Face.OPERATOR, 200, _by_name, _name, _name),
    _count("numeric", 88, _numeric),
    _count("target", 72, _target, "+"),
    _count("golden", 76, _golden, "−"),
    FileColumn("state", Face.DIM, 92, _by_state, _state, _state),
)
NUMERIC = 1
"""The column that files are sorted by at first."""


class FileTable(ColumnTable):
    """Files that differ in what counts."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(FILE_COLUMNS, (NUMERIC, True), parent)
        self._words = ""

    def set_files(self, files: Files, options: DifferenceOptions) -> None:
        """Show other files, or the same ones by other *options*; how they are sorted stays."""
        self.beginResetModel()
        self._set_source(len(files), files, options)
        self.endResetModel()

    def set_words(self, words: str) -> None:
        """Show only files whose names hold *words*."""
        self.beginResetModel()
        self._words = words.strip().lower()
        self._show()
        self.endResetModel()

    def file_at(self, row: int) -> FileSummary | None:
        """Return the file of a row of the source."""
        files = self._files
        return files[row] if 0 <= row < len(files) else None

    def row_of(self, file: FileSummary | None) -> int:
        """Return the row of *file* in the source, -1 for none."""
        return next((row for row, known in enumerate(self._files) if known is file), -1)

    @property
    def _files(self) -> Files:
        return self._source[0] if self._source is not None else []

    def _mask(self) -> np.ndarray | None:
        if not self._words:
            return None
        return np.array(
            [self._words in f"{file.target} {file.golden}".lower() for file in self._files], np.bool_
        )

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        file = self._files[row]
        if role == Role.FACE:
            return Face.NAME.value if column.face is Face.OPERATOR else column.face.value
        if role == Role.CHANGED:
            return column.key == "numeric" and bool(file.of(Change.NUMERIC))
        if role == Qt.ItemDataRole.ToolTipRole and column.key == "file":
            return shown("\n".join(path for path in (file.target_path, file.golden_path) if path))
        return None
