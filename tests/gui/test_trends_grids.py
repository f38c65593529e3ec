"""What the service answers about grids, against a plain reading of the rows."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from builders.monitors import Row
from builders.trend_pairs import BROKEN, DRIFT_LAYER, DRIFT_STEP, LAYERS, STEPS, layer, rows
from builders.trend_tables import cut_table, table_of

from core.curves.shelf import shelve
from core.records.log_table import UNSAID
from core.records.trends import GridAxis, TrendTable
from gui.models.trends.scale import FIRST, Special, TrendSide
from gui.trends import grids as trends_grids
from gui.trends.drawing import Region
from gui.trends.planes import Chosen

DIFFERENCE, TARGET, GOLDEN = TrendSide.DIFFERENCE, TrendSide.TARGET, TrendSide.GOLDEN


def chosen_of(
    folder: Path, target: TrendTable, golden: TrendTable | None, metric: str,
    axis: GridAxis = GridAxis.STEP, at: int = 0, shift: int = 0,
) -> Chosen:  # fmt: skip
    tokens = [shelve(table, str(folder)) if table is not None else None for table in (target, golden)]
    assert tokens[0] is not None
    return Chosen(tokens[0], tokens[1], metric, axis, at, shift, 0.05)


@pytest.fixture
def drift(tmp_path: Path) -> Chosen:
    return chosen_of(tmp_path, table_of(rows(True)), table_of(rows(False)), "actv.output.norm")


def test_the_whole_grid_is_told(drift: Chosen) -> None:
    facts = trends_grids.look(drift, DIFFERENCE, (100, 100)).facts
    assert facts.layers == tuple(layer(number) for number in range(LAYERS))
    assert facts.places.tolist() == list(range(STEPS))
    assert facts.bad == (LAYERS - DRIFT_LAYER) * (STEPS - DRIFT_STEP)
    assert np.flatnonzero(facts.bad_rows).tolist() == list(range(DRIFT_LAYER, LAYERS))
    assert np.flatnonzero(facts.bad_columns).tolist() == list(range(DRIFT_STEP, STEPS))
    assert facts.scales[DIFFERENCE].high == pytest.approx(0.1 * (STEPS - DRIFT_STEP))
    assert facts.scales[TARGET] == facts.scales[GOLDEN]


def test_bad_cells_are_walked_in_the_order_of_a_step(drift: Chosen) -> None:
    walked = []
    found = trends_grids.bad_cell(drift, -1, -1, True)
    while found is not None:
        walked.append((found.column, found.row))
        found = trends_grids.bad_cell(drift, found.row, found.column, True)
    assert walked == [(step, row) for step in range(DRIFT_STEP, STEPS) for row in range(DRIFT_LAYER, LAYERS)]
    last = trends_grids.bad_cell(drift, -1, -1, False)
    assert last == (LAYERS - 1, STEPS - 1)
    assert trends_grids.bad_cell(drift, 0, DRIFT_STEP + 1, False) == (LAYERS - 1, DRIFT_STEP)


def test_gradients_are_walked_up_the_model(tmp_path: Path) -> None:
    golden = [Row("grad_reduced", layer(number), 0, {"norm": 1.0}) for number in range(3)]
    target = [row._replace(values={"norm": 2.0}) for row in golden]
    chosen = chosen_of(tmp_path, table_of(target), table_of(golden), "grad_reduced.norm")
    first = trends_grids.bad_cell(chosen, -1, -1, True)
    assert first == (2, 0)
    assert trends_grids.bad_cell(chosen, 2, 0, True) == (1, 0)
    cell = trends_grids.cell_at(chosen, 1, 0)
    assert cell is not None
    assert cell.number == 1


def test_a_cell_tells_both_sides_and_its_micro_step(tmp_path: Path) -> None:
    golden = [Row("actv", "fc.output", 4, {"norm": 2.0}, micro=micro) for micro in range(3)]
    target = [row._replace(values={"norm": 2.0 + (row.micro == 1)}) for row in golden]
    chosen = chosen_of(tmp_path, table_of(target), table_of(golden), "actv.output.norm")
    cell = trends_grids.cell_at(chosen, 0, 0)
    assert cell is not None
    assert (cell.target, cell.golden, cell.relative, cell.micro_step) == (3.0, 2.0, 0.5, 1)
    assert (cell.layer, cell.place, cell.bad) == ("fc", 4, True)
    assert trends_grids.cell_at(chosen, 0, 1) is None
    alone = chosen_of(tmp_path, table_of([Row("g", "a", 0, {"norm": 1.0})]), None, "g.norm")
    single = trends_grids.cell_at(alone, 0, 0)
    assert single is not None
    assert single.micro_step == UNSAID
    assert not single.in_golden


def test_one_nan_is_seen_in_a_grid_of_any_size(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    made = [
        Row("g", f"l.{row}", step, {"norm": math.nan if (row, step) == (37, 61) else float(value)})
        for row, line in enumerate(rng.lognormal(size=(60, 90)))
        for step, value in enumerate(line)
    ]
    chosen = chosen_of(tmp_path, table_of(made), None, "g.norm")
    for pixels in ((60, 90), (20, 30), (7, 11), (1, 1)):
        drawing = trends_grids.draw(chosen, TARGET, Region(0, 60, 0, 90), pixels)
        assert drawing.exact == (pixels == (60, 90))
        found = np.argwhere(drawing.levels == Special.NAN)
        middle = found.mean(axis=0)
        wanted = (37.5 / 60 * drawing.levels.shape[0] - 0.5, 61.5 / 90 * drawing.levels.shape[1] - 0.5)
        assert np.abs(middle - wanted).max() <= 1.0
    part = trends_grids.draw(chosen, TARGET, Region(30, 40, 60, 70), (100, 100))
    assert part.exact
    assert np.argwhere(part.levels == Special.NAN).tolist() == [[7, 1]]
    assert Special.NAN in part.kinds


def test_infinities_and_one_sided_cells_have_levels_of_their_own(tmp_path: Path) -> None:
    def side(values: dict[str, float | None]) -> TrendTable:
        known = ((name, value) for name, value in values.items() if value is not None)
        return table_of(Row("g", name, 0, {"norm": value}) for name, value in known)

    target = side({"a": math.inf, "b": -math.inf, "c": math.nan, "d": 1.0, "e": None, "f": math.nan})
    golden = side({"a": 1.0, "b": 1.0, "c": 1.0, "d": None, "e": 1.0, "f": math.nan})
    chosen = chosen_of(tmp_path, target, golden, "g.norm")
    overview = trends_grids.look(chosen, DIFFERENCE, (10, 10))
    level = dict(zip(overview.facts.layers, overview.drawing.levels[:, 0].tolist()))
    assert level["a"] == Special.PLUS_INF
    assert level["b"] == Special.MINUS_INF
    assert level["c"] == Special.NAN
    assert level["d"] == Special.TARGET_ONLY
    assert level["e"] == Special.GOLDEN_ONLY
    assert level["f"] >= FIRST  # NaN on both sides is no difference
    assert overview.facts.bad == 3
    counts = overview.facts.counts[DIFFERENCE]
    assert (counts[Special.TARGET_ONLY], counts[Special.GOLDEN_ONLY], counts[Special.NAN]) == (1, 1, 1)
    own = trends_grids.look(chosen, TARGET, (10, 10)).drawing
    assert dict(zip(overview.facts.layers, own.levels[:, 0].tolist()))["e"] == Special.GOLDEN_ONLY


def test_cut_values_are_told_apart_from_nan(tmp_path: Path) -> None:
    values = {"a": 1e12, "b": 2.0}
    table = cut_table(table_of(Row("g", name, 0, {"norm": value}) for name, value in values.items()))
    chosen = chosen_of(tmp_path, table, table, "g.norm")
    for side in TrendSide:
        overview = trends_grids.look(chosen, side, (10, 10))
        level = dict(zip(overview.facts.layers, overview.drawing.levels[:, 0].tolist()))
        assert level["a"] == Special.CLIPPED
        assert level["b"] >= FIRST
        assert overview.facts.counts[side][Special.CLIPPED] == 1
        assert overview.facts.counts[side][Special.NAN] == 0
    cell = trends_grids.cell_at(chosen, 0, 0)
    assert cell is not None
    assert (cell.target_clipped, cell.golden_clipped, cell.bad) == (True, True, False)


def test_a_shifted_golden_with_another_rank_number_is_laid_under_the_target(tmp_path: Path) -> None:
    target = table_of(Row("g", "a", step, {"norm": 1.0 + step}, rank=0) for step in range(5))
    made = [Row("g", "a", step + 1, {"norm": 1e12 if step == 2 else 1.0 + step}, rank=7) for step in range(5)]
    chosen = chosen_of(tmp_path, target, cut_table(table_of(made)), "g.norm", shift=1)
    facts = trends_grids.look(chosen, DIFFERENCE, (9, 9)).facts
    assert facts.places.tolist() == list(range(5))
    assert np.flatnonzero(facts.bad_columns).tolist() == [2]
    cells = [trends_grids.cell_at(chosen, 0, column) for column in range(5)]
    assert [cell.golden_clipped for cell in cells if cell is not None] == [False, False, True, False, False]


def test_the_rank_where_a_layer_is_bad_is_found(tmp_path: Path) -> None:
    golden = [Row("g", "a", 3, {"norm": 1.0}, rank=rank) for rank in range(4)]
    target = [row._replace(values={"norm": 1.0 + (row.rank == 2)}) for row in golden]
    chosen = chosen_of(tmp_path, table_of(target), table_of(golden), "g.norm")
    assert trends_grids.rank_of(chosen, "a", 3) == 2
    assert trends_grids.rank_of(chosen, "a", 4) == -1
    assert trends_grids.rank_of(chosen, "z", 3) == -1


def test_a_curve_is_a_row_of_the_grid(drift: Chosen) -> None:
    curve = trends_grids.curve(drift, DRIFT_LAYER)
    assert curve is not None
    assert curve.golden is not None
    assert curve.relative is not None
    steps = np.arange(STEPS)
    np.testing.assert_allclose(curve.target.x, steps + 0.5)
    wanted = np.where(steps >= DRIFT_STEP, 0.1 * (steps - DRIFT_STEP + 1), 0.0)
    np.testing.assert_allclose(curve.relative.y, wanted, atol=1e-12)
    assert trends_grids.curve(drift, LAYERS) is None


def test_a_run_alone_has_its_broken_cells(tmp_path: Path) -> None:
    chosen = chosen_of(tmp_path, table_of(rows(True)), None, "grad_reduced.norm")
    overview = trends_grids.look(chosen, DIFFERENCE, (50, 50))
    assert overview.drawing.side is TARGET
    assert overview.facts.bad == 1
    found = trends_grids.bad_cell(chosen, -1, -1, True)
    assert found is not None
    assert (overview.facts.layers[found.row], int(overview.facts.places[found.column])) == BROKEN
