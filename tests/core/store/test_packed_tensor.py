"""A packed tensor answers as the file it was packed from, in every format, shape and index."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, basic_indices, integer_array_indices

from core.compare.packing import pack
from core.dtypes import DTYPES
from core.errors import InputError
from core.formats.tensors import TensorHandle, open_tensor
from core.metrics.inspection.sources import PairSources, TensorFile, open_pair
from core.progress import run_to_end
from core.store.packed import open_packed_tensor
from core.store.packed_tensor import PackedTensor
from core.store.packing import write_packed_cell
from core.store.runs import ingest, open_run
from core.store.schema import DTYPE_ATTRIBUTE, MEANING_ATTRIBUTE
from core.store.tensor_bytes import TensorPlace, place_of
from tests.builders.dumps import call, write_dump
from tests.core.metrics.pictures.tensors import handle_of, numbers

SHAPES = st.lists(st.sampled_from([0, 1, 1, 2, 3, 5, 9]), max_size=4).map(tuple)
NAMES = sorted(DTYPES)
_counter = itertools.count()


@pytest.fixture(scope="module")
def file() -> Any:
    with h5py.File("packed", "w", driver="core", backing_store=False) as made:
        yield made


def packed(file: h5py.File, plain: TensorHandle, chunks: tuple[int, ...]) -> PackedTensor:
    """Store the bits in *chunks*, which are smaller than those of real files."""
    data = np.ascontiguousarray(plain.bits()).reshape(plain.shape)
    options: dict[str, Any] = {}
    if plain.size and plain.shape:
        options = {"chunks": chunks, "compression": 1, "shuffle": True, "fletcher32": True}
    dataset = file.create_dataset(f"x{next(_counter)}", data=data, **options)
    dataset.attrs[DTYPE_ATTRIBUTE] = plain.stored.name
    dataset.attrs[MEANING_ATTRIBUTE] = plain.dtype.name
    return PackedTensor(dataset, "here", "x")


@st.composite
def both(draw: st.DrawFn, file: h5py.File) -> tuple[TensorHandle, PackedTensor]:
    name, shape = draw(st.sampled_from(NAMES)), draw(SHAPES)
    array = numbers(np.random.default_rng(draw(st.integers(0, 99))), name, shape, 0.1)
    if DTYPES[name].native and draw(st.booleans()):
        array = array.astype(array.dtype.newbyteorder(">"))
    chunks = tuple(draw(st.integers(1, max(size, 1))) for size in shape)
    handle = handle_of(np.asarray(array))
    return handle, packed(file, handle, chunks)


def same(got: np.ndarray, wanted: np.ndarray) -> None:
    assert type(got) is type(wanted)  # of no dimensions, numpy may give a number
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    assert got.tobytes() == wanted.tobytes()


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_every_way_to_read(data: st.DataObject, file: h5py.File) -> None:
    plain, kept = data.draw(both(file))
    for name in ("shape", "size", "stored", "dtype", "storage", "nbytes", "plain"):
        assert getattr(kept, name) == getattr(plain, name), name
    assert not kept.damaged(1 << 40)
    same(kept.bits(), plain.bits())
    assert not kept.bits().flags.writeable
    same(kept.numbers(kept.bits()), plain.numbers(plain.bits()))
    index = data.draw(indices(plain.shape))
    same(kept.part(index), plain.part(index))
    same(kept.read(index), plain.read(index))
    same(kept.read(), plain.read())
    start = data.draw(st.integers(0, plain.size))
    stop = data.draw(st.integers(start, plain.size + 3))
    same(kept.flat_bits(start, stop), plain.flat_bits(start, stop))
    same(kept.flat(start, stop), plain.flat(start, stop))
    elements = data.draw(st.integers(1, 50))
    for got, wanted in itertools.zip_longest(kept.chunks(elements), plain.chunks(elements)):
        same(got, wanted)
    shape = [size for size in plain.shape if size != 1]
    for _ in range(data.draw(st.integers(0, 3))):
        shape.insert(data.draw(st.integers(0, len(shape))), 1)
    other, wanted_other = kept.reshaped(tuple(shape)), plain.reshaped(tuple(shape))
    assert (other.shape, other.size, other.dtype) == (wanted_other.shape, wanted_other.size, plain.dtype)
    same(other.bits(), wanted_other.bits())
    index = data.draw(indices(other.shape))
    same(other.part(index), wanted_other.part(index))
    same(other.reshaped(plain.shape).flat(start, stop), plain.flat(start, stop))


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    ways = [basic_indices(shape, allow_newaxis=True), arrays(np.bool_, shape)]
    if shape and all(shape):
        ways.append(integer_array_indices(shape))
        ways.append(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=4).map(_numbers_of_rows))
        ways.append(st.tuples(st.just(slice(None, None, -2)), st.just(Ellipsis)))
        ways.append(st.tuples(*(st.integers(-size, size - 1).map(np.int64) for size in shape)))
    return draw(st.one_of(ways))


def _numbers_of_rows(rows: list[int]) -> np.ndarray:
    return np.array(rows, np.int64)


@pytest.mark.parametrize("index", [5, (0, 0, 0, 0), (slice(None), -4), np.array([7]), "x", (..., ...)])
def test_an_index_that_does_not_exist(index: Any, file: h5py.File) -> None:
    kept = packed(file, handle_of(np.zeros((2, 3, 4))), (1, 3, 4))
    with pytest.raises(IndexError):
        kept.part(index)


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 2), (2,), ()])
def test_another_shape_than_its_own(shape: tuple[int, ...], file: h5py.File) -> None:
    with pytest.raises(ValueError, match="no shape"):
        packed(file, handle_of(np.zeros((2, 3))), (1, 3)).reshaped(shape)


def test_a_closed_one_holds_nothing(file: h5py.File) -> None:
    kept = packed(file, handle_of(np.zeros((2, 3))), (1, 3))
    with kept:
        assert kept.bits().size == 6
    plain = handle_of(np.zeros((2, 3)))
    plain.close()
    same(kept.bits(), plain.bits())
    same(kept.flat(0, 6), plain.flat(0, 6))
    same(kept.read(), plain.read())


def _pack(folder: Path, array: np.ndarray) -> TensorPlace:
    write_dump(
        folder / "run" / "step0" / "rank0", {"Torch.x.0.forward": call([array], [array])}, tensors=True
    )
    run_to_end(pack(str(folder / "run"), str(folder / "packed.h5")))
    dump = run_to_end(ingest(next(iter(open_run(folder / "packed.h5").cells.values())), None))
    place = place_of(dump, 0)
    assert place is not None
    return place


def test_a_pair_whose_shapes_differ_by_ones_opens_and_compares(tmp_path: Path) -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    np.save(tmp_path / "plain.npy", array[:, None])
    plain = TensorFile(str(tmp_path / "plain.npy"))
    kept = _pack(tmp_path, array)
    for target, golden in ((plain, kept), (kept, plain)):
        pair = open_pair(PairSources(target, golden))
        assert pair.both is not None
        assert pair.both[0].shape == pair.both[1].shape
        np.testing.assert_array_equal(pair.both[0].read(), pair.both[1].read())


def test_what_is_pending_is_carried_out_and_the_meaning_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = _pack(tmp_path, np.zeros(3, np.float32))  # gives a dump to pack other tensors in place of
    dump = run_to_end(ingest(next(iter(open_run(tmp_path / "run").cells.values())), None))
    key = next(iter(open_run(tmp_path / "run").cells))
    real = np.array([1.5, -0.0, np.inf], np.float32)
    for number, plain in enumerate(
        (
            TensorHandle(np.array([1 + 2j, -3j], np.complex64), DTYPES["complex64"], conjugate=True),
            TensorHandle(real.copy(), DTYPES["float32"], negative=True),
            TensorHandle(np.array([0x3FC0], np.uint16), DTYPES["bfloat16"], negative=True),
            TensorHandle(real.copy(), DTYPES["float32"], dtype=DTYPES["bfloat16"]),
        )
    ):
        monkeypatch.setattr(TensorPlace, "open", lambda _, plain=plain: plain)
        wanted = plain.read()
        path = tmp_path / f"{number}.h5"
        with h5py.File(path, "w") as file:
            assert run_to_end(write_packed_cell(file, key, dump, [])) > 0
        kept = open_packed_tensor(str(path), place.name)
        assert kept.plain
        same(kept.read(), wanted)
        assert kept.dtype is plain.dtype


def test_a_file_written_anew_is_opened_anew(tmp_path: Path) -> None:
    place = _pack(tmp_path / "first", np.zeros(3))
    other = _pack(tmp_path / "second", np.ones(3))
    assert place.open().read().tolist() == [0, 0, 0]
    Path(other.path).replace(place.path)
    assert place.open().read().tolist() == [1, 1, 1]


def test_damage_and_absence_are_problems(tmp_path: Path) -> None:
    place = _pack(tmp_path, np.random.default_rng(0).standard_normal(5000))
    with h5py.File(place.path) as file:
        chunk = file[place.name].id.get_chunk_info(0)
    content = bytearray(Path(place.path).read_bytes())
    content[chunk.byte_offset + 100] ^= 1
    Path(place.path).write_bytes(content)
    for read in (
        lambda handle: handle.bits(),
        lambda handle: handle.part((slice(3, 5),)),
        lambda handle: handle.flat(1, 2),
        lambda handle: handle.read(np.array([1, 2])),
    ):
        with pytest.raises(InputError) as caught:
            read(place.open())
        assert caught.value.problem.code == "store_damaged"
    Path(place.path).unlink()
    with pytest.raises(InputError):
        place.open()


def test_packed_again_it_is_the_same(tmp_path: Path) -> None:
    array = np.random.default_rng(0).standard_normal((3, 1, 5)).astype(np.float32)
    first = _pack(tmp_path, array)
    run_to_end(pack(first.path, str(tmp_path / "again.h5")))
    again = open_packed_tensor(str(tmp_path / "again.h5"), first.name)
    same(again.bits(), open_tensor(str(next((tmp_path / "run").rglob("*.npy")))).bits())
