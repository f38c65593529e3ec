"""What is said of tensors and followed in them: the worst element, counts, calls of one side, little room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.tensor_gestures import LEFT, SHIFT, click, spot
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.cli.main import main
from core.metrics.pictures.kinds import Difference
from core.records.result import CellResult
from core.store.results import load_cell, load_info
from gui.main_window import MainWindow
from gui.pages.detail import Tab
from gui.tensors.looks import HeatLooks
from gui.views.elements.view import ElementsView
from gui.views.tensors.readout import Readout
from gui.views.tensors.view import TensorsView

Patience = Callable[[Callable[[], bool]], None]
Choose = Callable[[str], None]
Sides = dict[str, tuple[np.ndarray | None, np.ndarray | None]]


def sides() -> Sides:
    random = np.random.default_rng(4)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32)

    golden = normal(2, 20, 30)
    nan_row = golden * (1 + 1e-6 * normal(2, 20, 30))
    nan_row[1, 17] = np.nan
    golden_nan = golden.copy()
    golden_nan[0, 3, 4] = -np.inf
    noise = golden * (1 + 1e-6 * normal(2, 20, 30))
    noise[:, 4:9] *= 2
    nothing = np.full((6, 7), np.nan, np.float32)
    big, other = normal(200, 300), normal(200, 300)
    first, second = big.copy(), other.copy()
    first[10, 20] += 1
    second[190, 280] += 1
    return {
        "nan_row": (nan_row.astype(np.float32), golden),
        "golden_inf": (golden, golden_nan),
        "scaled": (noise.astype(np.float32), golden),
        "equal": (golden, golden.copy()),
        "nothing": (nothing, nothing.copy()),
        "shapes": (normal(5, 7), normal(6, 8)),
        "first": (first, big),
        "second": (second, other),
        "deep": (normal(2, 3, 4, 5, 6), normal(2, 3, 4, 5, 6)),
        "mine": (normal(6, 8), None),
        "theirs": (None, normal(6, 8)),
    }


def compare(folder: Path) -> CellResult:
    dumps = [
        write_dump(
            folder / side,
            {
                f"Functional.{name}.0.forward": call(inputs=[pair[at]], outputs=[pair[at]])
                for name, pair in sides().items()
                if pair[at] is not None
            },
            tensors=True,
        )
        for at, side in enumerate(("npu", "gpu"))
    ]
    result = folder / "result.h5"
    main(["compare", *map(str, dumps), "-o", str(result), "--quiet", "--no-cache"])
    return load_cell(result, load_info(result).cells[0])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> CellResult:
    return compare(tmp_path_factory.mktemp("told"))


@pytest.fixture
def view(show_tensors: Callable[[CellResult], TensorsView], told: CellResult) -> TensorsView:
    return show_tensors(told)


@pytest.fixture
def pick(window: MainWindow, patience: Patience) -> Choose:
    return lambda name: choose(window, patience, name)


def choose(window: MainWindow, patience: Patience, name: str) -> None:
    """Select the last slot of a call, its output."""
    facts = window.session.facts
    assert facts is not None
    names = [facts.operators[int(operator)] for operator in facts.operator]
    window.session.select(len(names) - 1 - names[::-1].index(f"Functional.{name}.0.forward"))
    patience(lambda: window.session.pictures.idle)
    QTest.qWait(1)
    patience(lambda: window.session.pictures.idle)


# ---- the worst element


def test_nan_on_one_side_is_what_is_looked_at(
    qtbot: QtBot, window: MainWindow, view: TensorsView, pick: Choose, patience: Patience
) -> None:
    pick("nan_row")
    pair = view._pair
    patience(lambda: pair.place == (1, 17, 0))
    assert pair.plane.fixed[0] == 1
    patience(lambda: view.readout.startswith("[1, 17, 0]   Target NaN"))
    assert "NaN at [1, 17, 0]" in view.telling.facts.words
    assert "NaN 30 / 0" in view.telling.facts.words
    click(qtbot, view.maps.target, 2, 3)
    qtbot.mouseClick(view.toolbar.worst, LEFT)
    assert pair.place == (1, 17, 0)
    pick("golden_inf")
    patience(lambda: pair.place == (0, 3, 4))
    assert "golden −Inf at [0, 3, 4]" in view.telling.facts.words
    assert "Inf 0 / 1" in view.telling.facts.words


def test_the_elements_go_there_too(
    window: MainWindow, view: TensorsView, pick: Choose, patience: Patience
) -> None:
    assert window.workspace is not None
    window.workspace.detail.tabs.setCurrentIndex(Tab.ELEMENTS)
    assert window.workspace.detail.view_of(ElementsView).isVisible()
    pick("nan_row")
    patience(lambda: view._pair.place == (1, 17, 0))


def test_who_has_gone_elsewhere_stays_there(
    view: TensorsView, window: MainWindow, patience: Patience
) -> None:
    choose(window, patience, "equal")
    pair = view._pair
    facts = window.session.facts
    assert facts is not None
    names = [facts.operators[int(operator)] for operator in facts.operator]
    window.session.select(len(names) - 1 - names[::-1].index("Functional.nan_row.0.forward"))
    pair.go_to((0, 1, 1))  # before any answer
    patience(lambda: pair.worst_special is not None)
    assert pair.place == (0, 1, 1)
    assert pair.worst == (1, 17, 0)


# ---- numbers


def test_what_differs_at_all_and_what_beyond_noise_is_told_apart(
    view: TensorsView, pick: Choose, patience: Patience
) -> None:
    pick("scaled")
    words = view.telling.facts.words
    assert "(any bit)" in words or "beyond noise" in words
    assert "largest difference at" in words
    pick("nothing")
    words = view.telling.facts.words
    assert "differs in 0 of 42" in words
    assert "NaN 42 / 42" in words
    assert "at [" not in words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("equal", "Target and golden are equal."), ("nothing", "Target and golden are equal."),
        ("shapes", "The shapes differ"), ("mine", "Only the target has this call"),
    ],
)  # fmt: skip
def test_where_there_is_no_pattern_it_says_why(
    view: TensorsView, pick: Choose, patience: Patience, name: str, words: str
) -> None:
    pick(name)
    patience(lambda: not view.telling.strip.searching)
    assert view.telling.strip.sentence.startswith(words)


def test_the_line_tells_the_difference_that_is_on_show(
    view: TensorsView, pick: Choose, patience: Patience
) -> None:
    pick("scaled")
    patience(lambda: "Difference" in view.readout)
    assert "Relative" not in view.readout
    view.looks.set_difference(Difference.RELATIVE)
    patience(lambda: "Relative 1.00e+00" in view.readout or "Relative −1.00e+00" in view.readout)


# ---- calls that one side has


@pytest.mark.parametrize(("name", "at"), [("mine", 0), ("theirs", 1)])
def test_a_call_of_one_side_is_shown(view: TensorsView, pick: Choose, name: str, at: int) -> None:
    pick(name)
    panes = view.maps.target, view.maps.golden
    pictures = view.pictures
    assert pictures is not None
    picture = (pictures.target, pictures.golden)[at].picture
    assert picture is not None
    values = sides()[name][at]
    assert values is not None
    np.testing.assert_array_equal(picture.values, values)
    assert panes[at].note == ""
    assert panes[1 - at].note == f"Only the {('target', 'golden')[at]} has this call."
    assert "output.0" in view.maps.target.title
    assert not view.toolbar.kind.isVisible()


# ---- following


def test_another_slice_shows_its_own_element_at_the_same_place(
    qtbot: QtBot, view: TensorsView, pick: Choose, patience: Patience
) -> None:
    pick("scaled")
    click(qtbot, view.maps.target, 2, 3)
    before = view._pair.place
    assert before is not None
    other = 1 - before[0]
    view.toolbar.axes.sliders[0].box.setValue(other)
    patience(lambda: view.readout.startswith(f"[{other}, 2, 3]"))
    target, _ = sides()["scaled"]
    assert target is not None
    patience(lambda: view.telling.values.values is not None)
    values = view.telling.values.values
    assert values is not None
    assert values.target == float(target[other, 2, 3])


def test_a_zoom_that_misses_the_worst_of_another_pair_is_given_up(
    qtbot: QtBot, view: TensorsView, pick: Choose
) -> None:
    pick("first")
    view.maps.sight.look(0, 0, 40, 60)
    pick("second")
    assert view.maps.sight.whole
    pick("first")
    view.maps.sight.look(0, 0, 40, 60)
    qtbot.mouseClick(view.toolbar.lock, LEFT)
    pick("second")
    assert not view.maps.sight.whole


def test_a_rectangle_does_not_stay_on_another_pair(qtbot: QtBot, view: TensorsView, pick: Choose) -> None:
    pick("first")
    canvas = view.maps.target.canvas
    QTest.mousePress(canvas, LEFT, SHIFT, spot(view.maps.target, 20, 30))
    QTest.mouseMove(canvas, spot(view.maps.target, 60, 90))
    QTest.mouseRelease(canvas, LEFT, SHIFT, spot(view.maps.target, 90, 120))
    rectangle = view._pair.rectangle
    assert rectangle in canvas.outlined
    pick("second")
    assert view._pair.rectangle is None
    assert rectangle not in canvas.outlined
    assert "marked" not in view.readout


# ---- narrow windows


def test_parts_are_left_out_whole(window: MainWindow, view: TensorsView, pick: Choose, qtbot: QtBot) -> None:
    pick("scaled")
    line = Readout(window.context.theme)
    qtbot.addWidget(line)
    line.show_values(view.telling.values.values, ("float32", "float32"))
    line.resize(line.sizeHint().width(), 20)
    line.show()
    parts = line.told
    assert [part.value.endswith("ULP") for part in parts] == [False] * 4 + [True]
    assert line.toolTip() == ""
    for width in range(line.width(), 40, -7):
        line.resize(width, 20)
        assert line.told == parts[: len(line.told)]
        assert all(part.value in line.text() for part in line.told)
    assert len(line.told) == 1
    assert line.toolTip() == line.words


def resized(qtbot: QtBot, view: TensorsView) -> Callable[[int, int], None]:
    """Return a function that gives *view* a size, in a window of its own."""
    alone = QWidget()
    qtbot.addWidget(alone)
    view.setParent(alone)

    def to(width: int, height: int) -> None:
        alone.resize(width, height)
        view.resize(width, height)
        alone.show()
        view.show()
        QTest.qWait(20)

    return to


def test_a_low_window_still_tells_the_pattern(
    qtbot: QtBot, window: MainWindow, view: TensorsView, pick: Choose, patience: Patience
) -> None:
    pick("scaled")
    patience(lambda: view.telling.strip.current is not None)
    strip, bar = view.telling.strip, view.toolbar
    resize = resized(qtbot, view)
    for height, width, chip in ((190, 1100, False), (190, 560, True), (700, 1100, False)):
        resize(width, height)
        assert strip.isVisible()
        assert strip.chip is chip
        assert bar.isAncestorOf(strip) is (height < 300)
        inside = strip.mapTo(view, strip.rect().bottomRight())
        assert view.rect().contains(inside)
    assert strip.width() > 500


def test_all_axes_stay_within_reach(qtbot: QtBot, view: TensorsView, pick: Choose) -> None:
    pick("deep")
    resize = resized(qtbot, view)
    for width in (1100, 700, 560, 480):
        resize(width, 260)
        shown = [slider.box for slider in view.toolbar.axes.sliders if not slider.isHidden()]
        assert len(shown) == 3
        for box in shown:
            assert box.isVisible()
            assert view.toolbar.axes.rect().contains(box.mapTo(view.toolbar.axes, box.rect().bottomRight()))


def test_the_keyboard_reaches_the_axes_before_the_pictures(view: TensorsView, pick: Choose) -> None:
    pick("deep")
    order: list[QWidget] = [view.toolbar.axes.button]
    while order[-1] is not view.maps.target.canvas:
        order.append(order[-1].nextInFocusChain())
        assert len(order) < 2000
    for slider in view.toolbar.axes.sliders:
        assert slider.box in order
    assert order.index(view.toolbar.axes.sliders[-1].box) < order.index(view.toolbar.kind)


def test_the_axes_are_named_and_their_sizes_told(view: TensorsView, pick: Choose) -> None:
    pick("deep")
    button = view.toolbar.axes.button
    assert button.text() == "Rows dim 3 · columns dim 4"
    assert "dim 0 (2), dim 1 (3)" in button.toolTip()
    view.toolbar.axes.panel.flatten.click()
    assert button.text() == "Rows dim 0 × 1 × 2 × 3 · columns dim 4"


# ---- without the dumps


def test_what_the_result_does_not_hold_is_said(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    told = compare(tmp_path)
    assert told.kept_rows
    for side in ("npu", "gpu"):
        (tmp_path / side).rename(tmp_path / f"{side} elsewhere")
    window.session.open_paths([str(tmp_path / "result.h5")])
    patience(lambda: window.session.row >= 0 and bool(window.session.dumps.lost))
    assert window.workspace is not None
    window.workspace.detail.tabs.setCurrentIndex(Tab.TENSORS)
    view = window.workspace.detail.view_of(TensorsView)
    choose(window, patience, "equal")
    patience(lambda: view.note.isVisible())
    assert view.note.sentence.startswith("The result file does not hold this tensor")
    assert str(tmp_path) not in view.note.sentence


def test_kinds_of_difference_have_plain_names(view: TensorsView, pick: Choose) -> None:
    pick("scaled")
    assert isinstance(view.looks, HeatLooks)
    assert view.toolbar.kind.itemText(0) == "Target − golden"
