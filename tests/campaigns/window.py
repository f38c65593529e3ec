"""Do at random what a person may do in the window: commands, clicks, keys, sizes, filters, other pairs.

Whatever raises in a slot, whatever Qt warns of, and views that do not agree on what is selected or shown are
failures. Menus and dialogs close again by themselves.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_HOME = Path(tempfile.mkdtemp(prefix="window-campaign-"))
for _name in ("ULPSCOPE_CACHE_DIR", "ULPSCOPE_DATA_DIR", "XDG_CONFIG_HOME"):
    os.environ[_name] = str(_HOME / _name)
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
from builders.cell_results import clean, larger, write_cells  # noqa: E402
from builders.results import gpt_result  # noqa: E402
from campaign import Failure, run  # noqa: E402
from PySide6.QtCore import (  # noqa: E402
    QMessageLogContext,
    QPoint,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QDialog, QWidget  # noqa: E402

from core.precheck.checklist import CHECKLIST  # noqa: E402
from core.records.precheck import Entry, Outcome  # noqa: E402
from core.records.run import CellKey  # noqa: E402
from gui.application import make_window  # noqa: E402
from gui.frame.actions import COMMANDS  # noqa: E402
from gui.main_window import MainWindow  # noqa: E402
from gui.precheck.sides import Side  # noqa: E402
from gui.settings import SettingsFile  # noqa: E402

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"
_ACTIONS = 60
_PATIENCE = 400
"""Turns of the event loop that opening may take, 5 ms each."""
_ASKING = (
    "close", "open_target", "open_golden", "open_file", "export", "recent", "next_round", "locate",
    "add_target_evidence", "add_golden_evidence", "open_table", "save_table",
)  # fmt: skip
_WORDS = (
    "gelu",
    "-linear",
    "verdict:differs",
    "err>1e-4",
    "cos<0.9",
    "type:gelu,linear",
    "side:both",
    "shape:2x",
    "(",
    '"',
)
_KEYS = (
    Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Tab,
    Qt.Key.Key_Escape, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageDown, Qt.Key.Key_Space, Qt.Key.Key_J,
)  # fmt: skip
_SIZES = ((1680, 1050), (1280, 800), (860, 560), (2560, 1400))
_CLOSED_AFTER = 80
"""Milliseconds between two looks for what waits for a person."""
_SILENT = "This plugin does not support "


class _Watch:
    """Collects what nobody catches and what Qt complains of."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.done: list[str] = []
        sys.excepthook = self._raised
        qInstallMessageHandler(self._said)

    def _raised(self, kind: type[BaseException], value: BaseException, where: TracebackType | None) -> None:
        self.found.append("".join(traceback.format_exception(kind, value, where)))

    def _said(self, kind: QtMsgType, _context: QMessageLogContext, words: str) -> None:
        if kind != QtMsgType.QtDebugMsg and not words.startswith(_SILENT):
            self.found.append(f"Qt: {words}")

    def check(self) -> None:
        """Fail if there is something."""
        if self.found:
            raise Failure(f"after {self.done[-6:]}: {self.found[0]}")


@cache
def _started() -> tuple[QApplication, _Watch]:
    """Return the application, in which nothing that waits for a person stays open."""
    application = QApplication([])
    closing = QTimer(application)
    closing.timeout.connect(_close_dialogs)  # also while a menu or a dialog has an event loop of its own
    closing.start(_CLOSED_AFTER)
    return application, _Watch()


@cache
def _several_cells() -> Path:
    """Return a result of three steps and two ranks."""
    path, whole = _HOME / "cells.h5", gpt_result(layers=4, faulty_layer=2)
    kinds: tuple[Callable[[Any], Any], ...] = (lambda cell: cell, clean, lambda cell: larger(cell, 5.0))
    keys = [CellKey("", step, rank) for step in range(3) for rank in range(2)]
    write_cells(path, [(key, kinds[at % 3](whole)) for at, key in enumerate(keys)])
    return path


def _turns(window: MainWindow, count: int, until_open: bool = False) -> None:
    for _ in range(count):
        QApplication.processEvents()
        if until_open:
            if window.session.cell is not None and not window.session.busy:
                return
            QTest.qWait(5)


def _close_dialogs() -> None:
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.close()


def _act(window: MainWindow, random: Random) -> str:
    """Do one thing; returns what."""
    kind = random.random()
    if kind < 0.5:
        name = random.choice([command.id for command in COMMANDS if command.id not in _ASKING])
        if window.actions_registry[name].isEnabled():
            window.actions_registry[name].trigger()
        return name
    if kind < 0.65:
        shown = [
            widget for widget in window.findChildren(QWidget) if widget.isVisible() and widget.width() > 4
        ]
        widget = random.choice(shown)
        place = QPoint(random.randrange(max(widget.width(), 1)), random.randrange(max(widget.height(), 1)))
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)
        return f"click on {type(widget).__name__}"
    if kind < 0.8:
        key = random.choice(_KEYS)
        QTest.keyClick(window.focusWidget() or window, key)
        return f"{key.name} on {type(window.focusWidget()).__name__}"
    if kind < 0.85:
        window.resize(*random.choice(_SIZES))
        return "resize"
    if kind < 0.91:
        typed = " ".join(random.choice(_WORDS) for _ in range(random.randint(0, 2)))
        window.session.set_filter(text=typed)
        return f"filter {typed}"
    if kind < 0.95:
        return _judge(window, random)
    _open(window, random)
    return "open"


def _open(window: MainWindow, random: Random) -> None:
    demo = [str(DEMO / "target"), str(DEMO / "golden")]
    window.session.open_paths(random.choice([demo, demo[:1], [str(_several_cells())], _scripts()]))


@cache
def _scripts() -> list[str]:
    """Return launch scripts of two runs that learn at another rate."""
    paths = []
    for side, rate in (("npu", "2e-3"), ("gpu", "1e-3")):
        path = _HOME / f"{side}_train.sh"
        path.write_text(f"torchrun --nproc_per_node 8 pretrain_gpt.py --lr {rate} --seed 7 --bf16\n", "utf-8")
        paths.append(str(path))
    return paths


def _judge(window: MainWindow, random: Random) -> str:
    """Bring evidence to the pre-check, take some away, or enter a result."""
    precheck, side = window.session.precheck, random.choice(list(Side))
    kind = random.random()
    if kind < 0.4:
        precheck.add(side, [random.choice(_scripts())])
        return "evidence"
    if kind < 0.6 and precheck.given(side):
        precheck.remove(side, precheck.given(side)[0].path)
        return "no evidence"
    entry = Entry(random.choice([None, *Outcome]), random.choice(["", "seen", "看过"]), name="Li Lei")
    precheck.enter(random.choice(CHECKLIST).id, entry)
    return "entry"


def _agree(window: MainWindow) -> None:
    """Fail if the views do not agree on what is shown and selected."""
    session, workspace = window.session, window.workspace
    if session.cell is None or session.facts is None or workspace is None or session.busy:
        return
    wanted = session.filter.mask(session.cell, session.facts)
    if not np.array_equal(wanted, session.mask):
        raise Failure("what passes the filter is out of date")
    table = workspace.table
    shown = np.unique(session.facts.call_of_row[wanted]) if table.shows_calls else np.flatnonzero(wanted)
    if table.model.rowCount() != len(shown):
        raise Failure(f"{table.model.rowCount()} rows on show, {len(shown)} pass")
    if session.focus.row != session.row or session.row >= len(session.facts):
        raise Failure("the detail looks at another row")


def trial(random: Random) -> str:
    _, watch = _started()
    watch.done.clear()
    store = QSettings(str(_HOME / f"settings{random.random()}.ini"), QSettings.Format.IniFormat)
    window = make_window(_started()[0], SettingsFile(store))
    try:
        window.resize(*random.choice(_SIZES))
        window.start([])
        _open(window, random)
        _turns(window, _PATIENCE, until_open=random.random() < 0.8)
        for _ in range(_ACTIONS):
            watch.done.append(_act(window, random))
            _turns(window, random.randint(1, 6))
            watch.check()
        _turns(window, _PATIENCE, until_open=True)
        _agree(window)
    finally:
        window.close()
        window.deleteLater()
        QApplication.processEvents()
    watch.check()
    return "sessions"


if __name__ == "__main__":
    run("window", trial)
