"""What the panes say of ranges: none is invented, none belongs to another pair than the pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.inspection.pictures import PairPictures, PictureRequest, SidePicture
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.drawing import difference_picture, picture
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Plane
from gui.looks.theme import Theme
from gui.settings import Settings
from gui.tensors.looks import HeatLooks
from gui.tensors.scales import Extent, Scale
from gui.views.tensors.maps_page import MapsPage
from gui.views.tensors.view import TensorsView
from gui.widgets.quiet_progress import QuietProgress

Patience = Callable[[Callable[[], bool]], None]
Choose = Callable[[str], None]
Draw = Callable[[np.ndarray, np.ndarray], MapsPage]
NAN, INF = np.float32("nan"), np.float32("inf")


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> MapsPage:
    holder = QObject()
    made = MapsPage(qapp.findChild(Theme) or Theme(qapp), HeatLooks(Settings(), holder), QuietProgress())
    made.holder = holder  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.resize(900, 220)
    return made


@pytest.fixture
def draw(page: MapsPage) -> Draw:
    """Return a function that shows a pair of matrices, whole."""

    def shown(target: np.ndarray, golden: np.ndarray) -> MapsPage:
        sides = [TensorHandle(side, DTYPES[side.dtype.name]) for side in (target, golden)]
        plane, alike = Plane.of(target.shape), target.shape == golden.shape
        found = [
            SidePicture(
                side.shape, side.dtype.name, side.dtype.name, plane, side.shape,
                picture(side, plane, None, (400, 400)),
            )
            for side in sides
        ]  # fmt: skip
        difference = difference_picture(*sides, plane, None, (400, 400)) if alike else None
        request = PictureRequest(PairSources(None, None), plane)
        pictures = PairPictures(request, found[0], found[1], difference, whole=True)
        page.show_pictures(pictures)
        _, shades = page.recolour(pictures)
        page.set_titles("output.0", shades, page.looks.locked)
        return page

    return shown


def full(value: float) -> np.ndarray:
    return np.full((8, 12), value, np.float32)


def one(value: float, special: float) -> np.ndarray:
    made = full(value)
    made[3, 4] = special
    return made


@pytest.mark.parametrize(
    ("target", "golden", "said"),
    [
        (full(0), full(0), ("all 0", "all 0", "no difference in value")),
        (full(NAN), full(NAN), ("no finite value", "no finite value", "no difference in value")),
        (one(2.5, NAN), full(2.5), ("all finite values 2.5",) * 2 + ("finite values do not differ",)),
        (full(NAN), full(1), ("all finite values 1",) * 2 + ("no finite value",)),
        (full(0), one(0, 1), ("", "", "")),
        (full(1), full(2), ("", "", "")),
    ],
)
def test_no_range_is_invented(
    draw: Draw, target: np.ndarray, golden: np.ndarray, said: tuple[str, ...]
) -> None:
    page = draw(target, golden)
    panes = (page.target, page.golden, page.difference)
    assert tuple(pane.bar.instead for pane in panes) == said
    for pane, words in zip(panes, said):
        assert not words or pane.bar.words == words
        assert not pane.bar.grab().isNull()


def test_a_single_value_has_a_range_where_the_user_keeps_others(draw: Draw) -> None:
    page = draw(full(0), full(0))
    page.looks.keep("values", -1.0, 3.0)
    page = draw(full(0), full(0))
    assert page.target.bar.words == "From −1 to 3."


def test_target_and_golden_with_a_range_each(draw: Draw, page: MapsPage) -> None:
    page.looks.set_each_own(True)
    draw(full(0), one(0, 1))
    assert (page.target.bar.instead, page.golden.bar.instead) == ("all 0", "")


def test_the_title_tells_no_range_but_whose_shape_it_is(draw: Draw) -> None:
    page = draw(one(0, 1), full(0))
    assert page.difference.title == "Difference"
    assert page.golden.title == "Golden"
    page.link(False)
    page = draw(one(0, 1), np.ones((4, 5), np.float32))
    assert page.golden.title == "Golden 4 × 5"


def test_counts_give_way_to_the_title(draw: Draw) -> None:
    special = one(1, NAN)
    special[0] = INF
    page = draw(special, full(1))
    page.show()
    pane = page.target
    pane.resize(500, 200)
    assert pane.specials.buttons["nan"].text() == "NaN 1"
    pane.set_title("Target", "output.0 · [0, 0, 0, :, :]")
    for width in range(400, 60, -20):
        pane.resize(width, 200)
        shown = pane.specials.buttons["nan"].text(), pane.specials.buttons["plus_inf"].text()
        assert shown in (("NaN 1", "+Inf 12"), ("1", "12"), ("", ""))
    assert shown == ("", "")
    assert "NaN 1" in pane.specials.buttons["nan"].accessibleName()


def test_magnitudes_of_complex_differences_have_one_sign(draw: Draw, page: MapsPage) -> None:
    golden = np.arange(96, dtype=np.float32).reshape(8, 12).astype(np.complex64)
    draw(golden + 3j, golden)
    shades = page.difference.bar.shades
    assert shades is not None
    assert (shades.low, shades.high) == (0, 3)
    assert int(shades.steps(np.float32([3.0]))[0]) == len(shades.table) - 1
    assert not page.difference.bar.symmetric
    draw(golden.real + 1, golden.real)
    assert page.difference.bar.symmetric


def test_a_symmetric_logarithm_tells_any_data_apart(draw: Draw, page: MapsPage) -> None:
    golden = (10.0 ** np.linspace(-30, 29, 96)).reshape(8, 12).astype(np.float32)
    page.looks.set_scale(Scale.SYMLOG)
    draw(golden * np.float32(1.5), golden)
    for pane, values in ((page.golden, golden), (page.difference, golden / 2)):
        shades = pane.bar.shades
        assert shades is not None
        assert len(set(shades.steps(values.reshape(-1)).tolist())) > 60
    page.looks.set_scale(Scale.LINEAR)


def test_a_range_of_most_is_not_that_of_one_value(draw: Draw, page: MapsPage) -> None:
    sparse = np.zeros((100, 100), np.float32)
    sparse[0, 0] = 5
    page.looks.set_extent(Extent.BULK)
    draw(sparse, sparse)
    shades = page.target.bar.shades
    assert shades is not None
    assert (shades.low, shades.high) == (0, 5)
    page.looks.set_extent(Extent.ALL)


def test_numbers_at_the_axes_only_where_there_is_room(draw: Draw, page: MapsPage) -> None:
    page.show()
    draw(one(0, 1), full(0))
    pane = page.target
    assert pane.down.isVisible()
    assert pane.down.words == ["0", "2", "4", "6"]
    assert pane.across.words[-2:] == ["dim 0 ↓", "dim 1 →"]
    assert not page.grab().isNull()
    page.resize(900, 120)
    assert not pane.down.isVisible()
    assert not pane.across.isVisible()
    page.resize(300, 220)
    assert not pane.down.isVisible()
    assert pane.across.isVisible()


def test_a_curve_has_its_values_beside_it_however_low_it_is(draw: Draw, page: MapsPage) -> None:
    page.show()
    page.arrange(False, True)
    line = np.linspace(-1, 1, 50, dtype=np.float32).reshape(1, 50)
    draw(line, line)
    page.resize(400, 84)
    for pane in (page.curves, page.curve_difference):
        assert pane.down.isVisible()
        assert "0" in pane.down.words
        assert not pane.across.isVisible()


# ---- while another pair is read


def test_nothing_of_another_pair_stays_while_its_pictures_take_long(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("special")
    pane = view.maps.target
    assert pane.specials.buttons["nan"].isVisible()
    view._desk.draw = lambda *_: None  # type: ignore[method-assign]  # an answer that does not come
    kept = view.pictures
    view.looks.set_difference(Difference.ULP)
    assert view.pictures is kept  # a quick answer must not flicker
    patience(lambda: view.pictures is None)
    assert not pane.canvas.filled
    assert not pane.specials.buttons["nan"].isVisible()
    assert pane.bar.shades is None
    assert pane.title == "Target"
    del view._desk.draw
    view.looks.set_difference(Difference.ABSOLUTE)
    patience(lambda: view.pictures is not None)
    assert pane.canvas.filled
    assert "output.0" in pane.title


def test_a_number_of_another_pair_does_not_stay(
    tensors_view: TensorsView, choose: Choose, patience: Patience
) -> None:
    view = tensors_view
    choose("number")
    patience(lambda: view.number.isVisible())
    view._desk.draw = lambda *_: None  # type: ignore[method-assign]
    view.looks.set_difference(Difference.ULP)
    patience(lambda: not view.number.isVisible())


def test_the_same_pictures_stay_while_they_are_read_finer(
    qtbot: QtBot, tensors_view: TensorsView, choose: Choose
) -> None:
    view = tensors_view
    choose("flat")
    view._desk.draw = lambda *_: None  # type: ignore[method-assign]
    view._showing.ask()
    qtbot.wait(300)
    assert view.maps.target.canvas.filled
    qtbot.keyClick(view.maps.target.canvas, Qt.Key.Key_Home)
