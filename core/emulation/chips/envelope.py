"""The envelope of an output: the range of what a chip's settings give.

Settings are those that nobody has published, or that a library may choose
(:mod:`core.emulation.chips.variants`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np

from core.emulation.arithmetic.status import StatusBit
from core.emulation.chips.distances import spacing
from core.emulation.chips.together import TogetherError
from core.emulation.replay.runnable import Result
from core.emulation.terms.computing import Array

ENVELOPE_ULP = 1.0
"""By so many ULP of the output the envelope is wider than the settings tried: they are a sample."""

_SIGMAS = 4.0
"""Standard deviations by which a share of signs may miss a half by chance."""


@dataclass
class OutputEnvelope:
    """The range of what the settings of a chip give for one output."""

    result: Result
    dumped: Array
    first: Array
    """What the usual setting gives."""
    low: Array
    high: Array
    chip: TogetherError
    """All elements together, beside the reference on operands as the matrix unit gets them."""
    plain: TogetherError
    """The same beside the reference on operands that are not rounded."""
    specials: list[Array] = field(default_factory=list)
    closest: tuple[float, str] = (-1.0, "")
    status: StatusBit = StatusBit.NONE

    def take(self, made: Array, name: str, *, truncates: bool) -> None:
        """Widen the envelope by what a setting gives."""
        if made.dtype.kind in "fc":
            self.chip.take(made, truncates=truncates)
        self.low, self.high = np.fmin(self.low, made), np.fmax(self.high, made)
        equal = int(np.count_nonzero(made == self.dumped))
        if not np.isfinite(made).all():
            self.specials.append(made)
            equal += int(np.count_nonzero(np.isnan(made) & np.isnan(self.dumped)))
        share = equal / made.size if made.size else 1.0
        if share > self.closest[0]:
            self.closest = (share, name)

    def excess(self) -> float:
        """Return the error of all elements together over that of the setting that strays most.

        The nearer reference counts.
        """
        leans = self.leans()
        return min(item.excess(self.dumped, leans=leans) for item in (self.chip, self.plain))

    def leans(self, least: float = 0.5) -> bool:
        """Whether more of the target's errors than chance allows go toward zero, beyond the share *least*."""
        with np.errstate(all="ignore"):
            off = (self.dumped - self.chip.reference) * np.sign(self.chip.reference)
        moved = off[np.isfinite(off) & (off != 0)]
        chance = _SIGMAS * 0.5 / sqrt(moved.size) if moved.size else inf
        return bool(moved.size) and float(np.mean(moved < 0)) > least + chance

    def inside(self) -> Array:
        """Return which elements lie in the envelope."""
        with np.errstate(all="ignore"):
            slack = ENVELOPE_ULP * spacing(np.fmax(np.abs(self.low), np.abs(self.high)), self.result.format)
            found: Array = (self.dumped >= self.low - slack) & (self.dumped <= self.high + slack)
        for made in self.specials:
            found |= ~np.isfinite(made) & ((made == self.dumped) | (np.isnan(made) & np.isnan(self.dumped)))
        return found
