"""The tree itself: rows of nodes that are folded and unfolded with the mouse and the arrow keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.looks.theme import Theme
from gui.models.tree.operator_tree import Branch, OperatorTree, Result
from gui.models.tree.unfolding import Unfolding
from gui.widgets.cell_delegate import TreeDelegate

_ROW = 25
_FOLDING = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_Minus)


class TreeView(QTableView):
    """A table of one column without a grid: a tree view would make an object for each node on show."""

    node_chosen = Signal(QModelIndex)
    """The user looks at another node."""
    show_only_wanted = Signal(QModelIndex)
    """A node is clicked twice, or Enter is pressed on it."""
    typed = Signal(str)
    """What the user types is to be searched for."""

    def __init__(self, theme: Theme, model: OperatorTree) -> None:
        super().__init__()
        self._tree = model
        self._quiet = False
        self._delegate = TreeDelegate(theme, self)
        self.setObjectName("operatorTree")
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setMinimumSectionSize(0)
        beside = self.verticalHeader()
        beside.hide()
        beside.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        beside.setMinimumSectionSize(_ROW)
        beside.setDefaultSectionSize(_ROW)
        self.selectionModel().currentChanged.connect(self._choose)
        self.doubleClicked.connect(self.show_only_wanted)

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.node_chosen.emit(current)

    # ---- the node that is looked at

    @property
    def node(self) -> int:
        """The current node, -1 for none."""
        return self._tree.node_of(self.currentIndex())

    def show_node(self, node: int) -> None:
        """Make *node* the current one, or the nearest above it that is on show; nobody is told of that."""
        arrangement = self._tree.arrangement
        if arrangement is None:
            return
        index = QModelIndex()
        for nearest in [node, *arrangement.ancestors(node)] if node >= 0 else []:
            index = self._tree.node_index(nearest)
            if index.isValid():
                break
        quiet, self._quiet = self._quiet, True
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        else:
            self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        self._quiet = quiet

    def quietly(self, act: Callable[[], Result]) -> Result:
        """Let *act* change what is on show; nobody is told of another current node."""
        quiet, self._quiet = self._quiet, True
        try:
            return act()
        finally:
            self._quiet = quiet

    def change(self, act: Callable[[Unfolding], Result]) -> Result | None:
        """Fold or unfold; the current node stays the one that is looked at, or one above it."""
        node = self.node
        result = self.quietly(lambda: self._tree.change(act))
        if self.node != node:
            self.show_node(node)
        return result

    def reveal(self, node: int) -> None:
        """Unfold what is above *node*, and make it the current one."""
        if node >= 0:
            self.change(lambda unfolding: unfolding.reveal(node))
            self.show_node(node)

    def set_open(self, node: int, opened: bool) -> None:
        """Unfold or fold *node*."""
        self.change(lambda unfolding: unfolding.set_open(node, opened))

    # ---- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._toggle_at(event):
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._toggle_at(event):
            return
        super().mouseDoubleClickEvent(event)

    def _toggle_at(self, event: QMouseEvent) -> bool:
        """Fold or unfold the node whose branch the mouse is on; returns if it is on one."""
        place = event.position().toPoint()
        index = self.indexAt(place)
        node = self._tree.node_of(index)
        if node < 0:
            return False
        look = self._tree.look(node)
        area = self._delegate.branch_area(self.visualRect(index), look)
        if look.branch is Branch.NONE or not area.contains(place):
            return False
        self.set_open(node, look.branch is Branch.CLOSED)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, node = event.key(), self.node
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and node >= 0 and key in _FOLDING:
            self._fold_by_key(node, key in (Qt.Key.Key_Right, Qt.Key.Key_Plus))
        elif plain and key in (Qt.Key.Key_Home, Qt.Key.Key_End) and self._tree.rowCount():
            self.setCurrentIndex(
                self._tree.index(0 if key == Qt.Key.Key_Home else self._tree.rowCount() - 1, 0)
            )
        elif plain and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and node >= 0:
            self.show_only_wanted.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _fold_by_key(self, node: int, right: bool) -> None:
        branch = self._tree.look(node).branch
        if branch is (Branch.CLOSED if right else Branch.OPEN):
            self.set_open(node, right)
        elif right and branch is Branch.OPEN:
            self.setCurrentIndex(self._tree.index(self.currentIndex().row() + 1, 0))
        elif not right and self._tree.arrangement is not None:
            above = self._tree.node_index(int(self._tree.arrangement.parent[node]))
            if above.isValid():
                self.setCurrentIndex(above)

    def keyboardSearch(self, letters: str) -> None:
        """Search for what is typed; Qt would ask for one name after the other."""
        if letters.strip():
            self.typed.emit(letters)
