"""Time and memory of whole commands: wall seconds, peak of anonymous resident memory of all processes.

Anonymous memory (``RssAnon``) is what a command really needs: mapped files can be dropped by the system at
any time. It is sampled every 20 ms over the process tree, so very short peaks may be missed. Linux only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INTERVAL = 0.02


@dataclass(frozen=True)
class Measurement:
    """One run of a command."""

    seconds: float
    megabytes: float
    status: int
    output: str


def measure(command: Sequence[str], **environment: str) -> Measurement:
    """Run *command* and return its time, its peak memory and what it printed."""
    started = time.perf_counter()
    process = subprocess.Popen(
        list(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    peak = [0.0]
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, done))
    watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - started
    done.set()
    watcher.join()
    return Measurement(seconds, peak[0], process.returncode, output)


def best_of(command: Sequence[str], times: int, **environment: str) -> Measurement:
    """Return the fastest of several runs, with the largest memory peak of them all."""
    runs = [measure(command, **environment) for _ in range(times)]
    fastest = min(runs, key=lambda run: run.seconds)
    return Measurement(fastest.seconds, max(run.megabytes for run in runs), fastest.status, fastest.output)


def ulpscope(*arguments: str) -> list[str]:
    """Return the command line of this installation."""
    return [sys.executable, "-m", "core.cli.main", *arguments]


def _watch(root: int, peak: list[float], done: threading.Event) -> None:
    while not done.wait(_INTERVAL):
        total = sum(_anonymous(pid) for pid in _family(root))
        peak[0] = max(peak[0], total / 1024)


def _family(root: int) -> list[int]:
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                todo += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def _anonymous(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
