"""A filter belongs to the pair it was made for, and shows that it hides something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders.results import result_info
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.records.result import CellResult
from core.records.run import CellKey
from gui.comparison.preparation import Opened
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import build_facts
from gui.views.verdicts.view import VerdictsView

Show = Callable[..., None]


def verdicts(window: MainWindow) -> VerdictsView:
    assert window.workspace is not None
    return window.workspace.verdicts


def narrow_down(window: MainWindow) -> None:
    window.session.set_filter(text="no such operator", categories=frozenset({Category.EQUAL}))


def test_another_pair_starts_without_a_filter(loaded: MainWindow, show: Show, cell: CellResult) -> None:
    narrow_down(loaded)
    show(cell, golden="/data/runs/another")
    assert not loaded.session.filter.active
    assert loaded.top.search.text() == ""
    assert not any(chip.isChecked() for chip in verdicts(loaded).chips.values())
    assert loaded.session.mask.all()


def test_the_same_pair_keeps_it(loaded: MainWindow, show: Show, cell: CellResult) -> None:
    narrow_down(loaded)
    show(cell)
    assert loaded.session.filter.text == "no such operator"
    assert loaded.session.filter.categories == {Category.EQUAL}


def test_another_step_keeps_it(loaded: MainWindow, cell: CellResult) -> None:
    narrow_down(loaded)
    other = replace(cell, key=CellKey("", 1, 0))
    loaded.session.show_opened(Opened(result_info(cell), "", other, build_facts(other), 0.1), other=False)
    assert loaded.session.filter.text == "no such operator"


def test_what_was_typed_for_another_pair_last_time_is_not_applied(
    window: MainWindow, show: Show, cell: CellResult
) -> None:
    window.session.filter.text, window.session.filter_pair = "gelu", ("/other/npu", "/other/gpu")
    show(cell)
    assert not window.session.filter.active


@pytest.mark.parametrize("how", ["text", "node", "categories"])
def test_chips_say_how_many_of_all_are_on_show(
    loaded: MainWindow, cell: CellResult, qtbot: QtBot, how: str
) -> None:
    view = verdicts(loaded)
    assert not view.property("filtered")
    assert not view.clear_button.isVisible()
    plain = {category: chip.text() for category, chip in view.chips.items()}
    if how == "text":
        loaded.session.set_filter(text="gelu")
    elif how == "node":
        loaded.session.set_filter(node=3)
    else:
        loaded.session.set_filter(categories=frozenset({Category.CLOSE}))
    assert view.property("filtered")
    facts = loaded.session.facts
    assert facts is not None
    whole = np.bincount(facts.category, minlength=len(Category))
    shown = np.bincount(facts.category[loaded.session.mask], minlength=len(Category))
    for category, chip in view.chips.items():
        assert (chip.count, chip.total) == (shown[category], whole[category])
        assert ("of" in chip.text().split()) == bool(shown[category] != whole[category])
    qtbot.mouseClick(view.clear_button, Qt.MouseButton.LeftButton)
    assert {category: chip.text() for category, chip in view.chips.items()} == plain
    assert not view.property("filtered")
