"""What to say when a check has nothing to go by: which side lacks what."""

from __future__ import annotations

from core.messages import Message
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.evidence import EvidenceKind


def without_dumps(pair: Pair) -> Finding:
    """Return that there are no two dumps whose facts are known."""
    there = [bool(side.of_kind(EvidenceKind.DUMP)) for side in (pair.target, pair.golden)]
    return not_done(Message(f"precheck.missing.dumps.{_unread_or_lacking(*there)}"))


def without_logs(*, target: bool, golden: bool) -> Finding:
    """Return that a side has no log with what is needed; *target* and *golden* say which one has."""
    return not_done(Message(f"precheck.missing.logs.{_unread_or_lacking(target, golden)}"))


def without_weights(*, target: bool, golden: bool) -> Finding:
    """Return that a side has no weights."""
    return not_done(Message(f"precheck.missing.weights.{_unread_or_lacking(target, golden)}"))


def without_random_calls(*, target: bool, golden: bool) -> Finding:
    """Return that a side does not count its random numbers."""
    return not_done(Message(f"precheck.missing.random_calls.{_unread_or_lacking(target, golden)}"))


def without(what: str, *, target: bool, golden: bool) -> Finding:
    """Return that *what* cannot be compared, and which side lacks it.

    Parameters
    ----------
    what
        ``packages``, ``vendor``, ``devices``, ``environment`` ...: a word of the catalogue.
    target, golden
        Whether the side has it; not both.
    """
    return not_done(Message(f"precheck.without.{what}.{lacking(target, golden)}"))


def lacking(target: bool, golden: bool) -> str:
    """Return which side lacks something, as codes name it; *target* and *golden* say which one has it."""
    return "golden" if target else "target" if golden else "both"


def _unread_or_lacking(target: bool, golden: bool) -> str:
    return "unread" if target and golden else lacking(target, golden)
