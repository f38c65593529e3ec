"""The list of births, earliest first."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QToolButton, QTreeView

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.overflow.births import BirthColumn, BirthTree
from gui.models.pair.suspects import cell_label
from gui.views.overflow.birth_delegate import BirthDelegate
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.translated import Translated

_MEASURED = 60
"""Rows that are looked at for how wide a column should be."""
_LEAST_NAME = 230
"""Pixels that a name is given at least, before other columns go."""
_OF_OUR_OWN = (BirthColumn.KIND, BirthColumn.MARKS)
"""Columns that the answer of the official analyser does not fill."""
_GO_FIRST = (BirthColumn.SLOT, BirthColumn.MARKS, BirthColumn.VALUES)
"""Columns that go, one after the other, where there is no room for all."""


class _Tree(QTreeView):
    """Says when Enter is pressed, whatever the platform makes of that."""

    entered_on = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
            return
        super().keyPressEvent(event)


class BirthsView(Translated, Card):
    """The card with the list; selecting looks at a birth, Enter shows it in the comparison."""

    show_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._overflow = context.theme, context.session.overflow
        self._choice = context.session.overflow.choice
        self._following = False
        self.model = BirthTree(self)
        self.tree = _Tree()
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(BirthDelegate(context.theme, self.tree, self.model))
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(0)
        self.tree.setUniformRowHeights(True)
        self.tree.setExpandsOnDoubleClick(False)
        self.tree.setMouseTracking(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(30)
        header.setResizeContentsPrecision(_MEASURED)
        header.setFixedHeight(29)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._note)
        self._scope, self._export = QToolButton(), QToolButton()
        for button in (self._scope, self._export):
            button.setObjectName("link")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self.header.add(button)
        self.body.addWidget(self._stack)
        self._connect()
        self._restyle()
        self.retranslate()
        self._load()

    def _connect(self) -> None:
        self.tree.viewport().installEventFilter(self)
        self.tree.selectionModel().currentChanged.connect(self._choose)
        self.tree.clicked.connect(self._toggle)
        self.tree.doubleClicked.connect(self._enter)
        self.tree.entered_on.connect(self._enter)
        self.tree.customContextMenuRequested.connect(self._menu)
        self._scope.clicked.connect(self._show_all)
        self._export.clicked.connect(self.export_wanted)
        self._overflow.changed.connect(self._load)
        self._choice.filter_changed.connect(self._load)
        self._choice.birth_changed.connect(self._follow)
        self._theme.changed.connect(self._restyle)

    # ---- content

    def _load(self) -> None:
        report = self._choice.report
        key = self._choice.filter
        expected = () if report is None else report.expected
        self._following = True
        self.model.set_births(
            self._choice.listed, [birth for birth in expected if key is None or birth.cell == key]
        )
        group = self.model.group_index()
        if group.isValid():
            self.tree.setFirstColumnSpanned(group.row(), QModelIndex(), True)
            self.tree.setExpanded(group, not self.model.births)
        self._following = False
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)
        self.fit()
        self._heading()
        self._follow()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        birth = self.model.birth_at(current)
        if birth is not None and not self._following:
            self._following = True
            self._choice.choose_birth(birth)
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        index = self.model.index_of(self._choice.birth)
        self._following = True
        if index.isValid():
            if index.parent().isValid():
                self.tree.expand(index.parent())
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.tree.selectionModel().setCurrentIndex(index, flags)
            self.tree.scrollTo(index)
        else:
            self.tree.clearSelection()
        self._following = False

    def _toggle(self, index: QModelIndex) -> None:
        if self.model.is_group(index):
            group = self.model.group_index()
            self.tree.setExpanded(group, not self.tree.isExpanded(group))

    def _enter(self) -> None:
        index = self.tree.currentIndex()
        birth = self.model.birth_at(index)
        if birth is not None:
            self._choice.choose_birth(birth)
            self.show_wanted.emit()
        elif QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self._toggle(index)

    def _show_all(self) -> None:
        self._choice.choose_filter(None)

    def copied_text(self) -> str:
        """Return the selected births as tab-separated text with headings."""
        indexes = self.tree.selectionModel().selectedRows()
        return self.model.as_text(sorted(indexes, key=lambda at: (at.parent().isValid(), at.row())))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def _menu(self, position: QPoint) -> None:
        index = self.tree.indexAt(position)
        birth = self.model.birth_at(index)
        if birth is None:
            return
        copying: Commands = {
            "gui.action.copy": self._copy,
            "gui.table.copy_name": partial(QGuiApplication.clipboard().setText, birth.operator),
        }
        show: Commands = {"gui.overflow.show": self.show_wanted.emit if self._choice.comparable else None}
        offer_commands(self.tree, position, show, copying)

    # ---- looks

    def fit(self) -> None:
        """Give the names what the other columns leave; hide those that would leave too little."""
        hints = {column: self._hint(column) for column in BirthColumn if column is not BirthColumn.OPERATOR}
        room = self.tree.viewport().width() - 2
        hidden: set[BirthColumn] = set() if self._choice.followed else set(_OF_OUR_OWN)
        for column in _GO_FIRST:
            if room - sum(hints[other] for other in hints if other not in hidden) >= _LEAST_NAME:
                break
            hidden.add(column)
        for column in BirthColumn:
            self.tree.setColumnHidden(column, column in hidden)
            if column in hints:
                self.tree.setColumnWidth(column, hints[column])
        left = room - sum(hints[column] for column in hints if column not in hidden)
        self.tree.setColumnWidth(BirthColumn.OPERATOR, max(left, 60))

    def _hint(self, column: BirthColumn) -> int:
        title = self.fontMetrics().horizontalAdvance(column.title) + 22
        return max(min(self.tree.sizeHintForColumn(column), 220), title)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.tree.viewport():
            self.fit()
        return False

    def _heading(self) -> None:
        count, key = len(self.model.births), self._choice.filter
        self.set_title(text("gui.overflow.list"), numbers.grouped(count) if count else "")
        self._scope.setVisible(key is not None)
        if key is not None:
            self._scope.setText(cell_label(key))
            self._scope.setToolTip(text("gui.overflow.show_all"))
            self._scope.setAccessibleName(text("gui.overflow.show_all"))

    def _restyle(self) -> None:
        dim = self._theme.colours.dim
        self._scope.setIcon(icon("close", dim, 12))
        self._export.setIcon(icon("export", dim))

    def retranslate(self) -> None:
        self.tree.setAccessibleName(text("gui.overflow.list"))
        self._note.set_texts(text("gui.overflow.none_listed"))
        self._export.setText(text("gui.table.export"))
        self._export.setToolTip(text("gui.overflow.export.help"))
        self.model.retranslate()
        self._heading()
        self.fit()
