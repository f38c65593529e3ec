"""Where a report goes: one file, or a folder with the official file names inside."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from core.errors import InputError, Problem
from core.formats.search import DUMP_FILES
from core.records.run import CellKey
from core.store.places import check_place

SUFFIXES = (".csv", ".xlsx", ".json", ".h5")
"""What ``compare -o`` writes, by the name's ending; a name without one is a folder."""

_DUMP_SUFFIXES = (".pt", ".pth", ".npy", ".npz", ".safetensors", ".pkl")


def check_output(output: str, inputs: tuple[str, ...], suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Raise before any work if *output* cannot be written to, or is part of what is read.

    Raises
    ------
    InputError
        ``output_unknown_suffix``, or as :func:`core.store.places.check_place`; a folder is fine.
    """
    place = Path(output)
    if output and place.is_dir():
        return
    written = check_place(output, inputs)
    if place.suffix and place.suffix.lower() not in suffixes and not output.endswith(("/", os.sep)):
        raise InputError(Problem("output_unknown_suffix", output, {"suffixes": ", ".join(suffixes)}))
    if place.name in DUMP_FILES:  # even a new one would make its folder look like a dump
        raise InputError(Problem("output_is_input", output))
    if written.is_file() and (written.suffix.lower() in _DUMP_SUFFIXES or written.name in DUMP_FILES):
        raise InputError(Problem("output_is_input", output))


def check_output_file(output: str, inputs: tuple[str, ...], suffixes: tuple[str, ...]) -> None:
    """Raise before any work if *output* is no file of one of *suffixes* that can be written.

    Raises
    ------
    InputError
        As :func:`check_output`; a folder, or a name without an ending, is ``output_unknown_suffix``.
    """
    check_output(output, inputs, suffixes)
    place = Path(output)
    if place.is_dir() or place.suffix.lower() not in suffixes:
        raise InputError(Problem("output_unknown_suffix", output, {"suffixes": ", ".join(suffixes)}))


def is_folder_output(output: str) -> bool:
    """Whether ``-o`` *output* names a folder rather than a file."""
    return Path(output).is_dir() or Path(output).suffix.lower() not in SUFFIXES


def official_file_name(key: CellKey, made: datetime, *, several_ranks: bool) -> str:
    """Return ``compare_result_rank0_20260101120000.csv``, the rank only where there are several."""
    rank = f"_rank{key.rank}" if several_ranks else ""
    return f"compare_result{rank}_{made:%Y%m%d%H%M%S}.csv"


def official_folder(key: CellKey, *, several_steps: bool) -> Path:
    """Return the sub-folder of a cell: the official tool compares one step at a time."""
    parts = [part for part in (key.phase,) if part]
    return Path(*parts, f"step{key.step}") if several_steps else Path(*parts)
