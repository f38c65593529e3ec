"""The noise band of the golden: how far its own repeated runs lie apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.curves.alignment import align, pair
from core.curves.judgement.windows import mean_around
from core.curves.limits import CurveLimits
from core.curves.sameness import is_one_run
from core.records.curves import LoggedRun, NoiseBand


def distinct_repeats(
    target: LoggedRun, golden: LoggedRun, repeats: Sequence[LoggedRun]
) -> tuple[list[LoggedRun], list[LoggedRun]]:
    """Return the repeats that are runs of their own, and those that hold the numbers of another run given."""
    kept: list[LoggedRun] = []
    same: list[LoggedRun] = []
    for repeat in repeats:
        doubled = any(is_one_run(repeat, other) for other in (target, golden, *kept))
        (same if doubled else kept).append(repeat)
    return kept, same


def noise_band(
    golden: LoggedRun, repeats: Sequence[LoggedRun], name: str, limits: CurveLimits
) -> NoiseBand | None:
    """Return the band of the series *name*; ``None`` where no repeat of the golden has it at common places.

    Each repeat is laid on the golden as a target is. At each place the band is the mean of the runs plus and
    minus ``band_sigma`` standard deviations of one more run: s·√(1 + 1/n), the prediction interval of a
    normal sample, where s² is the variance between the runs relative to their mean. It is averaged over a
    sliding window, as two or three runs tell little at a single place; where only the golden goes on, the
    last one holds.
    """
    if name not in golden.curves:
        return None
    rows, x = [], None
    for repeat in repeats:
        paired = pair(repeat, golden, name, align(repeat, golden, limits))
        if paired is not None:
            rows.append((paired.x, paired.target))
            x = paired.x if x is None else np.union1d(x, paired.x)
    own = pair(golden, golden, name, align(golden, golden, limits, shift=0))
    if x is None or own is None:
        return None
    x = np.union1d(x, own.x)
    values = np.full((len(rows) + 1, len(x)), np.nan)
    for row, (places, curve) in zip(values, [(own.x, own.target), *rows]):
        row[np.searchsorted(x, places)] = np.where(np.isfinite(curve), curve, np.nan)
    known = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.nansum(values, axis=0) / known
        spread = np.nansum((values - centre) ** 2, axis=0) / (known - 1) / centre**2
    spread[(known < 2) | ~np.isfinite(spread)] = np.nan
    if np.isnan(spread).all():
        return None
    window = max(min(int(limits.window), len(x)), 1)
    variance = _held(mean_around(spread, window))
    runs = len(rows) + 1
    relative = np.maximum(limits.band_sigma * np.sqrt(variance * (1 + 1 / runs)), limits.band_least)
    return NoiseBand(x, centre, relative * np.abs(centre), runs, float(np.median(relative)))


def _held(values: np.ndarray) -> np.ndarray:
    """Return *values* with those before put in place of NaN, at the beginning the first one after."""
    known = np.flatnonzero(~np.isnan(values))
    before = np.searchsorted(known, np.arange(len(values)), "right") - 1
    return np.asarray(values[known[np.maximum(before, 0)]])
