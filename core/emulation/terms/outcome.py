"""What a replay found: words and records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import nan


class ReplayVerdict(Enum):
    """Whether a call did on its own inputs what its operator is defined to do."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_REPLAYED = "not_replayed"


class NotReplayed(Enum):
    """Why a call was not replayed."""

    NONE = ""
    UNSUPPORTED_OPERATOR = "unsupported_operator"
    RANDOM = "random"
    COMMUNICATION = "communication"
    MISSING_TENSOR = "missing_tensor"
    """The dump holds statistics only, or the file of an operand or of every output is not there."""
    UNREADABLE = "unreadable"
    UNSUPPORTED_DTYPE = "unsupported_dtype"
    """The chip has no arithmetic for the format, and none is known that stands in for it."""
    IN_PLACE_OVERWRITTEN = "in_place_overwritten"
    """The dumped operand is what the call left there, not what it found."""
    COMPOSITE_MODULE = "composite_module"
    SHAPE_MISMATCH = "shape_mismatch"
    """The result of the recorded arguments has another shape than the dumped output."""
    AMBIGUOUS_ARGUMENTS = "ambiguous_arguments"
    """Arguments are missing that decide the result, and the usual ones do not explain it."""
    FAILED = "failed"
    """The reference cannot make anything of these arguments; ``detail`` says what it complains of."""
    ACCUMULATED = "accumulated"
    """The gradient of a parameter that is used more than once: a sum of which the dump tells parts."""
    TOO_LARGE = "too_large"
    NOTHING_TO_COMPARE = "nothing_to_compare"
    """The call has no tensor among its outputs."""


class NotReplayable(Exception):
    """Ends the replay of one call with a reason; never leaves :mod:`core.emulation.replay.replaying`."""

    def __init__(self, reason: NotReplayed, detail: str = "") -> None:
        super().__init__(reason.value, detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class SlotReplay:
    """One output of a replayed call against its float64 reference.

    ``slot`` is the row in the dump's slot table. ``error`` is the largest |dumped − reference| over its
    allowance: up to 1 the hardware explains it. ``units`` is the largest error in unit roundoffs of the
    coarser of output and computing format, relative to the reference; ``relative_l2`` of the finite part.
    """

    slot: int
    verdict: ReplayVerdict
    error: float = nan
    relative_l2: float = nan
    units: float = nan
    worst_index: int = -1
    """Flat index (C order) of the element with the largest error."""
    special_differences: int = 0
    """Elements that are NaN or infinite on one side only, though the format holds the reference."""
    overflowed: int = 0
    """Elements that are infinite, as the reference leaves the range of the format."""
    saturated: int = 0
    """Elements that stand at the largest finite value, as the reference leaves the range."""
    dtype: str = ""
    """Format whose unit roundoff ``units`` counts."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What the replay of one operator call found.

    ``operator`` is its row in the dump's operator table. The roll-up is WRONG if any output is.
    """

    operator: int
    verdict: ReplayVerdict
    reason: NotReplayed = NotReplayed.NONE
    detail: str = ""
    """What the reason is about: a slot, an argument, an API; names as in the dump, never prose."""
    slots: tuple[SlotReplay, ...] = ()
    assumed: tuple[str, ...] = ()
    """Arguments the dump does not tell and that were taken to explain the outputs: ``eps=1e-05``."""

    @property
    def error(self) -> float:
        """Largest error over allowance of all outputs; NaN when nothing was replayed."""
        return max((slot.error for slot in self.slots), default=nan)
