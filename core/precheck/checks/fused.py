"""Which kernels compute attention and other parts in one piece, and what is computed again."""

from __future__ import annotations

from core.precheck.checks.setting_findings import settings_finding
from core.precheck.finding import Finding
from core.precheck.pair import Pair


def attention(pair: Pair) -> Finding:
    """Compare the attention kernels; that a complete command line names none is a value."""
    return settings_finding(pair, "fused.attention", ("attention_kernel",))


def operators(pair: Pair) -> Finding:
    """Compare the switches of fused operators."""
    return settings_finding(pair, "fused.operators")


def recomputation(pair: Pair) -> Finding:
    """Compare what is computed again in the backward pass instead of kept."""
    return settings_finding(pair, "fused.recomputation", ("recomputation",))
