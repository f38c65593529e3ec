"""Planes of packed tensors: the same pictures as of mapped ones, and hardly a chunk unpacked twice."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections import OrderedDict
from dataclasses import fields
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.pictures.chunked_sheet import ChunkedSheet, sheet_of
from core.metrics.pictures.drawing import difference_picture, picture
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.reduction import Picture
from core.metrics.pictures.sheet import Sheet
from core.store.packed_tensor import PackedTensor
from core.store.schema import DTYPE_ATTRIBUTE
from core.store.tables import write_array
from tests.core.metrics.pictures.planes import planes, regions
from tests.core.metrics.pictures.tensors import handle_of, numbers

SHAPES = st.lists(st.integers(1, 7), max_size=4).map(tuple)
_counter = itertools.count()


@pytest.fixture(scope="module")
def file() -> Any:
    with h5py.File("pictures", "w", driver="core", backing_store=False) as made:
        yield made


def packed(file: h5py.File, handle: TensorHandle, chunks: tuple[int, ...] | None = None) -> PackedTensor:
    bits, name = np.ascontiguousarray(handle.bits()).reshape(handle.shape), f"x{next(_counter)}"
    if chunks is None or not chunks or not bits.size:
        dataset = write_array(file, name, bits)
    else:
        dataset = file.create_dataset(name, data=bits, chunks=chunks)
    dataset.attrs[DTYPE_ATTRIBUTE] = handle.stored.name
    return PackedTensor(dataset, "here", name)


@st.composite
def chunks_of(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(draw(st.integers(1, max(size, 1))) for size in shape)


def same_picture(got: Picture, wanted: Picture) -> None:
    for field in fields(Picture):
        a, b = getattr(got, field.name), getattr(wanted, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, field.name)
        else:
            assert a == b or (a != a and b != b), field.name


@settings(max_examples=100, deadline=None)
@given(data=st.data(), shape=SHAPES)
def test_regions_and_samples(data: st.DataObject, shape: tuple[int, ...], file: h5py.File) -> None:
    handle = handle_of(np.arange(math.prod(shape), dtype=np.int32).reshape(shape))
    plane = data.draw(planes(shape))
    mapped, sheet = (
        Sheet(handle.bits(), plane),
        sheet_of(packed(file, handle, data.draw(chunks_of(shape))), plane),
    )
    assert isinstance(sheet, ChunkedSheet)
    assert sheet.size == mapped.size
    region = data.draw(regions(*mapped.size))
    (got, fill), (wanted, wanted_fill) = sheet.take(region), mapped.take(region)
    np.testing.assert_array_equal(got, wanted)
    assert fill == wanted_fill


@settings(max_examples=80, deadline=None)
@given(data=st.data(), shape=SHAPES, name=st.sampled_from(sorted(DTYPES)))
def test_pictures(data: st.DataObject, shape: tuple[int, ...], name: str, file: h5py.File) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    handles = [handle_of(np.asarray(numbers(random, name, shape, 0.1))) for _ in range(2)]
    kept = [packed(file, handle, data.draw(chunks_of(shape))) for handle in handles]
    plane = data.draw(planes(shape))
    region = data.draw(st.none() | regions(*plane.size(shape)))
    pixels = data.draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    same_picture(picture(kept[0], plane, region, pixels), picture(handles[0], plane, region, pixels))
    kind = data.draw(st.sampled_from(list(Difference)))
    wanted = difference_picture(handles[0], handles[1], plane, region, pixels, kind)
    for pair in ((kept[0], kept[1]), (kept[0], handles[1]), (handles[0], kept[1])):
        same_picture(difference_picture(*pair, plane, region, pixels, kind), wanted)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4), ()])
def test_planes_of_nothing_and_of_one_number(shape: tuple[int, ...], file: h5py.File) -> None:
    handle = handle_of(np.full(shape, 2.5, np.float32))
    plane = Plane.whole(shape)
    same_picture(picture(packed(file, handle), plane, None, (5, 5)), picture(handle, plane, None, (5, 5)))


def test_a_plane_that_does_not_exist(file: h5py.File) -> None:
    with pytest.raises(ValueError, match="no plane"):
        sheet_of(packed(file, handle_of(np.zeros((2, 3)))), Plane((0,), (2,), (0, 0)))


class Watched(PackedTensor):
    """Counts which chunks a cache of *room* chunks would have to unpack, the latest used being kept."""

    __slots__ = ("cache", "room", "seen", "unpacked")

    def watch(self, room: int) -> Watched:
        self.room, self.unpacked, self.seen = room, 0, set[tuple[int, ...]]()
        self.cache: OrderedDict[tuple[int, ...], None] = OrderedDict()
        return self

    def part(self, index: Any) -> np.ndarray:
        full = index if isinstance(index, tuple) else (index,)
        full = (*full, *(slice(None),) * (len(self.shape) - len(full)))
        spans = []
        for at, size, chunk in zip(full, self.shape, self.grain or self.shape):
            places = range(size)[at] if isinstance(at, slice) else range(at, at + 1)
            spans.append(range(places[0] // chunk, places[-1] // chunk + 1))
        for chunk in itertools.product(*spans):
            self.seen.add(chunk)
            if chunk not in self.cache:
                self.unpacked += 1
            self.cache.pop(chunk, None)
            self.cache[chunk] = None
            while len(self.cache) > self.room:
                self.cache.popitem(last=False)
        return super().part(index)


@pytest.mark.parametrize(
    ("shape", "chunks", "plane"),
    [
        ((2048, 1024), (16, 1024), Plane((0,), (1,), (0, 0))),
        ((2048, 1024), (16, 1024), Plane((1,), (0,), (0, 0))),
        ((24, 90000), (1, 4096), Plane((0,), (1,), (0, 0))),
        ((100, 24, 64), (1, 24, 64), Plane((1,), (0, 2), (0, 0, 0))),
        ((100, 24, 64), (1, 24, 64), Plane((0, 1), (2,), (0, 0, 0))),
        ((100, 24, 64), (1, 24, 64), Plane((0,), (1,), (0, 0, 9))),
        ((100, 24, 64), (1, 24, 64), Plane((2,), (1, 0), (0, 0, 0))),
        ((4, 6, 96, 64), (1, 1, 32, 64), Plane((0, 2), (1, 3), (0, 0, 0, 0))),
        ((4, 6, 96, 64), (1, 1, 32, 64), Plane((1, 3), (2, 0), (0, 0, 0, 0))),
        ((300_001,), (4096,), Plane((), (0,), (0,))),
        ((300_001,), (4096,), Plane((), (0,), (0,), 300_000)),
        ((300_001,), (4096,), Plane((), (0,), (0,), 10)),
    ],
)
@pytest.mark.parametrize("pixels", [(1024, 1024), (40, 60)])
def test_each_chunk_is_unpacked_about_once_a_pass(
    shape: tuple[int, ...], chunks: tuple[int, ...], plane: Plane, pixels: tuple[int, int], file: h5py.File
) -> None:
    values = np.random.default_rng(0).standard_normal(shape, np.float32)
    tensor = packed(file, handle_of(values), chunks)
    watched = Watched(file[tensor.member], "here", tensor.member).watch(16)
    drawn = picture(watched, plane, None, pixels)
    same_picture(drawn, picture(handle_of(values), plane, None, pixels))
    # Once to sample it for percentiles and once to draw it; edges of panels belong to two.
    assert watched.unpacked <= 3.2 * len(watched.seen)


def test_a_slice_costs_only_the_slice(file: h5py.File) -> None:
    values = np.random.default_rng(0).standard_normal((64, 256, 256), np.float32)
    tensor = packed(file, handle_of(values), (1, 128, 256))
    watched = Watched(file[tensor.member], "here", tensor.member).watch(16)
    picture(watched, Plane.of(values.shape, (7,)), None, (100, 100))
    assert {chunk[0] for chunk in watched.seen} == {7}
    picture(watched.watch(16), Plane.of(values.shape, (9,)), Region(0, 20, 30, 50), (100, 100))
    assert watched.seen == {(9, 0, 0)}
    assert watched.unpacked == 1


def test_memory_is_that_of_a_few_chunks(file: h5py.File) -> None:
    values = np.zeros((4096, 4096), np.float32)
    tensor = packed(file, handle_of(values))
    for plane in (Plane.of(values.shape), Plane((1,), (0,), (0, 0))):
        tracemalloc.start()
        picture(tensor, plane, None, (256, 256))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < values.nbytes / 4
