"""What people ask of such a viewer first, each as one task from the drop to the answer, all of it real."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from builders.large_pair import write_large_pair
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.messages import text
from gui.application import make_window
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.tree.operator_tree import NodeLook
from gui.pages.workspace import Workspace

LEFT = Qt.MouseButton.LeftButton
DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
_LAYERS, _FAULTY = 120, 60
_ALIVE = 0.5
"""Seconds in which a window that lives turns its event loop, on the busiest machine of a test."""


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    made = make_window(qapp)
    made.resize(1680, 1050)
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two runs of some thousand calls; the GELU of layer 60 errs."""
    return write_large_pair(tmp_path_factory.mktemp("large"), _LAYERS, _FAULTY)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents()
        time.sleep(0.002)


def drop(window: MainWindow, *paths: Path) -> None:
    """Drag *paths* over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(10, 200), copy, data, LEFT, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(10, 200), copy, data, LEFT, none))


def opened(window: MainWindow, *paths: Path) -> Workspace:
    """Drop *paths* and wait for the comparison."""
    drop(window, *paths)
    until(lambda: window.session.cell is not None and not window.session.busy)
    assert window.workspace is not None
    return window.workspace


def selected_name(window: MainWindow) -> str:
    facts, row = window.session.facts, window.session.row
    assert facts is not None
    return facts.operators[int(facts.operator[row])]


def looks(workspace: Workspace) -> list[NodeLook]:
    """Return what the tree draws, from the top."""
    model = workspace.operators.model
    return [model.look(model.node_of(model.index(row, 0))) for row in range(model.rowCount())]


def labels(workspace: Workspace) -> list[str]:
    return [look.label for look in looks(workspace)]


def test_two_runs_are_compared_in_one_tree(window: MainWindow, qtbot: QtBot) -> None:
    workspace = opened(window, DEMO / "target", DEMO / "golden")
    shown = looks(workspace)
    categories = {look.category for look in shown}
    assert {Category.EQUAL, Category.CLOSE, Category.INHERITED, Category.INTRODUCED} <= categories
    assert selected_name(window) == "Functional.gelu.1.forward"
    at = [look.label for look in shown].index("gelu.1")
    assert shown[at].category is Category.INTRODUCED
    assert workspace.operators.tree.currentIndex().row() == at


def test_the_window_lives_while_it_works_and_stops_when_told(
    window: MainWindow, qtbot: QtBot, large: tuple[Path, Path]
) -> None:
    turns: list[float] = []
    ticking = QTimer()
    ticking.timeout.connect(lambda: turns.append(time.monotonic()))
    workspace = opened(window, DEMO / "target", DEMO / "golden")
    before = window.session.result_path
    ticking.start(5)
    drop(window, *large)
    until(lambda: window.session.busy and window.status.progress.isVisible())
    qtbot.mouseClick(window.status.progress.cancel, LEFT)
    assert not window.session.busy
    assert window.session.result_path == before  # what was open stays
    opened(window, *large)
    until(lambda: window.session.result_path != before)
    assert len(workspace.table.model.order) > 20_000
    gaps = [later - earlier for earlier, later in pairwise(turns)]
    assert len(turns) > 50
    assert sum(gap > _ALIVE for gap in gaps) <= 2


def test_a_large_tree_unfolds_level_by_level(
    window: MainWindow, qtbot: QtBot, large: tuple[Path, Path]
) -> None:
    workspace = opened(window, *large)
    window.actions_registry["tree_fold"].trigger()
    counts = [len(labels(workspace))]
    for _ in range(2):
        qtbot.keyClick(
            window, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
        counts.append(len(labels(workspace)))
    assert counts == sorted(counts)
    assert counts[0] < 10
    assert counts[-1] > _LAYERS
    window.actions_registry["only_problems"].trigger()
    shown = labels(workspace)
    assert f"{_FAULTY} Block" in shown
    assert len(shown) < counts[-1] + 1


def test_a_call_is_found_by_type_dtype_shape_or_its_line_of_code(
    window: MainWindow, qtbot: QtBot, large: tuple[Path, Path]
) -> None:
    workspace = opened(window, *large)
    qtbot.keyClick(
        window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    field = workspace.operators.search.field
    assert window.focusWidget() is field
    qtbot.keyClicks(field, f"type:gelu blocks.{_FAULTY}.")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    until(lambda: f"gelu.{_FAULTY}" in selected_name(window) or "gelu" in selected_name(window))
    first = selected_name(window)
    qtbot.keyClick(window, Qt.Key.Key_F3)
    assert "gelu" in selected_name(window)
    qtbot.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert selected_name(window) == first
    filters = window.top.search
    for typed in ("dtype:float32 shape:1x10x48 type:gelu", "stack:train.py type:gelu", "err>1e-4 type:gelu"):
        filters.setText(typed)
        qtbot.keyClick(filters, Qt.Key.Key_Return)
        shown = workspace.table.model.order
        assert 0 < len(shown) < len(window.session.mask)
        facts = window.session.facts
        assert facts is not None
        assert all("gelu" in facts.operators[int(facts.operator[row])] for row in shown[:50].tolist())


def test_the_error_of_every_module_stands_in_the_tree(
    window: MainWindow, qtbot: QtBot, large: tuple[Path, Path]
) -> None:
    workspace = opened(window, *large)
    menu = workspace.operators.more.menu()
    next(action for action in menu.actions() if action.text() == text("gui.tree.number.error")).trigger()
    shown = {look.label: look for look in looks(workspace)}
    before, faulty = (
        float(shown[f"{layer} Block"].number.replace("−", "-")) for layer in (_FAULTY - 1, _FAULTY)
    )
    cell = window.session.cell
    assert cell is not None
    facts = window.session.facts
    assert facts is not None
    names = [facts.operators[number] for number in facts.operator.tolist()]
    own = re.compile(rf"blocks\.{_FAULTY}\.|\.{_FAULTY}\d\d\.")  # calls of a layer are numbered by hundreds
    inside = np.array([bool(own.search(name)) for name in names]) & facts.is_output
    assert faulty == pytest.approx(float(np.nanmax(cell.rows.error[inside])), rel=0.01)
    assert shown[f"{_FAULTY} Block"].category is Category.INTRODUCED
    assert before > 0
