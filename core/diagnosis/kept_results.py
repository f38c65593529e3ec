"""Results that the window keeps, so that opening a pair again takes no second comparison.

A result is found again by all that it depends on: both runs with size and time of each of their files,
the tensors' included, the options, and the program. A pair of which anything changed is another one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.compare.options import CompareOptions
from core.store.kept import program, result_folder
from core.store.runs import open_run


def result_place(target: str, golden: str, options: CompareOptions) -> Path:
    """Return where the result of comparing *golden* and *target* is kept, or would be.

    Raises
    ------
    InputError
        If a run cannot be opened at all.
    """
    said = json.dumps(
        {
            "program": program(),
            "runs": [_identity(path) for path in (target, golden) if path],
            "options": [options.steps, options.ranks, [_stamp(Path(name)) for name in options.mapping]],
            "mapping": options.mapping,
            "pairs": sorted(options.pairs.items()),
            "noise": options.noise.as_mapping(),
        },
        default=str,
    )
    name = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return result_folder() / f"{name}.h5"


def _identity(path: str) -> object:
    run = open_run(path)
    return [
        str(Path(path).absolute()),
        [
            [
                key.label(),
                source.format,
                sorted(source.files.items()),
                [_stamp(Path(name)) for _, name in sorted(source.files.items())],
                _tensors(source.files),
            ]
            for key, source in run.cells.items()
        ],
    ]


def _tensors(files: Mapping[str, str]) -> str:
    """Return a digest of names, sizes and times of a cell's tensor files."""
    folder = files.get("data", "")
    state = hashlib.blake2b(digest_size=16)
    for line in _listed(folder) if folder else ():
        state.update(line.encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _listed(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            status = entry.stat()
            yield f"{entry.name}\n{_times(status)}\n"
    except OSError:
        return


def _stamp(path: Path) -> list[int]:
    try:
        return _times(path.stat())
    except OSError:
        return []


def _times(status: os.stat_result) -> list[int]:
    """Return size and times; that of the last change of anything tells of copies that keep the others."""
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
