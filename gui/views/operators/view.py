"""The operator tree: where in the model the verdicts lie."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStackedWidget, QToolButton, QTreeView

from core.messages import text
from gui.context import Context
from gui.models.operator_tree import OperatorTree
from gui.widgets.card import Card
from gui.widgets.cell_delegate import TreeDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_OPEN_LEVELS = 2
_OPEN_ROWS = 2000
"""Rows up to which that many levels are open at first: unfolding more takes a visible while."""


class OperatorsView(Translated, Card):
    """The card with the tree; selecting a node selects its worst row."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._settings = context.session, context.settings
        self.model = OperatorTree(self)
        self.model.flat = not self._settings.tree_by_module
        self.tree = QTreeView()
        self.tree.setModel(self.model)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(TreeDelegate(context.theme, self.tree))
        self.tree.setIndentation(16)
        self.tree.setMouseTracking(True)
        self.tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.setExpandsOnDoubleClick(False)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._note)
        self._arrangement = QToolButton()
        self._arrangement.setObjectName("link")
        self._arrangement.clicked.connect(self._switch)
        self.header.add(self._arrangement)
        self.body.setContentsMargins(4, 6, 2, 6)
        self.body.addWidget(self._stack)
        self._following = False
        self.tree.selectionModel().currentChanged.connect(self._choose)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.doubleClicked.connect(self._show_only)
        self._session.cell_changed.connect(self._load)
        self._session.row_changed.connect(self._follow)
        self.setMinimumWidth(180)
        self.retranslate()

    def _load(self) -> None:
        facts = self._session.facts
        self.model.set_facts(facts, self._session.is_exploring())
        self._stack.setCurrentIndex(0 if facts is not None and len(facts) else 1)
        if not self.model.flat:
            self._unfold()
        self._heading()

    def _unfold(self) -> None:
        """Open the first levels, fewer where they are long."""
        facts = self._session.facts
        if facts is None:
            return
        parent, opened = facts.hierarchy.parent, -1
        level = parent == -1
        for depth in range(_OPEN_LEVELS):
            level = (parent >= 0) & level[parent]
            if np.count_nonzero(level) > _OPEN_ROWS:
                break
            opened = depth
        if opened >= 0:
            self.tree.expandToDepth(opened)

    def _switch(self) -> None:
        self._settings.tree_by_module = self.model.flat
        self.model.set_flat(not self.model.flat)
        if not self.model.flat:
            self._unfold()
        self._heading()
        self._follow()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if self._following:
            return
        row = self.model.row_of(current)
        if row >= 0:
            self._following = True  # the node the user chose stays chosen, though its worst row lies deeper
            self._session.select(row)
            self._following = False

    def _follow(self) -> None:
        if self._following:
            return
        index = self.model.index_of_row(self._session.row)
        self._following = True
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.tree.selectionModel().setCurrentIndex(index, flags)
            self.tree.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        self._following = False

    def _show_only(self, index: QModelIndex) -> None:
        """Show only the rows under a node in the table, or all again."""
        if self.model.flat or not index.isValid():
            return
        node = int(index.internalId())
        self._session.set_filter(node=-1 if self._session.filter.node == node else node)

    def _menu(self, position: QPoint) -> None:
        index = self.tree.indexAt(position)
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        only = menu.addAction(text("gui.tree.show_only"))
        only.setEnabled(index.isValid() and not self.model.flat)
        everything = menu.addAction(text("gui.tree.show_all"))
        everything.setEnabled(self._session.filter.node >= 0)
        menu.addSeparator()
        unfold = menu.addAction(text("gui.tree.expand"))
        fold = menu.addAction(text("gui.tree.collapse"))
        chosen = menu.exec(self.tree.viewport().mapToGlobal(position))
        if chosen is only:
            self._session.set_filter(node=int(index.internalId()))
        elif chosen is everything:
            self._session.set_filter(node=-1)
        elif chosen is unfold:
            self.tree.expandRecursively(index)
        elif chosen is fold:
            self.tree.collapseAll()

    def _heading(self) -> None:
        self.set_title(text("gui.tree.title"))
        self._arrangement.setText(
            text("gui.tree.by_order" if self.model.flat else "gui.tree.by_module") + "  ▾"
        )
        self._arrangement.setToolTip(text("gui.tree.switch"))
        self._arrangement.setAccessibleName(text("gui.tree.switch"))

    def copied_text(self) -> str:
        """Return the name of the current node, for the clipboard."""
        index = self.tree.currentIndex()
        name = str(index.data(Qt.ItemDataRole.ToolTipRole) or "").split("\n")[0] if index.isValid() else ""
        return name

    def retranslate(self) -> None:
        self._heading()
        self.tree.setAccessibleName(text("gui.tree.title"))
        self._note.set_texts(text("gui.tree.empty"))
        self.model.retranslate()
