"""What two dumps alone tell of whether the runs are the same experiment: plain facts, nothing judged yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from core.errors import Problem
from core.records.columns import Int64
from core.records.result import Evidence
from core.records.run import CellKey


class Agreement(StrEnum):
    """How a value from outside lies on that of the other side."""

    EQUAL = "equal"
    ROUNDED = "rounded"
    """Equal but for rounding, as to another format."""
    SUMS = "sums"
    """Extremes are the same, mean or norm as another order of summing makes them; nothing more is told."""
    DIFFERS = "differs"
    FOLLOWS = "follows"
    """They differ, but after a call has made the runs differ: perhaps they follow from that."""
    UNKNOWN = "unknown"
    """Not compared."""


class Recorded(StrEnum):
    """What a dump holds of its step."""

    CALLS = "calls"
    """The calls of operators, with what goes in and comes out."""
    STRUCTURE = "structure"
    """The names of calls alone."""
    PART = "part"
    """Chosen operators."""
    MODULES = "modules"
    """Modules, and not what runs inside of them."""
    VALUES = "values"
    """Values that somebody saved."""
    CUT = "cut"
    """Less than was written: the file is cut off or damaged."""

    @property
    def shows_all_calls(self) -> bool:
        """Whether a call that the dump does not name did not run."""
        return self in (Recorded.CALLS, Recorded.STRUCTURE)


class OutsideValue(NamedTuple):
    """A weight, or a tensor of the batch, at its first use."""

    operator: str
    slot: str
    agreement: Agreement
    evidence: Evidence
    error: float
    """Relative error; NaN where no number tells."""
    target: str
    """Dtype and shape, as people read them."""
    golden: str
    rounded_to: str = ""
    """Format that one side alone was rounded to."""
    padding: tuple[str, str] = ("", "")
    """On which side a batch of whole numbers is padded: ``left``, ``right``; empty where it does not show."""
    unread: bool = False
    """Both dumps name a file of the tensor, but one was not there or broken: statistics stand in for it."""


class OutsideValues(NamedTuple):
    """All values of one kind: how many there are, and those that are listed."""

    counts: dict[Agreement, int]
    listed: tuple[OutsideValue, ...]
    """What is not equal first."""

    @property
    def compared(self) -> int:
        """Values that were compared."""
        return sum(self.counts.values()) - self.counts.get(Agreement.UNKNOWN, 0)

    def worst(self, agreement: Agreement) -> OutsideValue | None:
        """Return the first listed value that stands so."""
        return next((value for value in self.listed if value.agreement is agreement), None)


class Cast(NamedTuple):
    """Operators that compute in these formats on the two sides."""

    api: str
    target: str
    """Name of a dtype in :data:`core.dtypes.DTYPES`, else as the dump spells it."""
    golden: str
    tensors: int
    example: str
    """First call."""


class Dropout(NamedTuple):
    """A call that may drop something."""

    operator: str
    golden: bool
    """It is the golden's."""
    probability: float | None
    training: bool | None
    active: bool | None
    """Whether it dropped something; ``None`` where the dump does not tell."""


class ArgumentDifference(NamedTuple):
    """An argument of calls of both sides that is not the same."""

    operator: str
    """First call."""
    slot: str
    target: str
    """As people read it; empty where the side does not pass it."""
    golden: str
    calls: int
    """Calls with these two values."""
    counts: bool | None
    """No default and no noise explains it; ``None`` where one side takes a default that is not known."""


class Fused(NamedTuple):
    """One side runs one operator where the other one runs several, or another one."""

    target: tuple[str, ...]
    golden: tuple[str, ...]

    @property
    def replaced(self) -> bool:
        """One operator stands for one: nothing is fused on one side alone."""
        return len(self.target) == len(self.golden)


class CallCounts(NamedTuple):
    """How the calls of both sides pair up."""

    matched: int
    target_only: int
    golden_only: int
    reordered: int
    """Matched calls that come in another order."""
    target_examples: tuple[str, ...]
    golden_examples: tuple[str, ...]
    in_fused: int
    """Calls of one side that belong to :attr:`DumpFacts.fused`."""
    not_dumped: int = 0
    """Calls of a kind or direction of which the other dump has none: modules, the backward pass. Not counted
    as calls of one side alone."""


class Sameness(NamedTuple):
    """Whether both sides hold the same data."""

    same_files: bool
    compared: int
    """Pairs of tensors."""
    identical: int
    """Of these, proven to have the same bytes."""
    equal: int
    """Of these, with equal numbers, as far as the dumps tell."""


@dataclass(frozen=True)
class RankWeights:
    """Parameters of one rank at their first use in a step, as numbers that are equal for equal records."""

    rank: int
    names: tuple[str, ...]
    """Operator and slot."""
    looks: Int64
    """Of shape and dtype."""
    values: Int64
    """Of statistics and checksum."""


@dataclass(frozen=True)
class Replicas:
    """Weights of several ranks of one side."""

    step: int
    """Counted from 0; from 1 on the weights have been updated."""
    ranks: tuple[RankWeights, ...]
    first: tuple[RankWeights, ...] = ()
    """The same ranks at step 0, where they were dumped and are needed."""


class RankValues(NamedTuple):
    """Weights and data of a further rank at the step of the first cell."""

    rank: int
    weights: OutsideValues
    data: OutsideValues


@dataclass(frozen=True)
class DumpFacts:
    """The facts of the first cell that both runs have, and of some further ranks of its step."""

    target_path: str
    golden_path: str
    target_cell: CellKey
    golden_cell: CellKey
    weights: OutsideValues
    data: OutsideValues
    casts: tuple[Cast, ...]
    """Those that differ."""
    same_formats: int
    """Tensors of floating formats that are the same on both sides."""
    dropout: tuple[Dropout, ...]
    fused: tuple[Fused, ...]
    sequence: CallCounts
    sameness: Sameness
    target_loss: float | None = None
    """The loss that the cell's loss operator gives out."""
    golden_loss: float | None = None
    target_replicas: Replicas | None = None
    golden_replicas: Replicas | None = None
    target_recorded: Recorded = Recorded.CALLS
    golden_recorded: Recorded = Recorded.CALLS
    arguments: tuple[ArgumentDifference, ...] = ()
    """Arguments of calls that both sides make; those that count first."""
    other_ranks: tuple[RankValues, ...] = ()
    ranks: int = 1
    """Ranks that both runs have at the step."""
    problems: tuple[Problem, ...] = ()
