"""Whatever can have the focus has a name that assistive software can say, on every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.results import gpt_result
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QWidget

from core.messages import set_language
from gui.frame.actions import COMMANDS
from gui.main_window import MainWindow
from gui.pages.detail import Tab

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
_INNER = ("qt_scrollarea_viewport", "qt_spinbox_lineedit")


def nameless(root: QWidget) -> Iterator[str]:
    """Yield what can have the focus in *root* and says nothing."""
    for widget in root.findChildren(QWidget):
        reachable = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if not reachable or widget.focusProxy() is not None or widget.objectName() in _INNER:
            continue
        said = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        if not said.strip():
            parents = []
            above = widget.parentWidget()
            while above is not None and len(parents) < 3:
                parents.append(type(above).__name__)
                above = above.parentWidget()
            yield f"{type(widget).__name__} in {' < '.join(parents)}"


@pytest.fixture(params=["en", "zh_CN"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


def test_all_that_can_have_the_focus_has_a_name(
    language: str, window: MainWindow, patience: Callable[..., None]
) -> None:
    session = window.session
    assert sorted(nameless(window)) == []
    session.open_paths([str(DEMO / "target"), str(DEMO / "golden")])
    patience(lambda: session.cell is not None and not session.busy)
    patience(lambda: not session.overflow.working)
    assert window.workspace is not None
    for tab in Tab:
        window.workspace.detail.tabs.setCurrentIndex(tab)
        QApplication.processEvents()
        assert sorted(nameless(window)) == [], tab
    for name in ("cells", "note", "ignored", "open_detail", "palette", "shortcuts"):
        window.actions_registry[name].trigger()
        QApplication.processEvents()
    for shown in QApplication.topLevelWidgets():
        assert sorted(nameless(shown)) == [], shown
    for command in COMMANDS:
        if command.id.startswith(("page_", "tab_")):
            window.actions_registry[command.id].trigger()
            QApplication.processEvents()
            assert sorted(nameless(window)) == [], command.id
    for shown in QApplication.topLevelWidgets():
        if shown is not window:
            shown.close()


def test_lists_and_tables_say_what_they_are(window: MainWindow, show: Callable[..., None]) -> None:
    show(gpt_result(2, 1))
    assert window.workspace is not None
    areas = [area for area in window.workspace.findChildren(QAbstractScrollArea) if area.isVisible()]
    assert areas
    silent = [
        type(area).__name__
        for area in areas
        if area.focusPolicy() & Qt.FocusPolicy.TabFocus and not area.accessibleName()
    ]
    assert silent == []
