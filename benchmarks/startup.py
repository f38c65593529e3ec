"""From the command to a shown window, beside a bare PySide6 + pyqtgraph window; and a command's start.

    python benchmarks/startup.py [--times 5]

Offscreen unless QT_QPA_PLATFORM says otherwise. A process ends itself once its window has been painted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent

_PAINTED = """
from PySide6.QtCore import QObject, QEvent, QTimer
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.UpdateRequest and watched.isWindow() and watched.isVisible():
            QTimer.singleShot(0, lambda: os._exit(0))
        return False
"""
_BARE = (
    """
import os, sys
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph
"""
    + _PAINTED
    + """
application = QApplication([])
watch = Watch()
window = QMainWindow()
window.setCentralWidget(pyqtgraph.PlotWidget())
window.installEventFilter(watch)
window.show()
application.exec()
"""
)
_OURS = (
    """
import os, sys
import PySide6.QtWidgets as widgets
"""
    + _PAINTED
    + """
watch = Watch()
show = widgets.QWidget.show
def shown(self):
    if self.isWindow():
        self.installEventFilter(watch)
    show(self)
widgets.QWidget.show = shown
from gui.application import main
main([])
"""
)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    bare, ours = [], []
    for _ in range(times):  # in turn, so that a busy moment touches both
        bare.append(_seconds([sys.executable, "-c", _BARE]))
        ours.append(_seconds([sys.executable, "-c", _OURS]))
    print(f"bare window   {min(bare):.2f} s (median {statistics.median(bare):.2f})")
    print(f"ours          {min(ours):.2f} s (median {statistics.median(ours):.2f})")
    ratio, middle = min(ours) / min(bare), statistics.median(ours) / statistics.median(bare)
    print(f"ratio         {ratio:.2f} (median {middle:.2f}; wanted: at most 1.5)")
    command = [_seconds([sys.executable, "-m", "core.cli.main", "--version"]) for _ in range(times)]
    python = [_seconds([sys.executable, "-c", "import numpy"]) for _ in range(times)]
    print(f"--version     {min(command):.2f} s; python with numpy alone {min(python):.2f} s")


def _seconds(command: list[str]) -> float:
    with tempfile.TemporaryDirectory() as home:
        surroundings = {
            **os.environ,
            "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
            "XDG_CONFIG_HOME": home,
            "ULPSCOPE_CACHE_DIR": home,
            "PYTHONPATH": str(PROJECT),
        }
        started = time.perf_counter()
        subprocess.run(command, env=surroundings, check=True, timeout=60, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
