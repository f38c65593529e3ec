"""From dump.json to the renamed HDF5 file: MB/s and working set, beside ``json.load`` of the same text.

    python benchmarks/ingestion.py [--megabytes 46] [--times 3]

The dump is made by repeating real entries under new names; a second one has a NaN in every tenth record.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.measure import best_of  # noqa: E402
from benchmarks.pairs import statistics_pair  # noqa: E402

_INGEST = """
import sys, pathlib
from core.formats.registry import find_run
from core.progress import run_to_end
from core.store.cache import Cache
from core.store.runs import ingest
(source,) = find_run(sys.argv[1]).cells.values()
dump = run_to_end(ingest(source, Cache(pathlib.Path(sys.argv[2]))))
print(sum(values.nbytes for table in (dump.operators, dump.slots) for values in table.columns().values()))
"""
_IMPORT = "import core.store.runs, core.formats.registry, core.store.cache"
_JSON = "import json, sys, pathlib; json.load(open(next(pathlib.Path(sys.argv[1]).rglob('dump.json'))))"


def main() -> None:
    """Run the benchmark that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=46)
    parser.add_argument("--times", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plain, _ = statistics_pair(folder, chosen.megabytes)
        for name, run in (("numbers", plain), ("with NaN literals", _with_nan(plain, folder / "nan"))):
            _report(name, run, folder, chosen.times)


def _with_nan(run: Path, place: Path) -> Path:
    """Return a copy of *run* in which every tenth mean is a NaN literal."""
    source = next(run.rglob("dump.json"))
    lines = source.read_text().splitlines(keepends=True)
    means = [index for index, line in enumerate(lines) if line.lstrip().startswith('"Mean"')]
    for index in means[::10]:
        lines[index] = lines[index].split(":")[0] + ": NaN,\n"
    target = place / "step0" / "rank0" / "dump.json"
    target.parent.mkdir(parents=True)
    target.write_text("".join(lines))
    return place


def _report(name: str, run: Path, folder: Path, times: int) -> None:
    size = next(run.rglob("dump.json")).stat().st_size / 1e6
    start = best_of([sys.executable, "-c", _IMPORT], times, PYTHONPATH=str(PROJECT))
    runs = []
    for number in range(times):  # a new cache each time: nothing may be there already
        cache = str(folder / f"cache {name} {number}")
        runs.append(best_of([sys.executable, "-c", _INGEST, str(run), cache], 1, PYTHONPATH=str(PROJECT)))
    ours = min(runs, key=lambda item: item.seconds)
    plain = best_of([sys.executable, "-c", _JSON, str(run)], times)
    seconds = ours.seconds - start.seconds
    columns = int(ours.output) / 1e6
    print(f"{name}: {size:.0f} MB of dump.json")
    apart = f"(imports, {start.seconds:.2f} s, not counted)"
    print(f"  ours       {seconds:6.2f} s  {size / seconds:6.1f} MB/s  {apart}")
    print(f"  json.load  {plain.seconds:6.2f} s  {size / plain.seconds:6.1f} MB/s")
    extra = ours.megabytes - start.megabytes - columns
    beyond = f"{extra:.0f} MB beyond the columns ({columns:.0f} MB) and imports"
    print(f"  memory     {ours.megabytes:6.0f} MB, {beyond}")
    print(f"  json.load  {plain.megabytes:6.0f} MB")


if __name__ == "__main__":
    main()
