"""From the pair on show to pictures in the panes: asked for, drawn as they come, refined on zooming in."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, QTimer, Signal

from core.messages import render, text
from core.metrics.inspection.pictures import PairPictures
from core.metrics.pictures.reduction import Picture
from gui.models.pair.facts import shape_label
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.asking import Desk
from gui.views.tensors.maps_page import MapsPage

_SETTLED = 60
"""Milliseconds without another zoom before the visible part is asked for in detail."""
_TOGETHER = 120
"""Milliseconds within which all pictures are drawn at once."""
_PATIENCE = 150
"""Milliseconds for which what was on show stays while other pictures are read."""
_MARGIN = 0.25
"""How much of the visible part is asked for beyond each of its edges."""


class Showing(QObject):
    """Fills *maps*; :attr:`pictures` are those on show."""

    drawn = Signal()
    """Other pictures are on show."""
    emptied = Signal()
    """Other pictures take long, and those on show were taken away."""
    blocked = Signal(str, bool)
    """Why there are none, and whether finding moved dumps may help."""

    def __init__(self, pair: ShownPair, maps: MapsPage, desk: Desk) -> None:
        super().__init__(maps)
        self._pair, self._maps, self._desk = pair, maps, desk
        self.locate_words = ""
        """On the button that leads to moved dumps; empty where none is offered."""
        self._coming: PairPictures | None = None
        self._asked = (0, 0)
        """Pixels that the overview was asked for."""
        self._settled, self._together, self._patience = QTimer(self), QTimer(self), QTimer(self)
        for timer, pause, do in (
            (self._settled, _SETTLED, self._refine), (self._together, _TOGETHER, self._draw_coming),
            (self._patience, _PATIENCE, self._empty),
        ):  # fmt: skip
            timer.setSingleShot(True)
            timer.setInterval(pause)
            timer.timeout.connect(do)
        maps.sight_changed.connect(self._settled.start)
        desk.drawn.connect(self._take)
        desk.golden_drawn.connect(maps.show_golden_part)

    @property
    def pictures(self) -> PairPictures | None:
        """Those on show."""
        return self._maps.pictures

    def ask(self) -> None:
        """Ask for the whole plane."""
        if self._pair.sources is not None and self._maps.window().isVisible():
            self.expect_others()
            self._asked = self._maps.pixels()
            self._desk.draw(self._asked)
            if not self._is_wanted(self.pictures):
                self._patience.start()

    def clear(self) -> None:
        """Show nothing, and want nothing."""
        self._coming = None
        self._together.stop()
        self._settled.stop()
        self._patience.stop()
        self._maps.empty()

    def _empty(self) -> None:
        """Let nothing of another pair stand beside what is said of the one in focus."""
        if self.pictures is not None and not self._is_wanted(self.pictures):
            self._maps.empty()
            self.emptied.emit()

    def _is_wanted(self, pictures: PairPictures | None) -> bool:
        """Whether *pictures* are of the pair and the plane in focus, and of the kind that is chosen."""
        if pictures is None:
            return True
        request, looks = pictures.request, self._maps.looks
        wanted = self._pair.sources, self._pair.plane, looks.difference, looks.part
        return (request.sources, request.plane, request.difference, request.part) == wanted

    def expect_others(self) -> None:
        """Draw nothing more of what was asked for."""
        self._coming = None
        self._together.stop()

    # ---- what comes

    def _take(self, pictures: PairPictures, part: bool) -> None:
        if part:
            shown = self.pictures
            if pictures.whole and shown is not None:
                if (_problems(pictures), pictures.kept) == (_problems(shown), shown.kept):
                    self._maps.show_part(pictures)
                else:  # a file went or came meanwhile
                    self.ask()
            return
        self._coming = pictures
        if pictures.whole:
            self._draw_coming()
        elif not self._together.isActive():
            self._together.start()

    def _draw_coming(self) -> None:
        """Draw what has come of the pictures asked for last."""
        pictures = self._coming
        if pictures is None or pictures.request.sources != self._pair.sources:
            return
        self._together.stop()
        self._patience.stop()
        sides = pictures.target, pictures.golden
        shape = next((side.shape for side in sides if side.shape is not None), None)
        problems = _problems(pictures)
        if shape is None and problems:
            self.blocked.emit(" ".join(problems), True)
        elif shape is not None and not math.prod(shape):
            self.blocked.emit(text("gui.heat.empty", shape=shape_label(shape)), False)
        else:
            self._maps.arrange(self._pair.focus.exploring, self._is_curve(pictures))
            self._maps.link(pictures.no_difference is None)
            self._maps.show_pictures(pictures)
            self.complain()
            if pictures.whole:
                self._settled.start()
            self.drawn.emit()

    def _is_curve(self, pictures: PairPictures) -> bool:
        plane = pictures.request.plane
        if plane is None or pictures.no_difference is not None:
            return False
        rows, columns = plane.size(self._pair.shape)
        return rows == 1 and columns > 1

    def complain(self) -> None:
        """Say in each pane without a picture why it has none."""
        pictures, maps = self.pictures, self._maps
        if pictures is None:
            return
        for pane, side in ((maps.target, pictures.target), (maps.golden, pictures.golden)):
            if side.problem is not None:
                pane.show_note(side.problem.sentence(), self.locate_words)
            elif side.shape is None and pictures.whole:
                pane.show_note(self._pair.missing_words())
            else:
                pane.show_canvas()
        both = pictures.target.shape is not None and pictures.golden.shape is not None
        problems, why = " ".join(_problems(pictures)), text("gui.tensors.no_difference")
        if pictures.no_difference is not None:
            why = render(pictures.no_difference)
        elif both and problems:
            why = problems
        for pane in (maps.difference, maps.curve_difference):
            if pictures.whole and pictures.difference is None:
                pane.show_note(why)
            else:
                pane.show_canvas()
        if pictures.whole and problems and _of_either_side(pictures) is None:
            maps.curves.show_note(problems, self.locate_words)
        else:
            maps.curves.show_canvas()

    # ---- in detail

    def _refine(self) -> None:
        """Ask for the visible part in the detail that the screen has, where the overview has less."""
        pictures, maps = self.pictures, self._maps
        found = _of_either_side(pictures)
        if pictures is None or found is None or not maps.isVisible():
            return
        height, width = maps.pixels()
        if found.block != (1, 1) and maps.sight.whole:
            self._desk.forget_part()
            if self._asked != (height, width):
                self.ask()
        elif found.block != (1, 1):
            scale = 1 + 2 * _MARGIN
            self._desk.draw((int(height * scale), int(width * scale)), maps.sight.region(_MARGIN))
        if not maps.linked and not maps.golden_sight.whole:
            self._desk.draw_golden(maps.golden_sight.region(), (height, width))


def _problems(pictures: PairPictures) -> tuple[str, ...]:
    """Return what stands in the way of the sides, each sentence once."""
    found = (side.problem for side in (pictures.target, pictures.golden))
    return tuple(dict.fromkeys(problem.sentence() for problem in found if problem is not None))


def _of_either_side(pictures: PairPictures | None) -> Picture | None:
    """Return the picture of the target, or else of the golden."""
    if pictures is None:
        return None
    return pictures.target.picture or pictures.golden.picture
