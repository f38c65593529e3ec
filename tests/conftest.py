"""What every test gets: no display, an empty cache, fresh settings; and what it may not leave behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

from core import messages

# A search for counterexamples that finds one is news, but not of the change that CI judges.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

TESTS = Path(__file__).resolve().parent
PROJECT = TESTS.parent


@pytest.fixture(autouse=True)
def fresh_surroundings(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Give the test, and processes it starts, a cache and settings of its own, and English."""
    place = tmp_path_factory.mktemp("surroundings")
    monkeypatch.setenv("ULPSCOPE_CACHE_DIR", str(place / "cache"))
    monkeypatch.setenv("ULPSCOPE_DATA_DIR", str(place / "data"))
    monkeypatch.setenv("ULPSCOPE_LANGUAGE", "en")
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(place / variable))
    # pytest-qt has imported QtCore by now in any case.
    from PySide6.QtCore import QSettings

    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(place / "settings"))
    messages.set_language(None)
    yield
    messages.set_language(None)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a worker process running or a window open."""
    with_window = bool({"qtbot", "qapp"} & set(request.fixturenames))
    windows_before = _windows() if with_window else set()
    yield
    left = [f"process {child.name}" for child in multiprocessing.active_children()]
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    if with_window:
        _let_go_of_keys()
        gc.collect()
        gc.freeze()  # modules and what tests share, that have survived: they need not be looked through again
        left += sorted(_windows() - windows_before)
    assert not left, f"left behind: {', '.join(left)}"


def _let_go_of_keys() -> None:
    """Let no Shift or Ctrl of the last click be held in the next test: tables select otherwise with them."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QWidget

    if isinstance(QApplication.instance(), QApplication):
        QTest.mouseRelease(QWidget(), Qt.MouseButton.LeftButton)


def _windows() -> set[str]:
    """Return the top-level widgets that are alive once all pending deletions are done."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    if not isinstance(QApplication.instance(), QApplication):
        return set()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    # Qt keeps one tool tip label for itself.
    return {repr(widget) for widget in QApplication.topLevelWidgets() if not widget.inherits("QTipLabel")}


@pytest.fixture(scope="session")
def cases() -> Path:
    """Return the folder of shared cases; a test that needs it is skipped where there is none."""
    folder = Path(os.environ.get("ULPSCOPE_CASES", PROJECT.parent / "shared" / "cases"))
    if not folder.is_dir():
        pytest.skip(f"no cases at {folder}; ULPSCOPE_CASES says where they are")
    return folder


@pytest.fixture(scope="session")
def dumps() -> Path:
    """Return ``tests/data/msprobe``, the small real dumps; see ``tests/data/README.md``."""
    return TESTS / "data" / "msprobe"


@pytest.fixture(scope="session")
def demo_pair() -> tuple[Path, Path]:
    """Return target and golden of the bundled demo pair."""
    demo = PROJECT / "resources" / "demo"
    return demo / "target", demo / "golden"
