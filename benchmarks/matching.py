"""Matching two long dumps: 200 000 calls a side, 1 % random insertions and deletions on both.

    python -m benchmarks.matching [CALLS] [PERCENT]

Each kind of dump is matched in a process of its own; prints seconds, memory and how many true pairs were
found.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from core.match.operators import match_operators
from tests.builders.call_sequences import Sequence, edited, made_dump

KINDS = {
    "with modules": {"modules": True, "numbers": True},
    "without modules": {"modules": False, "numbers": True},
    "no modules, no numbers": {"modules": False, "numbers": False},
}


def run(kind: str, calls: int, percent: float) -> None:
    chance = np.random.default_rng(1)
    whole = Sequence.layers(calls, **KINDS[kind])
    left, right = edited(whole, percent / 100, chance), edited(whole, percent / 100, chance)
    target, golden = made_dump(left), made_dump(right)
    for dump in (target, golden):
        len(dump.strings[0])  # decoded before the clock starts, as after reading a dump
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    pairs = match_operators(target, golden).pairs
    seconds = time.perf_counter() - started
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    both = (pairs.target >= 0) & (pairs.golden >= 0)
    found = left.identity[pairs.target[both]], right.identity[pairs.golden[both]]
    true = np.intersect1d(left.identity, right.identity)
    right_ones = int(((found[0] == found[1]) & (found[0] >= 0)).sum())
    true_count = int((true >= 0).sum())
    print(
        f"{kind}: {seconds:.2f} s, {memory:.0f} MB more, "
        f"{right_ones / true_count:.4%} of {true_count} true pairs, {int(both.sum()) - right_ones} others"
    )


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    percent = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    if len(sys.argv) > 3:
        run(sys.argv[3], calls, percent)
        return
    for kind in KINDS:
        command = [sys.executable, "-m", "benchmarks.matching", str(calls), str(percent), kind]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
