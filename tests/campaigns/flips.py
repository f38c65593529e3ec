"""Flip a byte of a result, packed or cache file and use the file: the damage is noticed, every time."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from campaign import Failure, run

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.compare.packing import pack
from core.errors import InputError
from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import ingest, open_run
from core.store.tensor_bytes import place_of

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo"


@cache
def originals() -> dict[str, Path]:
    """Return a whole file of each kind."""
    folder = Path(tempfile.mkdtemp(prefix="flips"))
    result, packed = folder / "result.h5", folder / "packed.h5"
    options = CompareOptions(use_cache=False)
    run_to_end(compare_runs(str(DEMO / "target"), str(DEMO / "golden"), options, result_path=str(result)))
    small = folder / "small.h5"
    run_to_end(
        compare_runs(
            str(DEMO / "target"), str(DEMO / "golden"), options, result_path=str(small), compressed=True
        )
    )
    run_to_end(pack(str(DEMO / "target"), str(packed)))
    source = next(iter(find_run(DEMO / "target").cells.values()))
    Cache(folder / "cache").save(source, run_to_end(read_cell(source)))
    (kept,) = (folder / "cache").glob("*.h5")
    return {"result": result, "compressed result": small, "packed": packed, "cache": kept}


def use(kind: str, path: Path) -> bool:
    """Read all of *path* as the program would; return whether the damage went unnoticed."""
    try:
        if kind == "cache":
            source = next(iter(find_run(DEMO / "target").cells.values()))
            return Cache(path.parent).load(source) is not None
        if kind == "packed":
            for source in open_run(path).cells.values():
                dump = run_to_end(ingest(source, None))
                for slot in range(len(dump.slots)):
                    place = place_of(dump, slot)
                    if place is not None:
                        with place.open() as handle:
                            handle.bits()
            return True
        load_info(path)
        for _ in load_cells(path):
            pass
    except InputError:
        return False
    return True


def trial(random: Random) -> str:
    """Flip one byte of one file."""
    kind, original = random.choice(sorted(originals().items()))
    content = bytearray(original.read_bytes())
    place = random.randrange(len(content))
    content[place] ^= random.randrange(1, 256)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / original.name
        path.write_bytes(content)
        if use(kind, path):
            raise Failure(f"byte {place} of {len(content)} of a {kind} file was flipped and nobody noticed")
    return f"{kind} files"


if __name__ == "__main__":
    for name, file in originals().items():
        if not use(name, file):
            raise SystemExit(f"campaign flips: a whole {name} file is refused")
    run("flips", trial)
