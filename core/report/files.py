"""Where a report goes: one file, or a folder with the official file names inside."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from core.errors import InputError, Problem
from core.records.run import CellKey

SUFFIXES = (".csv", ".xlsx", ".json", ".h5")
"""What ``compare -o`` writes, by the name's ending; anything else is a folder."""


def refuse_special_file(output: str) -> None:
    """Raise for a device, pipe or socket: a finished file is renamed into place and would replace it.

    Raises
    ------
    InputError
        ``output_not_a_file``.
    """
    place = Path(output)
    if place.exists() and not place.is_file() and not place.is_dir():
        raise InputError(Problem("output_not_a_file", output))


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
