"""The points of the error trajectory: which there are, which are drawn, where passes and jumps are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.results import gpt_result
from hypothesis import given, settings
from hypothesis import strategies as st

from core.messages import text
from core.records.names import Direction
from core.records.result import CellResult, Reason, Verdict
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts, build_facts
from gui.models.trajectory.jumps import jumps_of
from gui.models.trajectory.passes import PassKind, passes_of
from gui.models.trajectory.points import Heights, Lane, Role, Trajectory, noise_band, trajectory_of
from gui.models.trajectory.seen import nearest_point, pixel_columns, seen_points


@pytest.fixture(scope="module")
def points(cell: CellResult, facts: Facts) -> Trajectory:
    return trajectory_of(cell, facts)


def test_every_judged_slot_is_a_point_at_its_error(
    points: Trajectory, cell: CellResult, facts: Facts
) -> None:
    judged = facts.is_output & (facts.category != Category.NOT_COMPARED)
    assert points.row[points.role == Role.OUTPUT].tolist() == np.flatnonzero(judged).tolist()
    sized = points.lane == Lane.SIZED
    np.testing.assert_allclose(10 ** points.y[sized], cell.rows.error[points.row[sized]])
    assert (cell.rows.error[points.row[points.lane == Lane.ZERO]] == 0).all()
    special = points.row[points.lane == Lane.SPECIAL]
    assert len(special)
    assert np.isin(cell.rows.reason[special], (Reason.SPECIAL_VALUES, Reason.GOLDEN_SPECIAL_VALUES)).all()
    inputs = points.row[points.role == Role.INPUT]
    assert len(inputs)
    assert not facts.is_output[inputs].any()
    assert (points.outputs.role != Role.INPUT).all()
    assert len(points.outputs) == len(points) - len(inputs)


def test_calls_of_one_side_have_a_lane_of_their_own(
    points: Trajectory, cell: CellResult, facts: Facts
) -> None:
    for role, reason in (
        (Role.TARGET_ONLY, Reason.TARGET_ONLY), (Role.GOLDEN_ONLY, Reason.GOLDEN_ONLY),
    ):  # fmt: skip
        rows = points.row[points.role == role]
        assert rows.tolist() == np.flatnonzero(cell.rows.reason == reason).tolist()
        assert (points.y[points.role == role] == points.heights[Lane.LOST]).all()
    lost = int(np.flatnonzero(facts.is_output)[5])
    verdict, reasons = cell.rows.verdict.copy(), cell.rows.reason.copy()
    verdict[lost], reasons[lost] = Verdict.NOT_COMPARED, Reason.UNREADABLE
    made = replace(cell, rows=replace(cell.rows, verdict=verdict, reason=reasons))
    again = trajectory_of(made, build_facts(made))
    assert again.role[again.row == lost].tolist() == [Role.NOT_COMPARED]
    assert again.lane[again.row == lost].tolist() == [Lane.LOST]


def test_special_values_and_shapes_have_lanes_of_their_own(cell: CellResult, facts: Facts) -> None:
    outputs = np.flatnonzero(facts.is_output & (facts.category >= Category.CLOSE))[:2].tolist()
    verdict, reason = cell.rows.verdict.copy(), cell.rows.reason.copy()
    error = cell.rows.error.copy()
    verdict[outputs] = Verdict.DIFFERS
    reason[outputs] = Reason.SHAPE, Reason.SPECIAL_VALUES
    error[outputs] = np.nan, np.inf
    made = replace(cell, rows=replace(cell.rows, verdict=verdict, reason=reason, error=error))
    points = trajectory_of(made, build_facts(made))
    heights = {int(row): float(y) for row, y in zip(points.row, points.y)}
    lanes = points.heights
    assert lanes[Lane.SPECIAL] < lanes[Lane.UNSIZED] == lanes.top
    assert [heights[row] for row in outputs] == [lanes[Lane.UNSIZED], lanes[Lane.SPECIAL]]


# ---- what is drawn

_SIZES = st.floats(-8, 2, width=32)


@st.composite
def many_points(draw: st.DrawFn) -> Trajectory:
    """Return more points than are drawn one by one, with rare ones at any places."""
    count = draw(st.integers(6_000, 20_000))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = random.normal(-5, 0.3, count)
    category = random.choice([Category.EQUAL, Category.CLOSE], count).astype(np.uint8)
    role = random.choice([Role.OUTPUT, Role.INPUT], count).astype(np.uint8)
    lane = np.full(count, Lane.SIZED, np.uint8)
    for at in draw(st.lists(st.integers(0, count - 1), max_size=30)):
        kind = draw(st.sampled_from(("peak", "worst", "special", "lost")))
        if kind == "peak":
            size[at] = draw(_SIZES)
        elif kind == "worst":
            category[at] = draw(st.sampled_from(list(Category)))
        elif kind == "special":
            lane[at] = draw(st.sampled_from((Lane.SPECIAL, Lane.UNSIZED, Lane.ZERO)))
        else:
            role[at] = draw(st.sampled_from((Role.NOT_COMPARED, Role.TARGET_ONLY, Role.GOLDEN_ONLY)))
            lane[at], category[at] = Lane.LOST, Category.NOT_COMPARED
    size[lane != Lane.SIZED] = np.nan
    calls = draw(st.sampled_from((count, count // 3, 50)))
    x = np.sort(random.integers(0, calls, count)).astype(float)
    heights = Heights(-9.0, 3.0, frozenset(Lane))
    return Trajectory(np.arange(count), x, size, category, role, lane, np.full(count, np.nan), heights, calls)


@settings(max_examples=60, deadline=None)
@given(points=many_points(), data=st.data())
def test_no_column_of_pixels_loses_what_matters(points: Trajectory, data: st.DataObject) -> None:
    left = data.draw(st.floats(-10, points.calls - 1))
    right = data.draw(st.floats(left + 1, points.calls + 10))
    width = data.draw(st.integers(2, 900))
    filtered = data.draw(st.booleans())
    passes = np.random.default_rng(len(points)).random(len(points)) < 0.2 if filtered else None
    seen = seen_points(points, left, right, width, passes)
    assert (np.diff(seen) > 0).all()
    inside = (points.x >= left) & (points.x <= right)
    drawn = np.zeros(len(points), bool)
    drawn[seen] = True
    column = pixel_columns(points, slice(0, len(points)), left, right, width)
    flag = np.zeros(len(points), bool) if passes is None else passes
    for passing in (False, True):
        for role in Role:
            mine = inside & (points.role == role) & (flag == passing)
            for at in np.unique(column[mine]).tolist()[:40]:
                here = mine & (column == at)
                shown = here & drawn
                assert shown.any()
                assert points.category[shown].max() == points.category[here].max()
                assert set(points.lane[shown]) == set(points.lane[here])
                if not np.isnan(points.size[here]).all():
                    assert np.nanmax(points.size[shown]) == np.nanmax(points.size[here])


def test_as_many_points_are_drawn_as_a_screen_holds() -> None:
    count = 300_000
    random = np.random.default_rng(1)
    size = random.normal(-6, 0.2, count)
    category = np.full(count, Category.CLOSE, np.uint8)
    size[123_456], category[123_456] = -1.0, Category.INTRODUCED
    none = np.zeros(count, np.uint8)
    many = Trajectory(
        np.arange(count), np.arange(count, dtype=float), size, category, none, none, np.full(count, -5.0),
        Heights(-9.0, 0.0, frozenset({Lane.SIZED})), count,
    )  # fmt: skip
    seen = seen_points(many, 0, count, 900)
    assert len(seen) < 20_000
    assert 123_456 in seen
    assert len(seen_points(many, 100, 400, 900)) >= 300
    x, allowed = noise_band(many)
    assert len(x) <= 1500
    assert (allowed == -5.0).all()


@settings(max_examples=60, deadline=None)
@given(points=many_points(), share=st.floats(0, 1), y=st.floats(-9, 3), wide=st.floats(0.01, 40))
def test_the_nearest_point_is_that_of_all(points: Trajectory, share: float, y: float, wide: float) -> None:
    x = share * points.calls
    at, away = nearest_point(points, x, y, wide, 20.0, 14.0)
    distance = np.hypot((points.x - x) * wide, (points.y - y) * 20.0)
    assert (at >= 0) == bool((distance <= 14.0).any())
    if at >= 0:
        assert away == pytest.approx(distance.min())


# ---- passes and jumps


def test_forward_backward_and_what_follows(cell: CellResult, facts: Facts) -> None:
    passes = passes_of(cell, facts)
    assert [each.kind for each in passes] == [PassKind.FORWARD, PassKind.BACKWARD, PassKind.AFTER]
    names = [facts.operators[int(facts.operator[row])] for row in facts.calls.first_row.tolist()]
    assert not any("backward" in name for name in names[: passes[0].end])
    assert all("backward" in name for name in names[passes[1].begin : passes[1].end])
    assert passes[-1].end == len(names)
    assert passes[1].label() == text("gui.trajectory.pass.backward")


def with_ways(cell: CellResult, ways: list[tuple[Direction, int]]) -> tuple[CellResult, Facts]:
    """Return the first calls of *cell* with runs of other directions."""
    facts = build_facts(cell)
    way = np.repeat([direction for direction, _ in ways], [count for _, count in ways]).astype(np.uint8)
    rows = cell.rows.take(slice(0, int(facts.calls.first_row[len(way)])))
    tables = []
    for dump, operators in ((cell.target, rows.target_operator), (cell.golden, rows.golden_operator)):
        direction = dump.operators.direction.copy()
        known = operators >= 0
        direction[operators[known]] = way[facts.call_of_row[: len(rows)][known]]
        tables.append(replace(dump, operators=replace(dump.operators, direction=direction)))
    made = replace(cell, rows=rows, target=tables[0], golden=tables[1])
    return made, build_facts(made)


@pytest.mark.parametrize(
    ("ways", "kinds"),
    [
        ([(1, 40), (2, 40), (1, 40), (2, 40)], ["forward", "backward", "forward", "backward"]),
        ([(1, 60), (2, 20), (1, 8), (2, 20), (1, 8), (2, 20)], ["forward", "recomputing"]),
        ([(1, 60), (0, 5), (2, 60)], ["forward", "backward"]),
        ([(1, 60)], []),
        ([(1, 60), (2, 1), (1, 30), (2, 90)], ["forward", "backward"]),
    ],
)
def test_passes_by_the_order_of_directions(
    cell: CellResult, ways: list[tuple[int, int]], kinds: list[str]
) -> None:
    made, facts = with_ways(cell, [(Direction(way), count) for way, count in ways])
    assert [each.kind.value for each in passes_of(made, facts)] == kinds


def test_the_only_jump_is_where_the_error_is_introduced(points: Trajectory, facts: Facts) -> None:
    jumps = jumps_of(points)
    guilty = int(np.flatnonzero((facts.category == Category.INTRODUCED) & facts.is_output)[0])
    assert jumps.row.tolist() == [guilty]
    assert jumps.rise[0] == pytest.approx(3.1, abs=0.6)
    assert jumps.steepest == guilty
    assert jumps.after(guilty) == guilty
    assert jumps.after(-1) == guilty


def test_neither_outliers_nor_a_sound_run_jump() -> None:
    sound = gpt_result(layers=6, faulty_layer=99)
    facts = build_facts(sound)
    points = trajectory_of(sound, facts)
    assert len(jumps_of(points)) == 0
    assert jumps_of(points).steepest == jumps_of(points).after(3) == -1
    sized = np.flatnonzero((points.role == Role.OUTPUT) & (points.lane == Lane.SIZED))
    size = points.size.copy()
    size[sized[20]] = 0.0
    assert len(jumps_of(replace(points, size=size))) == 0


def test_leaving_zero_for_a_difference_is_a_jump(points: Trajectory, facts: Facts) -> None:
    guilty = int(np.flatnonzero((facts.category == Category.INTRODUCED) & facts.is_output)[0])
    before = (points.row < guilty) & (points.lane == Lane.SIZED)
    lane, size = points.lane.copy(), points.size.copy()
    lane[before], size[before] = Lane.ZERO, np.nan
    assert jumps_of(replace(points, lane=lane, size=size)).row.tolist() == [guilty]
