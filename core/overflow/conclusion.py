"""The answer over all steps and ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from core.errors import Problem
from core.messages import Message
from core.overflow.births.examination import Examination
from core.overflow.births.telling import GOLDEN_TOO
from core.overflow.ranks.step import Origin, Step, conclude_step, paths_from
from core.records.overflow import BirthKind, Mode, OverflowReport, Spread, Station, Way


def conclude(
    path: str,
    golden_path: str,
    examinations: Iterable[Examination],
    problems: Sequence[Problem] = (),
    ranks: Collection[int] = (),
) -> OverflowReport:
    """Return what all cells together say; earliest births first, those that the golden has too last.

    *ranks* are those of the run, examined or not.
    """
    cells = sorted(examinations, key=lambda cell: cell.key)
    known = sorted({*ranks, *(cell.key.rank for cell in cells)})
    steps: list[Step] = []
    born_in_phase: set[str] = set()
    for (phase, _), of_step in groupby(cells, key=lambda cell: cell.key[:2]):
        step = conclude_step(list(of_step), known, after_births=phase in born_in_phase)
        if phase in born_in_phase:
            step.origins = [_later(origin) for origin in step.origins]
        elif step.origins:
            born_in_phase.add(phase)
        steps.append(step)
    ordered = sorted(((step, origin) for step in steps for origin in step.origins), key=_order)
    origins = tuple(origin.birth for _, origin in ordered)
    return OverflowReport(
        path=path,
        golden_path=golden_path,
        origins=origins,
        spreads=tuple(_spreads(steps, ordered)),
        expected=tuple(birth for cell in cells for birth in cell.expected),
        mode=_mode(cells, ordered),
        tracks=tuple(cell.track for cell in cells),
        remarks=tuple(_remarks(cells)),
        problems=tuple(problems),
    )


def _later(origin: Origin) -> Origin:
    return replace(origin, birth=replace(origin.birth, earliest=False))


def _order(item: tuple[Step, Origin]) -> tuple[bool, str, int, bool, int, int, int]:
    birth, time = item[1].birth, item[1].time
    shared = any(note.code == GOLDEN_TOO for note in birth.notes)
    return shared, birth.cell.phase, birth.cell.step, not birth.earliest, time, birth.row, birth.cell.rank


def _mode(cells: Sequence[Examination], ordered: Sequence[tuple[Step, Origin]]) -> Mode:
    if any(origin.birth.kind is BirthKind.SATURATION for _, origin in ordered):
        return Mode.SATURATION
    return Mode.INF_NAN if any(cell.half_inf for cell in cells) else Mode.UNKNOWN


def _spreads(steps: Sequence[Step], ordered: Sequence[tuple[Step, Origin]]) -> Iterable[Spread]:
    """Yield the ways of each birth that goes on, those into later steps at the first birth of the phase."""
    told: set[str] = set()
    for number, (step, origin) in enumerate(ordered):
        if not origin.birth.spreads:
            continue
        paths = paths_from(step, origin.places)
        phase = origin.birth.cell.phase
        if phase not in told:
            told.add(phase)
            for later in steps:
                if later.cells[0].key.phase == phase:
                    paths += _into_later_step(later)
        if paths:
            yield Spread(number, tuple(paths))


def _into_later_step(step: Step) -> list[tuple[Station, ...]]:
    paths = []
    for place in step.from_step_before:
        branch = step.cells[place.cell].branches.get(place.row)
        if branch is not None:
            paths.append((replace(branch.way[0], way=Way.STEP), *branch.way[1:]))
    return paths


def _remarks(cells: Sequence[Examination]) -> Iterable[Message]:
    """Yield what the dumps cannot tell."""
    undecided = sum(cell.track.undecided for cell in cells)
    if not undecided and not any(cell.track.decided for cell in cells):
        yield Message("overflow.remark.silent")
    if undecided:
        calls = sum(cell.track.operators for cell in cells)
        yield Message("overflow.remark.undecided", {"count": undecided, "calls": calls})
    possible = [birth for cell in cells for birth in cell.possible]
    if possible:
        first = possible[0]
        parameters = {"count": len(possible), "cell": first.cell.label(), **first.message.parameters}
        yield Message("overflow.remark.possible_saturation", parameters)
