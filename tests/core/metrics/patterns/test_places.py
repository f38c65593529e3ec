"""Where a pair differs."""

from __future__ import annotations

import numpy as np
import pytest
from builders.noise_pairs import cast
from builders.pattern_search import names_of, patterns_of, the_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
FLOATS = st.sampled_from(["float32", "float16", "bfloat16"])


@settings(max_examples=30)
@given(seed=SEEDS, name=FLOATS, blocks=st.integers(1, 4), start=st.integers(0, 3000), noisy=st.booleans())
def test_overwritten_memory(seed: int, name: str, blocks: int, start: int, noisy: bool) -> None:
    """C19: 512 or 2048 elements in a row, the others bit-equal or within noise."""
    random = np.random.default_rng(seed)
    golden = cast(random.standard_normal(8192), name)
    unit = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[name]
    noise = 1 + unit * random.standard_normal(8192) * noisy
    target = cast(golden.astype(np.float64) * noise, name)
    stop = start + 512 * blocks
    target[start:stop] = cast(10 + random.standard_normal(stop - start), name)
    found = the_pattern(target, golden, "overwritten_block")
    assert (found.numbers["start"], found.numbers["stop"]) == (start, stop)
    assert found.numbers["multiple_of"] == (2048 if blocks == 4 else 512)
    assert found.marks[0].flat == (start, stop)


@settings(max_examples=25)
@given(seed=SEEDS, name=FLOATS, start=st.integers(1, 55), axis=st.integers(0, 1))
def test_from_an_index_on(seed: int, name: str, start: int, axis: int) -> None:
    """C22: garbage in what is padding."""
    random = np.random.default_rng(seed)
    golden = cast(random.standard_normal((60, 60)), name)
    target = golden.copy()
    part = (slice(None),) * axis + (slice(start, None),)
    target[part] = cast(100 * random.standard_normal(target[part].shape), name)
    if 60 - start > 0.9 * 60:
        return
    found = the_pattern(target, golden, "index_range")
    assert (found.numbers["axis"], found.numbers["start"], found.numbers["stop"]) == (axis, start, 60)


def test_one_slice_some_slices_and_a_box() -> None:
    random = np.random.default_rng(1)
    golden = random.standard_normal((8, 24, 40)).astype(np.float32)
    one = golden.copy()
    one[:, 7] += random.standard_normal((8, 40)).astype(np.float32)
    found = the_pattern(one, golden, "index_range")
    assert (found.numbers["axis"], found.numbers["start"], found.numbers["stop"]) == (1, 7, 8)
    some = golden.copy()
    some[:, :, [3, 9, 20]] += 1 + random.random((8, 24, 3)).astype(np.float32)
    found = the_pattern(some, golden, "index_set")
    assert (found.numbers["axis"], found.numbers["indices"]) == (2, [3, 9, 20])
    box = golden.copy()
    box[2:5, 4:20, 10:30] += 1 + random.random((3, 16, 20)).astype(np.float32)
    assert the_pattern(box, golden, "box").numbers["box"] == [[2, 5], [4, 20], [10, 30]]


@settings(max_examples=20)
@given(seed=SEEDS, at=st.tuples(st.integers(0, 63), st.integers(0, 63)), noisy=st.booleans())
def test_a_single_element(seed: int, at: tuple[int, int], noisy: bool) -> None:
    """C20: with its place and both values, also beside rounding noise."""
    random = np.random.default_rng(seed)
    golden = random.standard_normal((64, 64)).astype(np.float32)
    target = (golden * (1 + 1e-7 * random.standard_normal((64, 64)) * noisy)).astype(np.float32)
    target[at] = 1e4
    found = the_pattern(target, golden, "single_element")
    assert found.numbers["places"] == [list(at)]
    assert found.numbers["target"] == [1e4]
    assert found.numbers["golden"] == [golden[at]]


def test_a_few_elements() -> None:
    ids = np.random.default_rng(2).integers(0, 32000, (4, 128))
    other = ids.copy()
    other[1, 5] += 1
    other[3, 77] = 0
    assert the_pattern(other, ids, "few_elements").numbers["places"] == [[1, 5], [3, 77]]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_growth_along_an_axis(axis: int) -> None:
    """C17 and recurrences: the error at the start and at the end, and the exponent of the growth."""
    random = np.random.default_rng(3)
    shape = [6, 5, 4]
    shape[axis] = 400
    golden = random.standard_normal(shape)
    index = np.arange(1, 401, dtype=float).reshape([-1 if k == axis else 1 for k in range(3)])
    target = golden + 1e-4 * index * random.standard_normal(shape)
    found = the_pattern(target.astype(np.float32), golden.astype(np.float32), "growth")
    assert found.numbers["axis"] == axis
    assert found.numbers["exponent"] == pytest.approx(1.0, abs=0.15)
    assert found.numbers["first_eighth"] == pytest.approx(1e-4 * 29, rel=0.4)
    assert found.numbers["last_eighth"] == pytest.approx(1e-4 * 375, rel=0.4)


def test_positions_in_a_short_format() -> None:
    frequency = 10000.0 ** (-np.arange(32) / 32)
    position = np.arange(2048)[:, None]
    golden = np.cos(position * frequency).astype(np.float32)
    target = np.cos(position * cast(frequency, "bfloat16").astype(np.float64)).astype(np.float32)
    found = the_pattern(target, golden, "growth")
    assert found.numbers["axis"] == 0
    assert found.message.code == "pattern.growth.rows"


def test_zeros_in_a_part() -> None:
    golden = np.random.default_rng(4).standard_normal((32, 64)).astype(np.float32)
    target = golden.copy()
    target[:, 50:] = 0
    found = the_pattern(target, golden, "zero_filled")
    assert (found.numbers["start"], found.numbers["zero_side"]) == (50, "target")
    assert the_pattern(golden * 0, golden, "all_zero").numbers["side"] == "target"
    assert the_pattern(golden, golden * 0, "all_zero").numbers["side"] == "golden"


def test_masks() -> None:
    mask = np.random.default_rng(5).random((32, 32)) < 0.4
    assert names_of(~mask, mask) == ["inverted_mask"]
    assert names_of(1 - mask.astype(np.int64), mask.astype(np.int64)) == ["inverted_mask"]
    flipped = mask.copy()
    flipped[3, 4] ^= True
    found = the_pattern(flipped, mask, "mask_flips")
    assert (found.numbers["count"], found.numbers["first"]) == (1, [3, 4])


def test_a_mask_off_by_one() -> None:
    causal = np.tril(np.ones((64, 64), bool))
    assert the_pattern(np.tril(np.ones((64, 64), bool), -1), causal, "shift").numbers["shift"] == 1
    keys = np.random.default_rng(8).random((4, 16, 64)) < 0.3
    assert the_pattern(np.roll(keys, 2, 2), keys, "roll").numbers["shift"] == 2


def test_near_ties_of_a_top_k() -> None:
    """C23: experts chosen by scores that differ by a millionth; ids are compared as sets too."""
    random = np.random.default_rng(6)
    scores = random.standard_normal((32, 8))
    ids = np.argsort(-scores, axis=1)[:, :3]
    swapped, changed = ids.copy(), ids.copy()
    swapped[7] = swapped[7, [1, 0, 2]]
    changed[20, 2] = next(k for k in range(8) if k not in ids[20])
    found = the_pattern(swapped, ids, "near_tie")
    assert (found.numbers["rows"], found.numbers["same_set"]) == (1, 1)
    found = the_pattern(changed, ids, "near_tie")
    assert (found.numbers["rows"], found.numbers["same_set"], found.numbers["first"]) == (1, 0, [20])
    assert names_of(random.integers(0, 8, (32, 3)), ids) == []


def test_several_marks_have_an_end() -> None:
    golden = np.random.default_rng(7).standard_normal((4000, 16)).astype(np.float32)
    target = golden.copy()
    target[::4] += 1
    for pattern in patterns_of(target, golden):
        assert len(pattern.marks) <= 64
