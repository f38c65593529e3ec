"""Grids and curves of one side hold what was recorded, and drawing loses no extreme."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders.monitors import Row
from builders.trend_tables import table_of
from hypothesis import given
from hypothesis import strategies as st

from core.curves.trends.blocks import block_extremes
from core.curves.trends.grids import curve_of, grid_by_rank, grid_of
from core.records.trends import GridAxis, TrendGrid

ROWS = st.lists(
    st.builds(
        Row,
        kind=st.sampled_from(["grad_reduced", "actv_all"]),
        layer=st.sampled_from(["l.0", "l.1", "l.10"]),
        step=st.integers(0, 5),
        values=st.fixed_dictionaries({"norm": st.floats()}),
        rank=st.integers(0, 2),
        stage=st.just(0),
        micro=st.integers(-1, 2),
    ),
    min_size=1,
    max_size=30,
)


def strongest_of(values: list[float]) -> float:
    return max(values, key=lambda value: (math.isnan(value), 0.0 if math.isnan(value) else abs(value)))


@given(rows=ROWS, rank=st.integers(0, 2), step=st.integers(0, 5))
def test_grids_hold_the_strongest_micro_step(rows: list[Row], rank: int, step: int) -> None:
    table = table_of(rows)
    last = {(row.kind, row.layer, row.step, row.rank, row.micro): row.values["norm"] for row in rows}
    for axis in GridAxis:
        wanted: dict[tuple[str, int], list[float]] = {}
        for (kind, layer, at, on, _), value in last.items():
            fixed, across = (on, at) if axis is GridAxis.STEP else (at, on)
            if kind == "grad_reduced" and fixed == (rank if axis is GridAxis.STEP else step):
                wanted.setdefault((layer, across), []).append(value)
        grid = (
            grid_of(table, "grad_reduced.norm", rank=rank)
            if axis is GridAxis.STEP
            else grid_by_rank(table, "grad_reduced.norm", step=step)
        )
        assert grid.axis is axis
        assert set(grid.layers) == {layer for layer, _ in wanted}
        assert grid.places.tolist() == sorted({place for _, place in wanted})
        assert grid.present.sum() == len(wanted)
        assert np.isnan(grid.values[~grid.present]).all()
        for (layer, place), values in wanted.items():
            found = grid.values[grid.layers.index(layer), grid.places.tolist().index(place)]
            assert math.isnan(found) == any(map(math.isnan, values))
            assert math.isnan(found) or abs(found) == abs(strongest_of(values))
            assert math.isnan(found) or found in values


@given(rows=ROWS, rank=st.integers(0, 2))
def test_a_curve_is_a_line_of_the_grid(rows: list[Row], rank: int) -> None:
    table = table_of(rows)
    grid = grid_of(table, "grad_reduced.norm", rank=rank)
    for number, layer in enumerate(grid.layers):
        curve = curve_of(table, layer, "grad_reduced.norm", rank)
        assert curve.steps.tolist() == grid.places[grid.present[number]].tolist()
        assert np.array_equal(curve.values, grid.values[number, grid.present[number]], equal_nan=True)


def test_what_is_not_there_is_empty() -> None:
    table = table_of([Row("grad_reduced", "a", 1, {"norm": 1.0})])
    assert grid_of(table, "no.norm", rank=0).values.shape == (0, 0)
    assert grid_of(table, "grad_reduced.norm", rank=5).values.shape == (0, 0)
    assert len(curve_of(table, "b", "grad_reduced.norm", 0).steps) == 0


@given(data=st.data(), height=st.integers(0, 9), width=st.integers(0, 9))
def test_blocks_keep_every_extreme(data: st.DataObject, height: int, width: int) -> None:
    cells = data.draw(
        st.lists(st.one_of(st.none(), st.floats()), min_size=height * width, max_size=height * width)
    )
    values = np.array([math.nan if cell is None else cell for cell in cells]).reshape(height, width)
    present = np.array([cell is not None for cell in cells], np.bool_).reshape(height, width)
    names = tuple(map(str, range(height)))
    grid = TrendGrid("m", GridAxis.STEP, names, np.arange(width), values, present)
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    blocks = block_extremes(grid, rows, columns)
    assert blocks.values.shape == (min(rows, height), min(columns, width))
    assert (blocks.row_edges[0], blocks.row_edges[-1]) == (0, height)
    assert (blocks.column_edges[0], blocks.column_edges[-1]) == (0, width)
    for row in range(blocks.values.shape[0]):
        for column in range(blocks.values.shape[1]):
            top, bottom = blocks.row_edges[row : row + 2]
            left, right = blocks.column_edges[column : column + 2]
            part, there = values[top:bottom, left:right], present[top:bottom, left:right]
            assert part.size
            numbers = part[~np.isnan(part)].tolist()
            assert blocks.present[row, column] == there.any()
            assert blocks.broken[row, column] == (np.isnan(part) & there).any()
            found = blocks.values[row, column]
            assert math.isnan(found) if not numbers else abs(found) == max(map(abs, numbers))
            assert math.isnan(found) or found in numbers


@pytest.mark.parametrize(("rows", "columns"), [(0, 1), (1, -1)])
def test_no_blocks_are_an_error(rows: int, columns: int) -> None:
    grid = grid_of(table_of([Row("grad_reduced", "a", 1, {"norm": 1.0})]), "grad_reduced.norm", rank=0)
    with pytest.raises(ValueError, match="no blocks"):
        block_extremes(grid, rows, columns)
