"""The two sides of a pre-check, with what is worked out of their evidence once for all checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from core.precheck.configuration import Configuration, configuration_of
from core.precheck.dumps.facts import DumpFacts
from core.precheck.limits import PrecheckLimits, shipped_limits
from core.records.curves import LoggedRun
from core.records.evidence import Evidence, EvidenceKind, Setting, Variable, Version

LOGS = (EvidenceKind.LOG, EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG)
"""Kinds whose curves are read."""
MOST_HASHED = 256 << 20
"""Bytes of a file from which it is not hashed: that would take longer than the pre-check."""


@dataclass(frozen=True)
class Side:
    """All evidence of one run."""

    evidence: tuple[Evidence, ...] = ()

    def of_kind(self, kind: EvidenceKind) -> list[Evidence]:
        """Return the evidence that tells of *kind*, in the order in which it was given."""
        return [item for item in self.evidence if kind in item.kinds]

    def logs(self, kind: EvidenceKind = EvidenceKind.LOG) -> list[LoggedRun]:
        """Return the training logs that were given as *kind*."""
        return [item.log for item in self.of_kind(kind) if item.log is not None]

    @cached_property
    def configuration(self) -> Configuration:
        """What the settings mean, by their canonical names."""
        return configuration_of(self.evidence)

    def settings(self) -> Iterator[Setting]:
        """Yield all settings, in the order of the evidence."""
        for item in self.evidence:
            yield from item.settings

    def versions(self) -> Iterator[Version]:
        """Yield all software."""
        for item in self.evidence:
            yield from item.versions

    def environment(self) -> Iterator[Variable]:
        """Yield all environment variables."""
        for item in self.evidence:
            yield from item.environment


@dataclass(frozen=True)
class Pair:
    """What the checks look at."""

    target: Side
    golden: Side
    dumps: DumpFacts | None = None
    """What the two dumps alone tell; ``None`` where there are no two."""
    limits: PrecheckLimits = field(default_factory=shipped_limits)
