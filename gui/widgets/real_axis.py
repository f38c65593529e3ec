"""A range of places that need be neither whole numbers nor begin at 0: steps, tokens, parts of an epoch."""

from __future__ import annotations

from gui.widgets.lane_axis import LaneAxis

_SMALLEST_PART = 1e-9
"""Of all that there is, what can be seen at least; below that float64 tells no places apart."""


class RealAxis(LaneAxis):
    """Zooms and pans inside of ``first`` .. ``last``; ``left`` and ``right`` count from ``first``."""

    def __init__(self) -> None:
        super().__init__()
        self.first = 0.0
        self._least = 1.0

    @property
    def least(self) -> float:
        """The least width that is seen at once."""
        return min(max(self._least, self.calls * _SMALLEST_PART), self.calls)

    @property
    def last(self) -> float:
        """The end of all places."""
        return self.first + self.calls

    @property
    def seen(self) -> tuple[float, float]:
        """The places at both edges."""
        return self.first + self.left, self.first + self.right

    def set_range(self, first: float, last: float, least: float, keep: bool = False) -> None:
        """Show places from *first* to *last*, *least* of them at once at least.

        With *keep* what is in sight stays; what was seen up to its end follows the end.
        """
        before, span, zoomed = self.first, self.span, self.zoomed
        at_end = self.right >= self.calls - 1e-9 * max(self.calls, 1.0)
        left = before + self.left
        self.first, self._least = first, least
        self.calls = max(last - first, least, 1e-300)
        if not keep or not zoomed:
            self.fit()
        elif at_end:
            self.show(self.calls - span, span)
        else:
            self.show(left - first, span)

    def pixel(self, place: float) -> float:
        """Return where *place* is."""
        return self.x(place - self.first)

    def place(self, pixel: float) -> float:
        """Return the place at a pixel."""
        return self.first + self.row(pixel)

    def look_at(self, first: float, last: float) -> None:
        """See the places from *first* to *last*, as far as there are."""
        self.show(first - self.first, last - first)
