"""``ulpscope overflow`` on a step of many ranks: time, memory, and how soon it ends when it is cancelled.

    python benchmarks/overflow.py [--ranks 64] [--operators 20000] [--times 1] [--folder FOLDER]

Two runs are made (``--folder`` keeps them): all finite, and NaN almost everywhere after a birth in one rank.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from builders.scaled_ranks import write_scaled_ranks  # noqa: E402

from benchmarks.measure import best_of, ulpscope  # noqa: E402

BORN = 5
CANCELLED_AT = (0.1, 0.4, 0.7, 0.95)
"""Shares of the whole time after which the command is cancelled."""


def main() -> None:
    """Run the benchmark that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--operators", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="keep the runs here and use them again")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name, born in (("clean", -1), ("NaN everywhere", min(BORN, chosen.ranks - 1))):
            place = (chosen.folder or Path(temporary)) / name.replace(" ", "_")
            if not place.exists():
                write_scaled_ranks(place, chosen.ranks, chosen.operators, born)
            _report(name, place, Path(temporary), chosen.times)


def _report(name: str, run: Path, scratch: Path, times: int) -> None:
    size = sum(path.stat().st_size for path in run.rglob("dump.json"))  # and so it is warm
    print(f"{name}: {len(list(run.rglob('dump.json')))} ranks, {size / 1e6:.0f} MB of dump.json")
    command = ulpscope("overflow", str(run), "--quiet")
    surroundings = {"ULPSCOPE_CACHE_DIR": str(scratch / f"cache {name}")}
    cold = best_of([*command, "--no-cache"], times, **surroundings)
    filling = best_of(command, 1, **surroundings)
    warm = best_of(command, times, **surroundings)
    for what, run_of in (("no cache", cold), ("fills the cache", filling), ("cached", warm)):
        rate = size / run_of.seconds / 1e6
        print(
            f"  {what:16} {run_of.seconds:7.2f} s  {rate:6.1f} MB/s  {run_of.megabytes:6.0f} MB  "
            f"status {run_of.status}"
        )
    print(f"  answer: {cold.output.splitlines()[0] if cold.output else ''}")
    waits = [_cancelled([*command, "--no-cache"], cold.seconds * share) for share in CANCELLED_AT]
    print(f"  cancelled: all processes gone after {', '.join(f'{wait * 1e3:.0f} ms' for wait in waits)}")


def _cancelled(command: list[str], after: float) -> float:
    """Cancel *command* as Ctrl+C does, and return how long it takes until all of its processes are gone."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(after)
    family = _session(process.pid)
    started = time.monotonic()
    for pid in family:
        try:
            os.kill(pid, signal.SIGINT)
        except ProcessLookupError:
            continue
    process.wait()
    while _session(process.pid):
        time.sleep(0.002)
    return time.monotonic() - started


def _session(session: int) -> list[int]:
    """Return the living processes of *session*."""
    found = []
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            words = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[3]) == session and words[0] != "Z":
            found.append(int(place.name))
    return found


if __name__ == "__main__":
    main()
