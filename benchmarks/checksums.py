"""Checksums of a folder: ``ulpscope dataset checksums`` beside ``md5sum``, over small and over large files.

    python benchmarks/checksums.py [--files 100000] [--large 4] [--megabytes 256] [--times 3] [--folder DIR]

All files are in the system's cache; nothing is said of a cold disk. ``md5sum`` alone reads one file after the
other, ``xargs -P2`` runs two of it; threads are what ``hashlib`` in a pool of threads comes to.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.measure import Measurement, best_of, ulpscope  # noqa: E402

_SMALL = 2000
"""Bytes of a small file."""
_IN_A_FOLDER = 1000
_THREADS = """
import hashlib, os, sys
from concurrent.futures import ThreadPoolExecutor
def digest(path):
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "md5").hexdigest(), path
paths = [os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[1]) for name in names]
with ThreadPoolExecutor(2) as pool, open(sys.argv[2], "w") as out:
    out.writelines(f"{found}  {path}\\n" for found, path in pool.map(digest, paths, chunksize=64))
"""


def main() -> None:
    """Run the benchmark that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=4)
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", help="where the files are made; a temporary folder without it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        place = Path(temporary)
        _make(place / "small", chosen.files, _SMALL)
        _report(f"{chosen.files} files of {_SMALL} bytes", place / "small", place, chosen.times)
        _make(place / "large", chosen.large, chosen.megabytes << 20)
        _report(f"{chosen.large} files of {chosen.megabytes} MiB", place / "large", place, chosen.times)


def _make(folder: Path, count: int, size: int) -> None:
    for number in range(count):
        place = folder / f"{number // _IN_A_FOLDER:04}" / f"{number:07}.bin"
        if number % _IN_A_FOLDER == 0:
            place.parent.mkdir(parents=True)
        with place.open("wb") as stream:
            for first in range(0, size, 1 << 24):
                stream.write(os.urandom(min(size - first, 1 << 24)))


def _report(name: str, folder: Path, place: Path, times: int) -> None:
    out = str(place / "list")
    find = f"cd {folder} && find . -type f"
    commands = {
        "md5sum": ["sh", "-c", f"{find} -exec md5sum {{}} + > {out}"],
        "md5sum, xargs -P2": ["sh", "-c", f"{find} -print0 | xargs -0 -P2 -n 500 md5sum > {out}"],
        "hashlib, 2 threads": [sys.executable, "-c", _THREADS, str(folder), out],
        "ulpscope": [*ulpscope("dataset", "checksums", str(folder), "-o", out, "--quiet")],
        "ulpscope, sha256": [
            *ulpscope("dataset", "checksums", str(folder), "-o", out, "--quiet", "--algorithm", "sha256")
        ],
    }
    found = {label: best_of(command, times, PYTHONPATH=str(PROJECT)) for label, command in commands.items()}
    print(name)
    for label, measured in found.items():
        print(f"  {label:20} {_told(measured, found['md5sum'])}")


def _told(measured: Measurement, base: Measurement) -> str:
    ratio = base.seconds / measured.seconds
    failed = "" if measured.status == 0 else f"  FAILED: {measured.output}"
    return f"{measured.seconds:7.2f} s  {ratio:5.2f} × md5sum  {measured.megabytes:6.0f} MB{failed}"


if __name__ == "__main__":
    main()
