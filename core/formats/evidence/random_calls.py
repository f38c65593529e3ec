"""How often random numbers were drawn, as the official config check counts it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.secrets import mask_line
from core.records.evidence import Evidence, EvidenceKind, RandomCalls


def random_calls_of(value: Mapping[str, Any], file: EvidenceFile) -> Evidence | None:
    """Return the calls that the JSON *value* counts, ``{function: [{"count", "stack"}]}``; or ``None``."""
    calls = []
    for function, entries in value.items():
        if not isinstance(entries, list):
            return None
        for entry in entries:
            if not isinstance(entry, Mapping) or not isinstance(entry.get("count"), int):
                return None
            stack = entry.get("stack", [])
            frames = [stack] if isinstance(stack, str) else [str(frame) for frame in stack or ()]
            calls.append(RandomCalls(str(function), "\n".join(map(mask_line, frames)), entry["count"]))
    if not calls and value:
        return None
    return Evidence(file.path, (EvidenceKind.RANDOM_CALLS,), random_calls=tuple(calls))
