"""Pictures of both tensors of a pair and of their difference, bit by bit."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from core.dtypes import DTYPES, Kind
from core.errors import Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.inspection.kept.pair import KeptPair, KeptSide
from core.metrics.inspection.kept.pictures import kept_plane, part_of
from core.metrics.inspection.overwriting import of_one_state
from core.metrics.inspection.picture_cache import PictureCache
from core.metrics.inspection.sources import OpenedPair, PairSources, open_pair
from core.metrics.pictures.content import of_difference, of_side
from core.metrics.pictures.drawing import draw
from core.metrics.pictures.kinds import Difference, Part
from core.metrics.pictures.plane import Plane, Region, Shape
from core.metrics.pictures.reduction import Drawing, Picture
from core.metrics.shapes import comparable

_KEPT_BYTES = 64 << 20

_SHOWN_EVERY = 0.15
"""Seconds at least between two answers to one request: each crosses to another process."""


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """Which tensors, which plane and region of them, in how many pixels (rows, columns)."""

    sources: PairSources
    plane: Plane | None = None
    """``None``, or one that does not exist in the tensor: the last two axes."""
    region: Region | None = None
    """``None``: all of the plane."""
    max_pixels: tuple[int, int] = (1024, 1024)
    difference: Difference = Difference.ABSOLUTE
    part: Part = Part.MAGNITUDE
    """Of complex numbers."""


@dataclass(frozen=True, slots=True)
class SidePicture:
    """One side: its picture, or the problem that stands in the way; neither where the side is missing."""

    shape: Shape | None = None
    dtype: str = ""
    stored: str = ""
    plane: Plane | None = None
    plane_size: tuple[int, int] = (0, 0)
    picture: Picture | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class PairPictures:
    """The answer to a :class:`PictureRequest`, as far as it goes."""

    request: PictureRequest
    target: SidePicture
    golden: SidePicture
    difference: Picture | None = None
    no_difference: Message | None = None
    """Why there can be none, where both sides are there."""
    whole: bool = False
    """Whether nothing more is to come."""
    kept: bool = False
    """Whether a side comes from what a result keeps, as its tensor cannot be opened."""

    @property
    def nbytes(self) -> int:
        """Bytes of all pixels."""
        pictures = (self.target.picture, self.golden.picture, self.difference)
        return sum(picture.nbytes for picture in pictures if picture is not None)

    def having(self, name: str, picture: Picture) -> PairPictures:
        """Return the same with *picture* as that of the target, the golden or the difference."""
        if name == "difference":
            return replace(self, difference=picture)
        if name == "target":
            return replace(self, target=replace(self.target, picture=picture))
        return replace(self, golden=replace(self.golden, picture=picture))


_cache: PictureCache[PairPictures] = PictureCache(_KEPT_BYTES)


@of_one_state
def pair_pictures(request: PictureRequest) -> Generator[PairPictures | None, None, None]:
    """Yield the pictures that *request* asks for: what there is of them now and then, all of them at last.

    First the target's, row by row, then the golden's, then the difference. ``None`` is yielded every few
    milliseconds between, for others to have their turn. A golden of another shape is shown by its own
    plane, whole; then there is no difference. The latest answers are kept while their files do not change.
    """
    pair = open_pair(request.sources)
    key = request, pair.files
    known = _cache.find(key)
    if known is not None:
        yield known
        return
    made = _begun(pair, request)
    shown = time.perf_counter()
    for name, drawing in _drawings(pair, request):
        done = False
        while not done:
            try:
                picture = next(drawing)
            except StopIteration as end:
                picture, done = end.value, True
            made = made.having(name, picture) if picture is not None else made
            if picture is not None and time.perf_counter() - shown >= _SHOWN_EVERY:
                yield made
                shown = time.perf_counter()
            else:
                yield None
    made = replace(made, whole=True)
    pair.check_state()
    if open_pair(request.sources).files == pair.files:
        _cache.keep(key, made, made.nbytes)
    yield made


def _begun(pair: OpenedPair, request: PictureRequest) -> PairPictures:
    """Return the answer without the pictures that are to be drawn."""
    if pair.condensed is not None:
        return _kept(pair, pair.condensed, request)
    sides = _side(pair, 0, request.plane), _side(pair, 1, request.plane)
    made = PairPictures(request, *sides, kept=pair.kept is not None)
    if pair.both is None and pair.target is not None and pair.golden is not None:
        return replace(made, no_difference=_shapes_differ(pair.target.shape, pair.golden_shape))
    return made


def _drawings(pair: OpenedPair, request: PictureRequest) -> Iterator[tuple[str, Drawing]]:
    if pair.condensed is not None:
        return
    for name, handle in (("target", pair.target), ("golden", pair.golden)):
        if handle is not None:
            content = of_side(handle, _plane(request.plane, handle.shape), request.part)
            region = request.region if handle.shape == pair.shape else None
            yield name, draw(content, region, request.max_pixels)
    if pair.both is not None:
        plane = _plane(request.plane, pair.both[0].shape)
        content = of_difference(*pair.both, plane, request.difference, request.part)
        yield "difference", draw(content, request.region, request.max_pixels)


def _plane(wanted: Plane | None, shape: Shape) -> Plane:
    return wanted if wanted is not None and wanted.fits(shape) else Plane.of(shape)


def _side(pair: OpenedPair, index: int, wanted: Plane | None) -> SidePicture:
    handle: TensorHandle | None = (pair.target, pair.golden)[index]
    if handle is None:
        return SidePicture(problem=pair.problems[index])
    plane = _plane(wanted, handle.shape)
    return SidePicture(handle.shape, handle.dtype.name, handle.stored.name, plane, plane.size(handle.shape))


def _shapes_differ(target: Shape, golden: Shape) -> Message:
    shapes = (" × ".join(map(str, shape)) for shape in (target, golden))
    return Message("gui.tensors.shapes_differ", dict(zip(("target", "golden"), shapes)))


def _kept(pair: OpenedPair, kept: KeptPair, request: PictureRequest) -> PairPictures:
    """Return what a result keeps of the plane; only magnitudes and their absolute difference are kept."""
    whole_numbers = request.part is Part.MAGNITUDE or not (
        _is_complex(kept.target) or _is_complex(kept.golden)
    )
    held = kept_plane(kept, request.plane) if whole_numbers else None
    target_shape = kept.target.shape
    alike = comparable(target_shape, kept.golden.shape)
    sides = []
    for index, side in enumerate((kept.target, kept.golden)):
        shape = target_shape if alike else side.shape
        plane = _plane(held.plane if held is not None else request.plane, shape)
        known = SidePicture(shape, side.dtype, side.stored, plane, plane.size(shape))
        if held is None:
            sides.append(replace(known, problem=Problem("slice_not_kept", "")))
            continue
        region = request.region if shape == target_shape else None
        picture = part_of((held.target, held.golden)[index], region, request.max_pixels)
        sides.append(replace(known, picture=picture))
    made = PairPictures(request, sides[0], sides[1], kept=True)
    if not alike:
        return replace(made, no_difference=_shapes_differ(target_shape, kept.golden.shape))
    if held is None or held.difference is None:
        return made
    if request.difference is not Difference.ABSOLUTE:
        return replace(made, no_difference=Message("gui.tensors.absolute_only"))
    return replace(made, difference=part_of(held.difference, request.region, request.max_pixels))


def _is_complex(side: KeptSide) -> bool:
    return DTYPES[side.stored].kind is Kind.COMPLEX
