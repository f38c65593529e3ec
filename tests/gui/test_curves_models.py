"""Scales, axes, roles and places behind the picture of the curves."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.logged_runs import falling_loss, logged
from hypothesis import given
from hypothesis import strategies as st

from core.curves.drawing.overlay import overlay
from core.curves.drawing.tracks import track_of
from core.curves.engine import judge_curves
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.series import Series
from gui.curves.runs import short_names
from gui.looks.theme import DARK, LIGHT, Colours
from gui.models.curves.laying import Laying, drawn_factors, drawn_shifts, judged_shift, offered
from gui.models.curves.places import (
    broken_places,
    nearest_place,
    neighbour,
    place_of,
    point_before,
    with_gaps,
)
from gui.models.curves.roles import Role, guessed_roles, looks, role_for_next
from gui.models.curves.scale import (
    around_zero,
    clipped_extent,
    decimals,
    round_numbers,
    value_scale,
    written,
)
from gui.models.curves.words import series_words, share
from gui.opening import holds_events, leaning, may_be_log, may_be_monitor, stands_alone
from gui.widgets.real_axis import RealAxis

FINITE = st.floats(-1e12, 1e12, allow_nan=False)


def run_with(first: int, samples: bool = False, steps: int = 5) -> LoggedRun:
    at = np.arange(first, first + steps)
    curves = {"loss": Curve(at, np.ones(steps))}
    if samples:
        curves[Series.CONSUMED_SAMPLES] = Curve(at, at * 64.0)
    return LoggedRun("/x/a.log", RunKind.LOG, ("megatron",), Axis.STEP, curves, (), (), steps, 0, ())


# ---- heights


@given(FINITE, FINITE, st.integers(1, 12))
def test_round_numbers_are_inside_few_and_evenly_spaced(low: float, high: float, most: int) -> None:
    low, high = min(low, high), max(low, high)
    found = round_numbers(low, high, most)
    assert len(found) <= most + 1
    room = (high - low) * 1e-6
    assert all(low - room <= value <= high + room for value in found)
    steps = np.diff(found)
    assert not len(steps) or np.allclose(steps, steps[0], rtol=1e-6)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=4))
def test_a_scale_shows_all_of_its_extents(pairs: list[tuple[float, float]]) -> None:
    scale = value_scale([*pairs, (math.nan, math.nan)])
    for value in (value for pair in pairs for value in pair):
        assert scale.low <= scale.height(value) <= scale.high
    assert scale.high > scale.low
    zero = around_zero(pairs, share=True)
    assert zero.low < 0 < zero.high or zero.low <= 0 <= zero.high


def test_a_logarithmic_scale_leaves_out_what_has_no_logarithm() -> None:
    scale = value_scale([(0.0, 1000.0), (0.1, 10.0)], logarithmic=True)
    heights = scale.heights(np.array([1000.0, 0.1, 0.0, -3.0, np.nan]))
    assert heights[:2].tolist() == [3.0, -1.0]
    assert np.isnan(heights[2:]).all()
    assert [tick.words for tick in scale.ticks(6)] == ["0.1", "1", "10", "100", "1\u202f000"]
    within = value_scale([(2.0, 6.0)], logarithmic=True)
    assert [tick.words for tick in within.ticks(4)] == ["2", "4", "6"]
    assert within.ticks(4)[0].height == pytest.approx(math.log10(2))


def test_values_are_written_with_the_decimals_that_tell_them_apart() -> None:
    scale = value_scale([(-0.012, 0.011)], share=True)
    assert [tick.words for tick in scale.ticks(4)] == ["−1\u202f%", "0\u202f%", "1\u202f%"]
    assert [tick.words for tick in value_scale([(2.0, 2.31)]).ticks(4)] == ["2.0", "2.1", "2.2", "2.3"]
    assert decimals([1.0]) == -1
    assert written(1e-12, decimals([0.0, 1e-12])) == "1e−12"
    assert written(12_000_000, 0) == "12\u202f000\u202f000"


def test_clipping_leaves_out_the_outermost_points() -> None:
    noise = np.random.default_rng(0).standard_normal(2000)
    noise[[5, 900]] = 1e6, np.nan
    low, high = clipped_extent([noise])
    known = noise[np.isfinite(noise)]
    assert (low, high) == (np.percentile(known, 1), np.percentile(known, 99))
    assert all(map(math.isnan, clipped_extent([])))


# ---- the axis along


def test_an_axis_zooms_inside_of_its_places_and_follows_its_end() -> None:
    axis = RealAxis()
    axis.pixels = 1000
    axis.set_range(100.0, 300.0, 4.0)
    assert axis.seen == (100.0, 300.0)
    axis.zoom(0.5, 500)
    assert axis.seen == (150.0, 250.0)
    assert axis.pixel(axis.place(123.0)) == pytest.approx(123.0)
    axis.set_range(100.0, 500.0, 4.0, keep=True)  # not at the end: what is in sight stays
    assert axis.seen == (150.0, 250.0)
    axis.look_at(450.0, 900.0)
    assert axis.seen == (100.0, 500.0) or axis.seen[1] == 500.0
    axis.look_at(400.0, 500.0)
    axis.set_range(100.0, 600.0, 4.0, keep=True)
    assert axis.seen == (500.0, 600.0)
    axis.zoom(1e-9, 500)
    assert axis.span == 4.0
    axis.fit()
    axis.set_range(100.0, 700.0, 4.0, keep=True)  # all was seen, and is seen again
    assert axis.seen == (100.0, 700.0)


def test_an_axis_shows_parts_of_an_epoch_and_a_million_million_tokens() -> None:
    for first, last in ((0.0, 0.25), (1e12, 3e12)):
        axis = RealAxis()
        axis.pixels = 800
        axis.set_range(first, last, (last - first) * 1e-6)
        for _ in range(100):
            axis.zoom(0.5, 400)
        low, high = axis.seen
        assert first <= low < high <= last
        assert high - low == pytest.approx((last - first) * 1e-6, rel=1e-3)


# ---- roles


def test_roles_are_guessed_by_names() -> None:
    names = ["/r/gpu_1.log", "/r/npu.log", "/r/gpu_2.log", "/r/other.log"]
    assert guessed_roles(names) == [Role.GOLDEN, Role.TARGET, Role.REPEAT, Role.OTHER]
    assert guessed_roles(["/npu/train.log", "/gpu/train.log"]) == [Role.TARGET, Role.GOLDEN]
    assert guessed_roles(["/gpu/train.log", "/npu/train.log"]) == [Role.GOLDEN, Role.TARGET]
    assert guessed_roles(["a", "b", "c"]) == [Role.TARGET, Role.GOLDEN, Role.OTHER]
    assert guessed_roles(["only"]) == [Role.TARGET]
    assert guessed_roles([]) == []
    assert leaning("/x/ascend_910b.log") > 0 > leaning("/x/a100.log")


def test_further_runs_take_the_roles_that_are_free() -> None:
    assert role_for_next([]) is Role.TARGET
    assert role_for_next([Role.TARGET]) is Role.GOLDEN
    assert role_for_next([Role.GOLDEN, Role.OTHER]) is Role.TARGET
    assert role_for_next([Role.TARGET, Role.GOLDEN]) is Role.OTHER


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_ten_runs_look_different(colours: Colours) -> None:
    roles = [Role.TARGET, Role.GOLDEN, *[Role.REPEAT] * 3, *[Role.OTHER] * 12]
    made = looks(roles, colours)
    assert len({(look.colour, look.dashes) for look in made}) == len(made)
    assert made[0].dashes == made[1].dashes == ()


def test_runs_of_one_name_are_told_apart_by_their_folders() -> None:
    assert short_names(["/a/npu/train.log", "/a/gpu/train.log", "/a/other.log"]) == [
        "npu/train.log", "gpu/train.log", "other.log",
    ]  # fmt: skip
    assert short_names(["/a/x.log", "/a/x.log"])[0].endswith("x.log")


# ---- laying on each other


def test_how_runs_are_laid_on_each_other() -> None:
    target, golden = run_with(0), run_with(100, samples=True)
    assert offered([target]) == [Laying.FOUND, Laying.STEP, Laying.FIRST]
    assert Laying.SAMPLES in offered([target, golden])
    assert judged_shift(Laying.FIRST, target, golden) == 100
    assert judged_shift(Laying.STEP, target, golden) == 0
    assert judged_shift(Laying.FOUND, target, golden) is None
    runs = [(Role.TARGET, target), (Role.GOLDEN, golden), (Role.OTHER, run_with(7))]
    assert drawn_shifts(Laying.FIRST, None, runs) == [100.0, 0.0, 93.0]
    assert drawn_shifts(Laying.SAMPLES, None, runs) == [0.0] * 3


def test_steps_have_places_on_every_axis() -> None:
    run = run_with(10, samples=True)
    assert place_of(12, run, Axis.STEP, 3.0) == 15.0
    assert place_of(12, run, Axis.SAMPLES, 0.0) == 12 * 64.0
    assert place_of(12, run, Axis.COUNT, 0.0) == 2.0
    assert math.isnan(place_of(12, run, Axis.TOKENS, 0.0))


def test_points_are_found_by_place() -> None:
    track = track_of(np.array([1.0, 2.0, 5.0, 9.0]), np.array([1.0, np.nan, np.inf, -np.inf]))
    assert nearest_place(track, 3.4) == 2.0
    assert nearest_place(track, 99.0) == 9.0
    assert point_before(track, 4.0)[0] == 2.0
    assert all(map(math.isnan, point_before(track, 0.5)))
    assert all(map(math.isnan, point_before(track, 9.5)))
    assert [neighbour(track, 2.0, True), neighbour(track, 2.0, False), neighbour(track, 9.0, True)] == [
        5,
        1,
        9,
    ]
    places, values = broken_places(track, 0.0, 10.0, 100)
    assert places.tolist() == [2.0, 5.0, 9.0]
    assert np.isnan(values[0])


def test_places_far_apart_are_not_joined() -> None:
    x, y = np.array([1.0, 2.0, 4.0, 5.0, 9.0]), np.arange(5.0)
    places, values = with_gaps(x, y, 1.5)
    assert places.tolist() == [1, 2, 4, 4, 5, 9, 9]
    assert np.flatnonzero(np.isnan(values)).tolist() == [2, 5]
    assert with_gaps(x, y, math.inf)[1] is y


def test_of_many_broken_points_one_a_pixel_is_marked() -> None:
    count = 100_000
    y = np.ones(count)
    y[1000:60_000] = np.nan
    y[70_000], y[70_001] = np.inf, -np.inf
    track = track_of(np.arange(count, dtype=np.float64), y)
    places, values = broken_places(track, 0, count, 500)
    assert len(places) <= 500
    assert {70_000.0, 70_001.0} <= set(places.tolist())
    assert np.isposinf(values).sum() == np.isneginf(values).sum() == 1
    close, _ = broken_places(track, 999, 1010, 500)
    assert close.tolist() == list(range(1000, 1011))


# ---- words


def test_words_of_series_and_shares() -> None:
    assert series_words("loss") == "Loss"
    assert series_words("actor/entropy") == "actor/entropy"
    assert share(0.01234) == "1.23\u202f%"
    assert share(-0.5, signed=True) == "−50\u202f%"
    assert share(0.002, signed=True) == "+0.2\u202f%"
    assert share(math.nan) == "—"
    assert share(math.inf) == "Inf"


def test_a_folder_of_events_may_be_a_log(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    assert not may_be_log(str(folder))
    (folder / "events.out.tfevents.1700000000.host").write_bytes(b"")
    assert holds_events(str(folder))
    assert may_be_log(str(folder))
    assert stands_alone(str(folder))
    assert not holds_events(str(tmp_path / "missing"))


def test_a_monitor_is_known_by_the_names_in_its_folder(tmp_path: Path) -> None:
    monitor, dump = tmp_path / "monitor", tmp_path / "dump"
    (monitor / "Dec03-rank0-1a2b").mkdir(parents=True)
    assert not may_be_monitor(str(monitor))
    (monitor / "Dec03-rank0-1a2b" / "grad_reduced_0-99.csv").write_text("vpp_stage,name,step,norm\n")
    assert may_be_monitor(str(monitor))
    assert stands_alone(str(monitor))
    (dump / "step0" / "rank0").mkdir(parents=True)
    (dump / "step0" / "rank0" / "dump.json").write_text("{}")
    (dump / "compare_result.csv").write_text("NPU Name,Bench Name\n")
    assert not may_be_monitor(str(dump))
    assert not stands_alone(str(dump))
    assert not may_be_monitor(str(tmp_path / "nowhere"))


def test_a_counted_log_is_drawn_over_the_steps_of_the_other() -> None:
    golden = logged(falling_loss(600))
    target = replace(logged(falling_loss(600)[9::10]), axis=Axis.COUNT)
    report = judge_curves(target, golden)
    runs = [(Role.TARGET, target), (Role.GOLDEN, golden)]
    assert drawn_factors(report, runs) == [10.0, 1.0]
    assert drawn_factors(None, runs) == [1.0, 1.0]
    drawn = overlay([run for _, run in runs], "loss", report.alignment.axis, 0.0, [0.0, 0.0], [10.0, 1.0])
    assert drawn[0].raw is not None
    assert drawn[0].raw.x.tolist() == list(range(10, 601, 10))
