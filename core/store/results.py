"""Result files: what a comparison found, complete without the dumps (but for the tensors' bytes)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from core.errors import InputError, Problem
from core.records.diagnosis import Diagnosis
from core.records.emulation import Emulation
from core.records.result import CellResult, ClassCountTable, ResultInfo, RowTable
from core.records.run import CellKey
from core.store.diagnoses import decode_diagnosis, encode_diagnosis
from core.store.emulations import write_emulation
from core.store.integrity import sealed_reader, sealed_writer
from core.store.kept_pairs import kept_rows, write_kept
from core.store.moved import Moved, load_moved, placed
from core.store.schema import CELLS, CLASS_COUNTS, DIAGNOSIS, GOLDEN, INFO, ROWS, TARGET, FileKind
from core.store.tables import (
    decode_problems,
    encode_problems,
    read_dump,
    read_json,
    read_table,
    write_dump,
    write_json,
    write_table,
)

_NAMED = 6
"""Cells that a problem names."""


@dataclass
class ResultWriter:
    """Takes the cells of a result one by one, so that only one is in memory."""

    _file: h5py.File
    _compressed: bool

    def add_cell(self, cell: CellResult) -> None:
        """Write one cell."""
        group = self._file.require_group(CELLS).create_group(cell.key.label())
        write_dump(group, TARGET, cell.target, compressed=self._compressed)
        write_dump(group, GOLDEN, cell.golden, compressed=self._compressed)
        write_table(group, ROWS, cell.rows, compressed=self._compressed)
        write_table(group, CLASS_COUNTS, cell.class_counts, compressed=self._compressed)
        keys = {"key": list(cell.key), "golden_key": list(cell.golden_key)}
        write_json(group, "cell", {**keys, "problems": encode_problems(cell.problems)})

    def keep(self, key: CellKey, row: int, value: object) -> None:
        """Keep *value*, a dataclass, with a row of a cell that is written already."""
        write_kept(self._file, key, row, value)

    def finish(
        self, info: ResultInfo, diagnosis: Diagnosis | None = None, emulation: Emulation | None = None
    ) -> None:
        """Write what the result says of itself, the diagnosis and the emulation; the last things written."""
        write_json(self._file, INFO, _encode_info(info))
        if diagnosis is not None:
            write_json(self._file, DIAGNOSIS, encode_diagnosis(diagnosis))
        if emulation is not None:
            write_emulation(self._file, emulation)


@contextmanager
def result_writer(path: Path, *, compressed: bool = False) -> Iterator[ResultWriter]:
    """Write a result file; it appears at *path* only when the block ends without an exception."""
    with sealed_writer(path, FileKind.RESULT) as file:
        yield ResultWriter(file, compressed)


def load_info(path: str | Path) -> ResultInfo:
    """Return what the result at *path* says of itself.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    """
    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        return _decode_info(read_json(file, INFO))


def load_diagnosis(path: str | Path) -> Diagnosis | None:
    """Return the diagnosis in the result at *path*, ``None`` if it holds none.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    """
    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        return decode_diagnosis(read_json(file, DIAGNOSIS)) if DIAGNOSIS in file else None


def load_cell(path: str | Path, key: CellKey, *, as_written: bool = False) -> CellResult:
    """Return one cell of the result at *path*; dumps that have moved since are where they lie now.

    *as_written*: they are where the file says.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or has no such cell.
    """
    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        name = f"{CELLS}/{key.label()}"
        if name not in file:
            raise InputError(Problem("no_such_cell", str(path), {"cell": key.label()}))
        return _read_cell(file[name], () if as_written else load_moved())


def chosen_cells(path: str | Path, steps: tuple[int, ...], ranks: tuple[int, ...]) -> list[CellKey]:
    """Return the cells of the result at *path* that are of *steps* and *ranks*; an empty tuple takes all.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or no cell is left.
    """
    cells = load_info(path).cells
    chosen = [key for key in cells if (not steps or key.step in steps) and (not ranks or key.rank in ranks)]
    if not chosen:
        there = ", ".join(key.label() for key in cells[:_NAMED])
        raise InputError(Problem("no_such_cells", str(path), {"cells": there}))
    return chosen


def load_cells(path: str | Path, chosen: Sequence[CellKey] | None = None) -> Iterator[CellResult]:
    """Yield the cells of the result at *path*, or the *chosen* ones, one by one.

    The file is checked once; :func:`load_cell` checks it for every cell.
    """
    moved = load_moved()
    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        for key in _decode_info(read_json(file, INFO)).cells if chosen is None else chosen:
            yield _read_cell(file[f"{CELLS}/{key.label()}"], moved)


def _read_cell(group: h5py.Group, moved: Sequence[Moved]) -> CellResult:
    said = read_json(group, "cell")
    return CellResult(
        key=CellKey(*said["key"]),
        golden_key=CellKey(*said["golden_key"]),
        target=placed(read_dump(group, TARGET), moved),
        golden=placed(read_dump(group, GOLDEN), moved),
        rows=read_table(group, ROWS, RowTable),
        class_counts=read_table(group, CLASS_COUNTS, ClassCountTable),
        problems=decode_problems(said["problems"]),
        kept_rows=kept_rows(group),
    )


def _encode_info(info: ResultInfo) -> dict[str, Any]:
    return {
        "target_path": info.target_path,
        "golden_path": info.golden_path,
        "version": info.version,
        "created": info.created,
        "thresholds": dict(info.thresholds),
        "cells": [list(key) for key in info.cells],
        "problems": encode_problems(info.problems),
    }


def _decode_info(said: dict[str, Any]) -> ResultInfo:
    return ResultInfo(
        target_path=said["target_path"],
        golden_path=said["golden_path"],
        version=said["version"],
        created=said["created"],
        thresholds=said["thresholds"],
        cells=tuple(CellKey(*key) for key in said["cells"]),
        problems=decode_problems(said["problems"]),
    )
