"""Pieces of sentences: which side brought no evidence of a kind, and the first ones of many names."""

from __future__ import annotations

from collections.abc import Sequence

from core.messages import Message
from core.precheck.finding import Finding, not_done

_SHOWN = 5
"""Names that a sentence tells."""


def first_ones(names: Sequence[str]) -> str:
    """Return the first of *names* as a list for people, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f", … (+{more})" if more > 0 else "")


def without(what: str, *, target: bool, golden: bool) -> Finding:
    """Return that *what* cannot be compared, and which side lacks it.

    Parameters
    ----------
    what
        ``packages``, ``vendor``, ``devices``, ``environment`` ...: a word of the catalogue.
    target, golden
        Whether the side has it; not both.
    """
    lacking = "golden" if target else "target" if golden else "both"
    return not_done(Message(f"precheck.without.{what}.{lacking}"))
