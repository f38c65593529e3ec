"""Which calls lie under which pixels of the lanes, and where their numbers stand."""

from __future__ import annotations

import math


class LaneAxis:
    """A range of calls, ``left`` to ``right``, over ``pixels`` pixels; zooms and pans inside of all calls."""

    def __init__(self) -> None:
        self.calls: float = 1
        self.pixels = 1
        self.left, self.right = 0.0, 1.0

    @property
    def least(self) -> float:
        """The fewest calls to be seen at once."""
        return float(min(8, self.calls))

    @property
    def span(self) -> float:
        """How many calls are seen."""
        return self.right - self.left

    @property
    def zoomed(self) -> bool:
        """Whether not all are seen."""
        return self.span < self.calls - 1e-9

    def set_calls(self, calls: int) -> None:
        """Begin anew with this many calls."""
        self.calls = max(calls, 1)
        self.fit()

    def fit(self) -> None:
        """See all calls."""
        self.left, self.right = 0.0, float(self.calls)

    def x(self, row: float) -> float:
        """Return the pixel of a call's beginning."""
        return (row - self.left) / self.span * self.pixels

    def row(self, x: float) -> float:
        """Return the call, with fraction, at a pixel."""
        return self.left + x / max(self.pixels, 1) * self.span

    def show(self, left: float, span: float) -> None:
        """See *span* calls from *left* on, as far as there are."""
        span = min(max(span, self.least), float(self.calls))
        self.left = min(max(left, 0.0), self.calls - span)
        self.right = self.left + span

    def zoom(self, factor: float, x: float) -> None:
        """See *factor* times as many calls; the one at pixel *x* stays there."""
        here = self.row(x)
        span = min(max(self.span * factor, self.least), float(self.calls))
        self.show(here - x / max(self.pixels, 1) * span, span)

    def pan(self, pixels: float) -> None:
        """Move by *pixels*."""
        self.show(self.left + pixels / max(self.pixels, 1) * self.span, self.span)

    def bring(self, row: float) -> None:
        """See the call *row*, in the middle if it was out of sight."""
        if not self.left <= row < self.right:
            self.show(row - self.span / 2, self.span)

    def ticks(self, room: float) -> list[int]:
        """Return calls to be numbered, at least *room* pixels apart."""
        wanted = max(self.span * room / max(self.pixels, 1), 1.0)
        power = 10.0 ** math.floor(math.log10(wanted))
        step = next(int(power * times) for times in (1, 2, 5, 10) if power * times >= wanted - 1e-9)
        step = max(step, 1)
        first = math.ceil(self.left / step) * step
        return list(range(first, math.floor(self.right) + 1, step))
