"""What a diagnosis says: suspects, best first, and remarks that are true but do not make the runs wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.messages import Message, Parameter
from core.records.columns import ABSENT
from core.records.run import CellKey


class Kind(StrEnum):
    """What kind of cause a suspect is."""

    NUMERIC = "numeric"
    OVERFLOW = "overflow"
    ARGUMENT = "argument"
    DTYPE = "dtype"
    WEIGHTS = "weights"
    DATA = "data"
    STRUCTURE = "structure"


class Severity(StrEnum):
    """Whether to act on a suspect."""

    ERROR = "error"
    REMARK = "remark"
    """True, but it does not make the runs wrong."""


class Proof(StrEnum):
    """How it is known that a call introduces the difference; the first is the strongest."""

    LOCAL_ERROR = "local_error"
    """The call, repeated in float64 on its own inputs, gives something else than the dump holds."""
    EQUALITY = "equality"
    """All inputs are equal, an output is not."""
    GROWTH = "growth"
    """The outputs' error is more than the operator can make of the inputs' error."""
    COMPARISON = "comparison"
    """What went into the call differs, and nothing that was dumped made it differ."""


@dataclass(frozen=True)
class Suspect:
    """A call held responsible, with the sentence and the evidence."""

    kind: Kind
    severity: Severity
    proof: Proof
    cell: CellKey
    operator: str | None
    """Name of the call in the target, ``None`` if only the golden has it."""
    golden_operator: str | None
    slot: str | None
    message: Message
    """The sentence."""
    evidence: Mapping[str, Parameter] = field(default_factory=dict)
    """Numbers and texts by name; the catalogue code of a name is ``evidence_fact.<name>``."""
    module: str | None = None
    """The module call around it."""
    row: int = ABSENT
    """The row to show: a row of the cell's result."""

    @property
    def identity(self) -> str:
        """What names this suspect wherever the pair is compared again; no row numbers."""
        parts = (
            self.kind,
            self.cell.label(),
            self.operator or "",
            self.golden_operator or "",
            self.slot or "",
        )
        return "\n".join(parts)


NOTHING_COMPARED = "suspect.nothing_compared"
"""How the code of a remark begins that says why nothing of a pair could be compared."""


@dataclass(frozen=True)
class Diagnosis:
    """Suspects of severity ``error``, best first, then remarks."""

    suspects: tuple[Suspect, ...]
    remarks: tuple[Suspect, ...] = ()
    quotes: tuple[Message, ...] = ()
    """What makes the two runs different experiments by their pre-check, the most frequent cause first. No
    result file holds them: evidence changes without the dumps.
    """

    @property
    def first(self) -> Suspect | None:
        """The answer, ``None`` when nothing is held responsible."""
        return self.suspects[0] if self.suspects else None

    @property
    def nothing_compared(self) -> Suspect | None:
        """The remark that says why nothing could be compared, ``None`` when something was."""
        said = (item for item in self.remarks if item.message.code.startswith(NOTHING_COMPARED))
        return next(said, None)
