"""How the room of a table is shared: names get what the other columns leave."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QTableView

from gui.models.table.table_column import Face, TableColumn


@dataclass(frozen=True)
class ColumnFit:
    """Pixels that names are given, and which columns go where there would be less."""

    comfortable: int
    """Of names before columns go."""
    least: int
    """Of names before the last column of *go_first* goes, and in any case."""
    go_first: tuple[str, ...]
    """Columns that go, one after the other; the others stay."""
    ample: int
    """From which names have plenty."""
    wider: str
    """The column that gets what is left then, up to *most* beside its own."""
    most: int

    def share(self, table: QTableView, columns: Sequence[TableColumn], absent: Collection[str] = ()) -> None:
        """Share the room of *table* among its *columns*; those that are *absent* are not shown at all."""
        room = table.viewport().width()
        others = [column for column in columns if column.face is not Face.OPERATOR]
        shown = [column for column in others if column.key not in absent]
        for key in ("", *self.go_first):
            shown = [column for column in shown if column.key != key]
            taken = sum(column.width for column in shown)
            if room - taken >= (self.least if key == self.go_first[-2] else self.comfortable):
                break
        spare = min(max(room - taken - self.ample, 0), self.most)
        taken += spare
        for number, column in enumerate(columns):
            name = column.face is Face.OPERATOR
            width = column.width + (spare if column.key == self.wider else 0)
            table.setColumnHidden(number, not name and column not in shown)
            table.setColumnWidth(number, max(room - taken, self.least) if name else width)
