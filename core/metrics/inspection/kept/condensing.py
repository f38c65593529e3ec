"""What a result keeps of large tensors: pictures, the worst elements, counts; small whatever their size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.distributions.measuring import measured
from core.metrics.distributions.records import Bins, Counted, Exponents
from core.metrics.elements.records import By
from core.metrics.elements.statistics import statistics_of
from core.metrics.elements.worst import worst_places
from core.metrics.inspection.kept.pair import (
    KeptCrop,
    KeptDistributions,
    KeptPair,
    KeptPattern,
    KeptPlane,
    KeptWorst,
)
from core.metrics.inspection.patterns import pair_patterns
from core.metrics.inspection.pictures import PairPictures, PictureRequest, pair_pictures
from core.metrics.inspection.sources import OpenedPair, PairSources, open_pair
from core.metrics.pictures.plane import Place, Plane, Shape
from core.metrics.pictures.reduction import Picture
from core.progress import Progress, Work

_WHOLE_PIXELS, _SLICE_PIXELS = (512, 512), (256, 256)
_LINE_PIXELS = 1, 4096
"""Of a tensor of one axis as a single row, which is drawn as a curve."""
_CROP = 16
"""Elements kept on each side of the largest difference, along the last two axes."""
_CROP_LINE = 512
"""The same in a tensor of one axis."""
_WORST = 64
"""Elements kept by each measure."""
_FRACTION_BITS = 12
"""Fraction bits of a picture's values that are kept; bf16 and fp16 have no more."""


def condense(sources: PairSources, sides: KeptPair, worst: int, only_seen: bool) -> Work[KeptPair]:
    """Return *sides* with what is to be known of them without their bytes; *only_seen*: only pictures."""
    pair = open_pair(sources)
    place = _place(pair, worst)
    planes = []
    for plane, pixels in _planes(sides.target.shape, place):
        found = yield from _drawn(PictureRequest(sources, plane, max_pixels=pixels))
        planes += [found] if found is not None else []
    kept = replace(sides, planes=tuple(planes), crop=_crop(pair, place))
    if only_seen:
        return kept
    ranked: list[KeptWorst] = []
    if pair.both is not None:
        for by in By:
            ranked.append((yield from _ranked(*pair.both, by)))
    return replace(
        kept,
        worst=tuple(ranked),
        distributions=(yield from _counted(pair)),
        statistics=(yield from statistics_of(pair)),
        patterns=tuple(KeptPattern.of(pattern) for pattern in (yield from pair_patterns(sources))),
    )


def _place(pair: OpenedPair, worst: int) -> Place:
    """Return the index of the largest difference, else of the first element."""
    assert pair.target is not None
    if not pair.target.size:
        return (0,) * len(pair.target.shape)
    flat = worst if pair.both is not None and 0 <= worst < pair.target.size else 0
    return tuple(int(at) for at in np.unravel_index(flat, pair.target.shape))


def _planes(shape: Shape, place: Place) -> Iterator[tuple[Plane, tuple[int, int]]]:
    yield Plane.whole(shape), _WHOLE_PIXELS
    if len(shape) == 1:
        yield Plane.line(shape), _LINE_PIXELS
    if len(shape) > 2:
        yield Plane.of(shape, place), _SLICE_PIXELS


def _drawn(request: PictureRequest) -> Work[KeptPlane | None]:
    pictures: PairPictures | None = None
    for part in pair_pictures(request):
        pictures = part if part is not None else pictures
        yield Progress(0, 0, Message("progress.looking_into"))
    if pictures is None or pictures.target.picture is None or pictures.golden.picture is None:
        return None
    assert request.plane is not None
    return KeptPlane(
        request.plane,
        _cut(pictures.target.picture),
        _cut(pictures.golden.picture),
        _cut(pictures.difference) if pictures.difference is not None else None,
    )


def _cut(picture: Picture) -> Picture:
    """Return *picture* with values that can be stored small, cut towards zero."""
    kind = picture.values.dtype
    word = np.dtype(f"u{kind.itemsize}").type
    mask = ~word((1 << (np.finfo(kind).nmant - _FRACTION_BITS)) - 1)
    cut = (np.ascontiguousarray(picture.values).view(word) & mask).view(kind)
    return replace(picture, values=np.where(np.isfinite(picture.values), cut, picture.values))


def _ranked(target: TensorHandle, golden: TensorHandle, by: By) -> Work[KeptWorst]:
    found = yield from worst_places(target, golden, by, _WORST)
    places = np.array(found.places, np.int64).reshape(len(found.places), len(target.shape))
    index = tuple(places.T)
    number_t, number_g = (np.ravel(side.read(index))[: len(places)] for side in (target, golden))
    return KeptWorst(by, places, number_t, number_g, found.differing, found.total)


def _counted(pair: OpenedPair) -> Work[tuple[KeptDistributions, ...]]:
    found: list[KeptDistributions] = []
    for bins in Bins:
        counted = yield from measured(pair, bins)
        if found:  # the rest is the same for all bins
            counted = Counted(counted.values, Exponents(0, None, None), scatter=counted.scatter)
        found.append(KeptDistributions(bins, counted))
    return tuple(found)


def _crop(pair: OpenedPair, place: Place) -> KeptCrop | None:
    if pair.both is None:
        return None
    reach = [0] * (len(place) - 2) + [_CROP if len(place) > 1 else _CROP_LINE] * min(len(place), 2)
    first = tuple(max(at - far, 0) for at, far in zip(place, reach))
    box = tuple(slice(start, at + far + 1) for start, at, far in zip(first, place, reach))
    target, golden = (np.array(handle.read(box), order="C") for handle in pair.both)
    return KeptCrop(first, target, golden)
