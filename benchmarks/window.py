"""How long the window takes with a million rows: facts, first show, sort, filter, and the longest stall.

Run as ``python benchmarks/window.py [LAYERS]``; 16 800 layers of the made-up GPT give a million rows.
"""

from __future__ import annotations

import json
import os
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]


def timed(function: Callable[[], object], repeat: int = 5) -> float:
    """Return the median time of *function* in milliseconds."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        function()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    from builders.results import gpt_result, result_info
    from PySide6.QtCore import QSettings, Qt
    from PySide6.QtWidgets import QApplication

    from gui.application import make_window
    from gui.models.columns import COLUMNS
    from gui.models.facts import build_facts
    from gui.models.query import Filter
    from gui.preparation import Opened
    from gui.settings import SettingsFile

    layers = int(sys.argv[1]) if len(sys.argv) > 1 else 16_800
    cell = pickle.loads(pickle.dumps(gpt_result(layers, layers // 2), protocol=5))
    found: dict[str, float] = {"rows": len(cell.rows)}
    began = time.perf_counter()
    facts = build_facts(cell)
    found["facts in the worker, ms"] = (time.perf_counter() - began) * 1000
    found["operators"] = len(facts.operators.texts)

    application = QApplication(sys.argv[:1])
    # Not /dev/null: Qt writes beside it and renames, so root would be left without that device.
    settings = Path(tempfile.mkdtemp()) / "settings.ini"
    window = make_window(application, SettingsFile(QSettings(str(settings), QSettings.Format.IniFormat)))
    window.resize(1680, 1050)
    window.show()
    window.pages.ensure_workspace()
    application.processEvents()
    began = time.perf_counter()
    window.session.show_opened(Opened(result_info(cell), "", cell, facts, 0.0))
    application.processEvents()
    window.grab()
    found["show and paint, ms"] = (time.perf_counter() - began) * 1000
    assert window.workspace is not None
    table = window.workspace.table
    for key in ("error", "operator", "verdict"):
        column = [item.key for item in COLUMNS].index(key)

        def sort(column: int = column) -> None:
            table.model.sort(-1)
            table.model.sort(column, Qt.SortOrder.DescendingOrder)

        found[f"sort by {key}, ms"] = timed(sort)
    table.model.sort(-1)
    for text in ("gelu", "err>1e-4", "dtype:bf16", "verdict:differs", "gelu output err>1e-4"):
        found[f"filter {text!r}, ms"] = timed(lambda text=text: Filter(text=text).mask(cell.rows, facts))
    found["filter with all views, ms"] = timed(lambda: window.session.set_filter(text="gelu"))
    window.session.set_filter(text="")
    found["next difference, ms"] = timed(lambda: (window.session.step(True), application.processEvents()), 9)
    window.workspace.trajectory.fit()
    found["redraw the trajectory, ms"] = timed(window.workspace.trajectory._redraw)
    bar = table.table.verticalScrollBar()

    def scroll() -> None:
        bar.setValue((bar.value() + 4321) % max(bar.maximum(), 1))
        table.table.viewport().repaint()

    found["scroll the table, ms"] = timed(scroll, 20)
    window.close()
    print(json.dumps({name: round(value, 2) for name, value in found.items()}, indent=2))


if __name__ == "__main__":
    main()
