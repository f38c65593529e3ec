"""Pictures of one slot in many cells, asked for a few at a time, those in sight first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import render, text
from core.metrics.pictures.plane import Plane
from core.records.run import CellKey
from gui.comparison.slot_cells_work import SlotCell
from gui.processes.picture_client import PictureClient

if TYPE_CHECKING:
    from core.metrics.inspection.pictures import PairPictures
    from core.metrics.pictures.reduction import Picture

_LANES = ("a", "b")
"""Channels: as many pictures are drawn at once, and the service has room for other views."""
_MOST_KEPT = 600


class CellPictures(QObject):
    """Keeps the latest pictures, of one kind and size."""

    changed = Signal()

    def __init__(self, client: PictureClient, parent: QObject) -> None:
        super().__init__(parent)
        self._client = client
        self._shown, self._size = "difference", (64, 64)
        self._plane: Plane | None = None
        self.pictures: dict[CellKey, Picture] = {}
        self.reasons: dict[CellKey, str] = {}
        """Why cells have no picture."""
        self._waiting: dict[CellKey, SlotCell] = {}
        self._drawing: dict[str, CellKey] = {}
        client.arrived.connect(self._arrive)
        client.answered.connect(self._end)
        client.rejected.connect(self._reject)
        client.crashed.connect(self._crash)

    def begin(self, shown: str, plane: Plane, size: tuple[int, int]) -> None:
        """Forget all pictures; from now on draw *shown* in at most *size* (rows, columns) pixels."""
        self._shown, self._plane, self._size = shown, plane, size
        self.stop()
        self.pictures.clear()
        self.reasons.clear()

    def stop(self) -> None:
        """Draw nothing more."""
        self._waiting.clear()
        self._drawing.clear()
        for lane in _LANES:
            self._client.forget(lane)

    def want(self, cells: Iterable[SlotCell]) -> None:
        """Draw these next, whatever was wanted before; what is there already is not drawn again."""
        known = {*self.pictures, *self.reasons, *self._drawing.values()}
        self._waiting = {
            cell.key: cell for cell in cells if cell.sources is not None and cell.key not in known
        }
        self._draw_next()

    @property
    def working(self) -> bool:
        """Whether pictures are still to come."""
        return bool(self._waiting or self._drawing)

    def _draw_next(self) -> None:
        from core.metrics.inspection.pictures import PictureRequest, pair_pictures

        for lane in _LANES:
            if lane not in self._drawing and self._waiting:
                key = next(iter(self._waiting))
                cell = self._waiting.pop(key)
                self._drawing[lane] = key
                assert cell.sources is not None
                plane = self._plane if self._plane is not None and self._plane.fits(cell.shape) else None
                self._client.request(
                    lane, pair_pictures, PictureRequest(cell.sources, plane, None, self._size)
                )

    def _arrive(self, lane: str, part: PairPictures | None) -> None:
        key = self._drawing.get(lane)
        if key is None or part is None or not part.whole:
            return
        picture = self._wanted(part)
        if picture is not None and picture.values.size:
            self.pictures[key] = picture
            while len(self.pictures) > _MOST_KEPT:
                self.pictures.pop(next(iter(self.pictures)))
        else:
            self.reasons[key] = self._why(part)
        self.changed.emit()

    def _wanted(self, part: PairPictures) -> Picture | None:
        side = {"target": part.target, "golden": part.golden}.get(self._shown)
        return part.difference if side is None else side.picture

    def _why(self, part: PairPictures) -> str:
        sides = {"target": (part.target,), "golden": (part.golden,)}.get(
            self._shown, (part.target, part.golden)
        )
        problems = [side.problem.sentence() for side in sides if side.problem is not None]
        if problems:
            return problems[0]
        if self._shown == "difference" and part.no_difference is not None:
            return render(part.no_difference)
        return text("gui.multiples.nothing")

    def _end(self, lane: str, _answer: object) -> None:
        self._drawing.pop(lane, None)
        self._draw_next()
        self.changed.emit()

    def _reject(self, lane: str, problem: Problem) -> None:
        key = self._drawing.get(lane)
        if key is not None:
            self.reasons[key] = problem.sentence()
        self._end(lane, None)

    def _crash(self, lane: str, traceback: str) -> None:
        key = self._drawing.get(lane)
        if key is not None:
            self.reasons[key] = text("gui.tensors.crashed", why=traceback.strip().split("\n")[-1])
        self._end(lane, None)
