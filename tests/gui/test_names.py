"""Names as they are shown: on one line, cut where they say least; and the room that views keep."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication, QStyle

from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.names import elided_name, shown
from gui.widgets.elided_label import ElidedLabel

NAME = "Module.model.layers.3.mlp.fc1.Linear.forward.0"


@pytest.mark.parametrize(
    ("room", "wanted"),
    [(99, NAME), (26, "…mlp.fc1.Linear.forward.0"), (17, "…Linear.forward.0"), (9, "…Lin…rd.0"), (1, "…")],
)
def test_leading_parts_go_first(room: int, wanted: str) -> None:
    assert elided_name(NAME, room, len) == wanted


def test_api_and_number_stay() -> None:
    assert elided_name("Functional.embedding.0.forward", 24, len) == "…embedding.0.forward"


@given(st.text(max_size=40), st.integers(1, 50))
def test_what_is_cut_fits(name: str, room: int) -> None:
    assert len(elided_name(name, room, len)) <= max(room, 1)


@given(st.text(st.characters(codec=None), max_size=20))
def test_what_is_shown_is_one_visible_line(name: str) -> None:
    words = shown(name)
    assert len(words.splitlines()) <= 1
    assert not {"\u202e", "\u2066", "\x1b", "\0"} & set(words)
    words.encode("utf-8")
    assert shown(words) == words


def test_a_name_that_would_reorder_a_line_is_escaped(window: MainWindow) -> None:
    label = ElidedLabel("conv\n2d\u202e.0")
    assert label.text() == r"conv\n2d\u202e.0"


def test_a_menu_longer_than_the_screen_scrolls(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    menu = loaded.workspace.table.columns.menu(loaded)
    menu.ensurePolished()
    assert menu.style().styleHint(QStyle.StyleHint.SH_Menu_Scrollable, None, menu)
    menu.deleteLater()


@pytest.mark.parametrize("size", [(900, 600), (1280, 800), (1680, 1050)])
@pytest.mark.parametrize("problems", [False, True])
def test_table_and_plot_keep_their_room(
    window: MainWindow, show: Callable[..., None], cell: CellResult, size: tuple[int, int], problems: bool
) -> None:
    window.resize(*size)
    show(cell)
    work = window.workspace
    assert work is not None
    if problems:
        work.toggle_problems()
    for _ in range(5):
        QApplication.processEvents()
    assert (window.width(), window.height()) == size
    table = work.table.table
    assert table.viewport().height() >= 4 * 27
    assert work.trajectory.isHidden() or work.trajectory.height() >= 130
    if problems:
        detail = work.docks["detail"]
        assert detail.isHidden() or not detail.geometry().intersects(work.docks["problems"].geometry())
        work.problems.close_button.click()
        QApplication.processEvents()
        assert not detail.isHidden()
