"""The bar on top: menu, both runs, step and rank, filter, next suspect or difference."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from core.messages import text
from core.records.dump import Dump
from core.records.run import CellKey
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.pages.bar import OverflowTab, Page
from gui.paths import short_names
from gui.widgets.chips import RunChip
from gui.widgets.query_field import QueryField
from gui.widgets.translated import Translated
from gui.widgets.verdict_icon import category_icon

_COMBO_ROOM, _MARK_ROOM = 44, 22
"""Pixels of a box beside its words, and of the mark before them."""
_TYPING_PAUSE = 150
"""Milliseconds without a key before a filter is applied."""
_SPACING, _FILTER = 8, 330
"""Pixels between parts, and of the filter below which the runs say less."""

_NEXT = {
    Page.COMPARE: "next_suspect", Page.OVERFLOW: "next_birth", Page.EMULATION: "next_outside",
    Page.CURVES: "next_finding", Page.PRECHECK: "next_fail",
}  # fmt: skip
"""The command that the button at the right gives, by page."""


class TopBar(Translated, QFrame):
    """One line over the whole window."""

    menu_wanted = Signal(QPoint)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self.setFixedHeight(50)
        self._session, self._theme, self._actions = context.session, context.theme, context.actions
        self._menu_button, self._swap = QToolButton(), QToolButton()
        self.target, self.golden = RunChip(context.theme), RunChip(context.theme)
        self.phase, self.step, self.rank = QComboBox(), QComboBox(), QComboBox()
        self.search = QueryField(context.theme, lambda: self._session.facts)
        self.search.setMinimumWidth(110)
        self.search.setFixedHeight(30)
        self._find_action = self.search.addAction(
            icon("search", context.theme.colours.dim), QLineEdit.ActionPosition.LeadingPosition
        )
        self._gap = QWidget()
        self._page = Page.COMPARE
        self._tab: OverflowTab | None = None
        self._next = QPushButton()
        self._next.setObjectName("primary")
        self._next.setFixedHeight(30)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 12, 0)
        row.setSpacing(8)
        for widget, stretch in (
            (self._menu_button, 0), (self.target, 0), (self._swap, 0), (self.golden, 0), (self.phase, 0),
            (self.step, 0), (self.rank, 0), (self.search, 1), (self._gap, 1), (self._next, 0),
        ):  # fmt: skip
            row.addWidget(widget, stretch)
        row.addStretch(0)
        for button in (self._menu_button, self._swap):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setIconSize(QSize(18, 18))
            button.setFixedSize(32, 30)
        for combo in (self.phase, self.step, self.rank):
            combo.setFixedHeight(30)
            combo.setIconSize(QSize(14, 14))
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.activated.connect(self._choose_cell)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_PAUSE)
        self._timer.timeout.connect(self._apply_filter)
        self._connect()
        self._restyle()
        self.retranslate()
        self._load()

    def _connect(self) -> None:
        session = self._session
        self._menu_button.clicked.connect(self._ask_for_menu)
        self._swap.clicked.connect(self._actions["swap"].trigger)
        self._next.clicked.connect(self._go_on)
        self._actions["next_finding"].changed.connect(self._offer_next)
        session.overflow.changed.connect(self._load)
        session.emulation.changed.connect(self._load)
        session.precheck.changed.connect(self._offer_next)
        self.target.clicked.connect(partial(self._side_menu, False))
        self.golden.clicked.connect(partial(self._side_menu, True))
        self.search.textEdited.connect(self._typed)
        self.search.textChanged.connect(self._emptied)
        self.search.returnPressed.connect(self._apply_filter)
        session.opened.connect(self._timer.stop)  # what is half typed was meant for another pair
        session.opened.connect(self._load)
        session.cell_changed.connect(self._load)
        session.busy_changed.connect(self._load)
        session.row_changed.connect(self._name_next)
        session.suspects.changed.connect(self._name_next)
        session.cells.changed.connect(self._fill_cells)
        session.cells.changed.connect(self._offer_next)
        session.suspects.changed.connect(self._offer_next)
        session.filter_changed.connect(self._show_filter)
        self._theme.changed.connect(self._restyle)

    def set_page(self, page: Page, tab: OverflowTab | None) -> None:
        """Offer what belongs to *page* and its *tab*: step, rank and filter are those of the comparison."""
        if (page, tab) != (self._page, self._tab):
            self._page, self._tab = page, tab
            self._name_next()
            self._load()

    def _go_on(self) -> None:
        self._actions[_NEXT[self._page]].trigger()

    # ---- runs and cells

    def _load(self) -> None:
        session = self._session
        info = session.info
        loaded = info is not None
        comparing = self._page is Page.COMPARE
        for widget in (self.target, self.golden, self._swap):
            widget.setVisible(loaded)
        self.search.setVisible(loaded and comparing)
        self._gap.setVisible(not comparing)
        cell = session.cell
        name, other = short_names(session.target_path, session.golden_path)
        self.target.set_texts(
            text("gui.target" if session.golden_path else "gui.run"), name,
            _describe(cell.target) if cell else "", session.target_path,
        )  # fmt: skip
        if session.golden_path or not loaded:
            described = _describe(cell.golden) if cell else ""
            self.golden.set_texts(text("gui.golden"), other, described, session.golden_path)
        else:
            self.golden.set_texts(text("gui.golden"), text("gui.top.choose_golden"), "", "")
        self._swap.setEnabled(bool(session.golden_path) and not session.busy)
        self._offer_next()
        self._fill_cells()
        self._show_filter()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the filter its room."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Leave out what the runs are where the filter would have too little: it is typed into."""
        chips = [chip for chip in (self.target, self.golden) if not chip.isHidden()]
        others = (self._menu_button, self._swap, self.phase, self.step, self.rank, self._next)
        shown = [widget for widget in others if not widget.isHidden()]
        taken = sum(max(widget.sizeHint().width(), widget.minimumWidth()) + _SPACING for widget in shown)
        taken += sum(chip.whole_width + _SPACING for chip in chips)
        for chip in chips:
            chip.set_brief(self._page is Page.COMPARE and self.width() - taken < _FILTER)

    def _offer_next(self) -> None:
        """Show the button where there is something to go on to."""
        session = self._session
        there = {
            Page.COMPARE: self._something_differs(),
            Page.OVERFLOW: session.overflow.births > 0,
            Page.EMULATION: session.emulation.outside > 0,
            Page.CURVES: self._actions["next_finding"].isEnabled(),  # of the tab on show
            Page.PRECHECK: session.precheck.failures > 0,
        }
        self._next.setVisible(there[self._page])
        self._share_room()

    def _something_differs(self) -> bool:
        """Whether there is a suspect or a difference to go to, here or in another step or rank."""
        session = self._session
        if session.info is None or session.is_exploring():
            return False
        here = session.facts is not None and any(
            int(session.facts.counts[category]) for category in Category if category.differs
        )
        return here or bool(session.suspects.open) or session.cells.differing_elsewhere > 0

    def _fill_cells(self) -> None:
        info, cell = self._session.info, self._session.cell
        cells = info.cells if info is not None else ()
        for combo, part, code in (
            (self.phase, "phase", "gui.top.phase"),
            (self.step, "step", "gui.top.step"),
            (self.rank, "rank", "gui.top.rank"),
        ):
            values = list(dict.fromkeys(sorted(getattr(key, part) for key in cells)))
            with QSignalBlocker(combo):
                combo.clear()
                for value in values:
                    combo.addItem(text(code, value=value) if value != "" else "—", value)
                    self._mark_cell(combo, part, value, len(cells))
                if cell is not None:
                    combo.setCurrentIndex(max(combo.findData(getattr(cell.key, part)), 0))
            words = max(
                (combo.fontMetrics().horizontalAdvance(combo.itemText(at)) for at in range(len(values))),
                default=0,
            )
            combo.setMinimumWidth(words + _COMBO_ROOM + (0 if combo.itemIcon(0).isNull() else _MARK_ROOM))
            several = len(values) > (1 if part == "phase" else 0)
            combo.setVisible(several and self._page is Page.COMPARE)
            combo.setEnabled(len(values) > 1)

    def _mark_cell(self, combo: QComboBox, part: str, value: object, count: int) -> None:
        """Show how the worst row of this phase, step or rank compares."""
        worst = self._session.cells.roll_up.worst(part, value) if count > 1 else None
        if worst is not None and not self._session.is_exploring():
            at = combo.count() - 1
            combo.setItemIcon(at, category_icon(worst, self._theme.colours))
            combo.setItemData(at, worst.word, Qt.ItemDataRole.ToolTipRole)
            combo.setItemData(at, f"{combo.itemText(at)}: {worst.word}", Qt.ItemDataRole.AccessibleTextRole)

    def _choose_cell(self) -> None:
        info = self._session.info
        if info is None:
            return
        wanted = CellKey(
            str(self.phase.currentData() or ""),
            int(self.step.currentData() or 0),
            int(self.rank.currentData() or 0),
        )
        if wanted not in info.cells:  # not every rank has every step: stay with what was chosen last
            sender = self.sender()
            part = "phase" if sender is self.phase else "step" if sender is self.step else "rank"
            same = [key for key in info.cells if getattr(key, part) == getattr(wanted, part)]
            wanted = same[0] if same else info.cells[0]
        self._session.choose_cell(wanted)

    def _side_menu(self, golden: bool) -> None:
        chip = self.golden if golden else self.target
        menu = QMenu(self)
        menu.addAction(self._actions["open_golden" if golden else "open_target"])
        menu.addAction(self._actions["open_file"])
        menu.addAction(self._actions["recent"])
        menu.addSeparator()
        menu.addAction(self._actions["swap"])
        menu.exec(chip.mapToGlobal(QPoint(0, chip.height() + 4)))
        menu.deleteLater()

    def _ask_for_menu(self) -> None:
        self.menu_wanted.emit(self._menu_button.mapToGlobal(QPoint(0, self._menu_button.height() + 4)))

    # ---- filter

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape in the filter clears it."""
        if event.key() == Qt.Key.Key_Escape and self.search.hasFocus():
            self.search.clear()
            self._apply_filter()
        else:
            super().keyPressEvent(event)

    def _typed(self, _text: str) -> None:
        self._timer.start()

    def _emptied(self, typed: str) -> None:
        if not typed and self._session.filter.text:
            self._timer.start(0)

    def _apply_filter(self) -> None:
        self._timer.stop()
        if self.search.text() != self._session.filter.text:
            self._session.set_filter(text=self.search.text())

    def _show_filter(self) -> None:
        if self.search.text() != self._session.filter.text and not self._timer.isActive():
            with QSignalBlocker(self.search):
                self.search.setText(self._session.filter.text)
            self.search.check()

    @property
    def filter_errors(self) -> list[str]:
        """What of the typed filter could not be understood."""
        return self.search.errors

    # ---- looks

    def _restyle(self) -> None:
        colours = self._theme.colours
        self._menu_button.setIcon(icon("menu", colours.text))
        self._swap.setIcon(icon("swap", colours.dim))
        self._find_action.setIcon(icon("search", colours.dim))
        self._fill_cells()

    def retranslate(self) -> None:
        self._menu_button.setToolTip(text("gui.top.menu"))
        self._menu_button.setAccessibleName(text("gui.top.menu"))
        self._swap.setToolTip(text("gui.action.swap"))
        self._swap.setAccessibleName(text("gui.action.swap"))
        self.search.setPlaceholderText(text("gui.filter.placeholder"))
        self.search.setAccessibleName(text("gui.action.find"))
        self.search.explain()
        for combo, code in (
            (self.phase, "gui.top.phase_name"),
            (self.step, "gui.top.step_name"),
            (self.rank, "gui.top.rank_name"),
        ):
            combo.setAccessibleName(text(code))
        self._name_next()
        self._load()

    def _name_next(self) -> None:
        """Say where the button leads."""
        suspects = self._session.suspects
        tip = text("gui.action.next_suspect")
        if self._page is Page.OVERFLOW:
            on_births = self._tab is OverflowTab.BIRTHS
            words = text("gui.top.next_birth" if on_births else "gui.overflow.tab.births")
            tip = text("gui.action.next_birth" if on_births else "gui.action.tab_births")
        elif self._page is Page.EMULATION:
            words, tip = text("gui.top.next_outside"), text("gui.action.next_outside")
        elif self._page is Page.CURVES:
            words, tip = text("gui.top.next_finding"), text("gui.action.next_finding")
        elif self._page is Page.PRECHECK:
            words, tip = text("gui.top.next_fail"), text("gui.action.next_fail")
        elif not suspects.open:
            words, tip = text("gui.top.next"), text("gui.action.next")
        elif suspects.next_position == 0:
            words = text("gui.top.first_suspect")
        else:
            words = text("gui.top.next_suspect")
        key = QKeySequence("F8").toString(QKeySequence.SequenceFormat.NativeText)
        self._next.setText(f"{words}  {key}")
        self._next.setToolTip(tip)


def _describe(dump: Dump) -> str:
    return " · ".join(part for part in (dump.format, dump.framework, dump.recorded) if part)
