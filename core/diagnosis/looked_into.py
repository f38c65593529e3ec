"""Which pairs of tensors a result takes along, so that they can be looked into without the dumps.

First what the suspects are about, then the first outputs that differ in each cell, then what else belongs to
the suspected calls. They are chosen at the end, when all cells are known; of each cell a few rows are noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from core.diagnosis.accused import Case
from core.messages import Message
from core.metrics.inspection.kept.pair import WHOLE_BYTES
from core.metrics.inspection.sources import PairSources
from core.progress import Progress, Work
from core.records.diagnosis import Diagnosis, Suspect
from core.records.run import CellKey
from core.store.tensor_bytes import place_of

if TYPE_CHECKING:
    from core.metrics.inspection.kept.pair import Keep, KeptPair

_MOST_LARGE = 24
"""Pairs that a result keeps of which more than their bytes has to be measured; about a mebibyte each."""
_MOST_BYTES = 8 << 20
"""Bytes of small tensors that a result keeps whole."""
_MOST_COUNTED = 256 << 20
"""Bytes of differing tensors up to which distributions, patterns and worst elements are kept too, whatever
the size of the first pair; about eight seconds on one core. Those that come after are kept as pictures."""
_FIRST_OF_CELL = 32
"""Differing outputs noted of each cell."""
_OF_SUSPECT = 24
"""Values noted of a suspected call."""


class _Why(IntEnum):
    """Why a pair is kept, the best reason first."""

    SUSPECTED = 0
    DIFFERS_IN_SUSPECT = 1
    DIFFERS_FIRST = 2
    BESIDE_SUSPECT = 3


@dataclass(frozen=True, slots=True)
class _Noted:
    """A pair that may be kept."""

    cell: CellKey
    row: int
    sources: PairSources
    worst: int
    """Flat index of its largest difference, -1 if it is not known."""
    bytes: int
    """Size of both files."""


@dataclass
class LookedInto:
    """Notes rows of the cells as they are examined, and measures the best of them at the end."""

    _noted: dict[tuple[CellKey, int], _Noted] = field(default_factory=dict)
    _first: dict[CellKey, list[int]] = field(default_factory=dict)
    _of_suspect: dict[tuple[CellKey, int], list[int]] = field(default_factory=dict)
    """By cell and row of a suspect: the rows of the same call, those that differ first."""
    _differing: set[tuple[CellKey, int]] = field(default_factory=set)

    def see(self, case: Case, suspects: Sequence[Suspect]) -> None:
        """Note what may be kept of a cell in which *suspects* were found."""
        facts, key = case.calls.rows, case.cell.key
        outputs = np.flatnonzero(facts.comes_out & facts.tensor & facts.differs)
        first = (row for row in outputs.tolist() if self._note(case, row))
        self._first[key] = [row for row, _ in zip(first, range(_FIRST_OF_CELL))]
        for suspect in suspects:
            if suspect.row < 0:
                continue
            rows = case.calls.rows_of(int(facts.call[suspect.row]))
            rows = rows[facts.tensor[rows]][:_OF_SUSPECT]
            rows = rows[np.argsort(~facts.differs[rows], kind="stable")]
            self._of_suspect[key, suspect.row] = [row for row in rows.tolist() if self._note(case, row)]

    def _note(self, case: Case, row: int) -> bool:
        """Return whether both tensors of *row* were dumped."""
        cell = case.cell
        slots = int(cell.rows.target_slot[row]), int(cell.rows.golden_slot[row])
        if min(slots) < 0:
            return False
        target, golden = place_of(cell.target, slots[0]), place_of(cell.golden, slots[1])
        if target is None or golden is None:
            return False
        worst = int(cell.rows.max_abs_index[row])
        size = target.size + golden.size
        self._noted[cell.key, row] = _Noted(cell.key, row, PairSources(target, golden), worst, size)
        if case.calls.rows.differs[row]:
            self._differing.add((cell.key, row))
        return True

    def measure(self, diagnosis: Diagnosis, keep: Keep) -> Work[None]:
        """Look into the pairs that *diagnosis* makes worth it; one that cannot be read costs only itself."""
        from core.metrics.inspection.kept.keeping import keep_pair  # all that draws: most comparisons do not

        chosen = self._chosen(diagnosis)
        counted = 0
        for done, noted in enumerate(chosen):
            yield Progress(done, len(chosen), Message("progress.looking_into"))
            differs = (noted.cell, noted.row) in self._differing
            only_seen = not differs or (counted > 0 and counted + noted.bytes > _MOST_COUNTED)
            counted += 0 if only_seen else noted.bytes
            work = keep_pair(noted.sources, noted.worst, only_seen)
            while True:
                try:
                    next(work)
                except StopIteration as end:
                    pair: KeptPair | None = end.value
                    break
                yield Progress(done, len(chosen), Message("progress.looking_into"))
            if pair is not None:
                keep(noted.cell, noted.row, pair)

    def _chosen(self, diagnosis: Diagnosis) -> list[_Noted]:
        ranks: dict[tuple[CellKey, int], tuple[int, int, int]] = {}
        order = count()

        def rank(place: tuple[CellKey, int], why: _Why, turn: int) -> None:
            ranks[place] = min(ranks.get(place, (len(_Why), 0, 0)), (why, turn, next(order)))

        for turn, suspect in enumerate(diagnosis.suspects):
            for row in self._of_suspect.get((suspect.cell, suspect.row), ()):
                place = suspect.cell, row
                differs = place in self._differing
                why = _Why.DIFFERS_IN_SUSPECT if differs else _Why.BESIDE_SUSPECT
                rank(place, _Why.SUSPECTED if row == suspect.row else why, turn)
        for key, rows in self._first.items():
            for turn, row in enumerate(rows):
                rank((key, row), _Why.DIFFERS_FIRST, turn)
        return _affordable([self._noted[place] for place in sorted(ranks, key=lambda place: ranks[place])])


def _affordable(noted: list[_Noted]) -> list[_Noted]:
    """Return the first of *noted* that a result has room for, small and large tensors apart."""
    chosen, large, small = [], 0, 0
    for one in noted:
        is_large = one.bytes > WHOLE_BYTES
        if large < _MOST_LARGE if is_large else small + one.bytes <= _MOST_BYTES:
            chosen.append(one)
            large, small = large + is_large, small + (0 if is_large else one.bytes)
    return chosen
