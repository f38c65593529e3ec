"""Points of a plot that all look alike."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg


class Marks(pg.ScatterPlotItem):
    """Looks its sign up once; pyqtgraph looks it up once a point, which stalls at some thousand points."""

    def __init__(self) -> None:
        super().__init__(pxMode=True)

    def updateSpots(self, dataSet: Any = None) -> None:
        data = self.data if dataSet is None else dataSet
        missing = data["sourceRect"]["w"] == 0
        if missing.any():
            style = tuple(self.opts[name] for name in ("symbol", "size", "pen", "brush"))
            data["sourceRect"][missing] = self.fragmentAtlas[[style]][0]
        self._updateMaxSpotSizes(data=data)
        self.invalidate()
