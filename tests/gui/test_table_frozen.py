"""The column of names stays at the left: drawn, pressed and reached whatever is scrolled under it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.models.table.column_sets import ColumnSet
from gui.models.table.columns import COLUMNS, PLACES
from gui.views.table.buttons import SetButton
from gui.widgets.row_table import RowTable

LEFT = Qt.MouseButton.LeftButton
NAME = PLACES["operator"]


@pytest.fixture
def table(loaded: MainWindow) -> RowTable:
    assert loaded.workspace is not None
    view = loaded.workspace.table
    view.findChildren(SetButton)[0].chosen.emit(ColumnSet.ALL)
    view.table.scrollToTop()
    view.table.clearSelection()
    return view.table


def seen(view: QWidget, width: int, height: int) -> QImage:
    """Return the upper left part of *view* as the window shows it."""
    window = view.window()
    return window.grab(QRect(view.mapTo(window, QPoint(0, 0)), QSize(width, height))).toImage()


def names(table: RowTable) -> QImage:
    """Return what is seen where the names are, without the edge that tells that they stay."""
    return seen(table.viewport(), table.columnWidth(NAME) - 2, table.viewport().height() - 20)


def heading(table: RowTable) -> QImage:
    return seen(table.heading.viewport(), table.columnWidth(NAME) - 2, table.heading.height())


def press(view: QWidget, kind: QEvent.Type, where: QPoint) -> None:
    """Send a mouse event with the left button down, as a drag has it."""
    local, button = QPointF(where), Qt.MouseButton.LeftButton
    place = QPointF(view.mapToGlobal(where))
    QApplication.sendEvent(
        view, QMouseEvent(kind, local, place, button, button, Qt.KeyboardModifier.NoModifier)
    )


def test_names_are_drawn_the_same_wherever_the_rest_is(table: RowTable) -> None:
    table.selectRow(2)
    table.clearFocus()
    table.viewport().repaint()
    rest, top = names(table), heading(table)
    bar = table.horizontalScrollBar()
    for place in (bar.maximum(), 37, 400, 1, bar.maximum() // 2):
        bar.setValue(place)
        assert names(table) == rest
        assert heading(table) == top
    bar.setValue(0)
    assert names(table) == rest


def test_names_follow_rows_and_selection(table: RowTable) -> None:
    bar = table.horizontalScrollBar()
    for rows in (5, 40):
        table.verticalScrollBar().setValue(rows)
        table.selectRow(rows + 3)
        bar.setValue(0)
        rest = names(table)
        bar.setValue(500)
        assert names(table) == rest


def test_a_press_on_a_name_takes_that_row_and_nothing_moves(
    qtbot: QtBot, loaded: MainWindow, table: RowTable
) -> None:
    bar = table.horizontalScrollBar()
    bar.setValue(500)
    where = QPoint(40, table.rowViewportPosition(4) + 8)
    assert table.indexAt(where) == table.model().index(4, NAME)
    qtbot.mouseClick(table.viewport(), LEFT, pos=where)
    assert bar.value() == 500
    assert table.currentIndex() == table.model().index(4, NAME)
    assert loaded.session.row == 4
    qtbot.mouseClick(table.viewport(), LEFT, Qt.KeyboardModifier.ShiftModifier, where + QPoint(0, 27 * 3))
    assert list(table.selected_rows()) == [4, 5, 6, 7]
    assert bar.value() == 500


def test_a_press_on_the_heading_that_stays_sorts_by_it(qtbot: QtBot, table: RowTable) -> None:
    table.horizontalScrollBar().setValue(500)
    qtbot.mouseClick(table.heading.viewport(), LEFT, pos=QPoint(60, 10))
    assert table.heading.column_at(QPoint(60, 10)) == NAME
    assert "↑" in table.model().headerData(NAME, Qt.Orientation.Horizontal)
    others = [
        table.model().headerData(at, Qt.Orientation.Horizontal) for at in range(len(COLUMNS)) if at != NAME
    ]
    assert not any("↑" in words or "↓" in words for words in others)


def test_the_column_that_stays_is_made_wider_where_it_is_seen(table: RowTable) -> None:
    table.horizontalScrollBar().setValue(500)
    before = table.columnWidth(NAME)
    edge, view = QPoint(before - 2, 10), table.heading.viewport()
    press(view, QEvent.Type.MouseButtonPress, edge)
    for step in (10, 30, 40):
        press(view, QEvent.Type.MouseMove, edge + QPoint(step, 0))
    press(view, QEvent.Type.MouseButtonRelease, edge + QPoint(40, 0))
    assert table.columnWidth(NAME) == before + 40


def test_a_cell_reached_by_keys_is_never_under_the_names(qtbot: QtBot, table: RowTable) -> None:
    table.setFocus()
    table.setCurrentIndex(table.model().index(3, NAME))
    for key, presses in ((Qt.Key.Key_Right, 25), (Qt.Key.Key_Left, 24)):
        for _ in range(presses):
            qtbot.keyClick(table, key)
            column = table.currentIndex().column()
            left = table.columnViewportPosition(column)
            right = left + table.columnWidth(column)
            assert left >= table.columnWidth(NAME) or column == NAME
            assert right <= table.viewport().width() + 1
    assert table.currentIndex().row() == 3


def test_names_that_are_most_of_the_width_are_scrolled_like_the_rest(table: RowTable) -> None:
    table.setColumnWidth(NAME, table.viewport().width())
    table.horizontalScrollBar().setValue(200)
    where = QPoint(10, table.rowViewportPosition(1) + 5)
    assert table.indexAt(where).column() == table.columnAt(10)
    assert table.columnViewportPosition(NAME) == -200


def test_moved_columns_change_nothing_for_the_names(table: RowTable) -> None:
    table.heading.moveSection(table.heading.visualIndex(PLACES["shape"]), 1)
    rest = names(table)
    table.horizontalScrollBar().setValue(300)
    assert names(table) == rest
    assert table.heading.visualIndex(NAME) == 0
