"""What a search field offers, and which keys it takes for that."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.search.query import parse_query
from gui.models.search.query_completion import offers_at
from gui.models.search.query_fields import FIELDS
from gui.models.tree.arrangements import Order, arrange
from gui.models.tree.matches import TreeMatches


def words(typed: str, facts: Facts | None, caret: int | None = None) -> list[str]:
    return [offer.words for offer in offers_at(typed, len(typed) if caret is None else caret, facts)]


def test_fields_and_metrics_are_offered_with_what_they_are_for(facts: Facts) -> None:
    offers = offers_at("", 0, facts)
    assert [offer.words for offer in offers][: len(FIELDS)] == [f"{name}:" for name in FIELDS]
    assert {"err>", "cos<"} <= {offer.words for offer in offers}
    assert all(offer.help for offer in offers)
    assert words("gelu s", facts) == ["shape:", "side:", "stack:"]
    assert words("-s", facts) == words("s", facts)
    assert not words("gelu", facts)


def test_values_are_those_of_the_cell(facts: Facts) -> None:
    assert words("dtype:", facts) == sorted(facts.dtypes.texts)
    assert words("dtype:bf", facts) == ["bfloat16"]
    assert words("dtype:bf16", facts) == []  # another name of it: nothing to add
    assert words("type:", facts)[0] == "linear"
    assert words("type:g", facts)[:2] == ["gelu", "GPT"]
    assert [word.strip('"') for word in words("verdict:", facts)] == [
        category.word for category in reversed(Category)
    ]  # the words of the table
    assert words("type:gelu", facts) == []  # nothing is left to say
    assert words("type:", None) == []


def test_one_of_several_values_is_completed(facts: Facts) -> None:
    typed = "mlp type:lin,gelu err>1"
    (first, *_) = offers_at(typed, typed.index(",gelu"), facts)
    assert typed[: first.first] + first.words + typed[first.last :] == "mlp type:linear,gelu err>1"
    typed = "-type:gelu,soft"
    offer = offers_at("-type:gelu,emb", 14, facts)[0]
    assert typed[: offer.first] + offer.words == "-type:gelu,embedding"


@pytest.mark.parametrize("name", list(FIELDS))
def test_what_is_offered_is_understood(facts: Facts, name: str) -> None:
    for offer in offers_at(f"{name}:", len(name) + 1, facts):
        assert not parse_query(f"{name}:{offer.words}").errors


def test_keys_choose_and_enter_takes(qtbot: QtBot, loaded: MainWindow) -> None:
    field = loaded.top.search
    field.setFocus()
    qtbot.keyClicks(field, "dt")
    assert field.offers.isVisible()
    assert field.offers.chosen is None
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "dtype:"
    assert field.hasFocus()
    assert field.offers.isVisible()  # the values follow at once
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == "dtype:bfloat16"
    assert field.hasFocus()
    assert not field.offers.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert loaded.session.filter.text == "dtype:bfloat16"
    assert 0 < loaded.session.mask.sum() < len(loaded.session.mask)


def test_enter_is_not_stolen_and_escape_goes_step_by_step(qtbot: QtBot, loaded: MainWindow) -> None:
    field = loaded.top.search
    field.setFocus()
    qtbot.keyClicks(field, "s")
    assert field.offers.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (field.text(), loaded.session.filter.text) == ("s", "s")
    assert not field.offers.isVisible()
    qtbot.keyClicks(field, "i")
    assert field.offers.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "si"
    assert not field.offers.isVisible()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert not loaded.session.filter.active


def test_down_lists_and_the_mouse_takes(qtbot: QtBot, loaded: MainWindow) -> None:
    field = loaded.top.search
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Down)
    offers = field.offers
    assert offers.isVisible()
    assert loaded.rect().contains(offers.geometry())
    item = offers.item(list(FIELDS).index("side"))
    place = offers.visualItemRect(item).center()
    qtbot.mouseClick(offers.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert field.text() == "side:"
    assert [offers.item(at).text() for at in range(offers.count())] == ["target", "golden", "both"]
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert offers.chosen is not None
    assert offers.chosen.words == "both"
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert offers.chosen is None  # past the end is what was typed
    loaded.actions_registry["focus_table"].trigger()
    assert not offers.isVisible()


def test_a_wrong_term_is_drawn_and_told(qtbot: QtBot, loaded: MainWindow) -> None:
    field = loaded.top.search
    field.setFocus()
    qtbot.keyClicks(field, "dir:up")
    assert field.property("wrong")
    assert "forward, backward" in field.toolTip()
    field.clear()
    assert not field.property("wrong")
    assert "All terms must fit" in field.toolTip()


def test_what_is_wrong_is_told_whole_under_the_field_and_beside_the_counts(
    qtbot: QtBot, loaded: MainWindow
) -> None:
    field, session = loaded.top.search, loaded.session
    field.setFocus()
    qtbot.keyClicks(field, "gelu verdict:nix")
    assert field.note.isVisible()
    assert loaded.rect().contains(field.note.geometry())
    for category in Category:
        assert category.word in field.note.text()
    assert field.note.height() >= field.note.heightForWidth(field.note.width())
    qtbot.keyClick(field, Qt.Key.Key_Return)
    shown = int(session.mask.sum())
    assert 0 < shown < len(session.mask)  # the other term filters on
    heading = loaded.workspace.table.header.subtitle
    assert heading.startswith(f"{shown} ")
    assert "no verdict" in heading
    loaded.actions_registry["focus_table"].trigger()
    assert not field.note.isVisible()
    field.setFocus()
    assert field.note.isVisible()
    field.clear()
    assert not field.note.isVisible()


def test_the_tree_also_searches_on_with_the_terms_that_make_sense(loaded: MainWindow) -> None:
    assert loaded.session.cell is not None
    assert loaded.session.facts is not None
    tree = arrange(loaded.session.facts, Order.MODULE)
    right = TreeMatches(loaded.session.cell, tree, "gelu").nodes.tolist()
    assert TreeMatches(loaded.session.cell, tree, "gelu foo:bar").nodes.tolist() == right
    assert right
