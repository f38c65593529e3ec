"""Which cell of one run is compared with which of the other."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InputError, Problem
from core.records.run import CellKey, CellSource, Run


@dataclass(frozen=True)
class CellPair:
    """Two cells to compare. ``golden`` is ``None`` when a single run is explored."""

    target: CellSource
    golden: CellSource | None


def pair_cells(
    target: Run, golden: Run | None, steps: tuple[int, ...], ranks: tuple[int, ...]
) -> tuple[list[CellPair], list[Problem]]:
    """Pair the cells of both runs by their keys, those of *steps* and *ranks* where given.

    One chosen cell on each side is a pair whatever its numbers: a user who opens two step folders means
    these two.

    Raises
    ------
    InputError
        If no cell is left to compare.
    """
    left = _chosen(target, steps, ranks)
    if golden is None:
        return [CellPair(source, None) for source in left.values()], []
    right = _chosen(golden, steps, ranks)
    if len(left) == len(right) == 1:
        return [CellPair(next(iter(left.values())), next(iter(right.values())))], []
    right = _same_phases(left, right)
    common = [key for key in left if key in right]
    if not common:
        raise InputError(
            Problem(
                "no_common_cells",
                target.path,
                {"golden": golden.path, "target_cells": _labels(left), "golden_cells": _labels(right)},
            )
        )
    alone = [*_asked_in_vain(target, steps, ranks), *_asked_in_vain(golden, steps, ranks)]
    alone += [
        Problem("one_sided_cells", run.path, {"count": len(missing), "cells": _labels(missing)})
        for run, cells, others in ((target, left, right), (golden, right, left))
        if (missing := {key: source for key, source in cells.items() if key not in others})
    ]
    return [CellPair(left[key], right[key]) for key in common], alone


def _asked_in_vain(run: Run, steps: tuple[int, ...], ranks: tuple[int, ...]) -> list[Problem]:
    """Return a problem if *run* has none of some of the *steps* or *ranks* that were asked for."""
    lacking = [f"step{step}" for step in steps if step not in run.steps]
    lacking += [f"rank{rank}" for rank in ranks if rank not in run.ranks]
    return [Problem("lacking_cells", run.path, {"cells": ", ".join(lacking)})] if lacking else []


def _chosen(run: Run, steps: tuple[int, ...], ranks: tuple[int, ...]) -> dict[CellKey, CellSource]:
    cells = {
        key: source
        for key, source in sorted(run.cells.items())
        if (not steps or key.step in steps) and (not ranks or key.rank in ranks)
    }
    if not cells:
        raise InputError(Problem("no_such_cells", run.path, {"cells": _labels(dict(run.cells))}))
    return cells


def _same_phases(
    left: dict[CellKey, CellSource], right: dict[CellKey, CellSource]
) -> dict[CellKey, CellSource]:
    """Give *right*'s only phase the name of *left*'s only one: folder names may differ."""
    left_phases, right_phases = {key.phase for key in left}, {key.phase for key in right}
    if len(left_phases) == len(right_phases) == 1:
        phase = next(iter(left_phases))
        return {key._replace(phase=phase): source for key, source in right.items()}
    return right


def _labels(cells: dict[CellKey, CellSource], limit: int = 6) -> str:
    labels = [key.label() for key in cells]
    return ", ".join(labels[:limit]) + (" …" if len(labels) > limit else "")
