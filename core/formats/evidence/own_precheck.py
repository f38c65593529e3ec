"""What a pre-check itself wrote: a table that was saved, or a report; evidence of nothing."""

from __future__ import annotations

from typing import Any

from core.errors import Problem

KIND = "precheck"
"""What ``kind`` says in a saved table."""
_REPORT = frozenset(("checks", "counts", "target_evidence", "golden_evidence"))


def own_precheck(value: Any, path: str) -> Problem | None:
    """Return why the JSON *value* of the file at *path* is no evidence, if a pre-check wrote it."""
    if not isinstance(value, dict):
        return None
    table = value.get("kind") == KIND and "table" in value
    return Problem("evidence_is_precheck", path) if table or value.keys() >= _REPORT else None
