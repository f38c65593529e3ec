"""``ulpscope compare`` beside the official tool, in one run: statistics of about 140 000 rows, and tensors.

    python benchmarks/compare.py statistics [--official PATH/TO/msprobe] [--times 3]
    python benchmarks/compare.py tensors [--official PATH/TO/msprobe] [--times 3]

The pairs are made once into a temporary folder (``--folder`` keeps them): real entries repeated under new
names. Both tools read warm files; ours runs with ``--no-cache``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.measure import Measurement, best_of, measure, ulpscope  # noqa: E402
from benchmarks.pairs import statistics_pair, tensor_pair  # noqa: E402

_TARGETS = {"statistics": 20.0, "tensors": 20.0}


def main() -> None:
    """Run the benchmark that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("statistics", "tensors"))
    parser.add_argument("--official", default=shutil.which("msprobe"), help="the official msprobe command")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the pair here and use it again")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        make = statistics_pair if chosen.what == "statistics" else tensor_pair
        target, golden = make(folder)
        size = sum(path.stat().st_size for path in [*target.rglob("*"), *golden.rglob("*")] if path.is_file())
        print(f"{chosen.what}: {size / 1e6:.0f} MB on both sides together")
        _report(chosen.what, target, golden, Path(temporary), chosen.official, chosen.times, size)


def _report(
    what: str, target: Path, golden: Path, scratch: Path, official: str | None, times: int, size: int
) -> None:
    for path in [*target.rglob("*"), *golden.rglob("*")]:
        if path.is_file():
            path.read_bytes()  # warm
    pair = ("compare", str(target), str(golden), "--no-cache", "--quiet")
    plain = best_of(ulpscope(*pair), times)
    csv = best_of(ulpscope(*pair, "-o", str(scratch / "ours.csv")), times)
    _line("ours, no report", plain)
    _line("ours, csv", csv)
    if what == "tensors":
        print(f"  {size / plain.seconds / 1e9:.2f} GB/s, both sides counted")
    if official is None:
        print("  the official tool is not there: install the extra `integration`, or give --official")
        return
    step_t, step_g = next(target.rglob("dump.json")), next(golden.rglob("dump.json"))
    paths = ["-tp", str(step_t), "-gp", str(step_g), "-o", str(scratch / "official")]
    theirs = measure([official, "compare", *paths])
    _line("official, csv", theirs)
    bare, written = theirs.seconds / plain.seconds, theirs.seconds / csv.seconds
    print(f"  ratio without report {bare:.1f}, with csv {written:.1f}")
    print(f"  (wanted: {_TARGETS[what]:.0f} with csv)")


def _line(name: str, run: Measurement) -> None:
    print(f"  {name:18} {run.seconds:7.2f} s  {run.megabytes:7.0f} MB  status {run.status}")
    if run.status not in (0, 1):
        print(run.output[-2000:])


if __name__ == "__main__":
    main()
