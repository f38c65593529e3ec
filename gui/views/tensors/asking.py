"""What the heat maps ask of the service, and which of its answers still matter."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.metrics.inspection.pictures import PairPictures, PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources
from core.metrics.inspection.specials import Special, next_special
from core.metrics.inspection.values import ElementPair, values_at
from core.metrics.pictures.plane import Region
from core.progress import Progress
from gui.processes.picture_client import PictureClient
from gui.processes.picture_service import PictureService
from gui.tensors.element_work import copied_values
from gui.tensors.looks import HeatLooks
from gui.tensors.shown_pair import ShownPair
from gui.widgets.quiet_progress import QuietProgress


class Desk(QObject):
    """Asks about the pair on show; of each kind of question only the last one is answered."""

    drawn = Signal(object, bool)
    """:class:`PairPictures` as far as they are, and whether they are of a part."""
    golden_drawn = Signal(object)
    """:class:`PairPictures` of a part of a golden of another shape."""
    valued = Signal(object)
    """The :class:`ElementPair` under the pointer or the cursor; ``None`` where there is none."""
    patterns_found = Signal(object)
    found_special = Signal(object)
    """The place of the next special value, or ``None``."""
    copied = Signal(str)
    failed = Signal(object)
    """A :class:`Problem`, or the last line of what went wrong."""
    refused = Signal(object)
    """A :class:`Problem` of something beside the pictures."""

    def __init__(self, service: PictureService, pair: ShownPair, looks: HeatLooks, parent: QObject) -> None:
        super().__init__(parent)
        self._pair, self._looks = pair, looks
        self._client = PictureClient(service, self)
        self._client.arrived.connect(self._arrive)
        self._client.answered.connect(self._take)
        self._client.rejected.connect(self._reject)
        self._client.crashed.connect(self._crash)
        self.reading = QuietProgress()
        """How far the pictures are; where it stands is for the view."""
        self._latest: PairPictures | None = None
        self._patterns_of: PairSources | None = None

    # ---- questions

    def draw(self, pixels: tuple[int, int], region: Region | None = None) -> None:
        """Ask for the pictures in at most *pixels*; of a *region*, over those of the whole plane."""
        sources = self._pair.sources
        if sources is None:
            return
        request = PictureRequest(
            sources, self._pair.plane, region, pixels, self._looks.difference, self._looks.part
        )
        self._client.forget("part")
        if region is None:
            self._latest = None
            self.reading.begin()
        self._client.request("picture" if region is None else "part", pair_pictures, request)

    def draw_golden(self, region: Region, pixels: tuple[int, int]) -> None:
        """Ask for a part of a golden of another shape, in its own plane."""
        sources, latest = self._pair.sources, self._latest
        if sources is not None and latest is not None:
            alone = PairSources(None, sources.golden)
            request = PictureRequest(
                alone, latest.golden.plane, region, pixels, self._looks.difference, self._looks.part
            )
            self._client.request("golden", pair_pictures, request)

    def forget_part(self) -> None:
        """Want no finer picture."""
        self._client.forget("part")

    def value(self, place: tuple[int, ...] | None, sources: PairSources | None = None) -> None:
        """Ask for the element at *place* of the pair, or of other *sources*."""
        sources = sources or self._pair.sources
        if place is None or sources is None:
            self._client.forget("value")
            self.valued.emit(None)
        else:
            self._client.request("value", values_at, sources, place)

    def find_patterns(self) -> None:
        """Look for patterns, once a pair."""
        from core.metrics.inspection.patterns import pair_patterns

        sources = self._pair.sources
        if sources is not None and sources != self._patterns_of:
            self._patterns_of = sources
            self._client.request("patterns", pair_patterns, sources)

    def find_special(self, side: str, special: str, forward: bool) -> None:
        """Look for the next special value behind the cursor."""
        sources = self._pair.sources
        if sources is not None:
            place = self._pair.place
            self._client.request("special", next_special, sources, side, Special(special), place, forward)

    def copy(self, rectangle: Region, side: str, form: str) -> None:
        """Ask for the values of *rectangle* as text."""
        sources = self._pair.sources
        if sources is not None:
            self._client.request("copy", copied_values, sources, self._pair.plane, rectangle, side, form)

    def forget(self) -> None:
        """Want nothing more: another pair is on show."""
        for channel in ("picture", "part", "golden", "value", "patterns", "special"):
            self._client.forget(channel)
        self._patterns_of = None
        self.reading.end()

    # ---- answers

    def _arrive(self, channel: str, part: object) -> None:
        if isinstance(part, PairPictures) and channel == "golden":
            self.golden_drawn.emit(part)
        elif isinstance(part, PairPictures):
            if channel == "picture":
                self._latest = part
                self.reading.end() if part.whole else self.reading.show_progress(_progress(part))
            self.drawn.emit(part, channel == "part")

    def _take(self, channel: str, answer: object) -> None:
        if channel == "picture":
            self.reading.end()
        elif channel == "value" and isinstance(answer, ElementPair):
            self.valued.emit(answer)
        elif channel == "patterns" and isinstance(answer, tuple):
            self.patterns_found.emit(answer)
        elif channel == "special":
            self.found_special.emit(answer)
        elif channel == "copy" and isinstance(answer, str):
            self.copied.emit(answer)

    def _reject(self, channel: str, problem: Problem) -> None:
        if channel == "picture":
            self.reading.end()
            self.failed.emit(problem)
        elif channel == "patterns":
            self.patterns_found.emit(())
        elif channel == "copy":
            self.refused.emit(problem)

    def _crash(self, channel: str, traceback: str) -> None:
        if channel in ("picture", "part"):
            self.reading.end()
            self.failed.emit(traceback.strip().split("\n")[-1])
        elif channel == "patterns":
            self.patterns_found.emit(())


def _progress(pictures: PairPictures) -> Progress:
    """Return how much of three pictures is there, roughly."""
    done = 0.0
    sides = (pictures.target.picture, pictures.golden.picture, pictures.difference)
    for picture in sides:
        if picture is not None:
            region = picture.region
            elements = max((region.bottom - region.top) * (region.right - region.left), 1)
            read = picture.finite + picture.nan + picture.plus_inf + picture.minus_inf
            done += min(read / elements, 1.0)
    return Progress(int(100 * done), 100 * len(sides), Message("gui.asking.reading"))
