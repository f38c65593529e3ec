"""The buttons in the heading of the tree's card: how it is arranged, and what else may be chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.models.tree.arrangements import Order
from gui.models.tree.node_numbers import Shown
from gui.widgets.translated import Translated

_COMMANDS = ("tree_deeper", "tree_shallower", "tree_unfold", "tree_fold")


class ArrangementButton(Translated, QToolButton):
    """Drops down the arrangements; the one in force is its text."""

    chosen = Signal(object)
    """The :class:`Order` that is wanted."""

    def __init__(self, order: Order) -> None:
        super().__init__()
        self._order = order
        self.setObjectName("link")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu, group = QMenu(self), QActionGroup(self)
        self._choices: dict[Order, QAction] = {}
        for each in Order:
            action = menu.addAction("")
            action.setCheckable(True)
            action.setChecked(each is order)
            group.addAction(action)
            action.triggered.connect(lambda _checked, each=each: self.choose(each))
            self._choices[each] = action
        self.setMenu(menu)
        self.retranslate()

    def choose(self, order: Order) -> None:
        """Put *order* in force, and say so."""
        self._order = order
        self._choices[order].setChecked(True)
        self.retranslate()
        self.chosen.emit(order)

    def retranslate(self) -> None:
        for order, action in self._choices.items():
            action.setText(text(f"gui.tree.by.{order}"))
            action.setToolTip(text(f"gui.tree.by.{order}.help"))
        self.setText(f"{text(f'gui.tree.by.{self._order}')}  ▾")
        self.setToolTip(text("gui.tree.arrangement"))
        self.setAccessibleName(text("gui.tree.arrangement"))
        self.setAccessibleDescription(text(f"gui.tree.by.{self._order}"))


class MoreButton(Translated, QToolButton):
    """Drops down which number a node shows, and the commands of the tree."""

    chosen = Signal(object)
    """The number that is wanted, as :class:`Shown`."""

    def __init__(self, context: Context, shown: Shown) -> None:
        super().__init__()
        self._theme = context.theme
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(28, 26)
        menu, group = QMenu(self), QActionGroup(self)
        self._heading = menu.addAction("")
        self._heading.setEnabled(False)
        self._choices: dict[Shown, QAction] = {}
        for each in Shown:
            action = menu.addAction("")
            action.setCheckable(True)
            action.setChecked(each is shown)
            group.addAction(action)
            action.triggered.connect(lambda _checked, each=each: self.chosen.emit(each))
            self._choices[each] = action
        menu.addSeparator()
        menu.addActions([context.actions[name] for name in _COMMANDS])
        menu.addSeparator()
        menu.addActions([context.actions[name] for name in ("only_problems", "find_in_tree")])
        self.setMenu(menu)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _restyle(self) -> None:
        self.setIcon(icon("more", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._heading.setText(text("gui.tree.number"))
        for shown, action in self._choices.items():
            action.setText(text(f"gui.tree.number.{shown}"))
        self.setToolTip(text("gui.tree.more"))
        self.setAccessibleName(text("gui.tree.more"))


class ProblemsButton(Translated, QToolButton):
    """Shows whether only problems are on show, and turns that round."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._action = context.theme, context.actions["only_problems"]
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(28, 26)
        self.clicked.connect(self._action.trigger)
        self._action.changed.connect(self._follow)
        context.theme.changed.connect(self._follow)
        self._follow()
        self.retranslate()

    def _follow(self) -> None:
        colours = self._theme.colours
        self.setChecked(self._action.isChecked())
        self.setEnabled(self._action.isEnabled())
        self.setIcon(icon("only-problems", colours.accent if self.isChecked() else colours.dim))

    def retranslate(self) -> None:
        self.setToolTip(text("gui.tree.only_problems.help"))
        self.setAccessibleName(text("gui.action.only_problems"))
