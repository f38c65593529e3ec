"""Kill ``ulpscope compare`` and ``pack`` at a random moment: the next call works and shows all operators.

What a killed process leaves behind may cost time, but neither a result file nor the cache may be half-valid,
and no process of it may go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

from campaign import Failure, run

from core.store.results import load_cells, load_info
from core.store.runs import open_run
from tests.builders.scaled_dump import scale_dump

PROJECT = Path(__file__).resolve().parents[2]
DEMO = PROJECT / "resources" / "demo"
MEGABYTES = 5
"""Of dump.json a side: enough for the engine to start a process a side."""


@cache
def workshop() -> Path:
    """Return a folder with a pair of runs, whose statistics are those of the demo, repeated."""
    folder = Path(tempfile.mkdtemp(prefix="kills"))
    for side in ("target", "golden"):
        source = next((DEMO / side).rglob("dump.json"))
        scale_dump(source, folder / side / "step0" / "rank0" / "dump.json", MEGABYTES * 1_000_000)
    return folder


def command(kind: str, folder: Path, output: Path) -> list[str]:
    """Return the command line of one trial."""
    if kind == "pack":
        return [sys.executable, "-m", "core.cli.main", "pack", str(DEMO / "target"), "-o", str(output)]
    pair = [str(folder / "target"), str(folder / "golden")]
    return [sys.executable, "-m", "core.cli.main", "compare", *pair, "-o", str(output), "--quiet"]


@cache
def whole(kind: str) -> tuple[float, int]:
    """Return how long an undisturbed call takes, and how many operators its output holds."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "out.h5"
        started = time.monotonic()
        subprocess.run(command(kind, workshop(), output), cwd=PROJECT, env=surroundings(scratch), check=False)
        return time.monotonic() - started, operators(kind, output)


def surroundings(scratch: str) -> dict[str, str]:
    """Return the environment of a call: a cache of its own."""
    return {**os.environ, "ULPSCOPE_CACHE_DIR": str(Path(scratch) / "cache")}


def operators(kind: str, output: Path) -> int:
    """Return how many operators the file *output* holds, reading all of it."""
    if kind == "pack":
        return len(open_run(output).cells)
    return sum(len(cell.target.operators) for cell in load_cells(output)) if load_info(output) else 0


def trial(random: Random) -> str:
    """Kill one call, then make another."""
    kind = random.choice(("compare", "compare", "pack"))
    duration, wanted = whole(kind)
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "out.h5"
        words, environment = command(kind, workshop(), output), surroundings(scratch)
        process = subprocess.Popen(
            words, cwd=PROJECT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(random.uniform(0.0, duration * 1.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        state = "before its file was there"
        if output.exists():
            state = "after its file was whole"
            if operators(kind, output) != wanted:
                raise Failure(f"{kind}: the file of a killed call is there but not whole")
        if survivors(process.pid):
            raise Failure(f"{kind}: processes of a killed call go on: {survivors(process.pid)}")
        done = subprocess.run(
            words, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1) or operators(kind, output) != wanted:
            raise Failure(f"{kind}: the next call ended with {done.returncode}: {done.stderr}{done.stdout}")
    return f"{kind} killed {state}"


def survivors(session: int, patience: float = 5.0) -> list[str]:
    """Return the processes of *session* that are still there after *patience* seconds."""
    until = time.monotonic() + patience
    while True:
        found = subprocess.run(
            ["ps", "-o", "pid=,args=", "-s", str(session)], capture_output=True, text=True, check=False
        )
        left = [line for line in found.stdout.splitlines() if line.strip() and "<defunct>" not in line]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.05)


if __name__ == "__main__":
    run("kills", trial)
