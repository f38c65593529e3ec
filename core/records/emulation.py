"""What the emulation of a chip says of operator calls: may its arithmetic have made this output?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, nan, prod

from core.messages import Message
from core.records.run import CellKey


class EmulationVerdict(StrEnum):
    """Whether the arithmetic of the chip explains what a call gave on its own inputs, best first."""

    INSIDE_ENVELOPE = "inside_envelope"
    """Every element lies between what the admissible settings of the chip give, up to one ULP."""
    INSIDE_BOUND = "inside_bound"
    """The rest lies within the error bound of any summation order in the chip's formats."""
    OUTSIDE = "outside"
    """No setting explains it."""
    NOT_REPLAYED = "not_replayed"

    @property
    def explained(self) -> bool:
        """Whether the hardware explains it."""
        return self in (EmulationVerdict.INSIDE_ENVELOPE, EmulationVerdict.INSIDE_BOUND)


class GoldenVerdict(StrEnum):
    """Whether the golden call is right on its own inputs."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


ULP_EDGES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0, 65536.0, inf)
"""Upper edges of the bins of an ULP histogram, the last but special values; 0 is equality."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far one output is from another, in ULP of the dumped format at the second's magnitude."""

    max_ulp: float = nan
    mean_ulp: float = nan
    relative_l2: float = nan
    equal: float = nan
    """Share of elements that are the same number."""
    special: int = 0
    """Elements that are NaN or infinite on one side only, or infinite with another sign."""


@dataclass(frozen=True, slots=True)
class WorstElement:
    """The element that the envelope explains least: where it is, and what stands there."""

    index: tuple[int, ...]
    target: float
    reference: float
    profile: float
    control: float
    low: float
    """Least of what the settings of the envelope give."""
    high: float
    allowed: float
    """How far from the reference the bound lets it be; NaN for integers."""


@dataclass(frozen=True, slots=True)
class SlotStandard:
    """What a standard of the official accuracy checker says of an output, with float64 as the bench."""

    standard: str
    """The one meant for the operator."""
    variant: str
    """Whose numbers were used: those of the tool's ``code``, or of its ``document``."""
    passed: bool | None
    """``None`` where the standard cannot say."""
    released: str
    """The standard that the released tool applies in fact; empty where it judges nothing."""
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True)
class SlotEmulation:
    """One output of a replayed call."""

    slot: str
    dtype: str
    shape: tuple[int, ...]
    verdict: EmulationVerdict
    elements: int = 0
    """Elements looked at: of a call that is too large, those of evenly spread rows."""
    inside: int = 0
    """Elements inside the envelope."""
    bound: int = 0
    """Elements outside the envelope, inside the bound."""
    unrounded: int = 0
    """Elements inside the bound only if operands are not rounded as the chip does: more exact than it."""
    target: Mapping[str, Distance] = field(default_factory=dict)
    """Of the target's output: from its ``reference`` (float64), ``profile``, ``control`` and ``golden``."""
    golden: Mapping[str, Distance] = field(default_factory=dict)
    """Of the golden's output, on the golden's own inputs: from ``reference`` and ``control``."""
    histogram: tuple[int, ...] = ()
    """Elements by ULP between target and profile; bins end at ULP_EDGES, then come special values."""
    excess: float = nan
    """Of matrix products: the error of all elements together, over that of the setting that strays most."""
    special: int = 0
    """Elements of the target that are NaN or infinite."""
    cancellation: tuple[float, float] = (nan, nan)
    """Median and largest |A||B|/|C| of a matrix product; NaN where there is none."""
    closest: str = ""
    """The setting of the envelope that gives the most elements exactly."""
    closest_equal: float = nan
    """Share of elements that it gives exactly."""
    worst: WorstElement | None = None
    standard: SlotStandard | None = None
    status: tuple[str, ...] = ()
    """Overflow status bits that the chip would raise, by name."""

    @property
    def sampled(self) -> bool:
        """Whether not all elements were looked at."""
        return self.elements < prod(self.shape)

    @property
    def outside(self) -> int:
        """Elements that nothing explains."""
        return self.elements - self.inside - self.bound

    @property
    def share(self) -> float:
        """Share of elements that the arithmetic explains; NaN of nothing."""
        return (self.inside + self.bound) / self.elements if self.elements else nan


@dataclass(frozen=True)
class CallEmulation:
    """One operator call of the target, replayed on its own inputs."""

    operator: str
    cell: CellKey
    verdict: EmulationVerdict
    golden_operator: str | None = None
    golden: GoldenVerdict = GoldenVerdict.UNKNOWN
    reason: str = ""
    """Why it was not replayed: a value of :class:`core.emulation.terms.outcome.NotReplayed`."""
    detail: str = ""
    slots: tuple[SlotEmulation, ...] = ()
    assumed: tuple[str, ...] = ()
    """Arguments that the dump does not tell and that were taken to explain the outputs."""

    @property
    def worst_slot(self) -> SlotEmulation | None:
        """The output that is explained least."""
        return max(self.slots, key=lambda slot: (_RANK[slot.verdict], -slot.share), default=None)


_RANK = {verdict: rank for rank, verdict in enumerate(EmulationVerdict)}


@dataclass(frozen=True, slots=True)
class ProfileParameter:
    """A parameter of the profile that was used, and how it is known."""

    name: str
    value: str
    basis: str
    source: str


@dataclass(frozen=True)
class Emulation:
    """All calls of a run, in execution order, under one profile."""

    profile: str
    title: str
    parameters: tuple[ProfileParameter, ...] = ()
    calls: tuple[CallEmulation, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Calls by verdict; every verdict is there."""
        found = Counter(call.verdict for call in self.calls)
        return {verdict.value: found[verdict] for verdict in EmulationVerdict}

    @property
    def not_replayed(self) -> dict[str, int]:
        """Calls that were not replayed, by reason, most frequent first."""
        found = Counter(call.reason for call in self.calls if call.reason)
        return dict(found.most_common())

    @property
    def share_explained(self) -> float:
        """Share of replayed calls whose output the hardware explains; NaN if none was replayed."""
        replayed = [call for call in self.calls if call.verdict is not EmulationVerdict.NOT_REPLAYED]
        if not replayed:
            return nan
        return sum(call.verdict.explained for call in replayed) / len(replayed)
