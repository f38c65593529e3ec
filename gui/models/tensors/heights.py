"""How high counts and magnitudes are drawn, from 0 to 1. Imports no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.records.columns import Float64
from gui.models.tensors.ticks import Tick, power_words, short_count

_ONE = 0.4
"""Decades that a count of 1 stands above 0, so that one element among a million is seen."""
_LOWEST = 0.08
"""Where the smallest magnitude above 0 is drawn."""
_MOST_DECADES = 18
"""Of magnitudes that are told apart; smaller ones lie at the lower end."""
_LOWEST_POWER, _HIGHEST_POWER = -323, 308
"""Powers of ten that are numbers."""


@dataclass(frozen=True)
class CountHeights:
    """Of counts up to *most*."""

    most: float
    logarithmic: bool

    def of(self, counts: Float64) -> Float64:
        """Return the height of each count; 0 only where nothing was counted."""
        if self.most <= 0:
            return np.zeros(len(counts))
        if not self.logarithmic:
            return np.asarray(counts / self.most, float)
        logs = np.log10(np.maximum(counts, 1)) + _ONE
        return np.where(counts > 0, logs / (math.log10(self.most) + _ONE), 0.0)

    def ticks(self, most: int) -> list[Tick]:
        """Return at most *most* counts and their heights."""
        if self.most <= 0:
            return []
        if not self.logarithmic:
            step = 10.0 ** math.floor(math.log10(self.most))
            times = next(part for part in (0.2, 0.5, 1, 2, 5) if self.most / (step * part) <= most + 1e-9)
            wanted = [step * times * at for at in range(1, int(self.most / (step * times) + 1e-9) + 1)]
            wanted = [count for count in wanted if count == round(count)]
        else:
            decades = int(math.log10(self.most)) + 1
            wanted = [10.0**at for at in range(0, decades, -(-decades // max(most, 1)))]
        heights = self.of(np.array(wanted, float))
        return [Tick(float(height), short_count(count)) for height, count in zip(heights, wanted)]


@dataclass(frozen=True)
class MagnitudeHeights:
    """Of errors between *low* and *high*, both above 0; 0 lies on the ground, Inf at the top."""

    low: float
    high: float

    @classmethod
    def holding(cls, *many: Float64) -> MagnitudeHeights:
        """Return heights on which all finite magnitudes above 0 of *many* have their place."""
        values = np.concatenate([np.asarray(each, float) for each in many]) if many else np.empty(0)
        values = values[np.isfinite(values) & (values > 0)]
        if not len(values):
            return cls(0.1, 1.0)
        high = math.ceil(math.log10(float(values.max())) + 1e-9)
        high = min(max(high, _LOWEST_POWER + 1), _HIGHEST_POWER)
        low = max(math.floor(math.log10(float(values.min()))), high - _MOST_DECADES, _LOWEST_POWER)
        return cls(10.0 ** min(low, high - 1), 10.0**high)

    def of(self, values: Float64) -> Float64:
        """Return the height of each magnitude; NaN where there is none."""
        low, high = math.log10(self.low), math.log10(self.high)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.clip((np.log10(values) - low) / (high - low), 0, 1)
        return np.where(values == 0, 0.0, _LOWEST + (1 - _LOWEST) * share)

    def ticks(self, most: int) -> list[Tick]:
        """Return at most about *most* powers of ten and their heights."""
        low, high = round(math.log10(self.low)), round(math.log10(self.high))
        step = max(-(-(high - low) // max(most, 1)), 1)
        powers = list(range(high, low - 1, -step))
        heights = self.of(10.0 ** np.array(powers, float))
        return [Tick(0.0, "0")] + [
            Tick(float(height), power_words(1.0, power)) for height, power in zip(heights, powers)
        ]
