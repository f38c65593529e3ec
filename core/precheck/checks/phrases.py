"""Pieces of sentences: the first ones of many names."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 5
"""Names that a sentence tells."""


def first_ones(names: Sequence[str]) -> str:
    """Return the first of *names* as a list for people, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f", … (+{more})" if more > 0 else "")
