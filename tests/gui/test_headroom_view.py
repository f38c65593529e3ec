"""The headroom view as a person uses it: it measures, one looks, points, chooses, sorts, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import rooms
from builders.rooms import network, room_of
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language
from core.records.headroom import BINS, FIRST_EXPONENT, ExponentPicture, HeadroomTable
from core.records.result import CellResult, Evidence
from core.records.run import CellKey
from gui.headroom.work import CellRoom
from gui.looks.theme import DARK, LIGHT
from gui.main_window import MainWindow
from gui.models.headroom.columns import BITS, ROOM_COLUMNS, share_text
from gui.models.headroom.picture import BY_STATISTICS, FAINTEST, NOTHING, STRONGEST, in_pixels, range_picture
from gui.processes.work_state import Stage
from gui.views.headroom.colours import pixels_of, share_map
from gui.views.headroom.picture import limits_of_format
from gui.views.headroom.view import HeadroomView

LEFT = Qt.MouseButton.LeftButton
COLUMN = {column.key: number for number, column in enumerate(ROOM_COLUMNS)}


def view_in(window: MainWindow, qtbot: QtBot) -> HeadroomView:
    made = HeadroomView(window.context)
    made.resize(1400, 520)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def view(loaded: MainWindow, cell: CellResult, qtbot: QtBot) -> Iterator[HeadroomView]:
    """Return the view with the made-up comparison measured: statistics only."""
    made = view_in(loaded, qtbot)
    made.state.show_room(room_of(cell))
    QApplication.processEvents()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def measured(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, patience: Callable[..., None]
) -> Iterator[HeadroomView]:
    """Return the view after it measured a dump with tensors by itself."""
    window.session.open_pair(str(network(tmp_path / "run", tensors=True)), "")
    patience(lambda: window.session.cell is not None)
    made = view_in(window, qtbot)
    patience(lambda: made.state.stage is Stage.READY)
    QApplication.processEvents()
    yield made
    made.close()
    made.deleteLater()


def shown(view: HeadroomView, row: int, key: str) -> str:
    return str(view.slots.model.index(row, COLUMN[key]).data())


# ---- measuring


def test_it_measures_when_it_is_looked_at_and_not_before(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, patience: Callable[..., None]
) -> None:
    window.session.open_pair(str(network(tmp_path / "run", tensors=True)), "")
    patience(lambda: window.session.cell is not None)
    view = HeadroomView(window.context)
    assert view.state.stage is Stage.NOTHING
    view.show()
    assert view.state.stage is Stage.WORKING
    assert view.note.isVisible()
    patience(lambda: view.state.stage is Stage.READY)
    room = view.state.room
    assert room is not None
    assert not len(room.headroom.histograms)
    assert room.counts["overflow"] == 1
    assert view.slots.isVisible()
    view.hide()
    view.show()
    assert view.state.room is room  # kept, and not measured again
    view.close()
    view.deleteLater()


def test_the_tightest_slot_comes_first_and_what_is_unknown_is_said(measured: HeadroomView) -> None:
    assert shown(measured, 0, "operator") == "Torch.mul.0.forward"
    assert shown(measured, 0, "bits") == "−0.6"
    assert shown(measured, 0, "overflow") == share_text(1 / 4096)
    names = [shown(measured, row, "operator") for row in range(measured.slots.model.rowCount())]
    zeros = names.index("Torch.zeros.0.forward")
    assert (shown(measured, zeros, "bits"), shown(measured, zeros, "vanishing")) == ("∞", "0")
    small = names.index("Torch.exp.0.forward")
    assert shown(measured, small, "vanishing") == "100.000\u202f%"
    largest = np.abs(np.random.default_rng(3).standard_normal((64, 64)).astype(np.float32) * 1e-3).max()
    exponent = int(np.floor(np.log2(65504 / 2 / largest)))
    assert f"A loss scale of {2.0**exponent:g} (2^{exponent})" in measured.scale.words
    assert measured.scale.losses.texts()[0][0] == "Gradients"


def test_statistics_alone_cannot_tell_what_underflows(view: HeadroomView) -> None:
    assert shown(view, 0, "vanishing") == "cannot tell"
    assert shown(view, 0, "evidence") == "statistics"
    assert "What underflows is not known" in view.scale.words
    assert view.scale.losses.texts() == []
    assert "0 of" in view.picture.header.subtitle


@pytest.mark.parametrize(
    ("work", "title"),
    [
        (rooms.no_room, "The values could not be measured."),
        (rooms.refused_room, "The values could not be measured."),
    ],
)
def test_a_failure_is_told_and_can_be_tried_again(
    loaded: MainWindow,
    qtbot: QtBot,
    cell: CellResult,
    patience: Callable[..., None],
    work: object,
    title: str,
) -> None:
    loaded.session.result_path = "/no/result.h5"
    view = HeadroomView(loaded.context)
    view.state.work = work  # type: ignore[assignment]
    view.show()
    patience(lambda: view.state.stage is Stage.FAILED)
    assert view.note.sentences[0] == title
    assert ("planted" in view.state.details) == (work is rooms.no_room)
    view.state.work = rooms.endless_room
    qtbot.mouseClick(view.note.button, LEFT)
    assert view.state.stage is Stage.WORKING
    qtbot.mouseClick(view.note.progress.cancel, LEFT)
    assert view.state.stage is Stage.STOPPED
    assert view.note.sentences[0] == "Measuring was stopped."
    view.close()
    view.deleteLater()


def test_cells_are_kept_and_the_view_follows(
    view: HeadroomView, loaded: MainWindow, cell: CellResult
) -> None:
    session, first = loaded.session, view.state.room
    assert first is not None
    session.result_path = "/no/result.h5"
    view.state.work = rooms.endless_room
    other = replace(cell, key=CellKey("", 1, 0))
    from gui.comparison.preparation import Opened

    assert session.info is not None
    assert session.facts is not None
    opened = Opened(session.info, "/no/result.h5", other, session.facts, 0.1)
    session.show_opened(opened, other=False)
    assert (view.state.stage, view.state.room) == (Stage.WORKING, None)
    session.show_opened(replace(opened, cell=cell), other=False)
    assert (view.state.stage, view.state.room) == (Stage.READY, first)
    session.show_opened(replace(opened, path=""), other=True)  # another pair: what was kept is of no use
    assert view.state.room is None


# ---- looking and choosing


def test_a_row_marks_its_column_and_selects_its_call(view: HeadroomView, loaded: MainWindow) -> None:
    view.slots.table.selectRow(3)
    state, room = view.state, view.state.room
    assert room is not None
    assert state.row == view.slots.model.order[3]
    picture = view.picture.picture
    assert picture is not None
    operator = int(room.headroom.rows.operator[state.row])
    assert view.picture.canvas.marked == picture.column_of(operator)
    session = loaded.session
    assert session.cell is not None
    assert int(session.cell.rows.target_operator[session.row]) == operator
    assert int(session.cell.rows.target_slot[session.row]) == int(room.headroom.rows.slot[state.row])


def test_a_click_into_the_picture_selects_row_and_call(
    view: HeadroomView, loaded: MainWindow, qtbot: QtBot
) -> None:
    canvas, picture, room = view.picture.canvas, view.picture.picture, view.state.room
    assert picture is not None
    assert room is not None
    column = picture.columns // 2
    where = QPoint(round(canvas.scene.x(column + 0.5)), round(canvas.scene.box.center().y()))
    assert canvas.column_at(QPointF(where)) == column
    qtbot.mouseClick(canvas, LEFT, pos=where)
    mine = picture.rows_of(column, room.headroom.rows)
    assert view.state.row in mine
    bits = room.headroom.rows.headroom
    assert bits[view.state.row] == np.nanmin(bits[mine.start : mine.stop])
    current = view.slots.table.currentIndex().row()
    assert view.slots.model.order[current] == view.state.row
    session = loaded.session
    assert session.cell is not None
    assert session.cell.rows.target_operator[session.row] == room.headroom.rows.operator[view.state.row]
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.marked == column + 1
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.marked == column


def test_the_selection_of_the_comparison_is_followed(view: HeadroomView, loaded: MainWindow) -> None:
    session, room = loaded.session, view.state.room
    assert room is not None
    assert session.cell is not None
    slot = int(room.headroom.rows.slot[40])
    session.select(int(np.flatnonzero(session.cell.rows.target_slot == slot)[0]))
    assert view.state.row == 40
    assert view.slots.model.order[view.slots.table.currentIndex().row()] == 40


def test_enter_shows_the_slot_in_the_comparison(view: HeadroomView, loaded: MainWindow, qtbot: QtBot) -> None:
    loaded.session.set_filter(text="nothing passes this")
    view.slots.table.selectRow(5)
    with qtbot.waitSignal(view.compare_wanted, timeout=1000):
        qtbot.keyClick(view.slots.table, Qt.Key.Key_Return)
    assert loaded.session.mask[loaded.session.row]  # a filter that hid it is gone


def test_the_tip_names_call_slot_exponent_and_share(measured: HeadroomView) -> None:
    tip = measured.picture.tip(0, 16.5)  # 1e5 lies between 2^16 and 2^17
    assert "Torch.mul.0.forward" in tip
    assert "output.0" in tip
    assert "2¹⁶ to 2¹⁷" in tip
    assert share_text(1 / 4096) in tip
    assert "no elements" in measured.picture.tip(0, 40.2)
    bad = [column for column in range(5) if "NaN or Inf" in measured.picture.tip(column, 0.0)]
    assert len(bad) == 1


def test_wheel_and_keys_zoom_and_a_double_click_shows_all(view: HeadroomView, qtbot: QtBot) -> None:
    canvas = view.picture.canvas
    whole = canvas.axis.span
    canvas.setFocus()
    for _ in range(4):
        qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.axis.span < whole / 2
    before = canvas.axis.left
    start = canvas.scene.box.center().toPoint()
    qtbot.mousePress(canvas, LEFT, pos=start)
    qtbot.mouseMove(canvas, start - QPoint(30, 0))
    qtbot.mouseRelease(canvas, LEFT, pos=start - QPoint(30, 0))
    assert canvas.axis.left != before
    qtbot.mouseDClick(canvas, LEFT, pos=start)
    assert canvas.axis.span == whole


# ---- sorting and copying


def test_sorting_goes_worst_first_then_back_and_unknown_stays_last(measured: HeadroomView) -> None:
    slots = measured.slots
    slots.table.sort_by(COLUMN["vanishing"])
    assert shown(measured, 0, "operator") == "Torch.exp.0.forward"
    last = slots.model.rowCount() - 1
    slots.table.sort_by(COLUMN["largest"])
    assert shown(measured, 0, "operator") == "Torch.mul.0.forward"
    slots.table.sort_by(COLUMN["largest"])
    values = [slots.model.index(row, COLUMN["largest"]).data() for row in range(last + 1)]
    assert values[0] == "0"
    slots.table.sort_by(COLUMN["largest"])
    assert (slots.model.sort_column, slots.model.sort_descending) == (BITS, False)


def test_rows_are_copied_as_tab_separated_text(measured: HeadroomView) -> None:
    measured.slots.table.selectRow(0)
    head, row, *_ = measured.copied_text().split("\n")
    assert head.split("\t")[0] == "Operator"
    cells = dict(zip(ROOM_COLUMNS, row.split("\t")))
    plain = {column.key: value for column, value in cells.items()}
    assert plain["operator"] == "Torch.mul.0.forward"
    assert float(plain["largest"]) == 1e5
    assert float(plain["overflow"]) == 1 / 4096


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0"), (1.0, "100.000\u202f%"), (1e-9, "< 0.001\u202f%"), (0.9999999, "> 99.999\u202f%"),
        (0.00094, "0.094\u202f%"),
    ],
)  # fmt: skip
def test_what_is_no_zero_and_not_all_does_not_read_so(share: float, written: str) -> None:
    assert share_text(share) == written


# ---- drawing


def made_picture(columns: int, lone: int, evidence: int = Evidence.FULL) -> ExponentPicture:
    shares = np.zeros((BINS, columns), np.float32)
    shares[-FIRST_EXPONENT, :] = 0.5
    shares[20 - FIRST_EXPONENT, lone] = 1e-8
    every = np.arange(columns, dtype=np.int32)
    return ExponentPicture(shares, every, every, np.full(columns, evidence, np.uint8))


def rows_for(columns: int) -> HeadroomTable:
    table = HeadroomTable.empty(columns)
    table.operator[:] = np.arange(columns)
    return table


@pytest.mark.parametrize("columns", [1, 7, 900, 12000])
@pytest.mark.parametrize("height", [60, 400])
def test_a_lone_element_is_seen_at_every_size(cell: CellResult, columns: int, height: int) -> None:
    dump = cell.target
    count = min(columns, len(dump.operators))
    picture = made_picture(columns, columns // 2)
    narrow = replace(picture, first=picture.first % count)  # directions of calls that there are
    made = range_picture(narrow, rows_for(columns), dump, (-25.0, 17.0))
    made = replace(made, first=picture.first)
    seen = in_pixels(made, (0.0, float(columns)), (made.low, made.high), 640, height)
    at = (made.high - 20.5) / (made.high - made.low) * height
    line = seen[max(int(at) - 1, 0) : int(at) + 2].max(axis=0)
    assert FAINTEST <= line.max() < STRONGEST
    assert seen.max() > FAINTEST
    assert (seen == NOTHING).any()


def test_columns_of_statistics_are_hatched_and_told_apart() -> None:
    read = np.full((20, 20), STRONGEST, np.uint8)
    told = np.full((20, 20), BY_STATISTICS, np.uint8)
    for colours in (LIGHT, DARK):
        flat, hatched = pixels_of(read, colours, 1.0), pixels_of(told, colours, 1.0)
        assert len(np.unique(flat.reshape(-1, 4), axis=0)) == 1
        assert len(np.unique(hatched.reshape(-1, 4), axis=0)) == 2
        assert not (pixels_of(np.zeros((2, 2), np.uint8), colours, 1.0)).any()
        # even the fewest elements stand out from the ground
        ground = QColor(colours.card)
        faintest = share_map(colours.dark)[0].astype(int)
        assert np.abs(faintest - [ground.red(), ground.green(), ground.blue()]).max() > 60


def test_limits_are_those_of_the_format() -> None:
    assert [limit.exponent for limit in limits_of_format("float16")] == [16, -14, -24]
    assert [limit.exponent for limit in limits_of_format("bfloat16")] == [128, -126, -133]
    assert limits_of_format("float16")[0].value == "65\u202f504"


def painted(view: HeadroomView) -> QImage:
    return view.picture.canvas.grab().toImage()


def test_it_is_drawn_in_both_schemes_and_languages(measured: HeadroomView, window: MainWindow) -> None:
    images = []
    for mode in ("light", "dark"):
        for language in LANGUAGES:
            window.context.theme.set_mode(mode)
            set_language(language)
            QApplication.sendEvent(measured, QEvent(QEvent.Type.LanguageChange))
            QApplication.processEvents()
            images.append(painted(measured))
            assert "gui." not in measured.picture.header.subtitle
            assert "gui." not in measured.scale.words
    set_language("en")
    assert all(image != other for at, image in enumerate(images) for other in images[:at])


def test_a_narrow_view_keeps_names_and_numbers(view: HeadroomView) -> None:
    view.resize(760, 400)
    QApplication.processEvents()
    table = view.slots.table
    assert table.columnWidth(COLUMN["operator"]) >= 180
    assert not table.isColumnHidden(BITS)
    assert table.isColumnHidden(COLUMN["dtype"])


def test_a_million_slots_stay_fluid(view: HeadroomView, loaded: MainWindow, cell: CellResult) -> None:
    from time import perf_counter

    room, count = view.state.room, 1_000_000
    assert room is not None
    index = np.sort(np.random.default_rng(1).integers(0, len(room.headroom.rows), count))
    many = replace(room.headroom, rows=room.headroom.rows.take(index))
    many.rows.headroom[:] = np.random.default_rng(2).normal(5, 3, count)
    began = perf_counter()
    view.state.show_room(CellRoom(many, room.picture, room.scale, room.counts))
    view.slots.table.sort_by(COLUMN["overflow"])
    view.slots.table.selectRow(500_000)
    QApplication.processEvents()
    assert perf_counter() - began < 5.0
    assert view.slots.model.rowCount() == count
    assert view.slots.model.view_row(view.state.row) == 500_000
