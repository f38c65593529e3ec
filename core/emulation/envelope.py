"""The envelope of an output: the range of what a chip's settings give.

Settings are those that nobody has published, or that a library may choose (:mod:`core.emulation.variants`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.emulation.arithmetic.status import StatusBit
from core.emulation.computing import Array
from core.emulation.distances import spacing
from core.emulation.runnable import Result

ENVELOPE_ULP = 1.0
"""By so many ULP of the output the envelope is wider than the settings tried: they are a sample."""


@dataclass
class OutputEnvelope:
    """The range of what the settings of a chip give for one output."""

    result: Result
    dumped: Array
    first: Array
    """What the usual setting gives."""
    low: Array
    high: Array
    specials: list[Array] = field(default_factory=list)
    closest: tuple[float, str] = (-1.0, "")
    status: StatusBit = StatusBit.NONE

    def take(self, made: Array, name: str) -> None:
        """Widen the envelope by what a setting gives."""
        self.low, self.high = np.fmin(self.low, made), np.fmax(self.high, made)
        equal = int(np.count_nonzero(made == self.dumped))
        if not np.isfinite(made).all():
            self.specials.append(made)
            equal += int(np.count_nonzero(np.isnan(made) & np.isnan(self.dumped)))
        share = equal / made.size if made.size else 1.0
        if share > self.closest[0]:
            self.closest = (share, name)

    def inside(self) -> Array:
        """Return which elements lie in the envelope."""
        with np.errstate(all="ignore"):
            slack = ENVELOPE_ULP * spacing(np.fmax(np.abs(self.low), np.abs(self.high)), self.result.format)
            found: Array = (self.dumped >= self.low - slack) & (self.dumped <= self.high + slack)
        for made in self.specials:
            found |= ~np.isfinite(made) & ((made == self.dumped) | (np.isnan(made) & np.isnan(self.dumped)))
        return found
