"""Where each difference comes from: introduced by a suspect, or inherited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.diagnosis.accused import Accusation, Case
from core.records.diagnosis import Kind
from core.records.result import CellResult, Origin, Verdict

_MADE_HERE = (Kind.NUMERIC, Kind.OVERFLOW, Kind.ARGUMENT, Kind.WEIGHTS, Kind.DATA)


def mark_origins(case: Case, suspects: Sequence[Accusation]) -> CellResult:
    """Return the cell with an origin on each row that differs.

    The differing outputs of a suspect are introduced, and the very argument, weight or data that is to
    blame; everything else that differs is inherited or follows from noise that the inputs explain. Where
    something that goes in was not compared, and nothing that was differs, nobody knows.
    """
    rows, facts = case.cell.rows, case.calls.rows
    bad = (rows.verdict == Verdict.DIFFERS) & (rows.target_slot >= 0) & (rows.golden_slot >= 0)
    untold = (case.context.unknown | case.context.blind) & ~case.context.dirty
    inherited = bad & ~(facts.comes_out & untold[facts.call])
    origin = np.where(inherited, Origin.INHERITED, Origin.UNKNOWN).astype(np.uint8)
    for item in suspects:
        if item.suspect.kind in _MADE_HERE:
            origin[bad & (facts.call == item.call) & facts.comes_out] = Origin.INTRODUCED
            if bad[item.suspect.row]:
                origin[item.suspect.row] = Origin.INTRODUCED
    return replace(case.cell, rows=replace(rows, origin=origin))
