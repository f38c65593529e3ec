"""Statistics of rectangles, windows of exact numbers, and saved arrays, against plain numpy."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from builders.element_pairs import handle_of, numpy_dtype, pairs, sources_of, wide
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.errors import InputError
from core.metrics.inspection.elements import (
    SideStatistics,
    region_statistics,
    region_values,
    save_array,
    value_window,
)
from core.metrics.inspection.sources import PairSources, TensorFile
from core.metrics.pictures.plane import Plane, Region
from core.progress import run_to_end

LARGEST = float(np.finfo(np.float64).max)


def check_side(found: SideStatistics | None, side: np.ndarray) -> None:
    assert found is not None
    values = wide(side)
    finite = np.isfinite(values)
    assert found.count == side.size
    assert found.nan + found.plus_inf + found.minus_inf == side.size - finite.sum()
    if not finite.any():
        assert np.isnan(found.mean)
        assert found.at is None
        return
    sizes = np.minimum(np.abs(values.astype(complex)), LARGEST)
    numbers = (sizes if values.dtype.kind == "c" else values)[finite].astype(float)
    assert found.zeros == np.count_nonzero(numbers == 0)
    assert found.minimum == pytest.approx(numbers.min(), rel=1e-15)
    assert found.maximum == pytest.approx(numbers.max(), rel=1e-15)
    power = -int(np.frexp(np.abs(numbers).max())[1])
    if power > 1022:  # a mean of subnormal numbers is rounded to one
        return
    scaled = np.ldexp(np.ldexp(numbers, power // 2), power - power // 2)
    for measured, expected in ((found.mean, scaled.mean()), (found.std, scaled.std())):
        got = np.ldexp(np.ldexp(measured, power // 2), power - power // 2)
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)
    norm = np.ldexp(np.ldexp(found.norm, power // 2), power - power // 2)
    assert norm == pytest.approx(np.sqrt((scaled**2).sum()), rel=1e-9) or np.isinf(found.norm)
    assert found.at is not None
    assert sizes[found.at] == pytest.approx(np.abs(numbers).max(), rel=1e-15)


@settings(max_examples=120, deadline=None)
@given(pairs())
def test_statistics_of_all(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    target, golden, *layouts = pair
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    found = run_to_end(region_statistics(sources))
    assert found.shape == target.shape
    with np.errstate(all="ignore"):
        check_side(found.target, target)
        check_side(found.golden, golden)
        t, g = wide(target), wide(golden)
        finite = np.isfinite(t) & np.isfinite(g)
        same_special = ~finite & ((np.isnan(t) & np.isnan(g)) | (t == g))
        complex_special = "c" in (t.dtype.kind, g.dtype.kind) and not finite.all()
        t, g = t[finite], g[finite]
        if t.dtype.kind in "iub" and g.dtype.kind in "iub":
            unequal = np.array([int(a) != int(b) for a, b in zip(t.tolist(), g.tolist())], bool)
        else:
            unequal = t.astype(complex) != g.astype(complex)
    if not complex_special:
        assert found.differing == unequal.sum() + (~finite & ~same_special).sum()
    if not finite.any():
        assert found.max_abs is None or np.isnan(found.max_abs)
        return
    assert found.max_abs is not None
    assert (found.max_abs > 0) == unequal.any()


def test_the_numbers_of_the_difference() -> None:
    random = np.random.default_rng(4)
    golden = random.standard_normal((3, 300, 400)).astype(numpy_dtype("bfloat16"))
    target = (golden.astype(float) * 1.02 + 1e-3).astype(numpy_dtype("bfloat16"))
    plane, rectangle = Plane.of(golden.shape, (2, 0, 0)), Region(10, 290, 5, 395)
    found = run_to_end(region_statistics(sources_of(handle_of(target), handle_of(golden)), plane, rectangle))
    t, g = (side[2, 10:290, 5:395].astype(float) for side in (target, golden))
    d = t - g
    assert found.shape == (280, 390)
    assert found.max_abs == np.abs(d).max()
    assert found.mean_abs == pytest.approx(np.abs(d).mean())
    assert found.rmse == pytest.approx(np.sqrt((d**2).mean()))
    assert found.relative_l2 == pytest.approx(np.linalg.norm(d) / np.linalg.norm(g))
    assert found.cosine == pytest.approx((t * g).sum() / np.linalg.norm(t) / np.linalg.norm(g))
    assert found.differing == np.count_nonzero(d)
    units = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(g), 2.0**-126))) - 7)
    assert found.max_ulp == np.abs(d / units).max()
    assert found.target is not None
    assert found.target.at is not None
    assert np.abs(target[found.target.at]) == np.abs(t).max()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_golden_of_another_shape_is_shown_at_the_same_indices(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    shapes = [data.draw(st.tuples(*[st.integers(1, 6)] * rank)) for _ in range(2)]
    target, golden = (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) for shape in shapes)
    plane = data.draw(st.sampled_from([Plane.whole(target.shape), Plane.of(target.shape)]))
    size = plane.size(target.shape)
    window = value_window(sources_of(handle_of(target), handle_of(golden)), plane, 0, 0, *size)
    if target.shape == golden.shape:
        assert window.golden_inside is None
        return
    assert window.difference is None
    assert window.golden is not None
    assert window.golden_inside is not None
    for row in range(size[0]):
        for column in range(size[1]):
            place = plane.index(target.shape, row, column)
            there = place is not None and all(at < n for at, n in zip(place, golden.shape))
            assert window.golden_inside[row, column] == there
            if there:
                assert window.golden[row, column] == golden[place]


def test_special_values_are_no_difference_of_nothing() -> None:
    golden = np.ones((3, 4), np.float32)
    target = golden.copy()
    target[1] = np.nan
    found = run_to_end(region_statistics(sources_of(handle_of(target), handle_of(golden))))
    assert (found.differing, found.special, found.max_abs) == (4, 4, 0)


def test_extremes_of_float64_and_no_difference() -> None:
    golden = np.array([1e300, -1e300, 3e299])
    found = run_to_end(region_statistics(sources_of(handle_of(golden), handle_of(golden))))
    assert found.golden is not None
    assert found.golden.norm == pytest.approx(float(np.linalg.norm(golden / 1e300)) * 1e300)
    assert found.golden.std == pytest.approx(float(np.std(golden / 1e300)) * 1e300)
    assert (found.max_abs, found.cosine, found.relative_l2, found.differing) == (0, 1, 0, 0)
    alone = run_to_end(region_statistics(sources_of(handle_of(golden), None)))
    assert alone.golden is alone.max_abs is alone.differing is None


@settings(max_examples=80, deadline=None)
@given(pairs(), st.data())
def test_windows_are_exact(pair: tuple[np.ndarray, np.ndarray, str, str], data: st.DataObject) -> None:
    target, golden, *layouts = pair
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    axes = data.draw(st.permutations(range(target.ndim)))
    cut = data.draw(st.integers(0, target.ndim))
    plane = Plane(tuple(axes[:cut]), tuple(axes[cut:]), (0,) * target.ndim)
    size = plane.size(target.shape)
    row, column = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    window = value_window(sources, plane, row, column, 3, 4)
    assert list(window.rows) == list(range(row, size[0]))[:3]
    assert list(window.columns) == list(range(column, size[1]))[:4]
    for i, at in enumerate(window.rows):
        for j, beside in enumerate(window.columns):
            place = plane.index(target.shape, at, beside)
            assert window.inside[i, j] == (place is not None)
            if place is None:
                continue
            for found, side in ((window.target, target), (window.golden, golden)):
                assert found is not None
                np.testing.assert_equal(wide(found)[i, j], wide(side)[place])
            assert window.difference is not None
            if {target.dtype.kind, golden.dtype.kind} <= set("iub"):
                assert int(window.difference[i, j]) == int(target[place]) - int(golden[place])


def test_copying_has_a_limit() -> None:
    array = np.zeros((4, 5), np.float32)
    sources = sources_of(handle_of(array), None)
    assert region_values(sources, Plane.of(array.shape), Region(0, 4, 0, 5), 20).difference is None
    with pytest.raises(InputError) as refused:
        region_values(sources, Plane.of(array.shape), Region(0, 4, 0, 5), 19)
    assert refused.value.problem.code == "too_many_values"


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), side=st.sampled_from(["target", "golden", "difference"]))
def test_saved_arrays(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[np.ndarray, np.ndarray, str, str], side: str
) -> None:
    target, golden, *layouts = pair
    sources = sources_of(handle_of(target, layouts[0]), handle_of(golden, layouts[1]))
    path = tmp_path_factory.mktemp("saved") / "array.npy"
    run_to_end(save_array(sources, side, str(path)))
    read = np.load(path)
    assert read.shape == target.shape
    assert read.flags.c_contiguous
    assert list(path.parent.iterdir()) == [path]
    if side != "difference":
        array = target if side == "target" else golden
        native = DTYPES[array.dtype.name].native
        assert read.dtype == (array.dtype if native else np.float32)
        np.testing.assert_array_equal(wide(read), wide(array))
        return
    if read.dtype == np.int64 or (read.dtype == np.float64 and target.dtype.kind in "iub"):
        for got, t, g in zip(read.reshape(-1).tolist(), target.reshape(-1), golden.reshape(-1)):
            exact = Fraction(int(t)) - Fraction(int(g)) if golden.dtype.kind in "iub" else None
            assert exact is None or got == (int(exact) if read.dtype == np.int64 else float(exact))
        return
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(read, wide(target) - wide(golden))


def test_saving_a_rectangle_and_a_fold(tmp_path: Path) -> None:
    array = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    sources = sources_of(handle_of(array), None)
    path = str(tmp_path / "part.npy")
    run_to_end(save_array(sources, "target", path, Plane((0,), (2,), (0, 1, 0)), Region(1, 3, 2, 5)))
    np.testing.assert_array_equal(np.load(path), array[1:3, 1, 2:5])
    flat = sources_of(handle_of(array.reshape(-1)), None)
    run_to_end(save_array(flat, "target", path, Plane((), (0,), (0,), 8), Region(6, 8, 0, 8)))
    np.testing.assert_array_equal(np.load(path), np.arange(48, 60))


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    array = np.zeros(3, np.float32)
    np.save(tmp_path / "own.npy", array)
    own = PairSources(TensorFile(str(tmp_path / "own.npy")), TensorFile(str(tmp_path / "none.npy")))
    for side, path, code in (
        ("golden", "x.npy", "file_missing"),
        ("difference", "x.npy", "no_difference_to_save"),
        ("target", "own.npy", "output_is_input"),
        ("target", "no/such/folder.npy", "array_not_written"),
    ):
        with pytest.raises(InputError) as refused:
            run_to_end(save_array(own, side, str(tmp_path / path)))
        assert refused.value.problem.code == code
    assert [path.name for path in tmp_path.iterdir()] == ["own.npy"]
    with pytest.raises(InputError) as refused:
        run_to_end(save_array(PairSources(None, None), "golden", str(tmp_path / "x.npy")))
    assert refused.value.problem.code == "no_tensor_to_save"


def test_giving_up_leaves_nothing(tmp_path: Path) -> None:
    array = np.zeros((3000, 2000), np.float32)
    work = save_array(sources_of(handle_of(array), None), "target", str(tmp_path / "x.npy"))
    if next(work, None) is not None:
        work.close()
    assert {path.name for path in tmp_path.iterdir()} <= {"x.npy"}
