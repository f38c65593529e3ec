"""Statistics of the first batches, as the official config check saves what the model is called with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.statistics_tree import statistics_in
from core.records.evidence import Evidence, EvidenceKind, Sample

_STEP, _RANK = re.compile(r"(?:^|[/\\])step(\d{1,9})[/\\]"), re.compile(r"(?:^|[/\\])rank(\d{1,9})[/\\.]")


def samples_of(value: Mapping[str, Any], file: EvidenceFile) -> Evidence | None:
    """Return the batches that the JSON *value* tells; ``None`` where it tells none.

    Step and rank are those of the folders that the file lies in, 0 without them.
    """
    if not value.keys() <= {"args", "kwargs"}:
        return None
    step, rank = step_of(file, 0), rank_of(file, 0)
    samples = tuple(Sample(step, rank, name, *numbers) for name, numbers in statistics_in(value))
    return Evidence(file.path, (EvidenceKind.SAMPLES,), samples=samples) if samples else None


def step_of(file: EvidenceFile, default: int) -> int:
    """Return the step whose folder *file* lies in."""
    found = _STEP.search(file.member or file.path)
    return int(found[1]) if found else default


def rank_of(file: EvidenceFile, default: int) -> int:
    """Return the rank whose folder *file* lies in, or that it is named after."""
    found = _RANK.search(file.member or file.path)
    return int(found[1]) if found else default
