"""The calls of one cell as one round judges them: each stands for all its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records.columns import ABSENT, Float64, Int32, Int64, Interner, UInt8
from core.records.dump import Dump
from core.records.result import CellResult, Evidence, Origin, Reason, RowTable, Verdict


@dataclass(frozen=True)
class RoundCalls:
    """The calls of one cell in one round, a row each; names are ids of an interner that rounds share."""

    target_name: Int32
    golden_name: Int32
    row: Int32
    """The row that the call is judged by: the worst, of several the one furthest beyond its limit."""
    ratio: Float64
    verdict: UInt8
    origin: UInt8
    sized: Float64
    """The greatest ratio among its rows that differ by something that has a size; 0 where none does."""
    sizeless: Int64
    """How many of its rows differ by something that has none."""
    blind: Int64
    """How many of its rows were not compared."""
    compared: NDArray[np.bool_]
    """Whether any was."""
    evidence: UInt8
    """The weakest evidence that a row of it was compared on."""

    def __len__(self) -> int:
        return len(self.row)

    @property
    def name(self) -> Int32:
        """The target's name, or the golden's where only that has the call."""
        return np.where(self.target_name >= 0, self.target_name, self.golden_name)

    @property
    def paired(self) -> NDArray[np.bool_]:
        """Whether both sides have the call."""
        return (self.target_name >= 0) & (self.golden_name >= 0)

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Whether one of its rows does."""
        found: NDArray[np.bool_] = self.verdict == Verdict.DIFFERS
        return found

    @property
    def good(self) -> NDArray[np.bool_]:
        """What was compared of it is equal or close."""
        found: NDArray[np.bool_] = self.compared & ~self.differs & (self.verdict != Verdict.GOLDEN_INVALID)
        return found

    def take(self, index: Int64) -> RoundCalls:
        """Return the calls that *index* selects."""
        return RoundCalls(**{name: values[index] for name, values in vars(self).items()})


_HARMLESS = (Reason.BOTH_EMPTY, Reason.RACY_CHECKSUM)
"""Not compared, and nobody could."""
_SAME_BYTES = (Reason.IDENTICAL, Reason.BOTH_NONE)
"""As good as full evidence, whatever it was seen by."""


def calls_of_round(cell: CellResult, names: Interner) -> RoundCalls:
    """Return the calls of *cell* in the order of its rows; *names* gives their names ids."""
    rows = cell.rows
    first = _first_rows(rows)
    ratio, differs = _ratios(rows), rows.verdict == Verdict.DIFFERS
    left_out = rows.verdict == Verdict.NOT_COMPARED
    harmless = left_out & np.isin(rows.reason, _HARMLESS)
    severity = np.where(harmless, -1, rows.verdict.astype(np.int64))
    call = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(rows))))
    far = np.where(np.isnan(ratio), -1.0, ratio)
    worst = np.lexsort((np.arange(len(rows)), -far, -severity, call))[first]
    strength = np.where(left_out | np.isin(rows.reason, _SAME_BYTES), np.uint8(Evidence.FULL), rows.evidence)
    blame = np.array([0, 2, 1], np.int64)[rows.origin]  # introduced before inherited before unknown
    sizeless = differs & np.isinf(ratio)
    return RoundCalls(
        target_name=_names(cell.target, rows.target_operator[first], names),
        golden_name=_names(cell.golden, rows.golden_operator[first], names),
        row=worst.astype(np.int32),
        ratio=ratio[worst],
        verdict=rows.verdict[worst],
        origin=np.array([Origin.UNKNOWN, Origin.INHERITED, Origin.INTRODUCED], np.uint8)[
            _reduced(np.maximum, blame, first)
        ],
        sized=_reduced(np.maximum, np.where(differs & ~sizeless, ratio, 0.0), first),
        sizeless=_reduced(np.add, sizeless.astype(np.int64), first),
        blind=_reduced(np.add, (left_out & ~harmless).astype(np.int64), first),
        compared=_reduced(np.logical_or, ~left_out, first),
        evidence=_reduced(np.minimum, strength, first),
    )


def _first_rows(rows: RowTable) -> Int64:
    """Return the first row of each call."""
    begins = np.ones(len(rows), bool)
    target, golden = rows.target_operator, rows.golden_operator
    begins[1:] = (target[1:] != target[:-1]) | (golden[1:] != golden[:-1])
    return np.flatnonzero(begins)


def _reduced(how: np.ufunc, values: NDArray[Any], first: Int64) -> NDArray[Any]:
    return how.reduceat(values, first) if len(first) else values[:0]


def _ratios(rows: RowTable) -> Float64:
    """Return error over allowed: infinite where a difference has no size, NaN where nothing was compared."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = rows.error / rows.allowed
    differs = rows.verdict == Verdict.DIFFERS
    ratio[differs & (np.isnan(ratio) | (rows.reason == Reason.SPECIAL_VALUES))] = np.inf
    return np.where(~differs & np.isinf(ratio), np.nan, ratio)


def _names(dump: Dump, operators: Int32, names: Interner) -> Int32:
    """Return the ids in *names* of what *operators* of *dump* are called, -1 for none."""
    found = np.full(len(operators), ABSENT, np.int32)
    there = np.flatnonzero(operators >= 0)
    texts = list(dump.strings)
    found[there] = [names(texts[name]) for name in dump.operators.name[operators[there]].tolist()]
    return found
