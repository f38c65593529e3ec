"""What a comparison is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.metrics.noise import NoiseTable, shipped_noise


@dataclass(frozen=True)
class CompareOptions:
    """Choices of the user; the defaults compare all common cells with the built-in noise table."""

    steps: tuple[int, ...] = ()
    """Steps to compare; empty: all."""
    ranks: tuple[int, ...] = ()
    """Ranks to compare; empty: all."""
    mapping: tuple[str, ...] = ()
    """Files that say which call is which: the official yaml forms, or pairs saved by hand."""
    pairs: Mapping[str, str] = field(default_factory=dict)
    """Golden operator by target operator, paired by hand."""
    noise: NoiseTable = field(default_factory=shipped_noise)
    use_cache: bool = True
    """Keep parsed dumps for the next time, and use what was kept."""
    processes: int = 0
    """Worker processes; 0: one a core."""
