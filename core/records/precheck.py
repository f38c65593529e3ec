"""The answer to "are these two runs the same experiment?": one row a check, three results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from core.errors import Problem
from core.messages import Message
from core.records.evidence import Given, Place


class Outcome(StrEnum):
    """Result of a check; the words of the checklists that it comes from are 通过, 不通过 and 未进行."""

    PASS = "pass"
    FAIL = "fail"
    NOT_DONE = "not_done"
    """Nothing to go by: never a pass."""


class Group(StrEnum):
    """The parts of the checklist, in their order."""

    REFERENCE = "reference"
    MIXED_PRECISION = "mixed_precision"
    HYPER_PARAMETERS = "hyper_parameters"
    MODEL = "model"
    FUSED = "fused"
    SOURCE = "source"
    VERSIONS = "versions"
    DATASET = "dataset"
    WEIGHTS = "weights"
    FLOW = "flow"
    RANDOMNESS = "randomness"
    RESULT = "result"


class Standing(StrEnum):
    """How one compared thing stands."""

    EQUAL = "equal"
    DIFFERS = "differs"
    REMARK = "remark"
    """They differ, and it does not count: a path, a local version."""
    TARGET_ONLY = "target_only"
    GOLDEN_ONLY = "golden_only"
    UNKNOWN = "unknown"
    """It stands there, but its value cannot be known: an unset variable."""


@dataclass(frozen=True)
class Item:
    """One thing that was compared: a setting, a package, a file, a tensor."""

    name: str
    target: str
    """As people read it; empty where the side does not have it."""
    golden: str
    standing: Standing
    target_place: Place | None = None
    golden_place: Place | None = None
    remark: Message | None = None
    """Why it counts or not, where that is not plain: a default, a derived value, an alias."""
    spelled: str = ""
    """How the sides' own files call it, where that is another word than *name*."""

    @property
    def called(self) -> str:
        """Its name as people read it."""
        return self.spelled or self.name


@dataclass(frozen=True)
class Entry:
    """What a person enters for a check: instead of what was found, or beside it."""

    result: Outcome | None = None
    """``None`` leaves the result as it was found."""
    remark: str = ""
    evidence: str = ""
    """A file that shows it."""
    name: str = ""
    date: str = ""
    """ISO 8601."""


@dataclass(frozen=True)
class Check:
    """One row of the checklist."""

    id: str
    """``group.name``; the title is the catalogue's ``precheck.check.<id>``."""
    group: Group
    result: Outcome
    """What counts: a person's entry before what was found."""
    message: Message
    """What was found, as a sentence."""
    found: Outcome
    """Result without the entry."""
    rank: int = 0
    """Place among the causes of misalignment, 1 the most frequent."""
    items: tuple[Item, ...] = ()
    """What differs first; of very long lists only a part, *left_off* more were compared."""
    left_off: int = 0
    remarks: tuple[Message, ...] = ()
    target_files: tuple[str, ...] = ()
    """Evidence that the check looked at."""
    golden_files: tuple[str, ...] = ()
    effect: Message | None = None
    """What the difference does to the training, for a fail, also one over which another result is entered."""
    remedy: Message | None = None
    """What to do, for such a fail; for what is not done, what to bring."""
    entry: Entry = field(default_factory=Entry)

    @property
    def name(self) -> str:
        """The id without its group."""
        return self.id.partition(".")[2]


class EvidenceSummary(NamedTuple):
    """What a side brought, in a line each."""

    path: str
    kinds: tuple[str, ...]
    """Values of :class:`~core.records.evidence.EvidenceKind`."""
    given: str
    """The given path that it came from."""
    found: bool
    """It was not given, but lay beside the dump."""
    problems: tuple[Problem, ...] = ()
    digest: str = ""
    """SHA-256 of the file as it was read; empty for a folder, and for what is too large to be read whole."""
    size: int = -1
    """Bytes of the file; -1 for a folder."""


@dataclass(frozen=True)
class PrecheckReport:
    """The whole checklist: always every row, in the order of the list."""

    checks: tuple[Check, ...]
    target_evidence: tuple[EvidenceSummary, ...] = ()
    golden_evidence: tuple[EvidenceSummary, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def counts(self) -> dict[Outcome, int]:
        """Return how many checks have each result; all three are always there."""
        found = Counter(check.result for check in self.checks)
        return {outcome: found[outcome] for outcome in Outcome}

    @property
    def failures(self) -> tuple[Check, ...]:
        """Return the fails, the most frequent cause first."""
        failed = (check for check in self.checks if check.result is Outcome.FAIL)
        return tuple(sorted(failed, key=lambda check: check.rank))


@dataclass(frozen=True)
class Signature:
    """Who stands for a table, and what the table said then."""

    name: str
    date: str
    """ISO 8601 with the time zone."""
    digest: str
    """SHA-256 over the rows; another digest of the same file means that it was changed afterwards."""


@dataclass(frozen=True)
class PrecheckTable:
    """What is saved of a pre-check: evidence, what people entered, and the last answer."""

    target: tuple[Given, ...] = ()
    golden: tuple[Given, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    """By the check's id."""
    report: PrecheckReport | None = None
    signature: Signature | None = None
