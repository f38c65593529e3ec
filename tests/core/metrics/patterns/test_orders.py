"""The same elements in another order."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np
import pytest
from builders.noise_pairs import cast, handle
from builders.pattern_search import names_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.patterns.engine import find_patterns
from core.progress import run_to_end

SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from(["float32", "float16", "bfloat16", "float64", "int64"])


def values(seed: int, shape: tuple[int, ...], kind: str = "float32") -> np.ndarray:
    random = np.random.default_rng(seed)
    if kind == "int64":
        return random.integers(-(2**40), 2**40, shape)
    return cast(random.standard_normal(shape), kind)


@settings(max_examples=25)
@given(seed=SEEDS, kind=KINDS, side=st.integers(12, 60))
def test_transposed_square(seed: int, kind: str, side: int) -> None:
    golden = values(seed, (side, side), kind)
    assert the_pattern(golden.T.copy(), golden, "transpose").numbers["axes"] == [1, 0]


@settings(max_examples=20)
@given(
    seed=SEEDS, kind=KINDS, order=st.permutations([0, 1, 2, 3]).filter(lambda order: order != [0, 1, 2, 3])
)
def test_any_axes_exchanged_where_the_shape_tells_it(seed: int, kind: str, order: list[int]) -> None:
    golden = values(seed, (2, 5, 7, 11), kind)
    found = the_pattern(golden.transpose(order).copy(), golden, "transpose")
    assert found.numbers["axes"] == order


@settings(max_examples=20)
@given(seed=SEEDS, order=st.permutations([0, 1, 2]).filter(lambda order: order != [0, 1, 2]))
def test_any_axes_of_one_length_exchanged(seed: int, order: list[int]) -> None:
    golden = values(seed, (9, 9, 9))
    assert the_pattern(golden.transpose(order).copy(), golden, "transpose").numbers["axes"] == order


def test_reshaped_and_turned_into_another_shape() -> None:
    golden = values(1, (2, 8, 16, 32))
    assert names_of(golden.reshape(2, 8, 512), golden) == ["reshape"]
    heads = golden.transpose(0, 2, 1, 3).reshape(2, 16, 256)
    assert the_pattern(heads, golden, "transpose").numbers["axes"] == [0, 2, 1, 3]
    assert names_of(values(2, (32, 128)), values(3, (64, 64))) == []
    assert names_of(values(2, (32, 128)), values(3, (64, 63))) == []


@settings(max_examples=30)
@given(
    seed=SEEDS,
    kind=KINDS,
    shape=st.sampled_from([(64, 64), (5, 33, 20), (4096,), (31, 8)]),
    data=st.data(),
)
def test_rolled(seed: int, kind: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    length = shape[axis]
    by = data.draw(st.integers(1, length - 1).filter(lambda by: 2 * by != length))
    golden = values(seed, shape, kind)
    found = the_pattern(np.roll(golden, by, axis), golden, "roll")
    assert found.numbers["axis"] == axis
    assert found.numbers["shift"] % length == by  # type: ignore[operator]


@settings(max_examples=30)
@given(seed=SEEDS, kind=KINDS, by=st.sampled_from([1, -1, 2, 5, -7, 11]), axis=st.integers(0, 1))
def test_shifted_with_other_values_coming_in(seed: int, kind: str, by: int, axis: int) -> None:
    """C16, and padding at the other side."""
    golden = values(seed, (40, 36), kind)
    target = np.roll(golden, by, axis)
    new = [slice(None), slice(None)]
    new[axis] = slice(0, by) if by > 0 else slice(by, None)
    target[tuple(new)] = values(seed + 1, target[tuple(new)].shape, kind)
    found = the_pattern(target, golden, "shift")
    assert (found.numbers["axis"], found.numbers["shift"]) == (axis, by)
    assert found.marks[0].box is not None
    assert found.marks[0].box[axis] == ((0, by) if by > 0 else (golden.shape[axis] + by, golden.shape[axis]))


@settings(max_examples=20)
@given(
    seed=SEEDS,
    kind=KINDS,
    heads=st.integers(2, 6),
    width=st.sampled_from([4, 8, 16]),
    axis=st.integers(0, 1),
    noisy=st.booleans(),
)
def test_q_k_v_of_heads_merged_in_another_order(
    seed: int, kind: str, heads: int, width: int, axis: int, noisy: bool
) -> None:
    """C15b: q|k|v of all heads against q, k and v of each head."""
    if heads == 3:
        heads = 5  # of three heads, exchanging them with q, k and v is a transpose that is its own inverse
    golden = values(seed, (48, 3 * heads * width), kind)
    split = golden.reshape(48, 3, heads, width).swapaxes(1, 2).reshape(golden.shape)
    if noisy and kind != "int64":
        unit = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}[kind]
        noise = 1 + unit * np.random.default_rng(seed).standard_normal(split.shape)
        split = cast(split.astype(np.float64) * noise, kind)
    if axis == 0:
        split, golden = np.ascontiguousarray(split.T), np.ascontiguousarray(golden.T)
    found = the_pattern(split, golden, "interleave")
    assert found.numbers["axes"] == [axis]
    assert (found.numbers["outer"], found.numbers["inner"], found.numbers["rest"]) == (3, heads, width)


def test_halves_and_pairs_of_rotary_embeddings() -> None:
    golden = values(2, (40, 64))
    first, second = golden[:, :32], golden[:, 32:]
    for halves, negated in (
        ([second, first], "plain"),
        ([-second, first], "first"),
        ([second, -first], "second"),
    ):
        found = the_pattern(np.concatenate(halves, 1), golden, "swapped_halves")
        assert (found.numbers["axis"], found.numbers["negated"]) == (1, negated)
    pairs = golden.reshape(40, 32, 2).swapaxes(1, 2).reshape(40, 64)
    found = the_pattern(pairs, golden, "interleave")
    assert (found.numbers["outer"], found.numbers["inner"], found.numbers["rest"]) == (32, 2, 1)


def test_reshaped_where_a_transpose_was_due() -> None:
    golden = values(3, (2, 8, 16, 32))
    target = golden.transpose(0, 2, 1, 3).reshape(2, 8, 16, 32)
    found = the_pattern(np.ascontiguousarray(target), golden, "interleave")
    assert found.numbers["axes"] == [1, 2]


@settings(max_examples=20)
@given(seed=SEEDS, kind=KINDS, axis=st.integers(0, 2))
def test_slices_in_another_order(seed: int, kind: str, axis: int) -> None:
    random = np.random.default_rng(seed)
    golden = values(seed, (13, 17, 19), kind)
    order = random.permutation(golden.shape[axis])
    moved = int(np.count_nonzero(order != np.arange(len(order))))
    found = the_pattern(golden.take(order, axis), golden, "permutation")
    assert found.numbers["axis"] == axis
    assert found.numbers["moved"] == moved
    assert found.numbers["from"] == order.tolist()


def test_two_rows_swapped_and_blocks_of_columns() -> None:
    golden = values(4, (64, 96))
    rows = golden.copy()
    rows[[3, 9]] = rows[[9, 3]]
    found = the_pattern(rows, golden, "permutation")
    assert found.numbers["indices"] == [3, 9]
    blocks = np.concatenate([golden[:, 32:64], golden[:, :32], golden[:, 64:]], 1)
    assert the_pattern(blocks, golden, "permutation").numbers["block"] == 32


def test_reversed_axes_and_orders_without_a_name() -> None:
    golden = values(5, (24, 36))
    assert the_pattern(golden[:, ::-1].copy(), golden, "reversed").numbers["axis"] == 1
    shuffled = np.random.default_rng(0).permutation(golden.ravel()).reshape(golden.shape)
    assert the_pattern(shuffled, golden, "other_order").numbers["within_rows"] is False
    assert the_pattern(np.sort(golden, 1), golden, "other_order").numbers["within_rows"] is True


@pytest.mark.parametrize("shape", [(700, 300), (2, 130, 1100)])
def test_beyond_a_sample(shape: tuple[int, ...]) -> None:
    """Where only a part is looked at first, an exception outside of it still counts."""
    golden = values(6, shape).astype(ml_dtypes.bfloat16)
    target = np.roll(golden, 3, axis=-2)
    assert names_of(target, golden) == ["roll"]
    target.reshape(-1)[: prod(shape) // 20] = 1
    assert "roll" not in names_of(target, golden)


@pytest.mark.parametrize("layout", ["fortran", "strided"])
def test_tensors_that_are_views(layout: str) -> None:
    """A saved view keeps its strides; nothing of it is copied whole."""
    random = np.random.default_rng(7)
    if layout == "fortran":
        view = np.asfortranarray(random.standard_normal((40, 60, 8)).astype(np.float32))
    else:
        view = random.standard_normal((60, 8, 80)).astype(np.float32).transpose(2, 0, 1)[::2]
    golden = np.array(view)
    wanted = {
        "constant_ratio": golden * 4,
        "roll": np.roll(golden, 3, 1),
        "interleave": golden.reshape(40, 6, 10, 8).swapaxes(1, 2).reshape(40, 60, 8),
        "permutation": golden[random.permutation(40)],
        "transpose": golden.transpose(1, 0, 2).copy(),
        "reshape": golden.reshape(40, 480).copy(),
    }
    for name, target in wanted.items():
        found = run_to_end(find_patterns(handle(target), TensorHandle(view.view(), DTYPES["float32"])))
        assert [pattern.name for pattern in found] == [name]


@pytest.mark.parametrize("shape", [(9000, 24), (24, 9000)])
def test_thousands_of_slices_in_another_order(shape: tuple[int, int]) -> None:
    golden = values(8, shape).astype(ml_dtypes.bfloat16)
    axis = int(np.argmax(shape))
    order = np.random.default_rng(9).permutation(shape[axis])
    found = the_pattern(golden.take(order, axis), golden, "permutation")
    assert found.numbers["axis"] == axis
    assert found.share == 1.0
