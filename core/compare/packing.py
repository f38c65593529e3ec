"""``ulpscope pack``: a run, or chosen operators of it, as one portable file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError, Problem
from core.progress import Work
from core.store.cache import Cache
from core.store.integrity import sealed_writer
from core.store.packing import selected, write_packed_cell
from core.store.runs import ingest, open_run
from core.store.schema import FileKind
from core.store.tables import write_json


@dataclass(frozen=True)
class Packed:
    """What went into a packed file."""

    cells: int
    operators: int
    tensors: int
    problems: tuple[Problem, ...]
    """Of the run, its dumps, and the tensors that could not be read and were left out."""


def pack(path: str, output: str, pattern: str = "*", cache: Cache | None = None) -> Work[Packed]:
    """Write the run at *path*, its operators that match the shell *pattern*, to the file *output*.

    Raises
    ------
    InputError
        If there is no run, or no operator matches.
    """
    run = open_run(path)
    problems = list(run.problems)
    written = []
    operators = tensors = 0
    with sealed_writer(Path(output), FileKind.PACKED) as file:
        for key, source in sorted(run.cells.items()):
            dump = selected((yield from ingest(source, cache)), pattern)
            problems += dump.problems
            if len(dump.operators):
                tensors += yield from write_packed_cell(file, key, dump, problems)
                operators += len(dump.operators)
                written.append(list(key))
        if not written:
            raise InputError(Problem("no_operator_matches", path, {"pattern": pattern}))
        write_json(file, "keys", written)
        write_json(file, "format", run.format)
    return Packed(len(written), operators, tensors, tuple(problems))
