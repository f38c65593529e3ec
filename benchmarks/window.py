"""A scripted session on a pair of 200 000 operators and a million slots, and a watchdog beside it.

Run as ``python benchmarks/window.py [LAYERS] [--folder FOLDER]``; 4 082 layers give a million slots. The pair
is written and compared once; FOLDER keeps it for the next time. The window is the real one, its clicks and
keys are real events. A timer of 5 ms is the watchdog: a gap between two of its ticks is a stall. Prints JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

_TICK, _STALL = 5, 50
"""Milliseconds between two ticks of the watchdog, and of a gap that a person notices."""


class Watchdog:
    """Gaps between the turns of the window's event loop, by what was going on."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.gaps: list[tuple[str, float, float]] = []
        """What went on, milliseconds since the tick before, and how many of them this thread worked."""
        self.phase = ""
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.gaps.append((self.phase, (now - self._last) * 1000, (worked - self._worked) * 1000))
        self._last, self._worked = now, worked

    def report(self) -> dict[str, Any]:
        """Return the worst gap of each phase, and the share of ticks that came in time."""
        worst: dict[str, list[float]] = {}
        for phase, gap, worked in self.gaps:
            known = worst.setdefault(phase, [0.0, 0.0])
            known[:] = [round(max(known[0], gap), 1), round(max(known[1], worked), 1)]
        late = [(phase, round(gap), round(worked)) for phase, gap, worked in self.gaps if gap > _STALL]
        busy = sum(worked > _STALL for _, _, worked in self.gaps)
        count = max(len(self.gaps), 1)
        return {
            "ticks": count,
            "share in time": round(1 - len(late) / count, 5),
            "share in time, other processes aside": round(1 - busy / count, 5),
            "worst by phase, ms, and of them worked by this thread": worst,
            "late": late,
        }


def anonymous_megabytes() -> float:
    """Return the anonymous resident memory of this process (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")


class Session:
    """The window, what a person does in it, and how long that took."""

    def __init__(self, folder: Path) -> None:
        from PySide6.QtCore import QSettings
        from PySide6.QtWidgets import QApplication

        from gui.application import make_window
        from gui.settings import SettingsFile

        self.application = QApplication(sys.argv[:1])
        # Not /dev/null: Qt writes beside it and renames, so root would be left without that device.
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        store.clear()
        self.window = make_window(self.application, SettingsFile(store))
        self.window.resize(1680, 1050)
        self.window.start([])
        self.watchdog = Watchdog()
        self.watchdog.phase = "after the first paint"
        self.live(5000)
        self.found: dict[str, float] = {}

    def live(self, milliseconds: int, done: Callable[[], bool] = lambda: False) -> None:
        """Let the window live for a while, or until *done*."""
        until = time.perf_counter() + milliseconds / 1000
        while time.perf_counter() < until and not done():
            self.application.processEvents()
            time.sleep(0.0005)

    def phase(self, name: str) -> None:
        """Say what goes on from now on."""
        self.live(300)
        self.watchdog.phase = name

    def timed(self, name: str, act: Callable[[], object], times: int = 5) -> None:
        """Do something several times, with a turn of the event loop and a repaint after it."""
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            act()
            self.application.processEvents()
            taken.append((time.perf_counter() - began) * 1000)
            self.live(30)
        self.found[f"{name}, ms (median)"] = round(statistics.median(taken), 1)
        self.found[f"{name}, ms (worst)"] = round(max(taken), 1)

    def open(self, paths: tuple[str, ...], name: str) -> None:
        """Open runs and wait until tree and table are there."""
        self.phase(name)
        session, shown = self.window.session, []
        connection = session.cell_changed.connect(lambda: shown.append(time.perf_counter()))
        began = time.perf_counter()
        session.open_paths(list(paths))
        self.live(600_000, lambda: bool(shown) and not session.busy)
        self.window.grab()
        self.found[f"{name}, s"] = round(time.perf_counter() - began, 2)
        session.cell_changed.disconnect(connection)
        self.live(3000)

    def trigger(self, command: str) -> None:
        """Give a command."""
        self.window.actions_registry[command].trigger()


def work(session: Session, pair: tuple[str, str]) -> None:
    """Open, scroll, expand, filter, sort, switch and cancel, as a person would."""
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    window = session.window
    session.open(pair, "open, first time in this window")
    session.open(pair, "open again")
    workspace = window.workspace
    assert workspace is not None
    table, field = workspace.table.table, window.top.search
    header = table.horizontalHeader()

    session.phase("scroll the table")
    bar = table.verticalScrollBar()
    session.timed("scroll", lambda: bar.setValue((bar.value() + 43_210) % max(bar.maximum(), 1)), 60)
    session.timed("page down", lambda: QTest.keyClick(table, Qt.Key.Key_PageDown), 20)

    session.phase("sort")
    columns = [column.key for column in workspace.table.model.columns]
    for key in ("error", "cosine", "operator", "verdict"):
        at = columns.index(key)
        where = QPoint(header.sectionViewportPosition(at) + 20, header.height() // 2)
        if header.isSectionHidden(at):
            continue
        click = lambda where=where: QTest.mouseClick(  # noqa: E731
            header.viewport(), Qt.MouseButton.LeftButton, pos=where
        )
        session.timed(f"sort by {key}", click, 3)

    session.phase("filter")
    for typed in ("gelu", "err>1e-4 dtype:float32", "verdict:introduced", "blocks.2041. linear"):

        def apply(typed: str = typed) -> None:
            field.setText(typed)
            QTest.keyClick(field, Qt.Key.Key_Return)

        session.timed(f"filter {typed!r}", apply, 3)
        session.live(400)
    field.clear()
    QTest.keyClick(field, Qt.Key.Key_Return)
    session.live(400)

    session.phase("expand the tree")
    for _ in range(3):
        session.timed("one level deeper", lambda: session.trigger("tree_deeper"), 1)
    for _ in range(3):
        session.timed("one level less deep", lambda: session.trigger("tree_shallower"), 1)
    session.timed("only problems", lambda: session.trigger("only_problems"), 2)

    session.phase("go through what differs")
    session.timed("next suspect", lambda: QTest.keyClick(window, Qt.Key.Key_F8), 5)
    session.timed("next row that differs", lambda: session.trigger("next"), 20)
    session.timed("slots or operators as rows", lambda: session.trigger("switch_rows"), 4)

    session.phase("switch pages")
    session.live(20_000, lambda: not window.session.overflow.working)
    for page in ("page_overflow", "page_compare", "page_emulation", "page_compare"):
        session.timed(page, lambda page=page: session.trigger(page), 1)
        session.live(500)

    session.phase("run again and cancel")
    session.trigger("rerun")
    session.live(1500)
    session.timed("cancel", lambda: session.trigger("cancel"), 1)
    session.live(2000)


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", type=int, nargs="?", default=4082)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    folder: Path = options.folder or Path(tempfile.mkdtemp(prefix="ulpscope-window-"))
    os.environ["ULPSCOPE_CACHE_DIR"] = str(folder / "cache")
    os.environ["ULPSCOPE_DATA_DIR"] = str(folder / "data")

    from builders.large_pair import write_large_pair

    place = folder / f"layers{options.layers}"
    if not place.exists():
        write_large_pair(place, options.layers)
    demo = tuple(str(PROJECT / "resources" / "demo" / side) for side in ("target", "golden"))
    pair = str(place / "npu_large"), str(place / "gpu_large")
    session = Session(folder)
    session.open(demo, "open the demo")
    before = anonymous_megabytes()
    work(session, pair)
    facts = session.window.session.facts
    assert facts is not None
    session.found |= {"slots": len(facts), "calls": len(facts.calls)}
    during = anonymous_megabytes()
    memory = []
    for _ in range(3):
        session.open(demo, "back to the demo")
        gc.collect()
        memory.append(round(anonymous_megabytes() - before))
        session.open(pair, "and open the large pair again")
    session.window.close()
    print(
        json.dumps(
            {
                **session.found,
                "anonymous memory with the large pair, MB": round(during),
                "more than before once it is closed, MB, three times": memory,
                "watchdog": session.watchdog.report(),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
