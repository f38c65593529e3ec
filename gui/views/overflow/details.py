"""All that is known of the birth looked at."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.messages import render, text
from core.records.names import parse_operator_name
from core.records.overflow import Birth
from core.records.stacks import decode_stack
from gui import numbers
from gui.context import Context
from gui.models.call.stack import StackList
from gui.models.overflow.births import marks_text, ranks_text
from gui.models.overflow.lanes import KINDS
from gui.models.overflow.words import fact_text, kind_help, kind_word, level_help, level_word
from gui.models.pair.suspects import cell_label, fact_name
from gui.views.overflow.stations import StationsView
from gui.widgets.birth_icon import BirthIcon
from gui.widgets.card import Card
from gui.widgets.cell_delegate import FrameDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import breakable, marked_up, wrapped_label
from gui.widgets.page_area import over_buttons, page_area
from gui.widgets.stack_tabs import StackTabs
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons
from gui.widgets.value_chip import ValueChip
from gui.widgets.word_chips import WordChips, marked_row

_LONGEST_VALUE = 26


class DetailsView(Translated, Card):
    """The card at the right: sentence, evidence, notes; under them the way and the stack."""

    show_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._theme, self._choice = context.theme, context.session.overflow.choice
        self.turn = TurnButtons(("gui.action.previous_birth", "gui.action.next_birth"))
        self.header.add(self.turn)
        self._note = EmptyNote()
        self._pages = QStackedWidget()
        self._mark = BirthIcon(context.theme, 13)
        self._sentence = wrapped_label("strong")
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._chips = WordChips(4)
        self._values = [ValueChip(context.theme, kind) for kind in KINDS]
        self.evidence = FactsPanel(longest=_LONGEST_VALUE)
        self._notes, self._module, self._kind = (wrapped_label("dim") for _ in range(3))
        self.show_button = QPushButton()
        self.show_button.setObjectName("primary")
        self.stations = StationsView(context)
        self.frames = StackList(self)
        self.stack = QListView()
        self._stack_note = EmptyNote()
        self._frame_pages = QStackedWidget()
        self.tabs = StackTabs(self.stations, self._frame_pages)
        self._lay_out()
        self.setMinimumWidth(260)
        self.turn.turned.connect(self._choice.turn)
        self.show_button.clicked.connect(self._show)
        self.stations.show_wanted.connect(self.show_wanted)
        self._choice.birth_changed.connect(self._load)
        self._choice.filter_changed.connect(self._load)
        self._theme.changed.connect(self._load)
        self.retranslate()

    def _lay_out(self) -> None:
        chips = FlowLayout(6)
        for widget in (*self._chips.labels[:2], *self._values, *self._chips.labels[2:]):
            chips.addWidget(widget)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(9)
        column.addLayout(marked_row(self._mark, self._sentence))
        column.addLayout(chips)
        for widget in (self._kind, self.evidence, self._notes, self._module):
            column.addWidget(widget)
        column.addStretch(1)
        upper = over_buttons(page_area(page), self.show_button)
        self.stack.setModel(self.frames)
        self.stack.setItemDelegate(FrameDelegate(self._theme, self.stack))
        self.stack.setMouseTracking(True)
        self.stack.setUniformItemSizes(True)
        self.stack.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.stack.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for widget in (self.stack, self._stack_note):
            self._frame_pages.addWidget(widget)
        lower = QWidget()
        rows = QVBoxLayout(lower)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.tabs)
        rows.addWidget(self.tabs.stack, 1)
        lower.setMinimumHeight(150)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(upper)
        split.addWidget(lower)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 3)
        self._pages.addWidget(split)
        self._pages.addWidget(self._note)
        self.body.addWidget(self._pages)

    # ---- content

    @property
    def sentence(self) -> str:
        """The sentence on show."""
        birth = self._choice.birth
        return render(birth.message).replace("`", "") if birth is not None else ""

    @property
    def chips(self) -> list[str]:
        """The chips on show: kind, level, cell, marks."""
        return self._chips.words

    @property
    def notes(self) -> str:
        """What else is said."""
        return "" if self._notes.isHidden() else self._notes.text()

    def _load(self) -> None:
        birth = self._choice.birth
        self.turn.set_place(self._choice.position, len(self._choice.listed) if birth is not None else 0)
        self._pages.setCurrentIndex(0 if birth is not None else 1)
        if birth is None:
            self.set_title(text("gui.overflow.birth"))
            return
        self._mark.show_birth(birth)
        self._sentence.setText(marked_up(render(birth.message), self._theme.fixed_font(13)))
        self._chips.say(
            (kind_word(birth.kind), kind_help(birth.kind)),
            (level_word(birth.level), level_help(birth.level)),
            (cell_label(birth.cell), text("gui.overflow.where")),
            (marks_text(birth), text("gui.overflow.marks")),
        )
        accused = birth in self._choice.listed  # not an infinity that is meant
        kind, level, _, marks = self._chips.labels
        for chip in (kind, marks):
            chip.setVisible(self._choice.followed and accused)
        level.setVisible(accused)
        # the explanation of the kind, unless the sentence is a special one
        plain = birth.message.code.rpartition(".")[2] == birth.kind.value
        self._kind.setVisible(self._choice.followed and accused and plain)
        for value in self._values:
            value.setVisible(bool(birth.values & value.value))
        self._kind.setText(kind_help(birth.kind))
        self.evidence.set_facts(self._facts(birth))
        notes = [render(note) for note in birth.notes]
        self._notes.setText(breakable("\n".join(notes)))
        self._notes.setVisible(bool(notes))
        self._show_place(birth)
        self.show_button.setEnabled(self._choice.comparable)
        self._name_tabs()

    def _facts(self, birth: Birth) -> list[tuple[str, ...]]:
        facts = [(text("gui.overflow.column.slot"), birth.slot)] if birth.slot else []
        if birth.ranks:
            facts.append((text("gui.overflow.ranks"), ranks_text(birth)))
        return [
            *facts,
            *((fact_name(name), fact_text(name, value)) for name, value in birth.evidence.items()),
        ]

    def _show_place(self, birth: Birth) -> None:
        name = parse_operator_name(birth.module).stem.removeprefix("Module.").removeprefix("Cell.")
        self._module.setText(breakable(text("gui.diagnosis.inside", name=name)))
        self._module.setVisible(bool(name))
        frames = tuple(decode_stack(birth.stack))
        self.frames.set_frames(frames, (False,) * len(frames))
        self._frame_pages.setCurrentIndex(0 if frames else 1)

    def _show(self) -> None:
        birth = self._choice.birth
        if birth is not None:
            self._choice.choose_birth(birth)
            self.show_wanted.emit()

    def copied_text(self) -> str:
        """Return the stack where that has the focus, else the sentence."""
        return self.frames.as_text() if self.stack.hasFocus() else self.sentence

    def _name_tabs(self) -> None:
        stations, frames = self.stations.model.stations, self.frames.rowCount()
        for tab, (code, count) in enumerate((("gui.overflow.path", stations), ("gui.tab.stack", frames))):
            self.tabs.setTabText(tab, f"{text(code)}  {numbers.grouped(count)}" if count else text(code))

    def retranslate(self) -> None:
        self.set_title(text("gui.overflow.birth"))
        self.show_button.setText(text("gui.overflow.show"))
        self.show_button.setToolTip(text("gui.overflow.show.help"))
        self.stack.setAccessibleName(text("gui.tab.stack"))
        self.tabs.setAccessibleName(text("gui.overflow.birth"))
        self._note.set_texts(text("gui.overflow.choose"))
        self._stack_note.set_texts(text("gui.stack.none"))
        self._name_tabs()
        self._load()
