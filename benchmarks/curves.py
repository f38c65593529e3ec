"""Ten trainings of a million steps: reading, judging and drawing: `python -m benchmarks.curves`.

The same numbers lie as csv and as lines of Megatron-LM. pandas.read_csv on the csv is the measure. Each
reading runs in a process of its own, so that its memory is its own; ratios within one run are what counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import Measurement, best_of, ulpscope

_PANDAS = """
import sys, pandas
tables = [pandas.read_csv(path) for path in sys.argv[1:]]
print(sum(len(table) for table in tables))
"""
_OURS = """
import sys
from core.curves.jobs import read_runs
from core.progress import run_to_end
if __name__ == "__main__":
    runs = run_to_end(read_runs(sys.argv[1:]))
    print(sum(len(run.curves["loss"].steps) for run in runs))
"""
_FRAMES = 300
_WIDTH = 1400
"""Pixels of the picture."""


def write_logs(folder: Path, runs: int, steps: int) -> tuple[list[str], list[str]]:
    """Write *runs* logs of *steps* steps as csv and as Megatron-LM prints them; return their paths."""
    at = np.arange(1, steps + 1)
    golden = 2 + 8 * np.exp(-at / (steps / 6))
    tables, logs = [], []
    for number in range(runs):
        random = np.random.default_rng(number)
        loss = golden * (1 + 0.02 * np.sin(at * 7919.0) + 5e-4 * random.normal(size=steps))
        norm = 1 + 0.1 * random.normal(size=steps)
        rate = 1e-4 * np.minimum(at / 2000, 1)
        table, log = folder / f"run{number}.csv", folder / f"run{number}.log"
        with table.open("w") as stream:
            stream.write("step,loss,lr,grad_norm\n")
            stream.writelines(
                f"{step},{a:.6E},{b:.6E},{c:.3f}\n"
                for step, a, b, c in zip(at.tolist(), loss.tolist(), rate.tolist(), norm.tolist())
            )
        with log.open("w") as stream:
            stream.writelines(
                f" [2026-01-01 00:00:00] iteration {step:8}/ {steps:7} | consumed samples: {64 * step:12} |"
                f" elapsed time per iteration (ms): {1200.0 + c:.1f} | learning rate: {b:.6E} |"
                f" global batch size:    64 | lm loss: {a:.6E} | loss scale: 65536.0 | grad norm: {c:.3f} |"
                " number of skipped iterations:   0 | number of nan iterations:   0 |\n"
                for step, a, b, c in zip(at.tolist(), loss.tolist(), rate.tolist(), norm.tolist())
            )
        tables.append(str(table))
        logs.append(str(log))
    return tables, logs


def show(what: str, measured: Measurement, measure: Measurement) -> None:
    """Print one line."""
    if measured.status not in (0, 1):
        sys.exit(f"{what} failed:\n{measured.output}")
    ratio = measured.seconds / measure.seconds
    memory = measured.megabytes / measure.megabytes
    seconds = f"{measured.seconds:7.2f} s ({ratio:5.2f} x)"
    print(f"{what:44} {seconds}  {measured.megabytes:7.0f} MB ({memory:4.2f} x)")


def drawing(paths: list[str]) -> None:
    """Print what one frame of panning and zooming costs in the window's thread, without painting."""
    from core.curves.drawing.overlay import overlay
    from core.curves.drawing.tracks import extent, polyline
    from core.curves.jobs import read_runs
    from core.progress import run_to_end
    from core.records.curves import Axis

    runs = run_to_end(read_runs(paths))
    start = time.perf_counter()
    curves = overlay(runs, "loss", Axis.STEP, 100.0, [0.0] * len(runs))
    print(f"{'tracks and smoothing of all':44} {time.perf_counter() - start:7.2f} s")
    steps = len(runs[0].curves["loss"].steps)
    random = np.random.default_rng(0)
    frames = []
    for _ in range(_FRAMES):
        width = steps * 10 ** random.uniform(-4, 0)
        left = random.uniform(0, steps - width)
        start = time.perf_counter()
        for curve in curves:
            for track in (curve.raw, curve.smooth):
                assert track is not None
                polyline(track, left, left + width, _WIDTH)
                extent(track, left, left + width)
        frames.append(time.perf_counter() - start)
    middle, slow = np.percentile(frames, [50, 99]) * 1000
    print(
        f"{'lines of one frame, ' + str(2 * len(runs)) + ' curves':44} {middle:7.2f} ms (99 %: {slow:.2f} ms)"
    )


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--times", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tables, logs = write_logs(Path(name), chosen.runs, chosen.steps)
        script = Path(name) / "ours.py"
        script.write_text(_OURS)
        home = str(Path(__file__).parents[1])
        measure = best_of([sys.executable, "-c", _PANDAS, *tables], chosen.times)
        show("pandas.read_csv, all in turn", measure, measure)
        for kind, paths in (("csv", tables), ("lines of Megatron-LM", logs)):
            ours = best_of([sys.executable, str(script), *paths], chosen.times, PYTHONPATH=home)
            show(f"read {len(paths)} logs, {kind}", ours, measure)
            one = best_of([sys.executable, str(script), paths[0]], chosen.times, PYTHONPATH=home)
            show(f"read one log, {kind}", one, measure)
        two = best_of(ulpscope("curves", *tables[:2], "--quiet"), chosen.times)
        show("ulpscope curves, two csv, read and judged", two, measure)
        drawing(tables)


if __name__ == "__main__":
    main()
