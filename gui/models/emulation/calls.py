"""An emulation as columns over its calls: what the window is given, however many calls there are.

A hundred thousand calls as objects would stall the window while they arrive. What the table shows of a call
stands in columns; all else of it is packed, and unpacked when that one call is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, nan

import msgspec
import numpy as np

from core.emulation.telling import headline_of, remarks_of
from core.messages import Message
from core.records.columns import Float64, Int32, Int64, UInt8
from core.records.emulation import (
    CallEmulation,
    Emulation,
    EmulationVerdict,
    GoldenVerdict,
    ProfileParameter,
    SlotEmulation,
)
from core.records.run import CellKey
from gui.models.pair.facts import Words

VERDICTS = tuple(EmulationVerdict)
GOLDENS = tuple(GoldenVerdict)
_PLACE = {verdict: place for place, verdict in enumerate(VERDICTS)}
_BAD = {
    EmulationVerdict.OUTSIDE: 3,
    EmulationVerdict.INSIDE_BOUND: 2,
    EmulationVerdict.INSIDE_ENVELOPE: 1,
    EmulationVerdict.NOT_REPLAYED: 0,
}
_GOLDEN_PLACE = {verdict: place for place, verdict in enumerate(GOLDENS)}
_BADNESS = np.array([_BAD[verdict] for verdict in VERDICTS], np.float64)
DISTANCES = ("profile", "reference", "control")
"""What the target's output is measured against in the table, of :attr:`SlotEmulation.target`."""


@dataclass(frozen=True)
class EmulatedCalls:
    """Columns over calls in execution order; ids point into the :class:`Words` beside them."""

    cells: tuple[CellKey, ...]
    cell: Int32
    names: Words
    name: Int32
    verdict: UInt8
    """Places in :data:`VERDICTS`."""
    golden: UInt8
    """Places in :data:`GOLDENS`."""
    share: Float64
    """Share of elements explained of the output that is explained least; NaN where none was replayed."""
    profile: Float64
    """Largest distance in ULP of any output from the profile's; so too from float64 and the CPU's."""
    reference: Float64
    control: Float64
    cancellation: Float64
    """Largest |A||B|/|C| of any output; NaN where there is no product."""
    settings: Words
    closest: Int32
    reasons: Words
    reason: Int32
    details: Words
    detail: Int32
    packed: UInt8
    ends: Int64

    def __len__(self) -> int:
        return len(self.name)

    @property
    def counts(self) -> np.ndarray:
        """Calls by place in :data:`VERDICTS`."""
        return np.bincount(self.verdict, minlength=len(VERDICTS))

    @property
    def badness(self) -> Float64:
        """A key that grows with how bad a call is: outside is worst, and the less explained, the worse."""
        share = np.where(np.isnan(self.share), 1.0, self.share)
        found: Float64 = _BADNESS[self.verdict] * 2 - share
        return found

    @property
    def worst(self) -> int:
        """The row to look at first: the first call that is outside, else the worst one; -1 for none."""
        outside = self.outside
        if len(outside):
            return int(outside[0])
        return int(np.argmax(self.badness)) if len(self) else -1

    @property
    def reason_counts(self) -> dict[str, int]:
        """Calls that were not replayed by reason, most frequent first."""
        there = self.reason[self.reason >= 0]
        counted = np.bincount(there, minlength=len(self.reasons.texts))
        order = np.argsort(-counted, kind="stable").tolist()
        return {self.reasons[at]: int(counted[at]) for at in order if counted[at]}

    @property
    def outside(self) -> Int64:
        """Rows of the calls that nothing explains."""
        return np.flatnonzero(self.verdict == _PLACE[EmulationVerdict.OUTSIDE])

    def call(self, row: int) -> CallEmulation:
        """Return all that is known of one call."""
        start = int(self.ends[row - 1]) if row else 0
        packed = self.packed[start : int(self.ends[row])].tobytes()
        return msgspec.msgpack.decode(packed, type=CallEmulation)

    def row_of(self, cell: CellKey, name: str) -> int:
        """Return the row of the call *name* of *cell*, -1 if it is not there."""
        if cell not in self.cells or not name:
            return -1
        at = self.names.texts.find(name)
        if at < 0:
            return -1
        found = np.flatnonzero((self.name == at) & (self.cell == self.cells.index(cell)))
        return int(found[0]) if len(found) else -1


@dataclass(frozen=True)
class Replayed:
    """An emulation as the window has it."""

    profile: str
    title: str
    parameters: tuple[ProfileParameter, ...]
    headline: Message
    """What is said of all calls."""
    remarks: tuple[Message, ...]
    calls: EmulatedCalls


def replayed_of(emulation: Emulation) -> Replayed:
    """Return *emulation* as columns."""
    calls = emulation.calls
    cells = tuple(dict.fromkeys(call.cell for call in calls))
    place = {cell: at for at, cell in enumerate(cells)}
    names, name = _worded([call.operator for call in calls])
    settings, closest = _worded([_closest(call) for call in calls])
    reasons, reason = _worded([call.reason for call in calls])
    details, detail = _worded([call.detail for call in calls])
    encoder = msgspec.msgpack.Encoder()
    packed = [encoder.encode(call) for call in calls]
    columns = EmulatedCalls(
        cells=cells,
        cell=np.array([place[call.cell] for call in calls], np.int32),
        names=names,
        name=name,
        verdict=np.array([_PLACE[call.verdict] for call in calls], np.uint8),
        golden=np.array([_GOLDEN_PLACE[call.golden] for call in calls], np.uint8),
        share=np.array([_share(call) for call in calls], np.float64),
        **{key: np.array([farthest(call, key) for call in calls], np.float64) for key in DISTANCES},
        cancellation=np.array([_cancellation(call) for call in calls], np.float64),
        settings=settings,
        closest=closest,
        reasons=reasons,
        reason=reason,
        details=details,
        detail=detail,
        packed=np.frombuffer(b"".join(packed), np.uint8),
        ends=np.cumsum([len(item) for item in packed], dtype=np.int64),
    )
    headline, remarks = headline_of(emulation), tuple(remarks_of(emulation))
    return Replayed(emulation.profile, emulation.title, emulation.parameters, headline, remarks, columns)


def emulation_in(found: Replayed) -> Emulation:
    """Return what :func:`replayed_of` was given."""
    calls = tuple(found.calls.call(row) for row in range(len(found.calls)))
    return Emulation(found.profile, found.title, found.parameters, calls)


def _worded(texts: list[str]) -> tuple[Words, Int32]:
    """Return the distinct ones of *texts*, and for each its place among them; -1 for an empty one."""
    places = {text: at for at, text in enumerate(dict.fromkeys(filter(None, texts)))}
    return Words.of(list(places)), np.array([places.get(text, -1) for text in texts], np.int32)


def farthest(call: CallEmulation, other: str) -> float:
    """Return the largest distance of any output of *call* from its *other*, in ULP; NaN if none is known."""
    distances = [slot.target[other] for slot in call.slots if other in slot.target]
    return _largest(inf if distance.special else distance.max_ulp for distance in distances)


def _cancellation(call: CallEmulation) -> float:
    return _largest(slot.cancellation[1] for slot in call.slots)


def _largest(values: Iterable[float]) -> float:
    return max((value for value in values if value == value), default=nan)


def _share(call: CallEmulation) -> float:
    worst = call.worst_slot
    return worst.share if worst is not None else nan


def _closest(call: CallEmulation) -> str:
    worst: SlotEmulation | None = call.worst_slot
    return worst.closest if worst is not None else ""
