"""What is known of the selected row, in one column: the sentence first, its numbers under it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QWidget

from core.messages import text
from core.records.dump import Dump
from core.records.names import short_name
from core.records.result import CellResult, Evidence, Reason
from gui import numbers
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.details import pool_text, statistics_of
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.names import shown
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.facts_panel import Fact, FactsPanel
from gui.widgets.labels import breakable, heading_label, unbroken, wrapped_label
from gui.widgets.page_area import page_area, page_columns
from gui.widgets.translated import Translated
from gui.widgets.word_chips import marked_row


class SummaryView(Translated, Card):
    """The card at the right; *wide* puts its parts beside each other, for a low and broad place."""

    def __init__(self, context: Context, focus: Focus, wide: bool = False) -> None:
        super().__init__()
        self._focus, self._theme = focus, context.theme
        self._mark = CategoryMark(context.theme)
        self._sentence = wrapped_label("title")
        self._name = wrapped_label("dim")
        self._name.setFont(context.theme.fixed_font())
        self._why = wrapped_label("")
        self._metrics = FactsPanel()
        self._special = FactsPanel(columns=1)
        self._statistics_title = heading_label()
        self._statistics = FactsPanel(columns=2)
        self._files_title = heading_label()
        self._files = wrapped_label("dim")
        self._files.setFont(context.theme.fixed_font(11))
        page = QWidget()
        column, numbers_column, statistics_column = page_columns(page, wide, spacing=24, stretches=(4, 3, 3))
        column.addLayout(marked_row(self._mark, self._sentence))
        column.addWidget(self._name)
        column.addWidget(self._why)
        numbers_column.addWidget(self._metrics)
        numbers_column.addWidget(self._special)
        statistics_column.addWidget(self._statistics_title)
        statistics_column.addWidget(self._statistics)
        column.addWidget(self._files_title)
        column.addWidget(self._files)
        for each in dict.fromkeys((column, numbers_column, statistics_column)):
            each.addStretch(1)
        self.body.addWidget(page_area(page))
        self.setMinimumWidth(220)
        focus.row_changed.connect(self.retranslate)
        focus.cell_changed.connect(self.retranslate)
        self.retranslate()

    @property
    def sentence(self) -> str:
        """The first line."""
        return unbroken(self._sentence.text())

    def retranslate(self) -> None:
        self.set_title(text("gui.summary.title"))
        self._statistics_title.setText(text("gui.summary.statistics"))
        self._files_title.setText(text("gui.summary.files"))
        cell, facts, row, exploring = (
            self._focus.cell,
            self._focus.facts,
            self._focus.row,
            self._focus.exploring,
        )
        parts = (self._name, self._metrics, self._special, self._statistics_title, self._statistics)
        for widget in (*parts, self._files_title, self._files, self._mark):
            widget.setVisible(cell is not None and row >= 0)
        if cell is None or facts is None or row < 0:
            self._sentence.setText(text("gui.detail.nothing_selected"))
            self._why.setText("")
            return
        category = Category(int(facts.category[row]))
        name = shown(facts.operators[int(facts.operator[row])])
        slot = shown(facts.slots[int(facts.slot[row])])
        self._mark.category = None if exploring else category
        self._mark.setVisible(not exploring)
        self._mark.update()
        if exploring:
            self._sentence.setText(breakable(short_name(name)))
        else:
            self._sentence.setText(breakable(category.sentence(short_name(name), slot or "—")))
        self._name.setText(breakable(f"{name}\n{slot}" if slot else name))
        reason = Reason(int(cell.rows.reason[row]))
        self._why.setText(text("gui.summary.why", reason=text(f"reason.{reason.name.lower()}")))
        self._metrics.set_facts(_metrics(cell, facts, row))
        self._special.set_facts(_special_values(cell, row))
        statistics = _statistics(cell, row)
        self._statistics.set_facts(statistics)
        self._statistics_title.setVisible(bool(statistics))
        files = [
            path
            for path in (
                _file(cell.target, int(cell.rows.target_slot[row])),
                _file(cell.golden, int(cell.rows.golden_slot[row])),
            )
            if path
        ]
        self._files.setText(breakable("\n".join(files)))
        self._files_title.setVisible(bool(files))
        self._files.setVisible(bool(files))


def _metrics(cell: CellResult, facts: Facts, row: int) -> list[Fact]:
    rows = cell.rows
    found: list[Fact] = []
    error, allowed = float(rows.error[row]), float(rows.allowed[row])
    bad = facts.category[row] >= Category.INHERITED
    if not math.isnan(error):
        found.append((text("gui.column.error"), ("!" if bad else "") + numbers.scientific(error)))
    if not math.isnan(allowed):
        found.append((text("gui.column.allowed"), numbers.scientific(allowed)))
    if bad and math.isfinite(error) and allowed > 0:
        found.append((text("gui.summary.ratio"), numbers.times(error / allowed)))
    if not math.isnan(float(rows.cosine[row])):
        found.append((text("gui.column.cosine"), numbers.cosine(float(rows.cosine[row]))))
    if not math.isnan(float(rows.max_abs[row])):
        found.append((text("gui.column.max_abs"), numbers.scientific(float(rows.max_abs[row]))))
        slot = int(rows.target_slot[row])
        place = numbers.location(int(rows.max_abs_index[row]), cell.target.shape(slot) if slot >= 0 else None)
        if place:
            found.append((text("gui.summary.worst_at"), place))
    count, equal = int(rows.count[row]), int(rows.equal_count[row])
    if count >= 0 and equal >= 0:
        differing = text("gui.summary.of", some=numbers.grouped(count - equal), all=numbers.grouped(count))
        found.append((text("gui.summary.differing"), differing))
    flips = int(rows.sign_flips[row])
    if flips > 0:
        found.append((text("gui.column.sign_flips"), numbers.grouped(flips)))
    evidence = Evidence(int(rows.evidence[row]))
    if evidence is not Evidence.NONE:
        found.append((text("gui.column.evidence"), text(f"evidence.{evidence.name.lower()}")))
    return found


def _special_values(cell: CellResult, row: int) -> list[Fact]:
    """Return how often NaN and Inf occur on each side, where they do."""
    at = np.flatnonzero(cell.class_counts.row == row)
    if not len(at):
        return []
    counts = cell.class_counts.counts[int(at[0])].reshape(4, 4)
    target, golden = counts.sum(axis=1), counts.sum(axis=0)
    return [
        (label, f"{numbers.grouped(int(mine))}  |  {numbers.grouped(int(theirs))}")
        for label, mine, theirs in zip(("NaN", "+Inf", "−Inf"), target[1:], golden[1:])
        if mine or theirs
    ]


def _statistics(cell: CellResult, row: int) -> list[Fact]:
    target = dict(statistics_of(cell.target, int(cell.rows.target_slot[row])))
    golden = dict(statistics_of(cell.golden, int(cell.rows.golden_slot[row])))
    names = list(dict.fromkeys([*target, *golden]))
    if not names:
        return []
    if not len(cell.golden.operators):
        return [(name, "", target[name]) for name in names]
    heading = ("", text("gui.target"), text("gui.golden"))
    return [heading, *((name, target.get(name, "—"), golden.get(name, "—")) for name in names)]


def _file(dump: Dump, slot: int) -> str:
    if slot < 0:
        return ""
    name = pool_text(dump.strings, int(dump.slots.file[slot]))
    return f"{dump.data_dir}/{name}" if name and dump.data_dir else name
