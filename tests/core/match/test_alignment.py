"""What the alignment may cost: near-linear on real sequences, bounded on unkind ones."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.match.alignment import align
from core.match.calls import Calls, make_calls, operator_stems
from core.match.hashing import combine, grams, join_unique, multiset_overlap, ranks
from core.records.dump import Dump
from tests.builders.call_sequences import LAYER, Sequence, made_dump

COUNT = 20_000


def calls_of(left: Dump, right: Dump) -> tuple[Calls, Calls]:
    return make_calls(left, right, (operator_stems(left), operator_stems(right)), lambda stem: stem)


def unkind() -> dict[str, tuple[Sequence, Sequence]]:
    layers = Sequence.layers(COUNT)
    chance = np.random.default_rng(0)
    same = layers.take(np.zeros(COUNT, int))
    unique = Sequence(
        tuple(f"Torch.f{index}" for index in range(COUNT)),
        ("",) * COUNT,
        (0,) * COUNT,
        layers.number,
        layers.identity,
    )
    mixed = [layers.take(chance.integers(0, len(LAYER), COUNT)) for _ in range(2)]
    blocks = np.repeat([0, 1], [COUNT // 2 + 5, COUNT // 2])
    return {
        "all equal": (same, same.take(np.arange(COUNT * 3 // 4))),
        "reversed": (unique, unique.put(5, "Torch.x").take(np.arange(COUNT + 1)[::-1])),
        "reversed layers": (layers, layers.take(np.append(np.arange(COUNT)[::-1], 0))),
        "random": (mixed[0], mixed[1]),
        "alternating and in blocks": (layers.take(np.tile([0, 1], COUNT // 2)), layers.take(blocks)),
    }


@pytest.mark.parametrize("name", list(unkind()))
def test_unkind_sequences_stay_bounded_and_in_order(name: str) -> None:
    left, right = (made_dump(side) for side in unkind()[name])
    calls = calls_of(left, right)
    started = time.perf_counter()
    found = align(*calls)
    assert time.perf_counter() - started < 20
    partners = found[found >= 0]
    assert (np.diff(partners) > 0).all()
    assert (calls[0].line[found >= 0] == calls[1].line[partners]).all()


def test_a_missing_block_longer_than_any_window_is_found() -> None:
    whole = Sequence.layers(60_000, layers=10_000)
    kept = np.append(np.arange(10_000), np.arange(55_000, 60_000))
    calls = calls_of(made_dump(whole), made_dump(whole.take(kept)))
    found = align(*calls)
    assert np.flatnonzero(found >= 0).tolist() == kept.tolist()


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(1, 9))
def test_grams_are_equal_where_the_runs_are(numbers: list[int], length: int) -> None:
    keys = grams(combine(np.array(numbers, np.int64)), length)
    runs = [tuple(numbers[at : at + length]) for at in range(len(numbers) - length + 1)]
    assert len(keys) == len(runs)
    assert len(np.unique(keys)) == len(set(runs))
    for key, run in zip(keys, runs):
        assert [other == run for other in runs] == (keys == key).tolist()


@given(st.lists(st.integers(0, 5), max_size=20), st.lists(st.integers(0, 5), max_size=20))
def test_joins_and_overlaps_count_as_multisets_do(left: list[int], right: list[int]) -> None:
    keys = [combine(np.array(side, np.int64)) for side in (left, right)]
    common = sum(min(left.count(item), right.count(item)) for item in range(6))
    assert multiset_overlap(*keys) == common
    rows = join_unique(*keys)
    assert len(rows[0]) == common
    for one, other in zip(rows[0].tolist(), rows[1].tolist()):
        assert left[one] == right[other]
        assert left[:one].count(left[one]) == right[:other].count(right[other])
    assert ranks(keys[0]).tolist() == [left[:at].count(item) for at, item in enumerate(left)]
