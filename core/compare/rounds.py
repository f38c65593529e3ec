"""Two rounds of one target against one golden: which calls a change has mended, and which it has broken.

Calls are the same by cell and name (names hold the occurrence); what was renamed meanwhile is found by the
name of its partner in the golden. A call stands for all its rows: it differs if one of them does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.compare.one_golden import holds_the_same, is_one_place
from core.compare.round_calls import RoundCalls, calls_of_round
from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import ABSENT, Int64, Interner, UInt8
from core.records.result import CellResult, Evidence, ResultInfo
from core.records.rounds import CellRounds, Rounds, RoundStatus, RoundTable
from core.records.run import CellKey
from core.store.moved import load_moved
from core.store.results import load_cell, load_info

FACTORS = {Evidence.FULL: 2.0, Evidence.STATISTICS: 4.0}
"""By how much error over allowed has to fall, or rise, for a call to be better, or worse.

``FULL``: one bit. Errors over all elements repeat between two runs of one machine to some tens of per cent,
where sums are taken in another order; half as much is more than that, and one more bit that is right.
``STATISTICS``: two bits. The error is that of four numbers over the whole tensor, of which the worst counts;
each is a single draw and moves by more from run to run.
Differences without a size (special values, arguments, checksums) are counted, and the factor is not asked.
"""
_NAMED = 6
"""Cells that a problem names."""


def compare_rounds(before: str, after: str) -> Work[Rounds]:
    """Compare the results at *before* and *after*, two rounds of a target against one golden.

    Raises
    ------
    InputError
        If one is no result file, is damaged, or no cell is common to both.
    """
    infos = load_info(before), load_info(after)
    pairs = _common_cells(infos, after)
    found = []
    one_golden = is_one_place(infos[0].golden_path, infos[1].golden_path, load_moved())
    one_content = True
    for done, (old, new) in enumerate(pairs):
        yield Progress(done, len(pairs), Message("progress.rounds", {"cell": new.label()}))
        cells = load_cell(before, old), load_cell(after, new)
        if not one_golden:
            one_content = one_content and holds_the_same(cells[0].golden, cells[1].golden)
        found.append(cell_rounds(*cells))
    return Rounds(
        infos[0].target_path,
        infos[1].target_path,
        infos[1].golden_path,
        tuple(found),
        tuple(_doubts(infos, pairs, one_golden or one_content)),
    )


def cell_rounds(before: CellResult, after: CellResult) -> CellRounds:
    """Return what became of each call from *before* to *after*, one cell in two rounds."""
    names = Interner()
    old, new = calls_of_round(before, names), calls_of_round(after, names)
    partner = _partners(old, new)
    gone = np.setdiff1d(np.arange(len(old)), partner)
    matched, count = np.flatnonzero(partner >= 0), len(new)
    table = RoundTable.empty(count + len(gone))
    table.status[:count], table.status[count:] = RoundStatus.ONLY_AFTER, RoundStatus.ONLY_BEFORE
    table.status[matched] = _status(old.take(partner[matched]), new.take(matched))
    of_old = np.concatenate([partner, gone])
    of_new = np.concatenate([np.arange(count), np.full(len(gone), ABSENT)])
    for calls, index, side in ((old, of_old, "before"), (new, of_new, "after")):
        there = np.flatnonzero(index >= 0)
        for name in ("row", "ratio", "verdict", "origin"):
            getattr(table, f"{name}_{side}")[there] = getattr(calls, name)[index[there]]
    for name in ("name", "golden_name"):  # as the later round calls it
        getattr(table, name)[:count], getattr(table, name)[count:] = (
            getattr(new, name),
            getattr(old, name)[gone],
        )
    return CellRounds(after.key, before.key, table, names.pool())


# ---- what became of them


def _partners(old: RoundCalls, new: RoundCalls) -> Int64:
    """Return which call of *old* each of *new* is, -1 for none: by the target's name, then the golden's."""
    partner = np.full(len(new), ABSENT, np.int64)
    taken = np.zeros(len(old), bool)
    for mine, theirs in ((new.target_name, old.target_name), (new.golden_name, old.golden_name)):
        place = np.full(max(mine.max(initial=0), theirs.max(initial=0)) + 1, ABSENT, np.int64)
        free = np.flatnonzero(~taken & (theirs >= 0))[::-1]
        place[theirs[free]] = free  # of several calls of one name, the first
        seeking = np.flatnonzero((partner < 0) & (mine >= 0))
        found, first = np.unique(place[mine[seeking]], return_index=True)
        first = first[found >= 0]
        partner[seeking[first]] = found[found >= 0]
        taken[found[found >= 0]] = True
    return partner


def _status(old: RoundCalls, new: RoundCalls) -> UInt8:
    """Return what became of each of the calls *old*, which are *new* now."""
    less = new.evidence < old.evidence
    told = old.paired & new.paired & (old.compared & new.compared)
    both = told & old.differs & new.differs & (new.evidence == old.evidence)
    factor = np.full(len(old), FACTORS[Evidence.FULL])
    factor[new.evidence == Evidence.STATISTICS] = FACTORS[Evidence.STATISTICS]
    same_kind = new.sizeless == old.sizeless
    better = (new.sizeless < old.sizeless) | (same_kind & (new.sized * factor < old.sized))
    worse = (new.sizeless > old.sizeless) | (same_kind & (new.sized > old.sized * factor))
    status = np.full(len(old), RoundStatus.NOT_COMPARABLE, np.uint8)
    for where, became in (
        (told & old.good & new.good & (old.blind == 0) & (new.blind == 0), RoundStatus.CLEAN),
        (told & old.differs & new.good & (new.blind <= old.blind) & ~less, RoundStatus.FIXED),
        (told & old.good & new.differs & (old.blind <= new.blind), RoundStatus.NEW),
        (both, RoundStatus.UNCHANGED),
        (both & better, RoundStatus.BETTER),
        (both & worse, RoundStatus.WORSE),
    ):
        status[where] = became
    return status


# ---- the two results as wholes


def _common_cells(infos: tuple[ResultInfo, ResultInfo], path: str) -> list[tuple[CellKey, CellKey]]:
    """Return the cells that both have; one cell each is the same one, whatever its step is called."""
    for info in infos:
        if not info.golden_path:
            raise InputError(Problem("rounds_without_golden", info.target_path))
    old, new = (info.cells for info in infos)
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    common = [(key, key) for key in new if key in set(old)]
    if not common:
        raise InputError(Problem("rounds_no_common_cells", path, {"cells": _labels(old)}))
    return common


def _doubts(
    infos: tuple[ResultInfo, ResultInfo], pairs: Sequence[tuple[CellKey, CellKey]], one_golden: bool
) -> Iterator[Problem]:
    """Yield what makes the two results less comparable than they look."""
    old, new = infos
    if not one_golden:
        yield Problem("rounds_other_golden", new.golden_path, {"other": old.golden_path})
    if old.thresholds != new.thresholds:
        yield Problem("rounds_other_limits", new.target_path)
    for info, seen in ((old, {key for key, _ in pairs}), (new, {key for _, key in pairs})):
        alone = [key for key in info.cells if key not in seen]
        if alone:
            yield Problem(
                "rounds_one_sided_cells", info.target_path, {"count": len(alone), "cells": _labels(alone)}
            )


def _labels(cells: Sequence[CellKey]) -> str:
    return ", ".join(key.label() for key in cells[:_NAMED]) + (" …" if len(cells) > _NAMED else "")
