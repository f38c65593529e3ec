"""Plant births of NaN and Inf into random steps of many ranks and see whether the analysis names them.

Each draw executes a random distributed program with small arrays (``tests/builders/rank_graphs.py``), which
knows what is true, and dumps it twice: with its faults and without. Checked is that the earliest births are
exactly those that nothing happened before, that the first answer is one of them, that nothing innocent is
accused, and that the sound program has no birth. Some faults leave the same dump as sound runs do, as NaN
that arrives in a buffer that held NaN before; so single misses are told, and only many of them, or a sound
program that is accused, fail the campaign. Repeat a draw with ``--seed`` and ``--trial``.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from builders.rank_answer import Answer, answer_of  # noqa: E402
from builders.rank_dumps import write_ranks  # noqa: E402
from builders.rank_graphs import Program, Ran, draw_program, run_program  # noqa: E402
from builders.rank_simulation import Cause, Seat  # noqa: E402

from core.compare.options import CompareOptions  # noqa: E402
from core.overflow.engine import overflow_of_runs  # noqa: E402
from core.progress import run_to_end  # noqa: E402
from core.records.overflow import Birth, BirthKind, OverflowReport  # noqa: E402

OPTIONS = CompareOptions(use_cache=False, processes=1)
SHOWN = 20
FOUND, WRONG = 0.97, 0.08
"""Share of the earliest births that must be found, and wrong statements a draw that may be made."""


@dataclass
class Score:
    """What came of all draws."""

    expected: int = 0
    found: int = 0
    """Earliest births that were to be found, and that were."""
    draws: Counter[str] = field(default_factory=Counter)
    aside: Counter[str] = field(default_factory=Counter)
    """Faults that no dump can show, by the reason."""
    ranks: Counter[int] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def examine(ran: Ran) -> OverflowReport:
    """Return what the analysis says of *ran*."""
    with tempfile.TemporaryDirectory() as folder:
        write_ranks(Path(folder), ran.simulation.steps)
        return run_to_end(overflow_of_runs(folder, "", OPTIONS))


def blamed(birth: Birth) -> set[tuple[int, int, str]]:
    """Return step, rank and operator of all calls that *birth* blames; of communication on other ranks ""."""
    step = birth.cell.step
    same_name = birth.kind is BirthKind.PARAMETER
    return {
        (step, rank, birth.operator if same_name or rank == birth.cell.rank else "")
        for rank in birth.ranks or (birth.cell.rank,)
    }


def place(seat: Seat) -> tuple[int, int, str]:
    """Return step, rank and operator of *seat*."""
    return seat.step, seat.rank, seat.operator


def wrongs(answer: Answer, report: OverflowReport) -> Iterator[tuple[str, str]]:
    """Yield what *report* says that is not so: kind and detail."""
    known = {place(seat) for seat in answer.births}
    known |= {(step, rank, "") for step, rank, _ in known}
    for birth in report.origins:
        if not blamed(birth) <= known:
            yield "innocent", _told(birth)
    earliest = [birth for birth in report.origins if birth.earliest]
    said = set[tuple[int, int, str]]().union(*map(blamed, earliest))
    possible = {place(seat) for seat in answer.possible}
    possible |= {(step, rank, "") for step, rank, _ in possible}
    for birth in earliest:
        # A birth of several ranks may be heard of on one of them before it is seen there.
        if blamed(birth) <= known and not blamed(birth) & possible:
            yield "not earliest", _told(birth)
    for origin in missing(answer, report):
        seats = ", ".join(f"step{seat.step} rank{seat.rank} {seat.operator}" for seat in origin)
        named = any(place(seat) in blamed(birth) for birth in report.origins for seat in origin)
        yield "named, but not as earliest" if named else "missed", seats
    if report.origins and answer.step >= 0 and not (blamed(report.origins[0]) & (possible & said)):
        yield "first answer", _told(report.origins[0])


def missing(answer: Answer, report: OverflowReport) -> Iterator[list[Seat]]:
    """Yield the earliest births that *report* does not have as such."""
    said = set[tuple[int, int, str]]().union(*(blamed(birth) for birth in report.origins if birth.earliest))
    for origin in answer.required:
        if origin.cause is Cause.WIRE:
            there = {(seat.step, seat.rank) for seat in origin.seats}
            if there <= {(step, rank) for step, rank, _ in said} and any(
                place(seat) in said for seat in origin.seats
            ):
                continue
        elif any(place(seat) in said for seat in (*origin.seats, *origin.alternatives)):
            continue
        yield origin.seats


def _told(birth: Birth) -> str:
    ranks = f" (ranks {', '.join(map(str, birth.ranks))})" if birth.ranks else ""
    return f"{birth.kind.value} {birth.cell.label()} {birth.operator} {birth.slot}{ranks}"


def take(program: Program, score: Score, label: str) -> None:
    """Make one draw and count it."""
    started = time.monotonic()
    ran = run_program(program)
    answer = answer_of(ran.simulation)
    report = examine(ran)
    found = list(wrongs(answer, report))
    score.expected += len(answer.required)
    score.found += len(answer.required) - sum(1 for _ in missing(answer, report))
    sound = run_program(program, sound=True)
    if answer_of(sound.simulation).births:
        raise AssertionError(f"{label}: the sound program is not sound")
    found += [("sound run accused", _told(birth)) for birth in examine(sound).origins]
    score.seconds.append(time.monotonic() - started)
    score.ranks[program.ranks] += 1
    score.draws["with a birth" if answer.births else "without"] += 1
    score.aside["overtaken by what was bad already"] += ran.simulation.overtaken
    score.aside["selected away"] += answer.selected
    score.aside["never taken by a dumped call"] += answer.unseen
    score.aside["undecidable"] += answer.undecidable
    for kind, detail in found:
        score.wrong[kind] += 1
        score.misses.append(f"{label} ({program.ranks} ranks, {program.style.late}): {kind}: {detail}")


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description="the campaign births")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--draws", type=int, default=None, help="how many draws, instead of how long")
    parser.add_argument("--seed", type=int, default=None, help="repeat a campaign that printed this seed")
    parser.add_argument(
        "--trial", type=int, default=None, help="run only the draw of this number, or from it on"
    )
    parser.add_argument("--ranks", type=int, default=0, help="ranks of every draw (default: 2 to 64)")
    options = parser.parse_args()
    warnings.simplefilter("error")
    seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
    start = time.monotonic()
    score = Score()
    number = options.trial or 0
    while True:
        program = draw_program(random.Random(f"{seed} {number}").randrange(1 << 31), options.ranks)
        take(program, score, f"trial {number}")
        number += 1
        if options.draws is not None:
            if sum(score.draws.values()) >= options.draws:
                break
        elif options.trial is not None or time.monotonic() - start >= options.seconds:
            break
    for miss in score.misses[:SHOWN]:
        print(miss)
    if len(score.misses) > SHOWN:
        print(f"and {len(score.misses) - SHOWN} more")
    seconds = sorted(score.seconds)
    aside = ", ".join(f"{count} {reason}" for reason, count in score.aside.items())
    print(f"faults that no dump shows: {aside}")
    print(
        f"ranks: {dict(sorted(score.ranks.items()))}; draws {dict(score.draws)}; wrong: {dict(score.wrong)}"
    )
    print(
        f"campaign births: {len(seconds)} draws in {time.monotonic() - start:.0f} s (median "
        f"{seconds[len(seconds) // 2]:.2f} s, longest {seconds[-1]:.2f} s), earliest births found "
        f"{score.found}/{score.expected}, {len(score.misses)} wrong (seed {seed})"
    )
    share = score.found / max(score.expected, 1)
    draws = sum(score.draws.values())
    failed = share < FOUND or len(score.misses) > WRONG * draws + 2 or score.wrong["sound run accused"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
