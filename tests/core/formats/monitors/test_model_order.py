"""Layers come in the order of the model, whatever order a file names them in."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.monitors import Row, write_v1
from hypothesis import given
from hypothesis import strategies as st

from core.formats.monitors.model_order import merged, oriented
from core.formats.monitors.reading import read_trends
from core.progress import run_to_end

MODEL = [
    "embedding",
    *(f"layers.{number}.{part}" for number in range(12) for part in ("attn", "mlp")),
    "head",
]


@pytest.mark.parametrize("names", [MODEL, MODEL[::-1]])
def test_first_appearance_counts_and_gradients_are_turned_round(names: list[str]) -> None:
    assert [names[position] for position in oriented(names)] == MODEL


@pytest.mark.parametrize("backwards", [False, True])
def test_names_sorted_as_texts_are_counted(backwards: bool) -> None:
    names = sorted((f"layers.{number}" for number in range(12)), reverse=backwards)
    assert [names[position] for position in oriented(names)] == [f"layers.{number}" for number in range(12)]


@pytest.mark.parametrize("names", [["norm", "head"], ["b", "a", "c"], ["layers.0", "head"]])
def test_names_without_numbers_stay_as_they_come(names: list[str]) -> None:
    assert oriented(names) == list(range(len(names)))


@given(orders=st.lists(st.lists(st.integers(0, 20), unique=True)))
def test_merging_keeps_every_item_once_and_the_first_order(orders: list[list[int]]) -> None:
    found = merged(orders)
    assert sorted(found) == sorted({item for order in orders for item in order})
    if orders:
        assert [item for item in found if item in orders[0]] == orders[0]


@pytest.mark.parametrize(
    ("orders", "wanted"),
    [
        ([[1, 2, 3], [2, 9, 3]], [1, 2, 9, 3]),
        ([[1, 2], [8, 9]], [1, 2, 8, 9]),
        ([[1, 2], [8, 9, 1]], [8, 9, 1, 2]),
        ([[1, 2], [2, 9]], [1, 2, 9]),
    ],
)
def test_merging_puts_new_items_beside_their_neighbours(orders: list[list[int]], wanted: list[int]) -> None:
    assert merged(orders) == wanted


def test_forward_kinds_tell_the_order(tmp_path: Path) -> None:
    recorded = [
        Row("grad_reduced", name, 0, {"norm": 1.0}, rank=rank) for name in MODEL[::-1] for rank in (0, 1)
    ]
    recorded += [Row("param_origin", name, 0, {"norm": 1.0}, rank=rank) for name in MODEL for rank in (1, 0)]
    assert list(run_to_end(read_trends(str(write_v1(tmp_path, recorded)))).layers) == MODEL


def test_pipeline_stages_follow_each_other(tmp_path: Path) -> None:
    recorded = [
        Row("grad_reduced", name, 0, {"norm": 1.0}, rank=rank, stage=stage)
        for stage in (1, 0)
        for rank, names in enumerate((("a", "b"), ("c",)))
        for name in names
    ]
    table = run_to_end(read_trends(str(write_v1(tmp_path, recorded))))
    assert table.labels == ("a", "b", "c", "1:a", "1:b", "1:c")
