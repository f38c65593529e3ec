"""From the folders above a dump to the cell of the run that it is.

A dump lies in a rank folder inside of a step folder; either may be missing or have another name:
``step3/rank1``, ``rank_1``, ``rank`` and ``rankNone`` (not known), ``proc2016`` and ``pid2016`` (only the
process is known). Above or between them stand a tool's own folder (``ptdbg_dump_v4.0``) and the phases of
reinforcement learning (``generate``, ``update_actor``).
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import Problem
from core.formats.natural import natural_key
from core.records.run import CellKey

_STEP = re.compile(r"^step(?P<number>\d{1,9})?$")
_RANK = re.compile(r"^rank_?(?P<number>\d{1,18}|None)?$")
_PROCESS = re.compile(r"^(?:proc|pid)_?(?P<number>\d{1,18})$")


@dataclass(frozen=True)
class Found:
    """A dump that lies in *folder*. *variant* tells several in one folder apart and is empty else."""

    folder: str
    format: str
    files: Mapping[str, str]
    variant: str = ""


@dataclass(frozen=True)
class _Place:
    """What the folders say; ``None`` where they do not."""

    step: int
    rank: int | None
    process: int | None
    rest: tuple[str, ...]


def assign_keys(found: Sequence[Found], root: str) -> tuple[dict[CellKey, Found], list[Problem]]:
    """Give each dump in *found* the key of its cell.

    Parameters
    ----------
    found
        Dumps at or below *root*.
    root
        Folder where the search began. Folders above it may tell step and rank, but no phase.

    Returns
    -------
    cells, problems
        All dumps, in the order of their keys. Where two claim one cell, the second is given a phase
        named after its folder, and a problem names both.
    """
    ordered = sorted(found, key=lambda dump: natural_key(os.path.join(dump.folder, dump.variant)))  # noqa: PTH118
    places = [_place(dump, root) for dump in ordered]
    shared = _shared_length([place.rest for place in places])
    phases = ["/".join(place.rest[shared:]) for place in places]
    taken: dict[tuple[str, int], set[int]] = defaultdict(set)
    for place, phase in zip(places, phases):
        if place.process is None:
            taken[phase, place.step].add(place.rank or 0)
    by_process = sorted(range(len(ordered)), key=lambda index: places[index].process or 0)
    ranks = {index: place.rank or 0 for index, place in enumerate(places)}
    for index in by_process:
        if places[index].process is not None:
            used = taken[phases[index], places[index].step]
            ranks[index] = next(rank for rank in range(len(used) + 1) if rank not in used)
            used.add(ranks[index])
    cells: dict[CellKey, Found] = {}
    problems = []
    for index, (dump, place, phase) in enumerate(zip(ordered, places, phases)):
        key = CellKey(phase, place.step, ranks[index])
        if key in cells:
            parameters = {"other": cells[key].folder, "cell": key.label()}
            problems.append(Problem("same_cell", dump.folder, parameters))
            key = _free_key(key, Path(dump.folder).name, cells)
        cells[key] = dump
    return dict(sorted(cells.items())), problems


def _shared_length(paths: Sequence[tuple[str, ...]]) -> int:
    """Return how many parts all *paths* begin with."""
    for index, parts in enumerate(zip(*paths)):
        if len(set(parts)) > 1:
            return index
    return min(map(len, paths), default=0)


def _free_key(key: CellKey, name: str, cells: Mapping[CellKey, Found]) -> CellKey:
    base = f"{key.phase}/{name}" if key.phase else name
    candidate, number = key._replace(phase=base), 2
    while candidate in cells:
        candidate, number = key._replace(phase=f"{base} ({number})"), number + 1
    return candidate


def _place(dump: Found, root: str) -> _Place:
    """Read the folders from the dump upwards."""
    step: int | None = None
    rank: int | None = None
    process: int | None = None
    rest: list[str] = [dump.variant] if dump.variant else []
    folder = Path(dump.folder)
    inside = len(folder.parts) - len(Path(root).parts)
    for index, name in enumerate(reversed(folder.parts)):
        if rank is None and process is None and (found := _RANK.match(name)):
            number = found["number"] or "None"
            rank = 0 if number == "None" else int(number)
        elif rank is None and process is None and (found := _PROCESS.match(name)):
            process = int(found["number"])
        elif step is None and (found := _STEP.match(name)):
            step = int(found["number"] or 0)
        elif index < inside:
            rest.append(name)
        else:
            break
        if step is not None and index >= inside:
            break
    return _Place(step or 0, rank, process, tuple(reversed(rest)))
