"""Random distributed programs that know the truth: both evidences agree, and the truth itself is sound."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.rank_answer import answer_of
from builders.rank_dumps import write_ranks
from builders.rank_graphs import Program, Ran, draw_program, run_program
from builders.rank_notes import OPTIONS
from builders.rank_simulation import Cause, Style

from core.overflow.engine import overflow_of_runs
from core.progress import run_to_end
from core.records.overflow import OverflowReport

SEEDS = range(5)
PLAIN = Style()


def program(seed: int, ranks: int = 3, **changes: object) -> Program:
    """Return a small program whose dumper shows all that asynchronous calls received."""
    return dataclasses.replace(draw_program(seed, ranks), style=PLAIN, **changes)  # type: ignore[arg-type]


def report_of(ran: Ran, folder: Path, **options: bool) -> OverflowReport:
    """Write *ran* as a dump and return what the analysis says."""
    write_ranks(folder, ran.simulation.steps, **options)
    return run_to_end(overflow_of_runs(str(folder), "", OPTIONS))


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_and_tensors_tell_the_same_births(tmp_path: Path, seed: int) -> None:
    ran = run_program(program(seed))
    told = []
    for name, tensors in (("statistics", False), ("tensors", True)):
        report = report_of(ran, tmp_path / name, tensors=tensors)
        told.append(
            [
                (
                    birth.kind,
                    birth.cell,
                    birth.operator,
                    birth.slot,
                    birth.values,
                    birth.earliest,
                    birth.spreads,
                )
                for birth in (*report.origins, *report.expected)
            ]
        )
    assert told[0] == told[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sound_program_has_no_birth(tmp_path: Path, seed: int) -> None:
    ran = run_program(program(seed), sound=True)
    assert answer_of(ran.simulation).births == frozenset()
    report = report_of(ran, tmp_path)
    assert report.origins == ()
    assert report.expected or all(
        np.isfinite(array).all()
        for step in ran.simulation.steps
        for calls in step.calls
        for call in calls
        for array in _arrays(call.body.get("output", []))
    )


def _arrays(value: object) -> Iterator[np.ndarray]:  # type: ignore[type-arg]
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _arrays(item)


@pytest.mark.parametrize("ranks", [2, 5, 16])
def test_a_broken_kernel_is_found_on_its_rank(tmp_path: Path, ranks: int) -> None:
    """All programs in which one kernel breaks and nothing else does, of a few seeds."""
    asked = 0
    for seed in range(8):
        ran = run_program(program(seed, ranks, plants={ranks: "kernel"}, steps=1))
        answer = answer_of(ran.simulation)
        planted = [item for item in answer.required if item.cause in (Cause.KERNEL, Cause.IN_PLACE)]
        if not planted or len(answer.required) != 1:
            continue
        asked += 1
        (seat,) = planted[0].seats
        report = report_of(ran, tmp_path / str(seed))
        found = [(birth.cell.rank, birth.operator) for birth in report.origins if birth.earliest]
        assert found == [(seat.rank, seat.operator)]
    assert asked >= 4


def test_the_same_seed_gives_the_same_dump(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        folder = write_ranks(tmp_path / name, run_program(draw_program(3)).simulation.steps)
        texts.append([path.read_text() for path in sorted(folder.rglob("dump.json"))])
    assert texts[0] == texts[1]
