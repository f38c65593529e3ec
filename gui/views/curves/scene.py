"""What the picture of the curves is made of, and where it stands on the widget."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF

from core.curves.drawing.differences import BandTracks
from core.curves.drawing.tracks import extent, polyline
from core.records.columns import Float64
from core.records.curves import Track
from gui.models.curves.places import Mark, Stretch
from gui.models.curves.roles import Look, Role
from gui.models.curves.scale import ValueScale, around_zero, clipped_extent, value_scale
from gui.widgets.real_axis import RealAxis

NAMES = 19
"""Pixels at the top of the upper field for the names of the phases, where there are some."""
_LEAST_LIMIT = 4.0
"""The limit is in sight unless the difference is so many times smaller or larger."""


@dataclass(frozen=True)
class DrawnCurve:
    """One run in the picture."""

    number: int
    name: str
    role: Role
    look: Look
    raw: Track
    smooth: Track | None
    gap: float = math.inf
    """Places that lie further apart are not joined."""


@dataclass
class CurvesScene:
    """Two fields one over the other along one axis: all curves, and the difference of two of them."""

    axis: RealAxis
    curves: list[DrawnCurve] = field(default_factory=list)
    difference: Track | None = None
    smooth_difference: Track | None = None
    difference_gap: float = math.inf
    whole: bool = True
    """Places are whole numbers."""
    band: BandTracks | None = None
    limit: float | None = None
    """Relative difference that is allowed, where no band tells."""
    marks: list[Mark] = field(default_factory=list)
    chosen: int = -1
    """The finding that is looked at."""
    stretches: list[Stretch] = field(default_factory=list)
    resumes: list[tuple[float, str]] = field(default_factory=list)
    """Where a log goes back, and the colour of its curve."""
    logarithmic: bool = False
    relative: bool = True
    clipped: bool = False
    upper: QRectF = field(default_factory=QRectF)
    lower: QRectF = field(default_factory=QRectF)
    """Empty where there is no difference."""
    scale: ValueScale = ValueScale(0.0, 1.0)
    lower_scale: ValueScale = ValueScale(-1.0, 1.0, share=True)
    _lines: dict[tuple[int, float, float, int], tuple[Float64, Float64]] = field(default_factory=dict)

    @property
    def golden(self) -> DrawnCurve | None:
        """The golden's curve, if it is in sight."""
        return next((curve for curve in self.curves if curve.role is Role.GOLDEN), None)

    def bounds(self) -> tuple[float, float]:
        """Return the first and the last place of all curves."""
        ends = [float(place) for curve in self.curves for place in (curve.raw.x[0], curve.raw.x[-1])]
        if self.difference is not None and len(self.difference.x):
            ends += [float(self.difference.x[0]), float(self.difference.x[-1])]
        return (min(ends), max(ends)) if ends else (0.0, 1.0)

    @property
    def top(self) -> float:
        """Where the upper field begins: above its curves is a strip for the names of the phases."""
        return self.upper.top() - (NAMES if self.stretches else 0)

    # ---- places

    def x(self, place: float) -> float:
        """Return where *place* is on the widget."""
        return self.upper.left() + self.axis.pixel(place)

    def xs(self, places: Float64) -> Float64:
        """Return where *places* are on the widget."""
        left, right = self.axis.seen
        return self.upper.left() + (places - left) / (right - left) * self.upper.width()

    def place(self, x: float) -> float:
        """Return the place at *x* of the widget."""
        return self.axis.place(x - self.upper.left())

    @staticmethod
    def ys(box: QRectF, scale: ValueScale, values: Float64) -> Float64:
        """Return where *values* are in *box*."""
        return box.bottom() - (scale.heights(values) - scale.low) / (scale.high - scale.low) * box.height()

    def y(self, box: QRectF, scale: ValueScale, value: float) -> float:
        """Return where *value* is in *box*."""
        return box.bottom() - (scale.height(value) - scale.low) / (scale.high - scale.low) * box.height()

    def line(self, track: Track, pixels: int) -> tuple[Float64, Float64]:
        """Return :func:`polyline` of what is in sight of *track*; found once a picture."""
        key = id(track), *self.axis.seen, pixels
        if key not in self._lines:
            self._lines[key] = polyline(track, *self.axis.seen, pixels)
        return self._lines[key]

    # ---- scales

    def measure(self, pixels: int) -> None:
        """Fit both scales to what is in sight, *pixels* columns of it."""
        self._lines = {}
        self.scale = self._upper_scale(pixels)
        self.lower_scale = self._lower_scale(pixels)

    def _upper_scale(self, pixels: int) -> ValueScale:
        left, right = self.axis.seen
        if self.clipped:
            lines = [self.line(curve.raw, pixels)[1] for curve in self.curves]
            return value_scale([clipped_extent(lines)], logarithmic=self.logarithmic)
        extents = [extent(curve.raw, left, right) for curve in self.curves]
        if self.logarithmic:
            extents = [_above_zero(*pair) for pair in extents]
        return value_scale(extents, logarithmic=self.logarithmic)

    def _lower_scale(self, pixels: int) -> ValueScale:
        if self.difference is None:
            return around_zero([], share=self.relative)
        left, right = self.axis.seen
        if self.clipped:
            seen = clipped_extent([self.line(self.difference, pixels)[1]])
        else:
            seen = extent(self.difference, left, right)
        size = max((abs(value) for value in seen if math.isfinite(value)), default=0.0)
        allowed = self.allowed_extent(left, right)
        near = size == 0 or size / _LEAST_LIMIT < allowed < size * _LEAST_LIMIT
        return around_zero([seen, (-allowed, allowed)] if near else [seen], share=self.relative)

    def allowed_extent(self, left: float, right: float) -> float:
        """Return the largest difference that is allowed between two places; NaN where none is known."""
        if self.band is not None:
            return extent(self.band.relative if self.relative else self.band.absolute, left, right)[1]
        if self.limit is None:
            return math.nan
        if self.relative:
            return self.limit
        golden = self.golden
        if golden is None:
            return math.nan
        return self.limit * max(map(abs, extent(golden.raw, left, right)))


def _above_zero(low: float, high: float) -> tuple[float, float]:
    """Return what of an extent a logarithm can show: from 0 on, six decades."""
    return (low, high) if low > 0 or not high > 0 else (high * 1e-6, high)
