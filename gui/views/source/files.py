"""The card with the files that differ."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QStackedWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.models.source.files import FILE_COLUMNS, FileTable
from gui.source.state import SourceState
from gui.widgets.card import Card
from gui.widgets.column_fit import ColumnFit
from gui.widgets.empty_note import EmptyNote
from gui.widgets.filter_field import FilterField
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_FIT = ColumnFit(
    comfortable=180, least=120, go_first=("state", "golden", "target", "numeric"), ample=320, wider="state",
    most=0,
)  # fmt: skip


class FilesCard(Translated, Card):
    """Selecting a row looks at its file; Enter goes into it."""

    entered_on = Signal()

    def __init__(self, context: Context, state: SourceState) -> None:
        super().__init__()
        self._session, self._state = context.session, state
        self.model = FileTable(self)
        self.table = RowTable(context.theme, self.model)
        self.field = FilterField(150)
        self.header.add(self.field)
        self._none = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._none)
        self.body.addWidget(self._stack)
        self.table.row_chosen.connect(self._choose)
        self.table.entered_on.connect(self.entered_on)
        self.table.resized.connect(self.fit)
        self.field.textChanged.connect(self._search)
        state.changed.connect(self._load)
        state.options_changed.connect(self._load)
        state.file_changed.connect(self._follow)
        self.retranslate()

    def _load(self) -> None:
        if self._state.tree is None:
            with QSignalBlocker(self.field):
                self.field.clear()
            self.model.set_words("")
        self.model.set_files(self._state.differing, self._state.options)
        self._heading()
        self.fit()
        self._follow()

    def _search(self, words: str) -> None:
        self.model.set_words(words)
        self._heading()
        self._follow()

    def _choose(self, row: int) -> None:
        self._state.choose(self.model.file_at(row))

    def _follow(self) -> None:
        self.table.follow(self.model.row_of(self._state.file))

    def turn(self, forward: bool) -> bool:
        """Look at the next file in the order of the table, or the one before; False where there is none."""
        at = self.model.view_row(self.model.row_of(self._state.file)) + (1 if forward else -1)
        if not 0 <= at < self.model.rowCount():
            return False
        self._state.choose(self.model.file_at(int(self.model.order[at])))
        return True

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings."""
        return copied_rows(self._session, self.model, self.table.selected_rows())

    def fit(self) -> None:
        """Give the names what the other columns leave."""
        _FIT.share(self.table, FILE_COLUMNS)

    def _heading(self) -> None:
        count, total = self.model.rowCount(), len(self._state.differing)
        code = "gui.sources.files.some" if count != total else "gui.sources.files.all"
        self.set_title(
            text("gui.sources.files"), text(code, shown=numbers.grouped(count), total=numbers.grouped(total))
        )
        self._stack.setCurrentIndex(0 if count else 1)
        self._none.set_texts(text("gui.sources.none_passes" if total else "gui.sources.no_files"))

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.sources.files"))
        self.field.setPlaceholderText(text("gui.sources.filter"))
        self.field.setAccessibleName(text("gui.sources.filter"))
        self.model.retranslate()
        self._heading()
