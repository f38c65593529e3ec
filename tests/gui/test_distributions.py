"""The tab of histograms: what it counts, says, and leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.tensor_gestures import look_at
from builders.tensor_pairs import write_pair
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.plane import Region
from gui.main_window import MainWindow
from gui.pages.detail import DetailCard, Tab
from gui.views.distributions.bins import BinCanvas
from gui.views.distributions.view import DistributionsView

Until = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton


def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Return a pair with rounding noise, one outlier, and special values on one side."""
    random = np.random.default_rng(5)
    golden = random.normal(size=(2, 30, 40)).astype(np.float16)
    target = (golden.astype(np.float32) * (1 + random.choice([0, 2.0**-10], golden.shape))).astype(np.float16)
    target[1, 7, 9] = 25.0
    target[0, 3, 5], target[1, 20, 30] = np.nan, np.inf
    golden[0, 0, 0] = target[0, 0, 0] = 2.0**-20
    return target, golden


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    turned = (np.ones((4, 6), np.float32), np.ones((6, 4), np.float32))
    ids = (np.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4))
    none = (np.ones((0, 4), np.float32), np.ones((0, 4), np.float32))
    one = (np.array(1.5, np.float32), np.array(1, np.float32))
    far = np.ones((100, 100), np.float32)
    far[7, 7] = 500
    chosen = {
        "noisy": noisy(), "turned": turned, "ids": ids, "none": none, "one": one,
        "apart": (far, np.ones((100, 100), np.float32)),
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("pair")
    path = folder / "result.h5"
    assert main(["compare", *map(str, write_pair(folder, chosen)), "-o", str(path), "--quiet"]) == 1
    return path


@pytest.fixture
def detail(
    open_detail: Callable[[Path], DetailCard], window: MainWindow, result: Path
) -> Iterator[DetailCard]:
    yield open_detail(result)
    window.context.settings.distributions_hidden = []


@pytest.fixture
def view(qtbot: QtBot, detail: DetailCard, patience: Until) -> DistributionsView:
    look_at(detail, "noisy")
    qtbot.mouseClick(detail.tabs, LEFT, pos=detail.tabs.tabRect(Tab.DISTRIBUTIONS).center())
    made = detail.view_of(DistributionsView)
    patience(lambda: made.values.line != "")
    return made


def point_at(qtbot: QtBot, canvas: QWidget, where: QPointF) -> QPoint:
    place = where.toPoint()
    canvas.mapTo(canvas.window(), place)
    qtbot.mouseMove(canvas, place)
    QTest.mouseMove(canvas, place)
    return place


def bin_of(canvas: BinCanvas, at: int) -> QPointF:
    box = canvas.bin_rect(at)
    return QPointF(box.center().x(), box.center().y())


def click(qtbot: QtBot, canvas: QWidget, where: QPointF) -> None:
    qtbot.mouseClick(canvas, LEFT, pos=point_at(qtbot, canvas, where))


def counts(canvas: BinCanvas, role: str) -> np.ndarray:
    return next(series.values for series in canvas._series if series.role == role)


def test_values_are_counted_and_lead_to_elements(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    target, golden = (side.astype(np.float64) for side in noisy())
    canvas = view.values.canvas
    for role, side in (("target", target), ("golden", golden)):
        finite = side[np.isfinite(side)]
        expected, _ = np.histogram(finite, canvas.edges)
        assert counts(canvas, role).sum() == len(finite)
        assert np.abs(counts(canvas, role) - expected).sum() == 0
    assert "NaN 1 | 0" in view.values.line
    assert "+Inf 1 | 0" in view.values.line
    last = canvas.bins - 1
    assert canvas.edges[last] <= 25.0 <= canvas.edges[last + 1]
    point_at(qtbot, canvas, bin_of(canvas, last))
    assert "Target 1" in view.values.line
    assert "Golden 0" in view.values.line
    click(qtbot, canvas, bin_of(canvas, last))
    patience(lambda: detail._pair.place == (1, 7, 9))


def test_a_second_click_leads_to_the_next_element(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    target, _ = noisy()
    canvas = view.values.canvas
    fullest = int(counts(canvas, "target").argmax())
    low, high = canvas.edges[fullest : fullest + 2]
    with np.errstate(invalid="ignore"):
        inside = np.argwhere((target >= low) & (target < high)).tolist()
    canvas.setFocus()
    before = (1, 29, 39)
    detail._pair.go_to(before)
    click(qtbot, canvas, bin_of(canvas, fullest))
    patience(lambda: detail._pair.place != before)
    first = detail._pair.place
    assert first is not None
    assert list(first) in inside
    click(qtbot, canvas, bin_of(canvas, fullest))
    patience(lambda: detail._pair.place != first)
    second = detail._pair.place
    assert second is not None
    assert inside.index(list(second)) == inside.index(list(first)) + 1


def test_ulps_say_how_much_is_rounding(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    target, golden = (side.astype(np.float64) for side in noisy())
    finite = np.isfinite(target) & np.isfinite(golden)
    size = np.maximum(np.abs(golden), 2.0**-14)
    ulps = np.abs(target - golden) / 2.0 ** (np.floor(np.log2(size)) - 10)
    share = (ulps[finite] <= 1).mean()
    assert f"within 1 ULP: {np.floor(share * 1000) / 10:g}\u202f%" in view.ulps.line
    canvas = view.ulps.canvas
    assert counts(canvas, "accent")[0] == (ulps[finite] == 0).sum()
    assert counts(canvas, "accent")[-1] == (~finite).sum()
    qtbot.keyClick(canvas, Qt.Key.Key_Left)  # the last bar that holds anything: special values
    assert canvas.bin == canvas.bins - 1
    assert "2 elements NaN or Inf" in view.ulps.line
    for place in ((1, 20, 30), (0, 3, 5)):  # behind the worst element, then from the beginning
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
        patience(lambda place=place: detail._pair.place == place)  # type: ignore[misc]
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.bin < canvas.bins - 1
    assert "1 element over" in view.ulps.line
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    patience(lambda: detail._pair.place == (1, 7, 9))


def test_exponents_against_a_format(qtbot: QtBot, view: DistributionsView) -> None:
    target, _ = noisy()
    finite = target[np.isfinite(target) & (target != 0)].astype(np.float64)
    exponents = np.floor(np.log2(np.abs(finite))).astype(int)
    canvas = view.exponents.canvas
    told = counts(canvas, "target")
    for exponent in range(exponents.min(), exponents.max() + 1):
        assert told[int(canvas.place(exponent))] == (exponents == exponent).sum()
    assert told[0] == (target == 0).sum()
    assert view.exponents.formats.currentText() == "fp16"
    assert "subnormal" in view.exponents.line
    qtbot.keyClick(view.exponents.formats, Qt.Key.Key_Down)
    view.exponents.formats.activated.emit(view.exponents.formats.currentIndex())
    assert view.exponents.line == "all within the normal range of bf16"
    assert view._context.settings.distributions_format == "bfloat16"


def test_profiles_lead_to_the_worst_of_a_group(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    target, golden = (side.astype(np.float64) for side in noisy())
    with np.errstate(invalid="ignore"):
        apart = np.abs(target - golden)
    apart[~np.isfinite(apart)] = 0
    pane = view.profiles
    assert pane.axes.currentText() == "dim 2 (40)"  # two of forty indices hold a special value
    pane.axes.setCurrentIndex(1)
    pane.axes.activated.emit(1)
    largest = counts(pane.canvas, "introduces")
    np.testing.assert_allclose(largest, apart.max(axis=(0, 2)), rtol=1e-6)
    assert pane.line.endswith("at 7")
    assert pane.canvas.special[3] == 1
    click(qtbot, pane.canvas, bin_of(pane.canvas, 7))
    patience(lambda: detail._pair.place == (1, 7, 9))


def test_the_scatter_counts_pairs(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    target, _ = noisy()
    canvas = view.scatter.canvas
    finite = np.isfinite(target.astype(np.float64))
    assert canvas._density.sum() == finite.sum()
    row, column = np.argwhere(canvas._density == 1)[-1].tolist()  # the outlier lies at the top
    assert canvas._y_edges[row + 1] >= 25.0 - 1e-9
    click(qtbot, canvas, canvas.cell_rect(column, row).center())
    patience(lambda: detail._pair.place == (1, 7, 9))


def test_what_is_chosen_is_kept(qtbot: QtBot, view: DistributionsView, patience: Until) -> None:
    settings, controls = view._context.settings, view.controls
    qtbot.mouseClick(controls.bins.buttons["symlog"], LEFT)
    patience(lambda: not view.values.canvas.even)
    assert settings.distributions_bins == "symlog"
    tall = view.values.canvas._heights
    qtbot.mouseClick(controls.logarithmic, LEFT)
    assert settings.distributions_log is False
    assert view.values.canvas._heights != tall
    controls.menu.aboutToShow.emit()
    next(entry for entry in controls.menu.actions() if entry.data() == "exponents").trigger()
    assert settings.distributions_hidden == ["exponents"]
    assert view.exponents.isHidden()
    assert not view.values.isHidden()


def test_a_marked_rectangle_is_counted_alone(
    qtbot: QtBot, view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    part = view.controls.part
    assert not part.buttons["rectangle"].isEnabled()
    detail._pair.go_to((1, 7, 9))
    detail._pair.select(Region(5, 9, 8, 12))
    assert part.word == "rectangle"
    patience(lambda: counts(view.values.canvas, "golden").sum() == 16)
    values = noisy()[0][1, 5:9, 8:12].astype(np.float64)
    expected, _ = np.histogram(values, view.values.canvas.edges)
    assert (counts(view.values.canvas, "target") == expected).all()
    qtbot.mouseClick(part.buttons["whole"], LEFT)  # back to the whole, here and in all other views
    assert detail._pair.rectangle is None
    patience(lambda: counts(view.values.canvas, "golden").sum() == 2400)


def test_where_there_are_no_pairs_it_says_why(
    view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "turned")
    patience(lambda: view.scatter._note.sentence.startswith("The shapes differ"))
    assert view.ulps._note.sentence.startswith("The shapes differ")
    assert view.values.line
    look_at(detail, "ids")
    patience(lambda: view.ulps._note.sentence.startswith("Integers"))
    assert view.said == ""


def test_the_range_is_that_of_the_values(view: DistributionsView) -> None:
    sides = np.concatenate([side.astype(np.float64).ravel() for side in noisy()])
    finite = sides[np.isfinite(sides)]
    low, high = (f"{end:.4g}".replace("-", "−") for end in (finite.min(), finite.max()))
    assert view.values.line.startswith(f"{low} to {high}")


def test_a_tensor_without_elements_says_so(
    view: DistributionsView, detail: DetailCard, patience: Until
) -> None:
    look_at(detail, "none")
    patience(lambda: view.values._note.sentence == "The tensor has no elements.")
    assert view.exponents._note.sentence == view.scatter._note.sentence == "The tensor has no elements."


@pytest.mark.parametrize("name", ["one", "apart"])
def test_a_single_element_is_seen_in_the_scatter(
    view: DistributionsView, detail: DetailCard, patience: Until, name: str
) -> None:
    """Of a single number, and of one among ten thousand that lie in one cell."""
    look_at(detail, name)
    canvas = view.scatter.canvas
    patience(lambda: canvas._density.sum() == (1 if name == "one" else 10_000))
    image = canvas.image()
    size = image.width() / canvas._density.shape[1], image.height() / canvas._density.shape[0]
    for row, column in np.argwhere(canvas._density).tolist():
        x, y = (int((at + 0.5) * step) for at, step in zip((column, row), size))
        reach = range(-3, 4)
        seen = sum(
            image.pixelColor(min(max(x + right, 0), image.width() - 1),
                             min(max(image.height() - 1 - y + down, 0), image.height() - 1)).alpha() > 0
            for right in reach for down in reach
        )  # fmt: skip
        assert seen >= 9


def test_where_there_is_room_for_one_plot_it_is_chosen(
    qtbot: QtBot, view: DistributionsView, window: MainWindow, patience: Until
) -> None:
    window.resize(860, 560)
    patience(lambda: view.controls.one.isVisibleTo(view))
    shown = [pane.name for pane in view.panes if not pane.isHidden()]
    assert shown == ["values"]
    view.controls.one.setFocus()
    qtbot.keyClick(view.controls.one, Qt.Key.Key_Down)
    view.controls.one.activated.emit(view.controls.one.currentIndex())
    assert [pane.name for pane in view.panes if not pane.isHidden()] == ["profiles"]
    window.resize(1600, 1000)
    patience(lambda: not view.controls.one.isVisibleTo(view))
    assert all(not pane.isHidden() for pane in view.panes)
