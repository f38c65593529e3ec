"""How tensors of any rank and kind are laid out in the window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from builders.tensor_gestures import LEFT, click, sides_of, spot
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.metrics.pictures.kinds import Part
from core.metrics.pictures.plane import Plane, Region
from gui.main_window import MainWindow
from gui.views.tensors.view import TensorsView

Patience = Callable[[Callable[[], bool]], None]
Choose = Callable[[str], None]


# ---- layouts


def test_axes_are_chosen_slid_and_remembered_by_kind(
    qtbot: QtBot, window: MainWindow, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("deep")
    bar, pair = view.toolbar.axes, view._pair
    assert pair.plane == Plane((2,), (3,), (1, 2, 7, 9))
    assert [slider.isVisible() for slider in bar.sliders[:4]] == [True, True, False, False]
    assert "dim 0 (2)" in bar.sliders[0].slider.accessibleName()
    bar.sliders[1].box.setFocus()
    qtbot.keyClick(bar.sliders[1].box, Qt.Key.Key_Down)
    patience(lambda: view.pictures is not None and view.pictures.target.plane == pair.plane)
    assert pair.plane.fixed[1] == 1
    assert "[1, 1, :, :]" in view.maps.target.title
    # batch and rows together as rows
    qtbot.mouseClick(bar.button, LEFT)
    qtbot.mouseClick(bar.panel.roles[0][0], LEFT)
    bar.panel.close()
    assert pair.plane.rows == (0, 2)
    patience(lambda: window.session.pictures.idle)
    assert view.maps.sight.rows == 48
    click(qtbot, view.maps.target, 24 + 7, 9)
    patience(lambda: view.readout.startswith("[1, 1, 7, 9]"))
    choose("flat")
    choose("deep")
    assert pair.plane.rows == (0, 2)
    assert pair.laid_out
    bar.reset.emit()
    assert pair.plane.rows == (2,)
    assert not pair.laid_out


def test_the_largest_difference_is_found_again(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("deep")
    view.toolbar.axes.sliders[0].box.setValue(0)
    patience(lambda: view._pair.plane.fixed[0] == 0)
    qtbot.mouseClick(view.toolbar.worst, LEFT)
    assert view._pair.plane.fixed[:2] == (1, 2)
    patience(lambda: view.readout.startswith("[1, 2, 7, 9]"))


def test_one_dimension_is_a_curve_or_folded(
    qtbot: QtBot, window: MainWindow, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("line")
    target, _ = sides_of("line")
    assert view.maps.shown == (view.maps.curves, view.maps.curve_difference)
    where = view.maps.curves.canvas.rect_of(Region(0, 1, 1234, 1235)).center().toPoint()
    qtbot.mouseMove(view.maps.curves.canvas, where)
    patience(lambda: view.readout.startswith("[12"))
    panel = view.toolbar.axes.panel
    panel.width_box.setValue(60)
    patience(lambda: window.session.pictures.idle and len(view.maps.shown) == 3)
    assert view._pair.plane.size((3000,)) == (50, 60)
    click(qtbot, view.maps.golden, 20, 34)
    patience(lambda: view.readout.startswith("[1234]"))
    assert view.telling.values.values is not None
    assert view.telling.values.values.target == float(target[1234])
    choose("flat")
    choose("line")
    assert view._pair.plane.width == 60
    panel.curve.click()
    patience(lambda: view.maps.shown == (view.maps.curves, view.maps.curve_difference))


# ---- kinds of tensors


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("number", ["2.5", "0.5", "float32", "ULP"]), ("ids", ["[3, 5]", "28\u202f176", "28\u202f175"]),
        ("mask", ["[2, 3]", "True", "False"]), ("phases", ["− 3.2975342i", "+ 3.2975342i"]),
        ("bf16", ["[3, 4]", "1.4921875", "193 ULP"]), ("fp8", ["[3, 4]", "12 ULP"]),
        ("row", ["Target", "Golden", "ULP"]),
    ],
)  # fmt: skip
def test_every_kind_is_read_exactly(
    tensors_view: TensorsView, choose: Choose, patience: Patience, name: str, words: list[str]
) -> None:
    view = tensors_view
    choose(name)
    patience(lambda: view.telling.values.values is not None)
    told = view.number.words if name == "number" else view.readout
    assert all(word in told for word in words), told


def test_an_empty_tensor_says_so(tensors_view: TensorsView, choose: Choose) -> None:
    view = tensors_view
    choose("empty")
    assert "0 × 4" in view.note.sentence
    assert view.note.isVisible()


def test_parts_of_complex_numbers(tensors_view: TensorsView, choose: Choose, patience: Patience) -> None:
    view = tensors_view
    choose("phases")
    target, _ = sides_of("phases")
    assert view.toolbar.part.isVisible()
    view.looks.set_part(Part.IMAGINARY)
    patience(lambda: view.pictures is not None and view.pictures.request.part is Part.IMAGINARY)
    assert view.pictures is not None
    assert view.pictures.target.picture is not None
    np.testing.assert_array_equal(view.pictures.target.picture.values, target.imag)
    choose("flat")
    assert not view.toolbar.part.isVisible()


def test_masks_have_two_named_colours(tensors_view: TensorsView, choose: Choose) -> None:
    view = tensors_view
    choose("mask")
    assert view.maps.target.bar.words == "False, True"


def test_other_shapes_stand_beside_each_other(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("turned")
    _, golden = sides_of("turned")
    assert "20 × 30" in view.maps.difference.note
    assert "30 × 20" in view.maps.difference.note
    assert (view.maps.target.note, view.maps.golden.note) == ("", "")
    assert not view.maps.linked
    assert (view.maps.sight.rows, view.maps.golden_sight.rows) == (20, 30)
    qtbot.mouseMove(view.maps.golden.canvas, spot(view.maps.golden, 29, 3))
    patience(lambda: view.readout.startswith("[29, 3]"))
    assert str(golden[29, 3]).removeprefix("-") in view.readout
    choose("flat")
    assert view.maps.linked
