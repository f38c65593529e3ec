"""An emulation as columns: nothing is lost, and however many calls there are, nothing takes long."""

from __future__ import annotations

import math
import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
from builders import emulations
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from core.records.emulation import ULP_EDGES, CallEmulation, EmulationVerdict
from core.records.run import CellKey
from gui.looks.theme import Theme
from gui.models.emulation.calls import Replayed, emulation_in, replayed_of
from gui.models.emulation.columns import CALL_COLUMNS
from gui.models.emulation.table import CallFilter, EmulationTable
from gui.widgets.number_line import Mark, NumberLine
from gui.widgets.ulp_bars import UlpBars, bin_labels

_MANY = 100_000


@pytest.fixture(scope="module")
def many() -> Replayed:
    random = np.random.default_rng(5)
    verdicts = list(EmulationVerdict)
    kinds = random.choice(4, size=_MANY, p=[0.6, 0.3, 0.01, 0.09]).tolist()
    farthest = random.exponential(9.0, _MANY).tolist()
    made: list[CallEmulation] = []
    for at, (kind, ulp) in enumerate(zip(kinds, farthest)):
        cell = CellKey("", at // 10_000, 0)
        name = f"Module.blocks.{at % 96}.attention.{at}.Linear.forward.0"
        verdict = verdicts[kind]
        if verdict is EmulationVerdict.NOT_REPLAYED:
            made.append(emulations.left_out(name, "random", cell=cell))
        else:
            made.append(emulations.call(name, verdict, cell, ulp))
    return replayed_of(emulations.emulation(tuple(made)))


def test_each_call_comes_back_as_it_was() -> None:
    calls = emulations.mixed()
    found = replayed_of(emulations.emulation(calls))
    assert [found.calls.call(row) for row in range(len(found.calls))] == list(calls)
    assert emulation_in(found) == emulations.emulation(calls)
    assert found.calls.row_of(emulations.CELL, "Functional.gelu.1.forward") == 2
    assert found.calls.row_of(CellKey("", 7, 0), "Functional.gelu.1.forward") == -1
    assert found.calls.row_of(emulations.CELL, "Functional.gelu.99.forward") == -1
    assert found.calls.reason_counts == {"composite_module": 2, "random": 1}
    assert list(found.calls.outside) == [2]


def test_a_name_that_occurs_in_each_step_is_found_in_its_own() -> None:
    later = CellKey("", 1, 0)
    found = replayed_of(emulations.emulation((*emulations.mixed(), *emulations.mixed(later))))
    assert found.calls.row_of(later, "Functional.gelu.1.forward") == 10
    assert len(found.calls.names.texts) == 8


def test_an_emulation_without_calls_is_shown() -> None:
    found = replayed_of(emulations.emulation(()))
    model = EmulationTable()
    model.set_calls(found.calls)
    assert model.rowCount() == 0
    model.set_filter(CallFilter(words="linear"))
    assert model.rowCount() == 0
    assert found.calls.reason_counts == {}


def test_calls_travel_without_an_object_each(many: Replayed) -> None:
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(many, protocol=5, buffer_callback=buffers.append)
    assert len(head) < 40_000
    again = pickle.loads(head, buffers=[bytes(buffer.raw()) for buffer in buffers])
    assert again.calls.call(_MANY - 1) == many.calls.call(_MANY - 1)


def test_a_hundred_thousand_calls_sort_at_once(many: Replayed, qapp: QApplication) -> None:
    model = EmulationTable()
    model.set_calls(many.calls)
    for number, column in enumerate(CALL_COLUMNS):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            began = time.process_time()
            model.sort(number, order)
            assert time.process_time() - began < 0.2, column.key
            keys = column.sort(many.calls)[model.order].astype(np.float64)
            there = keys[~np.isnan(keys)]
            upward = there if order == Qt.SortOrder.AscendingOrder else there[::-1]
            assert (upward[1:] >= upward[:-1]).all()
            assert np.isnan(keys[len(there) :]).all()  # what is not known comes last
    began = time.process_time()
    model.set_filter(CallFilter(frozenset({EmulationVerdict.OUTSIDE}), frozenset(), "attention"))
    assert time.process_time() - began < 0.2
    assert model.rowCount() == int(many.calls.counts[2])


def test_reasons_and_verdicts_are_either_or_and_words_all(qapp: QApplication) -> None:
    calls = emulations.replayed_mixed().calls
    model = EmulationTable()
    model.set_calls(calls)
    outside, both = EmulationVerdict.OUTSIDE, frozenset({"random"})
    for wanted, count in (
        (CallFilter(), 8),
        (CallFilter(frozenset({outside})), 1),
        (CallFilter(frozenset({outside}), both), 2),
        (CallFilter(frozenset(), both), 1),
        (CallFilter(words="linear"), 3),
        (CallFilter(words="  Linear BACK "), 1),
        (CallFilter(frozenset({outside}), both, "gelu"), 1),
    ):
        model.set_filter(wanted)
        assert model.rowCount() == count, wanted
        for row in range(8):
            at = model.view_row(row)
            assert at == -1 or int(model.order[at]) == row


def test_a_formula_is_no_formula_in_a_spreadsheet(qapp: QApplication) -> None:
    call = replace(emulations.mixed()[0], operator="=cmd()")
    model = EmulationTable()
    model.set_calls(replayed_of(emulations.emulation((call,))).calls)
    assert model.tab_separated([0]).splitlines()[1].split("\t")[1] == "'=cmd()"
    assert model.tab_separated([]) == ""
    assert model.data(QModelIndex()) is None


# ---- pictures


def test_bars_name_every_bin(qapp: QApplication) -> None:
    labels = bin_labels()
    assert len(labels) == len(ULP_EDGES) + 1
    assert labels[:3] == ["0", "≤1", "≤2"]
    assert labels[-3:] == ["≤64k", ">64k", "NaN"]


def drawn(widget: NumberLine | UlpBars) -> QImage:
    widget.resize(320, widget.height())
    return widget.grab().toImage()


def test_one_element_among_a_million_is_seen(qapp: QApplication) -> None:
    theme = Theme(qapp)
    bars = UlpBars(theme)
    counts = [0] * (len(ULP_EDGES) + 1)
    counts[0], counts[10] = 1_000_000, 1
    bars.show_counts(tuple(counts))
    image = drawn(bars)
    accent = theme.colour("accent").rgb()
    pixels = sum(image.pixel(x, y) == accent for x in range(image.width()) for y in range(image.height()))
    assert pixels > 20
    assert bars.accessibleDescription() == "1 000 000 elements, 0 ULP; 1 element, ≤64k ULP".replace(
        " 000", "\u202f000"
    )
    bars.show_counts(())
    assert bars.isHidden()
    bars.deleteLater()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1.7e308, -1.7e308, 5e-324, 0.0])
def test_the_line_takes_any_number(qapp: QApplication, value: float) -> None:
    line = NumberLine(Theme(qapp))
    marks = (Mark("target", value, "introduces", True), Mark("float64", 1.0, "accent"))
    line.show_numbers(marks, (value, 1.0), (-1.7e308, 1.7e308))
    assert not drawn(line).isNull()
    line.show_numbers((Mark("target", value, "text"),), (math.nan, math.nan), (math.nan, math.nan))
    assert not drawn(line).isNull()
    line.deleteLater()
