"""The tensors of a call in the window: what is pointed at, how it is laid out, what it looks like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from builders.tensor_gestures import LEFT, SHIFT, click, sides_of, spot
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Region
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.pages.detail_window import DetailWindow
from gui.tensors.scales import ColourMap, Extent, Scale, rgb
from gui.views.tensors.view import TensorsView

Patience = Callable[[Callable[[], bool]], None]
Choose = Callable[[str], None]


# ---- pointing


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_click_reads_out_the_element(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience, which: int
) -> None:
    view = tensors_view
    choose("flat")
    target, golden = sides_of("flat")
    pane = view.maps.shown[which]
    click(qtbot, pane, 17, 23)
    patience(lambda: view.telling.values.values is not None and view.telling.values.values.index == (17, 23))
    values = view.telling.values.values
    assert values is not None
    assert (values.target, values.golden) == (float(target[17, 23]), float(golden[17, 23]))
    assert str(target[17, 23]).removeprefix("-") in view.readout
    assert view._pair.place == (17, 23)


def test_the_pointer_reads_and_leaves_again(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("flat")
    patience(lambda: view.readout.startswith("[11, 40]"))  # the largest difference
    worst = view.readout
    assert "1.50e+00" in worst
    assert "ULP" in worst
    qtbot.mouseMove(view.maps.golden.canvas, spot(view.maps.golden, 3, 4))
    patience(lambda: view.readout.startswith("[3, 4]"))
    view.maps.golden.canvas.left.emit()
    patience(lambda: view.readout == worst)


def test_the_keys_move_hold_and_let_go(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("flat")
    canvas = view.maps.target.canvas
    click(qtbot, view.maps.target, 5, 5)
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    patience(lambda: view.readout.startswith("[4, 6]"))
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    patience(lambda: view.readout.startswith("[11, 40]"))
    qtbot.keyClick(canvas, Qt.Key.Key_Left, SHIFT)
    patience(lambda: view.readout.startswith("[11, 30]"))
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    patience(lambda: view.readout.startswith("[11, 40]"))


def test_zoom_is_shared_kept_by_equal_sizes_and_refined(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("wide")
    canvas = view.maps.target.canvas
    for _ in range(8):
        qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    sight = view.maps.sight
    assert view.maps.difference.canvas.sight is sight
    assert sight.width < 900 / 8
    assert sight.left <= 803 <= sight.left + sight.width  # about the cursor, at the NaN
    drawn = view.maps.target.canvas
    patience(lambda: drawn._part is not None and drawn._part.picture.block == (1, 1))
    left = sight.left
    choose("flat")
    assert sight.whole
    choose("wide")
    assert sight.whole  # another size came between
    sight.look(100, left, 50, 60)
    view._pair.changed.emit()
    patience(lambda: view.pictures is not None)
    assert (sight.left, sight.width) == (left, 60)


def test_a_rectangle_is_marked_in_all_panes(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("flat")
    canvas = view.maps.difference.canvas
    QTest.mousePress(canvas, LEFT, SHIFT, spot(view.maps.difference, 2, 3))
    QTest.mouseMove(canvas, spot(view.maps.difference, 5, 9))
    QTest.mouseMove(canvas, spot(view.maps.difference, 7, 12))
    QTest.mouseRelease(canvas, LEFT, SHIFT, spot(view.maps.difference, 7, 12))
    assert view._pair.rectangle == Region(2, 8, 3, 13)
    assert "6 × 10 = 60" in view.readout
    assert Region(2, 8, 3, 13) in view.maps.target.canvas.outlined
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert view._pair.rectangle is None


# ---- special values


def test_counts_lead_to_the_next_special_value(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("special")
    specials = view.maps.target.specials
    assert specials.buttons["nan"].accessibleName().startswith("NaN 2")
    assert not view.maps.golden.specials.isVisible()
    for place in ("[22, 9]", "[3, 5]"):  # behind [4, 7], and round
        qtbot.mouseClick(specials.buttons["nan"], LEFT)
        patience(lambda place=place: view.readout.startswith(place))
    assert "NaN" in view.readout
    qtbot.keyPress(specials, Qt.Key.Key_Shift)
    view._desk.find_special("target", "nan", False)
    patience(lambda: view.readout.startswith("[22, 9]"))
    qtbot.mouseClick(specials.buttons["minus_inf"], LEFT)
    patience(lambda: view.readout.startswith("[21, 2]"))
    assert "−Inf" in view.readout


def test_special_values_are_seen_in_their_colours(
    window: MainWindow, tensors_view: TensorsView, choose: Choose
) -> None:
    view = tensors_view
    choose("special")
    colours = window.context.theme.colours
    shown = view.maps.target.canvas.bare(1.0)
    for row, column, role in ((3, 5, "nan"), (20, 44, "plus_infinity"), (21, 2, "minus_infinity")):
        at = shown.pixelColor(spot(view.maps.target, row, column))
        assert (at.red(), at.green(), at.blue()) == rgb(getattr(colours, role))


# ---- looks


def test_kinds_of_difference(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("special")
    target, golden = (side.astype(np.float64) for side in sides_of("special"))
    box = view.toolbar.kind
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    patience(lambda: view.pictures is not None and view.pictures.request.difference is Difference.RELATIVE)
    assert view.pictures is not None
    assert view.pictures.difference is not None
    shown = view.pictures.difference.values[4, 7]
    assert shown == pytest.approx((target[4, 7] - golden[4, 7]) / abs(golden[4, 7]), rel=1e-6)
    view.looks.set_difference(Difference.CLASSES)
    patience(lambda: view.pictures is not None and view.pictures.request.difference is Difference.CLASSES)
    assert view.maps.difference.bar.words == "both finite, target Inf, target NaN"


def test_a_range_is_kept_over_calls_and_says_what_lies_beyond(
    qtbot: QtBot, window: MainWindow, tensors_view: TensorsView, choose: Choose
) -> None:
    view = tensors_view
    choose("flat")
    qtbot.mouseClick(view.toolbar.lock, LEFT)
    shades = view.maps.target.bar.shades
    assert shades is not None
    kept = (shades.low, shades.high)
    assert "kept" in view.maps.difference.title
    choose("ids")
    shades = view.maps.target.bar.shades
    assert shades is not None
    assert (shades.low, shades.high) == kept
    assert view.maps.target.bar.beyond == (False, True)
    assert "beyond" in view.maps.target.bar.words
    assert window.context.settings.heat_extent == "fixed"
    qtbot.mouseClick(view.toolbar.lock, LEFT)
    assert view.maps.target.bar.beyond == (False, False)
    panel = view.toolbar.panel
    panel.open()
    panel.extent.setFocus()
    qtbot.keyClick(panel.extent, Qt.Key.Key_Down)
    panel.close()
    assert view.looks.extent is Extent.MOST
    assert view.maps.target.bar.beyond == (True, True)


def test_a_range_is_typed_and_dragged(qtbot: QtBot, tensors_view: TensorsView, choose: Choose) -> None:
    view = tensors_view
    choose("flat")
    panel = view.toolbar.panel
    panel.open()
    for field, number in ((panel.low, "-2"), (panel.high, "2.5")):
        field.selectAll()
        qtbot.keyClicks(field, number)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    shades = view.maps.golden.bar.shades
    assert shades is not None
    assert (shades.low, shades.high) == (-2, 2.5)
    for choice in (panel.scale, panel.colours):
        choice.setFocus()
        qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert (view.looks.scale, view.looks.colour_map) == (Scale.LOG, ColourMap.CIVIDIS)
    qtbot.keyClick(panel.scale, Qt.Key.Key_Up)
    panel.low.selectAll()
    qtbot.keyClicks(panel.low, "9")
    qtbot.keyClick(panel.low, Qt.Key.Key_Return)
    assert panel.low.property("wrong")
    panel.close()
    bar = view.maps.target.bar
    right = int(bar._bar().right())
    QTest.mousePress(bar, LEFT, pos=QPoint(right, 8))
    QTest.mouseMove(bar, QPoint(right - 40, 8))
    QTest.mouseRelease(bar, LEFT, pos=QPoint(right - 40, 8))
    shades = bar.shades
    assert shades is not None
    assert shades.low == -2
    assert shades.high < 2.5


def test_what_is_found_is_told_and_leads_there(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("flat")
    patience(lambda: view.telling.strip.current is not None)
    assert "[11, 40]" in view.telling.strip.sentence
    assert "differs in 1 of 1\u202f500" in view.telling.facts.words
    click(qtbot, view.maps.target, 0, 0)
    qtbot.mouseClick(view.telling.strip, LEFT)
    assert view._pair.place == (11, 40)
    assert Region(11, 12, 40, 41) in view.maps.target.canvas.outlined
    choose("row")
    patience(lambda: not view.telling.strip.searching)
    assert view.telling.strip.sentence.startswith("No pattern")


def test_esc_lets_go_before_it_closes_a_detail_window(
    qtbot: QtBot, window: MainWindow, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("flat")
    window.actions_registry["open_detail"].trigger()
    (detail,) = [made for made in QApplication.topLevelWidgets() if isinstance(made, DetailWindow)]
    own = detail.card.view_of(TensorsView)
    detail.card.tabs.setCurrentIndex(Tab.TENSORS)
    patience(lambda: own.pictures is not None and window.session.pictures.idle)
    click(qtbot, own.maps.target, 2, 2)
    assert own._pair.place == (2, 2)
    assert view._pair.place == (11, 40)
    own.maps.target.canvas.setFocus()
    qtbot.keyClick(own.maps.target.canvas, Qt.Key.Key_Escape)
    assert detail.isVisible()
    assert own._pair.place == (11, 40)
    qtbot.keyClick(own.maps.target.canvas, Qt.Key.Key_Escape)
    patience(lambda: not any(isinstance(made, DetailWindow) for made in QApplication.topLevelWidgets()))
