"""Plant a fault into a small random network, dump both sides, and see whether the diagnosis names it.

Needs torch and mindstudio-probe (the extra ``integration``), in this Python or in the one that
``ULPSCOPE_DUMPER_PYTHON`` names. A miss does not end the campaign; it fails when too few faults that can be
seen are found, or too many harmless differences are accused. Repeat a draw with ``--seed`` and ``--trial``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis
from core.records.result import CellResult, Origin

DUMP_DRAWS = Path(__file__).resolve().parents[1] / "builders" / "dump_draws.py"
TASKS = ("tensor", "statistics", "md5")
BATCH = 8
"""Draws of one process; every second batch is dumped without modules (level L1)."""
LEAST_FOUND, MOST_ACCUSED, MOST_LACKING = 0.90, 0.02, 0.05
ALWAYS_ALLOWED = 1
"""Misses, innocents accused and draws that cannot be dumped that a campaign may have, however short."""


@dataclass
class Score:
    """What came of the draws of one kind of evidence."""

    found: Counter[str] = field(default_factory=Counter)
    decidable: Counter[str] = field(default_factory=Counter)
    undecidable: int = 0
    innocent: int = 0
    accused: int = 0
    lacking: int = 0
    """Draws that could not be dumped."""
    misses: list[str] = field(default_factory=list)

    def take_fault(self, answer: dict[str, Any], diagnosis: Diagnosis) -> None:
        """Count a planted fault."""
        first = diagnosis.first
        names = {first.operator, first.golden_operator} if first else set()
        # A missing call leaves its module empty; the module is then the right answer too.
        emptied = answer["kind"] == "structure_missing" and any(
            name and name.startswith(f"Module.{answer['detail']}.") and ".forward." in name for name in names
        )
        right = emptied or bool(names & set(answer["first"]))
        # A change that leaves no trace in any output is true, but no error.
        named = [item for item in diagnosis.remarks if item.operator in answer["first"]]
        right = right or (first is None and answer["kind"] == "argument" and bool(named))
        if not answer["decidable"]:
            self.undecidable += 1
            return
        self.decidable[answer["kind"]] += 1
        self.found[answer["kind"]] += right
        if not right:
            self.misses.append(f"{_told(answer)}: {answer['first']} wanted, {_named(diagnosis)}")

    def take_innocent(self, answer: dict[str, Any], diagnosis: Diagnosis, introduced: int) -> None:
        """Count a harmless difference."""
        self.innocent += 1
        if diagnosis.suspects or introduced:
            self.accused += 1
            self.misses.append(f"{_told(answer)}, innocent: {_named(diagnosis)}, {introduced} introduced")

    @property
    def good(self) -> bool:
        """Whether enough was found and little enough accused."""
        missed, asked = self.decidable.total() - self.found.total(), self.decidable.total()
        return (
            self.lacking <= max(ALWAYS_ALLOWED, MOST_LACKING * (self.innocent + self.lacking))
            and missed <= max(ALWAYS_ALLOWED, (1 - LEAST_FOUND) * asked)
            and self.accused <= max(ALWAYS_ALLOWED, MOST_ACCUSED * self.innocent)
        )


def _told(answer: dict[str, Any]) -> str:
    return (
        f"trial {answer['number']} {answer['architecture']} {answer['background']} "
        f"{answer['kind']} ({answer['detail']})"
    )


def _named(diagnosis: Diagnosis) -> str:
    named = [
        f"{item.kind} {item.operator or item.golden_operator} {item.slot} {item.proof} {dict(item.evidence)}"
        for item in diagnosis.suspects[:2]
    ]
    return "; ".join(named) or "nothing"


def dumper_python() -> str | None:
    """Return a Python that has torch and the official dumper, ``None`` where there is none."""
    python = os.environ.get("ULPSCOPE_DUMPER_PYTHON", sys.executable)
    check = "import importlib.util as u, sys; sys.exit(not (u.find_spec('torch') and u.find_spec('msprobe')))"
    found = subprocess.run([python, "-c", check], capture_output=True, check=False)
    return python if found.returncode == 0 else None


def draws(python: str, task: str, seed: int, numbers: list[int]) -> Iterator[tuple[dict[str, Any], Path]]:
    """Dump draws and yield the answer and the folder of each; the folders are removed at the end.

    A network may refuse its fault (recomputation checks that shapes agree); such a draw is left out, and
    those after it are dumped by a new process.
    """
    level = "mix" if numbers[0] // BATCH % 2 == 0 else "L1"
    left = list(numbers)
    while left:
        with tempfile.TemporaryDirectory(prefix="draws") as folder:
            command = [python, str(DUMP_DRAWS), "--task", task, "--level", level, "--seed", str(seed)]
            command += ["--output", folder, "--draws", *map(str, left)]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            made = [number for number in left if (Path(folder) / str(number) / "answer.json").exists()]
            for number in made:
                place = Path(folder) / str(number)
                yield json.loads((place / "answer.json").read_text()), place
        left = left[len(made) :]
        if left:
            print(f"draw {left.pop(0)} with {task} could not be dumped: {run.stderr.strip()[-300:]}")


def diagnosed(target: Path, golden: Path) -> tuple[Diagnosis, int]:
    """Return the diagnosis and the number of rows that introduce a difference."""
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False)
    _, diagnosis = run_to_end(diagnose_runs(str(target), str(golden), options, take=cells.append))
    return diagnosis, sum(int((cell.rows.origin == Origin.INTRODUCED).sum()) for cell in cells)


def run_batch(python: str, task: str, seed: int, numbers: list[int], score: Score) -> None:
    """Dump and judge a batch."""
    score.lacking += len(numbers)
    for answer, folder in draws(python, task, seed, numbers):
        score.lacking -= 1
        try:
            score.take_innocent(answer, *diagnosed(folder / "clean", folder / "golden"))
            score.take_fault(answer, diagnosed(folder / "target", folder / "golden")[0])
        except Exception:  # noqa: BLE001 - a crash is a miss with a stack
            score.accused += 1
            score.misses.append(f"{_told(answer)}: {traceback.format_exc(limit=-1)}")


def report(task: str, score: Score, *, kinds: bool) -> None:
    """Print the score of one kind of evidence."""
    for miss in score.misses:
        print(f"  {task}: {miss}")
    if kinds:
        for kind, count in sorted(score.decidable.items()):
            print(f"  {task} {kind}: {score.found[kind]}/{count}")
    print(
        f"campaign draws, {task}: {score.found.total()} of {score.decidable.total()} faults found, "
        f"{score.undecidable} cannot be seen; {score.accused} of {score.innocent} innocents accused"
        + (f"; {score.lacking} draws COULD NOT BE DUMPED" if score.lacking else "")
    )


def main() -> int:
    """Run the campaign; return 1 if too much was missed."""
    parser = argparse.ArgumentParser(description="the campaign draws")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=None, help="repeat a campaign that printed this seed")
    parser.add_argument("--trial", type=int, default=None, help="run only the trial of this number")
    parser.add_argument("--draws", type=int, default=None, help="this many draws instead of a time")
    parser.add_argument("--task", choices=TASKS, default=None, help="only this kind of evidence")
    parser.add_argument("--kinds", action="store_true", help="print the score of each kind of fault")
    options = parser.parse_args()
    python = dumper_python()
    if python is None:
        print("campaign draws: skipped, torch and mindstudio-probe are not installed (extra integration)")
        return 0
    seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
    tasks = (options.task,) if options.task else TASKS
    scores = {task: Score() for task in tasks}
    start, number = time.monotonic(), 0
    while True:
        batch = [options.trial] if options.trial is not None else list(range(number, number + BATCH))
        for task in tasks:
            run_batch(python, task, seed, batch, scores[task])
        number += BATCH
        over = (
            time.monotonic() - start >= options.seconds if options.draws is None else number >= options.draws
        )
        if options.trial is not None or over:
            break
    for task, score in scores.items():
        report(task, score, kinds=options.kinds)
    good = all(score.good for score in scores.values())
    print(f"campaign draws: {'none' if good else 'FAILED, too much'} missed or accused (seed {seed})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
