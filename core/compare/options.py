"""What a comparison is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.metrics.noise import NoiseTable, shipped_noise


@dataclass(frozen=True)
class CompareOptions:
    """Choices of the user; the defaults compare all common cells with the built-in noise table."""

    steps: tuple[int, ...] = ()
    """Steps to compare; empty: all."""
    ranks: tuple[int, ...] = ()
    """Ranks to compare; empty: all."""
    noise: NoiseTable = field(default_factory=shipped_noise)
    use_cache: bool = True
    """Keep parsed dumps for the next time, and use what was kept."""
    processes: int = 0
    """Worker processes; 0: one a core."""
