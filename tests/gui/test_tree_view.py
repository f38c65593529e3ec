"""The tree's card under mouse and keys: arranging, searching, only problems, levels, numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.results import gpt_result, result_info
from PySide6.QtCore import QPoint, QSettings, Qt
from pytestqt.qtbot import QtBot

from core.messages import set_language
from core.records.columns import StringPool
from core.records.dump import Dump
from core.records.result import CellResult, Evidence, Origin, Reason, Verdict
from core.records.run import CellKey
from gui.comparison.preparation import Opened
from gui.main_window import MainWindow
from gui.models.pair.facts import build_facts
from gui.models.tree.arrangements import Arrangement, Order
from gui.models.tree.node_numbers import Shown
from gui.models.tree.operator_tree import NODE_ROLE, Branch, OperatorTree
from gui.settings import Settings, SettingsFile
from gui.views.operators.view import OperatorsView

LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., None]


def card(window: MainWindow) -> OperatorsView:
    assert window.workspace is not None
    return window.workspace.operators


def tree_of(window: MainWindow) -> Arrangement:
    arrangement = card(window).model.arrangement
    assert arrangement is not None
    return arrangement


def choose(window: MainWindow, order: Order) -> None:
    button = card(window).arrangement
    menu = button.menu()
    assert menu is not None
    menu.actions()[list(Order).index(order)].trigger()


def current(window: MainWindow) -> str:
    return str(card(window).tree.currentIndex().data())


def search(window: MainWindow, qtbot: QtBot, words: str) -> None:
    window.actions_registry["find_in_tree"].trigger()
    field = card(window).search.field
    assert field.hasFocus()
    field.clear()
    qtbot.keyClicks(field, words)
    qtbot.waitUntil(lambda: card(window).search.words != "0 matches", timeout=3000)


@pytest.mark.parametrize("order", list(Order))
def test_the_selected_row_is_shown_in_every_arrangement(loaded: MainWindow, order: Order) -> None:
    choose(loaded, order)
    row = loaded.session.row
    assert card(loaded).tree.node == card(loaded).model.node_of_row(row)
    assert card(loaded).tree.selectionModel().hasSelection()
    loaded.session.select(5)
    assert card(loaded).tree.node == card(loaded).model.node_of_row(5)
    assert loaded.context.settings.tree_arrangement == order


def test_a_type_is_looked_at_and_shown_alone(qtbot: QtBot, loaded: MainWindow) -> None:
    choose(loaded, Order.TYPE)
    view = card(loaded)
    tree = tree_of(loaded)
    gelu = next(node for node in range(len(tree)) if tree.label(node) == "gelu")
    index = view.model.node_index(gelu)
    assert index.data(NODE_ROLE).detail == "72 calls"
    view.tree.scrollTo(index)
    qtbot.mouseClick(view.tree.viewport(), LEFT, pos=view.tree.visualRect(index).center())
    assert view.tree.node == gelu
    assert loaded.session.row == tree.worst_row(gelu)
    qtbot.mouseDClick(view.tree.viewport(), LEFT, pos=view.tree.visualRect(index).center())
    assert loaded.session.filter.text == "type:gelu"
    assert np.count_nonzero(loaded.session.mask) == np.count_nonzero(tree.rows_below(gelu))
    qtbot.keyClick(view.tree, Qt.Key.Key_Return)
    assert not loaded.session.filter.active


def test_the_mouse_folds_at_the_branch_only(qtbot: QtBot, loaded: MainWindow) -> None:
    view = card(loaded)
    view.tree.scrollToTop()
    index = view.model.index(0, 0)
    rows, row = view.model.rowCount(), loaded.session.row
    rect = view.tree.visualRect(index)
    qtbot.mouseClick(view.tree.viewport(), LEFT, pos=QPoint(rect.left() + 8, rect.center().y()))
    assert view.model.rowCount() < rows
    assert index.data(NODE_ROLE).branch is Branch.CLOSED
    assert loaded.session.row == row  # what is looked at stays, though its node is folded away
    assert view.tree.node == 0
    qtbot.mouseClick(view.tree.viewport(), LEFT, pos=QPoint(rect.left() + 8, rect.center().y()))
    assert view.model.rowCount() == rows


def test_arrows_walk_through_the_tree(qtbot: QtBot, loaded: MainWindow) -> None:
    view = card(loaded)
    loaded.actions_registry["tree_fold"].trigger()
    loaded.actions_registry["focus_tree"].trigger()
    qtbot.keyClick(view.tree, Qt.Key.Key_Home)
    rows = view.model.rowCount()
    assert current(loaded) == "model GPT"
    qtbot.keyClick(view.tree, Qt.Key.Key_Right)
    assert view.model.rowCount() > rows
    qtbot.keyClick(view.tree, Qt.Key.Key_Right)
    assert current(loaded) == "embedding.0"
    assert loaded.session.row == tree_of(loaded).worst_row(1)
    qtbot.keyClick(view.tree, Qt.Key.Key_Left)
    assert current(loaded) == "model GPT"
    qtbot.keyClick(view.tree, Qt.Key.Key_Left)
    assert view.model.rowCount() == rows
    qtbot.keyClick(view.tree, Qt.Key.Key_End)
    assert view.tree.currentIndex().row() == rows - 1


def test_searching_marks_and_walks_round(qtbot: QtBot, loaded: MainWindow) -> None:
    view = card(loaded)
    rows = view.model.rowCount()
    search(loaded, qtbot, "gelu")
    assert view.model.rowCount() == rows  # nothing is filtered
    assert view.search.words == "15 of 36"  # the one that is looked at, of one in each of 36 layers
    qtbot.keyClick(view.search.field, Qt.Key.Key_Return)
    assert (current(loaded), view.search.words) == ("gelu.15", "16 of 36")
    assert view.search.field.hasFocus()
    loaded.actions_registry["next_match"].trigger()
    assert current(loaded) == "gelu.16"
    assert "gelu.16" in loaded.session.facts.operators[int(loaded.session.facts.operator[loaded.session.row])]
    qtbot.mouseClick(view.search.before, LEFT)
    loaded.actions_registry["previous_match"].trigger()
    assert (current(loaded), view.search.words) == ("gelu.14", "15 of 36")
    for _ in range(22):
        qtbot.mouseClick(view.search.after, LEFT)
    assert current(loaded) == "gelu.0"
    loaded.actions_registry["previous_match"].trigger()
    assert current(loaded) == "gelu.35"
    marked = [view.model.index(at, 0).data(NODE_ROLE) for at in range(view.model.rowCount())]
    assert {look.label.split(".")[0] for look in marked if look.marked} == {"gelu"}
    qtbot.keyClick(view.search.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not view.model.look(view.tree.node).marked, timeout=3000)
    qtbot.keyClick(view.search.field, Qt.Key.Key_Escape)
    assert view.tree.hasFocus()


def test_the_row_that_fits_is_selected(qtbot: QtBot, loaded: MainWindow) -> None:
    search(loaded, qtbot, "gelu input verdict:differs")
    qtbot.keyClick(card(loaded).search.field, Qt.Key.Key_Return)
    facts = loaded.session.facts
    assert facts is not None
    assert facts.slots[int(facts.slot[loaded.session.row])].startswith("input")


def test_names_of_nodes_without_rows_are_found_too(qtbot: QtBot, loaded: MainWindow) -> None:
    search(loaded, qtbot, "transformer.h.")
    choose(loaded, Order.TYPE)
    loaded.actions_registry["tree_fold"].trigger()
    search(loaded, qtbot, "layer_norm")
    loaded.actions_registry["next_match"].trigger()
    assert current(loaded).startswith("layer_norm")


def test_what_is_wrong_with_a_search_is_said(qtbot: QtBot, loaded: MainWindow) -> None:
    search(loaded, qtbot, "side:left")
    assert "is not known here" in card(loaded).search.words
    assert not card(loaded).search.after.isEnabled()


def test_typing_in_the_tree_searches(qtbot: QtBot, loaded: MainWindow) -> None:
    view = card(loaded)
    view.tree.setFocus()
    qtbot.keyClicks(view.tree, "m")
    assert view.search.field.hasFocus()
    assert view.search.field.text() == "m"


def test_another_cell_keeps_arrangement_search_and_folding(
    qtbot: QtBot, loaded: MainWindow, cell: CellResult
) -> None:
    choose(loaded, Order.TYPE)
    search(loaded, qtbot, "gelu")
    view = card(loaded)
    opened = {view.model.look(int(node)).label for node in np.flatnonzero(view.model.unfolding.open)}
    other = replace(cell, key=CellKey("", 1, 0))
    loaded.session.show_opened(Opened(result_info(cell), "", other, build_facts(other), 0.1), other=False)
    assert view.model.order is Order.TYPE
    assert view.search.field.text() == "gelu"
    assert view.search.words.endswith("of 73")
    again = {view.model.look(int(node)).label for node in np.flatnonzero(view.model.unfolding.open)}
    assert again == opened


def all_equal(cell: CellResult) -> CellResult:
    kept = cell.rows.take((cell.rows.target_operator >= 0) & (cell.rows.golden_operator >= 0))
    kept.verdict[:], kept.reason[:] = Verdict.EQUAL, Reason.IDENTICAL
    kept.evidence[:], kept.origin[:] = Evidence.FULL, Origin.UNKNOWN
    return replace(cell, rows=kept, class_counts=cell.class_counts.take(slice(0, 0)))


def test_only_problems_and_nothing_left(
    qtbot: QtBot, loaded: MainWindow, show: Show, cell: CellResult
) -> None:
    view = card(loaded)
    rows = view.model.rowCount()
    choose(loaded, Order.EXECUTION)
    qtbot.mouseClick(view.problems, LEFT)
    assert loaded.actions_registry["only_problems"].isChecked()
    looks = [view.model.index(at, 0).data(NODE_ROLE) for at in range(view.model.rowCount())]
    assert 0 < len(looks) < len(tree_of(loaded))
    assert all(
        look.one_sided or look.category.differs or look.category.name == "GOLDEN_INVALID" for look in looks
    )
    assert view.tree.node == view.model.node_of_row(loaded.session.row)
    show(all_equal(cell))
    assert view._note.isVisible()
    assert "Nothing differs" in view._note.sentence
    view._note.pressed.emit()
    assert not view.problems.isChecked()
    assert view.tree.isVisible()
    assert rows


def test_levels_by_key_and_a_calm_line_at_the_limit(
    qtbot: QtBot, loaded: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = card(loaded)
    loaded.actions_registry["tree_fold"].trigger()
    loaded.actions_registry["focus_tree"].trigger()
    roots = view.model.rowCount()
    control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(view.tree, Qt.Key.Key_Down, control)
    assert view.model.rowCount() > roots
    qtbot.keyClick(view.tree, Qt.Key.Key_Up, control)
    assert view.model.rowCount() == roots
    assert not view.limit_words
    monkeypatch.setattr("gui.models.tree.unfolding.MOST_ROWS", 60)
    qtbot.keyClick(view.tree, Qt.Key.Key_Home)
    loaded.actions_registry["tree_unfold"].trigger()
    assert view.model.rowCount() <= 60
    assert "Not unfolded further" in view.limit_words
    loaded.actions_registry["tree_shallower"].trigger()
    assert not view.limit_words


def test_the_number_at_the_right_is_chosen(loaded: MainWindow) -> None:
    view = card(loaded)
    node = view.model.node_of_row(loaded.session.row)
    assert view.model.look(0).number == "1 602".replace(" ", "\u202f")
    assert view.model.look(node).number == ""
    actions = {action.text(): action for action in view.more.menu().actions()}
    actions["Worst error of outputs"].trigger()
    assert view.model.look(node).number == "2.81e−04"
    actions["Worst cosine of outputs"].trigger()
    assert view.model.look(node).number.startswith("0.99999")
    assert loaded.context.settings.tree_number == Shown.COSINE
    tip = str(view.model.node_index(node).data(Qt.ItemDataRole.ToolTipRole))
    assert tip.startswith("Functional.gelu.14\n")
    assert "1 introduces" in tip
    assert "Worst error of outputs  2.81e−04" in tip


def test_what_is_drawn_is_also_spoken(loaded: MainWindow) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    index = card(loaded).model.index(0, 0)
    assert index.data(role) == "model GPT, introduces, unfolded, level 1"
    set_language("zh_CN")
    try:
        assert index.data(role) == "model GPT, 引入差异, 已展开, 第 1 级"
    finally:
        set_language("en")


def test_a_narrow_card_still_paints_and_copies(loaded: MainWindow) -> None:
    view = card(loaded)
    view.more._choices[Shown.COSINE].trigger()
    view.resize(180, 300)
    assert not view.grab().isNull()
    assert view.copied_text() == "Functional.gelu.14"


def test_unfolding_a_long_list_asks_only_for_what_is_seen(
    window: MainWindow, show: Show, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(gpt_result(layers=400, faulty_layer=1))
    choose(window, Order.TYPE)
    view = card(window)
    window.actions_registry["tree_fold"].trigger()
    asked = 0
    plain = OperatorTree.data

    def counted(self: OperatorTree, *arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        return plain(self, *arguments)

    monkeypatch.setattr(OperatorTree, "data", counted)
    view.tree.set_open(0, True)
    assert view.model.rowCount() > 3000
    view.tree.viewport().repaint()
    assert asked < 500


def test_how_it_was_arranged_is_remembered(tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "a.ini"), QSettings.Format.IniFormat)
    store.setValue("window/tree_by_module", "false")  # as older versions wrote it
    assert SettingsFile(store).load().tree_arrangement == Order.EXECUTION
    SettingsFile(store).save(Settings(tree_arrangement="type", tree_number="cosine"))
    again = SettingsFile(store).load()
    assert (again.tree_arrangement, again.tree_number) == ("type", "cosine")
    store.setValue("window/tree_arrangement", '"by colour"')
    store.setValue("window/tree_number", "7")
    again = SettingsFile(store).load()
    assert (again.tree_arrangement, again.tree_number) == ("module", "differing")


def test_that_a_dump_names_no_modules_is_said(loaded: MainWindow, show: Show, cell: CellResult) -> None:
    assert card(loaded).flat_words == ""
    show(replace(cell, target=without_modules(cell.target), golden=without_modules(cell.golden)))
    choose(loaded, Order.MODULE)
    assert "which module" in card(loaded).flat_words
    choose(loaded, Order.EXECUTION)
    assert card(loaded).flat_words == ""


def without_modules(dump: Dump) -> Dump:
    """Return *dump* as if it named neither modules nor parents."""
    texts = [
        text.replace("Module.", "Functional.").replace(".forward.", ".").replace(".backward.", ".")
        for text in dump.strings
    ]
    operators = replace(dump.operators, parent=np.full_like(dump.operators.parent, -1))
    kinds = np.zeros_like(operators.kind)
    return replace(dump, operators=replace(operators, kind=kinds), strings=StringPool.of(texts))
