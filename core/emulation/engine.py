"""Emulation of a run, or of a target beside its golden: every call of every cell under one profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.compare.cells import CellPair, pair_cells
from core.compare.options import CompareOptions
from core.compare.rows import pair_rows
from core.emulation.chips.calls import Emulator
from core.emulation.chips.profile import Parameter, Profile
from core.emulation.standards import Variant
from core.errors import Problem
from core.match.mapping import Mapping
from core.match.mapping_files import load_mapping
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import Int32
from core.records.dump import Dump
from core.records.emulation import CallEmulation, Emulation, ProfileParameter
from core.records.result import RowTable
from core.records.run import CellKey
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import ingest, open_run
from core.workers.together import Tickets, together

_AT_ONCE = 16
"""Calls that a process takes at a time."""
_WORTH_PROCESSES = 64 << 20
"""Bytes of tensors from which starting another process pays."""

Found = tuple[Emulation, tuple[Problem, ...]]
Numbered = list[tuple[int, CallEmulation]]


@dataclass(frozen=True)
class EmulationOptions:
    """What is asked of an emulation."""

    profile: Profile
    wanted: Callable[[str], bool] = lambda name: True
    """Which calls, by name."""
    thorough: bool = False
    """Try every setting of the envelope on each call, and so find the closest of all."""
    variant: Variant | None = None
    """By whose numbers the official checker's standards are applied beside, if they are."""
    processes: int = 0
    """Processes that share the calls of a cell with large tensors; 0: one a core."""


@dataclass(frozen=True)
class EmulatedCell:
    """The calls of one cell that were emulated, in execution order."""

    key: CellKey
    calls: tuple[CallEmulation, ...]


def emulate_runs(target: str, golden: str, asked: EmulationOptions, options: CompareOptions) -> Work[Found]:
    """Replay calls of the run at *target* as *asked*; *golden* may be empty.

    Raises
    ------
    InputError
        If a run cannot be opened at all, or no cell is common to both.
    """
    run, reference = open_run(target), open_run(golden) if golden else None
    pairs, problems = pair_cells(run, reference, options.steps, options.ranks)
    mapping = Mapping(picked=options.pairs).joined(load_mapping(options.mapping))
    said = [*run.problems, *(reference.problems if reference else ()), *mapping.problems, *problems]
    cache = Cache.default() if options.use_cache else None
    calls: list[CallEmulation] = []
    for pair in pairs:
        dump, other, rows = yield from _opened(pair, mapping, cache)
        said += [*dump.problems, *(other.problems if other else ())]
        key = pair.target.key
        calls += (yield from emulate_cell(key, dump, other, rows, asked)).calls
    return emulation_of(asked.profile, calls), tuple(said)


def emulate_result(path: str, asked: EmulationOptions, cells: Sequence[CellKey]) -> Work[Found]:
    """Replay calls of *cells* of a result file's target as *asked*.

    The dumps must be where they were, or be known to have moved.

    Raises
    ------
    InputError
        If it is no result file, or is damaged.
    """
    info = load_info(path)
    calls: list[CallEmulation] = []
    for cell in load_cells(path, cells):
        golden = cell.golden if info.golden_path else None
        calls += (yield from emulate_cell(cell.key, cell.target, golden, cell.rows, asked)).calls
    return emulation_of(asked.profile, calls), info.problems


def _opened(
    pair: CellPair, mapping: Mapping, cache: Cache | None
) -> Work[tuple[Dump, Dump | None, RowTable]]:
    dump = yield from ingest(pair.target, cache)
    if pair.golden is None:
        return dump, None, RowTable.empty()
    golden = yield from ingest(pair.golden, cache)
    return dump, golden, pair_rows(dump, golden, mapping)


def emulate_cell(
    key: CellKey, target: Dump, golden: Dump | None, rows: RowTable, asked: EmulationOptions
) -> Work[EmulatedCell]:
    """Replay calls of one cell as *asked*; *rows* tell which golden call each is matched with."""
    wanted = [row for row in range(len(target.operators)) if asked.wanted(target.operator_name(row))]
    partners = golden_rows(rows, len(target.operators))[wanted].tolist()
    emulator = Emulator(key, target, golden, asked.profile, variant=asked.variant, thorough=asked.thorough)
    arguments = (emulator, wanted, partners, Tickets())
    count = asked.processes or os.cpu_count() or 1
    helpers = count - 1 if _bytes_of_tensors(target, wanted) >= _WORTH_PROCESSES else 0
    parts = yield from together(emulate_numbered(*arguments), [(emulate_numbered, arguments)] * helpers)
    found = sorted((item for part in parts for item in part), key=lambda item: item[0])
    return EmulatedCell(key, tuple(call for _, call in found))


def _bytes_of_tensors(dump: Dump, asked: Sequence[int]) -> int:
    """Return the size of the files of these calls' tensors."""
    slots = dump.slots
    wanted = np.zeros(len(dump.operators), bool)
    wanted[asked] = True
    return int(np.sum(slots.file_size, where=wanted[slots.operator] & (slots.file_size >= 0)))


def emulate_numbered(
    emulator: Emulator, wanted: Sequence[int], partners: Sequence[int], tickets: Tickets
) -> Work[Numbered]:
    """Emulate those of *wanted* that *tickets* gives to this process, with their places."""
    found: Numbered = []
    label = emulator.key.label()
    while (start := tickets.take(_AT_ONCE)) < len(wanted):
        for place in range(start, min(start + _AT_ONCE, len(wanted))):
            yield Progress(place, len(wanted), Message("progress.emulation", {"cell": label}))
            found.append((place, emulator.emulate(wanted[place], partners[place])))
    return found


def golden_rows(rows: RowTable, operators: int) -> Int32:
    """Return for each of the target's *operators* the golden one it is matched with, -1 for none."""
    found = np.full(operators, -1, np.int32)
    there = (rows.target_operator >= 0) & (rows.golden_operator >= 0)
    found[rows.target_operator[there]] = rows.golden_operator[there]
    return found


def emulation_of(profile: Profile, calls: Iterable[CallEmulation]) -> Emulation:
    """Return the whole: the calls, and the profile with how each parameter is known."""
    parameters = tuple(_told(item) for item in profile.parameters.values())
    return Emulation(profile.name, profile.title, parameters, tuple(calls))


def _told(parameter: Parameter) -> ProfileParameter:
    value = parameter.value
    if isinstance(value, list):
        text = ", ".join(map(str, value)) or "none"
    elif isinstance(value, dict):
        text = ", ".join(f"{name}: {item}" for name, item in value.items()) or "none"
    else:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    return ProfileParameter(parameter.name, text, parameter.basis.value, parameter.source)
