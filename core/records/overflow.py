"""What the overflow analysis says: where NaN, Inf and saturation are born, and how they spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag, StrEnum

from core.errors import Problem
from core.messages import Message, Parameter
from core.records.columns import Int32, UInt8
from core.records.run import CellKey


class Special(IntFlag):
    """Which values that are no ordinary numbers a tensor holds."""

    NONE = 0
    NAN = 1
    PLUS_INF = 2
    MINUS_INF = 4
    SATURATED = 8
    """The largest finite value of a format stands where Inf would have been."""

    @property
    def words(self) -> list[str]:
        """The values as JSON spells them, in a fixed order: ``["nan", "+inf"]``."""
        return [word for flag, word in _WORDS.items() if self & flag]


_WORDS = {
    Special.NAN: "nan",
    Special.PLUS_INF: "+inf",
    Special.MINUS_INF: "-inf",
    Special.SATURATED: "saturated",
}


class BirthKind(StrEnum):
    """How bad values come into the run, as far as the dump shows it."""

    OUTPUT = "output"
    """All that goes into the call is finite, something that comes out is not."""
    IN_PLACE = "in_place"
    """An operator that changes its operand; the dump holds the operand after the change."""
    PARAMETER = "parameter"
    """A parameter is bad before the step uses it: the step before wrote it."""
    INPUT = "input"
    """An input is bad and no call that was dumped made it so."""
    COMMUNICATION = "communication"
    """All ranks send finite values, something that arrives is not finite."""
    SATURATION = "saturation"
    """What goes in is in range, and the output stands at the limit of a format."""


class Level(StrEnum):
    """Severity of a call in the words of the official analyser."""

    CRITICAL = "critical"
    """Good inputs, bad outputs."""
    HIGH = "high"
    """Bad inputs, bad outputs."""
    MEDIUM = "medium"
    """Bad inputs, good outputs."""


class Mode(StrEnum):
    """What a device writes where a result is too large."""

    UNKNOWN = "unknown"
    INF_NAN = "inf_nan"
    SATURATION = "saturation"


@dataclass(frozen=True)
class Birth:
    """One place where bad values come into the run."""

    kind: BirthKind
    level: Level
    cell: CellKey
    operator: str
    """Name of the call."""
    slot: str
    """The first slot in which the bad values stand, ``output.0``."""
    row: int
    """Row of the call in its dump: its place in the execution order."""
    values: Special
    message: Message
    """The sentence."""
    earliest: bool = True
    """No other birth happened before this one, on its rank or on a rank that it heard from."""
    spreads: bool = True
    """The bad values go on from here; False: what follows is finite again."""
    ranks: tuple[int, ...] = ()
    """All ranks that saw this birth, where it belongs to more than one: a communication call."""
    module: str = ""
    """The module call around it."""
    stack: str = ""
    """Text for :func:`core.records.stacks.decode_stack`."""
    evidence: Mapping[str, Parameter] = field(default_factory=dict)
    """Numbers and texts by name; the catalogue code of a name is ``evidence_fact.<name>``."""
    notes: tuple[Message, ...] = ()
    """What else is to be known: candidates for an operator that was not dumped, what the golden does."""


class Way(StrEnum):
    """How bad values came to a station of their spread."""

    BORN = "born"
    FLOW = "flow"
    """An output of the station before went in, perhaps through calls that are left out."""
    COMMUNICATION = "communication"
    """Another rank sent them."""
    GRADIENTS = "gradients"
    """Gradients were averaged over the ranks outside of what was dumped."""
    STEP = "step"
    """The step before left them in the parameters."""


@dataclass(frozen=True, slots=True)
class Station:
    """A call that the bad values reached."""

    way: Way
    cell: CellKey
    operator: str
    row: int
    skipped: int = 0
    """Calls between the station before and this one that are left out."""
    sender: CellKey | None = None
    """Cell that the values came from, where that is another one."""
    sender_row: int = -1
    """Row of the call there."""


@dataclass(frozen=True)
class Spread:
    """Where the values of one birth went, one list of stations for each cell that they reached."""

    origin: int
    """Position of the birth in ``origins``."""
    paths: tuple[tuple[Station, ...], ...]
    """The first path begins at the birth; the others with the call that brought the values to their cell."""


@dataclass(frozen=True)
class CellTrack:
    """The bad calls of one cell in execution order, for pictures."""

    key: CellKey
    operators: int
    """How many calls the cell has."""
    rows: Int32
    """Rows of the calls that hold bad values somewhere, growing."""
    goes_in: UInt8
    """:class:`Special` of all that goes into each of these calls."""
    comes_out: UInt8
    undecided: int = 0
    """Calls with floating point values of which the dump does not say whether they are finite."""
    decided: bool = True
    """Whether the dump says it of any value."""


@dataclass(frozen=True)
class OverflowReport:
    """The answer for a run."""

    path: str
    golden_path: str
    """Empty when one run was examined alone."""
    origins: tuple[Birth, ...]
    """Births, earliest first."""
    spreads: tuple[Spread, ...]
    """One for each birth that spreads, in the order of ``origins``."""
    expected: tuple[Birth, ...]
    """Infinities that are meant, as those of masks: nothing bad follows from them."""
    mode: Mode
    tracks: tuple[CellTrack, ...]
    remarks: tuple[Message, ...] = ()
    """What the dumps cannot tell."""
    problems: tuple[Problem, ...] = ()

    @property
    def first(self) -> Birth | None:
        """The answer, ``None`` when nothing is born."""
        return self.origins[0] if self.origins else None
