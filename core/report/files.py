"""Where a report goes: one file, or a folder with the official file names inside."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from core.errors import InputError, Problem
from core.records.run import CellKey

SUFFIXES = (".csv", ".xlsx", ".json", ".h5")
"""What ``compare -o`` writes, by the name's ending; a name without one is a folder."""

_DUMP_FILES = ("dump.json", "stack.json", "construct.json", "debug.json")
_DUMP_SUFFIXES = (".pt", ".pth", ".npy", ".npz", ".safetensors", ".pkl")


def check_output(output: str, inputs: tuple[str, ...], suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Raise before any work if *output* cannot be written to, or is part of what is read.

    Raises
    ------
    InputError
        ``output_empty``, ``output_unknown_suffix``, ``output_is_input``, ``output_not_a_file`` (a device or
        pipe: a finished file is renamed into place and would replace it).
    """
    if not output:
        raise InputError(Problem("output_empty", "-o"))
    place = Path(output)
    if place.is_dir():
        return
    if place.exists() and not place.is_file():
        raise InputError(Problem("output_not_a_file", output))
    if place.suffix and place.suffix.lower() not in suffixes and not output.endswith(("/", os.sep)):
        raise InputError(Problem("output_unknown_suffix", output, {"suffixes": ", ".join(suffixes)}))
    if place.name in _DUMP_FILES:  # even a new one would make its folder look like a dump
        raise InputError(Problem("output_is_input", output))
    if place.is_file():
        same = any(Path(name).exists() and place.samefile(name) for name in inputs)
        if same or place.suffix.lower() in _DUMP_SUFFIXES:
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


@contextlib.contextmanager
def finished_file(path: Path) -> Iterator[Path]:
    """Give a place to write to; it becomes *path* when the block ends without an exception.

    Raises
    ------
    OSError
        Naming *path*, whatever went wrong on the way: a full disk, a folder that may not be written to.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def official_file_name(key: CellKey, made: datetime, *, several_ranks: bool) -> str:
    """Return ``compare_result_rank0_20260101120000.csv``, the rank only where there are several."""
    rank = f"_rank{key.rank}" if several_ranks else ""
    return f"compare_result{rank}_{made:%Y%m%d%H%M%S}.csv"


def official_folder(key: CellKey, *, several_steps: bool) -> Path:
    """Return the sub-folder of a cell: the official tool compares one step at a time."""
    parts = [part for part in (key.phase,) if part]
    return Path(*parts, f"step{key.step}") if several_steps else Path(*parts)
