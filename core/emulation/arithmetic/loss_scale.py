"""The dynamic loss scale of torch_npu's ``GradScaler``, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class LossScale:
    """A scale and how many steps it has gone without overflow; the defaults are torch_npu's."""

    scale: float = 2.0**16
    clean_steps: int = 0
    growth_factor: float = 2.0
    backoff_factor: float = 0.5
    growth_interval: int = 2000

    def after(self, overflowed: bool) -> LossScale:
        """Return the scale of the next step; an overflown step is skipped by the optimizer."""
        if overflowed:
            return replace(self, scale=self.scale * self.backoff_factor, clean_steps=0)
        if self.clean_steps + 1 == self.growth_interval:
            return replace(self, scale=self.scale * self.growth_factor, clean_steps=0)
        return replace(self, clean_steps=self.clean_steps + 1)
