"""The answer: which call introduces the difference, found cell by cell and put in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from core.compare.engine import Comparison, compare_runs
from core.compare.options import CompareOptions
from core.diagnosis.accused import Accusation, Case
from core.diagnosis.alone import first_alone
from core.diagnosis.configuration import arguments, formats, outside_values, same_data
from core.diagnosis.coverage import Coverage
from core.diagnosis.first_difference import accuse_first_difference
from core.diagnosis.local_error import judge_by_replay, saturation_explained
from core.diagnosis.looked_into import LookedInto
from core.diagnosis.numeric import accuse_grown, accuse_overflowed, grown
from core.diagnosis.origins import mark_origins
from core.diagnosis.recomputed import recomputed_otherwise
from core.diagnosis.structure import one_sided, rewired
from core.diagnosis.third_runs import ThirdRuns, measure_third_runs
from core.emulation.chips.profile import Profile
from core.emulation.engine import emulation_of
from core.progress import Work
from core.records.diagnosis import Diagnosis, Kind, Proof, Severity, Suspect
from core.records.emulation import CallEmulation, Emulation
from core.records.result import CellResult, Verdict

if TYPE_CHECKING:
    from core.metrics.inspection.kept.pair import Keep


@dataclass
class Diagnostician:
    """Examines cells one by one, as the compare engine makes them, and concludes over all of them."""

    replay: bool = True
    """Repeat suspected calls on their own inputs where the tensors are at hand."""
    third_runs: ThirdRuns = field(default_factory=ThirdRuns)
    profile: Profile | None = None
    """The target's chip: what its arithmetic gives is right."""
    _emulated: list[CallEmulation] = field(default_factory=list)
    _found: list[Suspect] = field(default_factory=list)
    _remarks: list[Suspect] = field(default_factory=list)
    _unequal: set[tuple[str, int]] = field(default_factory=set)
    """Phase and step of the cells in which something differs."""
    _coverage: Coverage = field(default_factory=Coverage)
    _looked_into: LookedInto = field(default_factory=LookedInto)
    _examined: int = 0

    def examine(self, cell: CellResult) -> Work[CellResult]:
        """Return *cell* with the origin of each differing row, and keep its suspects."""
        self._examined += 1
        case = Case(self.third_runs.apply(cell))
        self._coverage.add(case)
        found = list(accuse_overflowed(case))
        numeric = {call: accuse_grown(case, call) for call in np.flatnonzero(grown(case)).tolist()}
        if self.replay:
            numeric, emulated = yield from judge_by_replay(case, numeric, self.profile)
            self._emulated += emulated
            found = [saturation_explained(item, emulated) for item in found]
        found += numeric.values()
        found += recomputed_otherwise(case)
        found = [*arguments(case, _first_call(found, case)), *found]
        after_difference = self._differed(case.cell)
        if not after_difference:
            found += list(outside_values(case, _first_cause(found, case)))
            found += list(rewired(case, _first_cause(found, case)))
            earlier = accuse_first_difference(case, _first(found))
            found += [earlier] if earlier else []
            found += first_alone(case, _first_cause(found, case))
        first = -1 if after_difference else _first_call(found, case)
        found = [item for item in found if not _follows(case, item, first)]
        remarks = [*one_sided(case), *formats(case), *same_data(case)]
        suspects = _in_order(case, _errors(found))
        self._found += [item.suspect for item in suspects]
        self._looked_into.see(case, [item.suspect for item in suspects])
        self._remarks += [
            item.suspect for item in (*found, *remarks) if item.suspect.severity is Severity.REMARK
        ]
        return mark_origins(case, suspects)

    @property
    def emulation(self) -> Emulation | None:
        """What the chip's arithmetic says of the calls that were replayed; ``None`` without a profile."""
        return emulation_of(self.profile, self._emulated) if self.profile is not None else None

    def _differed(self, cell: CellResult) -> bool:
        """Whether an earlier step differed, so that the weights of this one must."""
        earlier = any(step < cell.key.step for phase, step in self._unequal if phase == cell.key.phase)
        if (cell.rows.verdict == Verdict.DIFFERS).any():
            self._unequal.add((cell.key.phase, cell.key.step))
        return earlier

    def look_into(self, keep: Keep) -> Work[None]:
        """Measure the pairs of tensors that a result is to take along, and *keep* what is found."""
        return self._looked_into.measure(self.conclude(), keep)

    def conclude(self) -> Diagnosis:
        """Return the diagnosis over all cells examined: the earliest cause first, over steps and ranks."""
        same = [item for item in self._remarks if item.message.code == "suspect.same_data"]
        remarks = self._remarks
        if len(same) < self._examined:  # other steps or ranks are not the same
            remarks = [item for item in remarks if item not in same]
        another, nothing = self._coverage.another_model, self._coverage.nothing_compared
        return Diagnosis(
            (*([another] if another else ()), *_across_cells(self._found)),
            (*([nothing] if nothing else ()), *_across_cells(remarks)),
        )


def diagnose_runs(
    target: str,
    golden: str,
    options: CompareOptions,
    *,
    result_path: str = "",
    compressed: bool = False,
    take: Callable[[CellResult], None] | None = None,
    replay: bool = True,
    reference: str = "",
    golden_repeat: str = "",
    profile: Profile | None = None,
) -> Work[tuple[Comparison, Diagnosis]]:
    """Compare two runs and say what introduces the difference; see :func:`compare_runs`.

    *reference* is a run to measure both sides by, *golden_repeat* the golden once more; *profile* is the
    target's chip, whose arithmetic explains differences.
    """
    third_runs = yield from measure_third_runs(target, golden, reference, golden_repeat, options)
    examiner = Diagnostician(replay, third_runs, profile)
    comparison = yield from compare_runs(
        target, golden, options, result_path=result_path, compressed=compressed, take=take, examiner=examiner
    )
    return comparison, examiner.conclude()


def _first_call(found: list[Accusation], case: Case) -> int:
    return min((item.call for item in _errors(found)), default=len(case.calls))


def _first_cause(found: list[Accusation], case: Case) -> int:
    """Return the first call that brings a difference in, be it one that the chip explains."""
    causes = (item.call for item in found if item.suspect.proof is Proof.LOCAL_ERROR)
    return min((*causes, _first_call(found, case)))


def _first(found: list[Accusation]) -> Accusation | None:
    return min(_errors(found), key=lambda item: (item.call, item.rank), default=None)


def _follows(case: Case, item: Accusation, first: int) -> bool:
    """Whether *item* may be a consequence of the first cause that statistics fail to show as one."""
    grown_only = item.suspect.proof in (Proof.GROWTH, Proof.EQUALITY) and not case.calls.full[item.call]
    return grown_only and item.call > first and not case.calls.inputs_equal[item.call]


def _errors(found: list[Accusation]) -> list[Accusation]:
    return [item for item in found if item.suspect.severity is Severity.ERROR]


def _in_order(case: Case, found: list[Accusation]) -> list[Accusation]:
    """Return *found* in execution order, one a call, inner calls instead of the modules around them."""
    best: dict[int, Accusation] = {}
    for item in sorted(found, key=lambda item: (item.call, item.rank)):
        best.setdefault(item.call, item)
    covered = set()
    for call in best:
        module = int(case.context.module[call])
        while module >= 0 and module not in covered:
            covered.add(module)
            module = int(case.context.module[module])
    return [item for call, item in sorted(best.items()) if call not in covered]


def _across_cells(found: list[Suspect]) -> list[Suspect]:
    """Return *found* by step, then by place in the step; the same call of several ranks or steps once."""
    ordered = sorted(found, key=lambda item: (item.cell.phase, item.cell.step, item.row, item.cell.rank))
    kept: dict[tuple[Kind, str | None, str | None, str | None], Suspect] = {}
    counts: dict[tuple[Kind, str | None, str | None, str | None], int] = {}
    for item in ordered:
        key = (item.kind, item.operator, item.golden_operator, item.slot)
        kept.setdefault(key, item)
        counts[key] = counts.get(key, 0) + 1
    return [
        replace(item, evidence={**item.evidence, "cells": counts[key]}) if counts[key] > 1 else item
        for key, item in kept.items()
    ]
