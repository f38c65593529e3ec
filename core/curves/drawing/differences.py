"""The track beneath the curves: target minus golden, and what of it may be noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.curves.deviation import deviation_of
from core.curves.drawing.smoothing import smoothed
from core.curves.drawing.tracks import gap_of, track_of
from core.records.curves import NoiseBand, Paired, Track


class DifferenceTracks(NamedTuple):
    """Target minus golden over the common axis."""

    relative: Track
    """By the size of the golden."""
    absolute: Track
    gap: float
    """Places that lie further apart than this are not joined."""


class BandTracks(NamedTuple):
    """How far repeated runs of the golden lie apart."""

    low: Track
    high: Track
    relative: Track
    """Half of the width, by the size of the golden."""
    absolute: Track
    """Half of the width."""


def difference(paired: Paired) -> DifferenceTracks:
    """Return the difference of *paired* as tracks."""
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = track_of(paired.x, paired.target - paired.golden)
    relative = track_of(paired.x, deviation_of(paired))
    return DifferenceTracks(relative, absolute, gap_of(relative))


def smooth_difference(paired: Paired, half_life: float) -> DifferenceTracks:
    """Return the same, smoothed: weights halve every *half_life* steps of the target."""
    steps = paired.steps.astype(np.float64)
    raw = difference(paired)
    relative, absolute = (
        track_of(track.x, smoothed(steps, track.y, half_life)) for track in (raw.relative, raw.absolute)
    )
    return DifferenceTracks(relative, absolute, raw.gap)


def band_tracks(band: NoiseBand) -> BandTracks:
    """Return *band* as tracks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = band.allowed / np.abs(band.centre)
    heights = (band.centre - band.allowed, band.centre + band.allowed, relative, band.allowed)
    return BandTracks(*(track_of(band.x, height) for height in heights))
