"""Which pixel of a picture each pixel of the screen shows, so that none of the picture's is left out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def spread(
    begin: int, end: int, block: int, near: float, extent: float, room: int
) -> tuple[int, NDArray[np.intp]] | None:
    """Spread a picture of the elements *begin* to *end* along one axis over the screen.

    Parameters
    ----------
    block
        Elements that a pixel of the picture stands for.
    near, extent
        First element in sight, and how many are; both may end within an element.
    room
        Pixels of the screen that they have.

    Returns
    -------
    tuple or None
        The first pixel of the screen that shows the picture, and for it and those after it which of the
        picture's pixels. Each of the picture's pixels in sight has one at least. ``None`` where the screen
        has fewer than the picture, or nothing of it is in sight.
    """
    first, last = max(near, float(begin)), min(near + extent, float(end))
    if last <= first or room <= 0:
        return None
    scale = room / extent
    start = min(math.floor((first - near) * scale + 1e-6), room - 1)
    stop = max(min(math.ceil((last - near) * scale - 1e-6), room), start + 1)
    low = int((first - begin) // block)
    high = max(math.ceil((last - begin) / block - 1e-9), low + 1)
    count = high - low
    if count > stop - start:
        return None
    order = np.arange(count)
    # what is at the centre of a pixel of the screen is shown there
    starts = np.ceil((begin + (low + order) * block - near) * scale - 0.5 - 1e-6).astype(np.intp)
    starts = np.maximum.accumulate(np.maximum(starts, start) - order) + order
    starts = np.minimum(starts, stop - count + order)
    starts[0] = start
    lengths = np.diff(np.append(starts, stop))
    return start, np.repeat(order + low, lengths)


def shown_at(
    spread_: tuple[int, NDArray[np.intp]] | None, begin: int, end: int, block: int, pixel: int
) -> tuple[int, int] | None:
    """Return the first and the last element of those that a *pixel* of the screen shows.

    *spread_* is what :func:`spread` made of a picture of the elements *begin* to *end*, each of whose pixels
    is *block* elements. ``None`` where the picture is not.
    """
    if spread_ is None or not 0 <= pixel - spread_[0] < len(spread_[1]):
        return None
    first = begin + int(spread_[1][pixel - spread_[0]]) * block
    return first, min(first + block, end) - 1
