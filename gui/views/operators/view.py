"""The operator tree: where in the model the verdicts lie."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QLabel, QMenu, QStackedWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.tree.arrangements import Order
from gui.models.tree.matches import TreeMatches
from gui.models.tree.node_numbers import Shown
from gui.models.tree.operator_tree import OperatorTree
from gui.models.tree.unfolding import MOST_ROWS, Unfolding
from gui.views.operators.menus import ArrangementButton, MoreButton, ProblemsButton
from gui.views.operators.search_line import SearchLine
from gui.views.operators.tree import TreeView
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated


class OperatorsView(Translated, Card):
    """The card with the tree; selecting a node selects its worst row."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._settings, self._actions = context.session, context.settings, context.actions
        self.model = OperatorTree(self)
        self.model.order = Order(self._settings.tree_arrangement)
        self.model.shown = Shown(self._settings.tree_number)
        self.tree = TreeView(context.theme, self.model)
        self.search = SearchLine(context)
        self._matches: TreeMatches | None = None
        self._note, self._stack = EmptyNote(), QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._note)
        self._too_many = 0
        self._limit = QLabel()
        self._limit.setObjectName("small")
        self._limit.setWordWrap(True)
        self._limit.setContentsMargins(10, 2, 8, 2)
        self._limit.hide()
        self._flat = QLabel()
        self._flat.setObjectName("small")
        self._flat.setWordWrap(True)
        self._flat.setContentsMargins(10, 2, 8, 2)
        context.actions["only_problems"].setCheckable(True)
        self.arrangement = ArrangementButton(self.model.order)
        self.more = MoreButton(context, self.model.shown)
        self.problems = ProblemsButton(context)
        self._title = ElidedLabel(mode=Qt.TextElideMode.ElideRight)  # a narrow card keeps its buttons
        self._title.setObjectName("cardTitle")
        self.header.hide_titles()
        self.header.row.setSpacing(2)
        self.header.row.addWidget(self._title, 1)
        for button in (self.arrangement, self.more):
            self.header.add(button)
        self.search.add(self.problems)
        self.body.setContentsMargins(4, 6, 2, 6)
        for widget, stretch in ((self.search, 0), (self._flat, 0), (self._stack, 1), (self._limit, 0)):
            self.body.addWidget(widget, stretch)
        self._following = False
        self.setMinimumWidth(180)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        session, actions = self._session, self._actions
        self.tree.node_chosen.connect(self._choose)
        self.tree.show_only_wanted.connect(self._show_only)
        self.tree.typed.connect(self._search_for)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.search.changed.connect(self._search)
        self.search.turned.connect(self._turn)
        self.search.left.connect(self.tree.setFocus)
        self.arrangement.chosen.connect(self._arrange)
        self.more.chosen.connect(self._show_number)
        self._note.pressed.connect(actions["only_problems"].trigger)
        actions["only_problems"].toggled.connect(self._show_problems)
        for name, callback in (
            ("find_in_tree", self._focus_search), ("next_match", lambda: self.search.turn(True)),
            ("previous_match", lambda: self.search.turn(False)),
            ("tree_deeper", lambda: self._unfold(Unfolding.deeper)),
            ("tree_shallower", lambda: self._unfold(Unfolding.shallower)),
            ("tree_unfold", self._unfold_below), ("tree_fold", lambda: self._unfold(Unfolding.fold_all)),
        ):  # fmt: skip
            actions.connect_to(name, callback)
        session.cell_changed.connect(self._load)
        session.row_changed.connect(self._follow)

    # ---- content

    def _load(self) -> None:
        session = self._session
        self.model.set_facts(session.cell, session.facts, session.is_exploring())
        self._say_too_many(0)
        self._search()

    def _arrange(self, order: Order) -> None:
        self._settings.tree_arrangement = str(order)
        self._say_too_many(0)
        self.tree.quietly(lambda: self.model.set_order(order))
        self._search()
        self._follow()

    def _show_number(self, shown: Shown) -> None:
        self._settings.tree_number = str(shown)
        self.model.set_shown(shown)

    def _show_problems(self, only: bool) -> None:
        self.tree.quietly(lambda: self.model.set_only_problems(only))
        self._say_too_many(0)
        self._show_note()
        self._follow()

    @property
    def flat_words(self) -> str:
        """Why there are no modules in the tree by module; empty where there are some."""
        return self._flat.text() if not self._flat.isHidden() else ""

    def _show_note(self) -> None:
        facts, by_module = self._session.facts, self.model.order is Order.MODULE
        flat = facts is not None and len(facts) > 0 and not facts.hierarchy.is_module.any()
        self._flat.setVisible(by_module and flat)
        self._flat.setText(text("gui.tree.no_modules"))
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)
        if self.model.arrangement is not None and len(self.model.arrangement):
            self._note.set_texts(text("gui.tree.no_problem"), text("gui.tree.all_nodes"))
        else:
            self._note.set_texts(text("gui.tree.empty"))

    # ---- the node that is looked at

    def _choose(self, current: QModelIndex) -> None:
        row = self.model.row_of(current)
        if row >= 0:
            self._select(row)
        self._show_place()

    def _select(self, row: int) -> None:
        self._following = True  # the node the user chose stays chosen, though its worst row lies deeper
        self._session.select(row)
        self._following = False

    def _follow(self) -> None:
        if not self._following:
            self.tree.reveal(self.model.node_of_row(self._session.row))
            self._show_place()

    def _show_only(self, index: QModelIndex) -> None:
        """Show only the rows under a node in the table, or all again."""
        node, arrangement, wanted = self.model.node_of(index), self.model.arrangement, self._session.filter
        if node < 0 or arrangement is None:
            return
        query = arrangement.query(node)
        if query:
            self._session.set_filter(text="" if wanted.text == query else query, node=-1)
        else:
            self._session.set_filter(node=-1 if wanted.node == node else node)

    # ---- searching

    def _focus_search(self) -> None:
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.field.selectAll()

    def _search_for(self, letters: str) -> None:
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.field.setText(letters)

    def _search(self) -> None:
        """Mark what fits the text in the field."""
        cell, arrangement, words = self._session.cell, self.model.arrangement, self.search.field.text()
        self._matches = None
        if cell is not None and arrangement is not None and words.strip():
            self._matches = TreeMatches(cell, arrangement, words)
        self.model.set_marked(self._matches.marked if self._matches is not None else None)
        self._show_note()
        self._show_place()

    def _turn(self, forward: bool) -> None:
        if self._matches is None:
            self._focus_search()
            return
        if not len(self._matches):
            return
        node = self._matches.after(self.tree.node, forward)
        self.tree.reveal(node)
        row = self._matches.row(node)
        if row >= 0:
            self._select(row)
        self._show_place()

    def _show_place(self) -> None:
        found = self._matches
        self.search.set_place(
            found.place(self.tree.node) if found is not None else -1, len(found) if found is not None else 0
        )

    # ---- folding and unfolding

    def _unfold(self, act: Callable[[Unfolding], int | None]) -> None:
        too_many = self.tree.change(act)
        self._say_too_many(too_many or 0)

    def _unfold_below(self) -> None:
        node = self.tree.node
        if node >= 0:
            self._unfold(lambda unfolding: unfolding.unfold_below(node))

    def _say_too_many(self, count: int) -> None:
        self._too_many = count
        self._limit.setVisible(count > 0)
        self._limit.setText(
            text("gui.tree.too_many", shown=numbers.grouped(count), most=numbers.grouped(MOST_ROWS))
        )

    @property
    def limit_words(self) -> str:
        """Why no more is unfolded; empty where all that was wanted is."""
        return self._limit.text() if self._too_many else ""

    # ---- menu, clipboard, words

    def _menu(self, position: QPoint) -> None:
        index = self.tree.indexAt(position)
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        only = menu.addAction(text("gui.tree.show_only"))
        only.setEnabled(index.isValid())
        only.triggered.connect(lambda: self._show_only(index))
        everything = menu.addAction(text("gui.tree.show_all"))
        everything.setEnabled(self._session.filter.active)
        everything.triggered.connect(self._actions["clear_filter"].trigger)
        for names in (("open_detail", "note", "ignore"), ("tree_unfold", "tree_fold")):
            menu.addSeparator()
            menu.addActions([self._actions[name] for name in names])
        menu.exec(self.tree.viewport().mapToGlobal(position))

    def copied_text(self) -> str:
        """Return the name of the current node, for the clipboard."""
        node, arrangement = self.tree.node, self.model.arrangement
        return arrangement.name(node) if arrangement is not None and node >= 0 else ""

    def retranslate(self) -> None:
        self._title.setText(text("gui.tree.title"))
        self.setAccessibleName(text("gui.tree.title"))
        self.tree.setAccessibleName(text("gui.tree.title"))
        self._say_too_many(self._too_many)
        self._show_note()
        self.model.retranslate()
