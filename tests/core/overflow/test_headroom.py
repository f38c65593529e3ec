"""What would happen in fp16: counts against rounding by numpy and ml_dtypes, statistics against tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.reading import read_only_cell
from builders.records import one_slot_dump
from hypothesis import given
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.registry import find_run, read_cell
from core.overflow.headroom.exponents import MagnitudeCounter, Magnitudes, limits_of
from core.overflow.headroom.loss_scale import losses_at, suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom, tightest
from core.overflow.headroom.picture import exponent_picture
from core.progress import run_to_end
from core.records.dump import Dump, Known
from core.records.headroom import (
    BINS,
    FIRST_EXPONENT,
    LAST_EXPONENT,
    NO_EXPONENT,
    Answer,
    GradientExponents,
    Headroom,
    Role,
)
from core.records.overflow import Special
from core.records.result import Evidence

NUMPY: dict[str, Any] = {
    "float16": np.float16, "float32": np.float32, "float64": np.float64, "bfloat16": ml_dtypes.bfloat16,
    "float8_e5m2": ml_dtypes.float8_e5m2, "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
}  # fmt: skip
EDGES = [
    0.0, 65504.0, 65519.99, 65519.996, 65520.0, 65536.0, 2.0**-24, 2.0**-25, 2.0**-25 * (1 + 2.0**-23),
    2.0**-25 * (1 - 2.0**-24), 2.0**-14, 2.0**-14 - 2.0**-25, 2.0**-14 - 2.0**-25 - 2.0**-38, 2.0**-15,
    2.0**-126, 2.0**-149, 2.0**-134, 2.0**-133, 2.0**-126 - 2.0**-134, 3.3895313892515355e38,
    3.4e38, 1.0, np.inf, np.nan,
]  # fmt: skip


def counted(values: np.ndarray[Any, Any], stored: str, target: str = "float16", block: int = 7) -> Magnitudes:
    """Count *values* of the format *stored*, in small blocks."""
    counter = MagnitudeCounter(DTYPES[stored], limits_of(DTYPES[target]))
    bits = values.view(DTYPES[stored].storage)
    for start in range(0, len(bits), block):
        counter.add(bits[start : start + block])
    return counter.result()


def wide(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return *values* as float64; signalling NaN are no news."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def agrees_with_rounding(values: np.ndarray[Any, Any], found: Magnitudes, target: str) -> None:
    """Assert that *found* is what rounding all *values* gives."""
    with np.errstate(all="ignore"):
        rounded = values.astype(NUMPY[target]).astype(np.float64)
    exact = wide(values)
    finite, nonzero = np.isfinite(exact), exact != 0
    assert found.count == len(values)
    assert found.zeros == np.count_nonzero(~nonzero)
    assert (found.nan, found.infinite) == (np.isnan(exact).sum(), np.isinf(exact).sum())
    assert found.positive_infinite == bool((exact == np.inf).any())
    assert found.negative_infinite == bool((exact == -np.inf).any())
    assert found.overflow == np.count_nonzero(finite & np.isinf(rounded))
    assert found.vanishing == np.count_nonzero(finite & nonzero & (rounded == 0))
    normal = DTYPES[target].smallest_normal
    assert found.subnormal == np.count_nonzero((rounded != 0) & (np.abs(rounded) < normal))
    sizes = np.abs(exact[finite])
    if not len(sizes):
        assert np.isnan(found.peak)
        return
    assert found.peak == sizes.max()
    _, exponents = np.frexp(sizes[sizes > 0])
    bins = np.clip(exponents - 1, FIRST_EXPONENT, LAST_EXPONENT) - FIRST_EXPONENT
    assert found.exponents.tolist() == np.bincount(bins, minlength=BINS).tolist()
    if sizes.max() > 2.0**-120:
        scaled = sizes / sizes.max()
        assert found.rms == pytest.approx(np.log2(sizes.max()) + np.log2(np.mean(scaled**2)) / 2, abs=0.05)


float32_bits = st.one_of(
    st.integers(0, 2**32 - 1),
    st.tuples(st.sampled_from(EDGES), st.booleans(), st.integers(-2, 2)).map(
        lambda drawn: (int(np.float32(drawn[0]).view(np.uint32)) + drawn[2]) % 2**31 | drawn[1] << 31
    ),
)


@given(st.lists(float32_bits, max_size=40), st.sampled_from(["float16", "bfloat16", "float8_e5m2"]))
def test_float32_is_counted_as_it_rounds(bits: list[int], target: str) -> None:
    values = np.array(bits, np.uint32).view(np.float32)
    agrees_with_rounding(values, counted(values, "float32", target), target)


@pytest.mark.parametrize("stored", ["float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"])
@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_all_patterns_of_short_formats_are_counted_as_they_round(stored: str, target: str) -> None:
    storage = DTYPES[stored].storage
    patterns = np.arange(1 << 8 * storage.itemsize, dtype=np.uint32).astype(storage.str.replace("f", "u"))
    values = patterns.view(NUMPY[stored])
    with np.errstate(invalid="ignore"):
        agrees_with_rounding(
            values.astype(np.float32), counted(values.view(storage), stored, target, 5000), target
        )


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from(EDGES).map(
    lambda value: int(np.float64(value).view(np.uint64))), max_size=40))  # fmt: skip
def test_float64_is_counted_as_it_rounds(bits: list[int]) -> None:
    values = np.array(bits, np.uint64).view(np.float64)
    agrees_with_rounding(values, counted(values, "float64"), "float16")


def test_every_value_around_the_limits_of_float16() -> None:
    sizes = np.concatenate(
        [np.float32(edge).view(np.uint32) + np.arange(-3000, 3000) for edge in EDGES if 0 < edge < np.inf]
    )
    values = (sizes % 2**31).astype(np.uint32).view(np.float32)
    agrees_with_rounding(values, counted(values, "float32", block=100_000), "float16")
    assert limits_of(DTYPES["float16"]).overflow == 65520.0
    with pytest.raises(ValueError, match="e4m3"):
        limits_of(DTYPES["float8_e4m3fn"])


def test_big_endian_numbers_are_counted_too() -> None:
    values = np.array([1.0, -70000.0, 2.0**-25, np.inf], np.float32)
    counter = MagnitudeCounter(DTYPES["float32"], limits_of(DTYPES["float16"]))
    counter.add(values.astype(">f4"))
    agrees_with_rounding(values, counter.result(), "float16")


finite = st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from(EDGES[:16])


@given(st.lists(finite, max_size=60), st.integers(0, 32))
def test_losses_at_any_scale_are_those_of_scaled_gradients(numbers: list[float], exponent: int) -> None:
    values = np.array(numbers, np.float32)
    values = values[np.abs(values) < 2.0**90]
    found = counted(values, "float32")
    gradients = GradientExponents(found.exponents, found.powers, found.late, 1, 1)
    losses = losses_at(gradients, limits_of(DTYPES["float16"]), exponent)
    with np.errstate(over="ignore"):
        scaled = np.ldexp(values.astype(np.float64), exponent)
        rounded = scaled.astype(np.float16).astype(np.float64)
    assert losses.vanishing == np.count_nonzero((values != 0) & (rounded == 0))
    assert losses.subnormal == np.count_nonzero((rounded != 0) & (np.abs(rounded) < 2.0**-14))
    assert losses.nonzero == np.count_nonzero(values)


def network(gradient: float = 1e-3, root: float = 1.0) -> dict[str, Any]:
    """Return calls whose values reach beyond fp16 at both ends."""
    random = np.random.default_rng(3)
    data = random.standard_normal((8, 16)).astype(np.float32)
    large = (data * 30000).astype(np.float32)
    small = (np.abs(data) * 1e-9 + 1e-12).astype(np.float32)
    positive = (np.abs(data) + 1.0).astype(np.float32)
    brain = (data * 1e6).astype(ml_dtypes.bfloat16)
    grad = (data * gradient).astype(np.float32)
    return {
        "Torch.mul.0.forward": call([data, 30000.0], [large]),
        "Torch.exp.0.forward": call([large], [small]),
        "Torch.add.0.forward": call([small, 1.0], [positive]),
        "Torch.matmul.0.forward": call([positive], [brain]),
        "Torch.sum.0.forward": call([brain], [np.full((), 3.0, np.float32)]),
        "Torch.sum.0.backward": {"input": [np.full((), root, np.float32)], "output": [grad]},
        "Torch.zeros.0.forward": call([], [np.zeros((4, 4), np.float32)]),
        "Torch.bad.0.forward": call([], [np.array([np.nan, 70000, 1], np.float32)]),
    }


def measured(folder: Path, *, tensors: bool, target: str = "float16", **how: Any) -> tuple[Dump, Headroom]:
    write_dump(folder, network(**how), tensors=tensors)
    dump = read_only_cell(folder)
    return dump, run_to_end(measure_headroom(dump, target=DTYPES[target]))


def test_inputs_that_an_output_accounts_for_have_no_row(tmp_path: Path) -> None:
    dump, headroom = measured(tmp_path, tensors=False)
    rows = headroom.rows
    inputs = [dump.operator_name(int(row)) for row in rows.operator[rows.role == Role.INPUT]]
    assert inputs == ["Torch.mul.0.forward", "Torch.sum.0.backward"]
    gradients = [dump.operator_name(int(row)) for row in rows.operator[rows.role == Role.GRADIENT]]
    assert gradients == ["Torch.sum.0.backward"]
    assert (rows.evidence == Evidence.STATISTICS).all()
    assert (np.diff(rows.operator) >= 0).all()


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_statistics_say_what_the_tensors_say_or_nothing(tmp_path: Path, target: str) -> None:
    _, less = measured(tmp_path / "statistics", tensors=False, target=target)
    _, more = measured(tmp_path / "tensors", tensors=True, target=target)
    told, known = less.rows, more.rows
    assert (known.evidence == Evidence.FULL).all()
    assert (told.slot == known.slot).all()
    for name in ("overflow", "vanishing", "subnormal"):
        answer, truth = getattr(told, name), getattr(known, name)
        certain = (answer == Answer.NONE) | (answer == Answer.ALL)
        assert (answer == truth)[certain].all(), name
        assert (truth >= Answer.SOME)[answer == Answer.SOME].all(), name
        counts, true_counts = getattr(told, f"{name}_count"), getattr(known, f"{name}_count")
        assert (counts == true_counts)[counts >= 0].all(), name
    finite = np.isfinite(told.peak)
    assert (told.peak == known.peak)[finite].all()
    assert (told.top == known.top)[finite].all()
    shares = known.share(known.overflow_count)
    bounded = ~np.isnan(told.overflow_at_most)
    assert (told.overflow_at_most >= shares)[bounded].all()
    with_rms = np.isfinite(told.rms)
    assert np.abs(told.rms[with_rms] - known.rms[with_rms]).max() < 0.06
    assert (known.zeros == told.zeros)[told.zeros >= 0].all()


def test_statistics_answer_where_they_can(tmp_path: Path) -> None:
    dump, headroom = measured(tmp_path, tensors=False)
    rows = headroom.rows
    at = {
        dump.operator_name(int(row)): i for i, row in enumerate(rows.operator) if rows.role[i] != Role.INPUT
    }
    large, small = at["Torch.mul.0.forward"], at["Torch.exp.0.forward"]
    assert rows.overflow[large] == Answer.SOME
    assert rows.headroom[large] < 0
    assert 1 / 128 <= rows.overflow_at_most[large] < 0.5
    assert rows.vanishing[large] == Answer.UNKNOWN
    assert rows.vanishing_count[large] == -1
    assert rows.vanishing[small] == Answer.ALL
    assert rows.vanishing_count[small] == 128
    positive = at["Torch.add.0.forward"]
    assert [rows.vanishing[positive], rows.subnormal[positive]] == [Answer.NONE, Answer.NONE]
    zero = at["Torch.zeros.0.forward"]
    assert (rows.zeros[zero], rows.top[zero], rows.headroom[zero]) == (16, NO_EXPONENT, np.inf)
    bad = at["Torch.bad.0.forward"]
    assert rows.special[bad] == Special.NAN
    assert rows.overflow[bad] == Answer.UNKNOWN
    assert np.isnan(rows.headroom[bad])


@given(st.lists(finite, min_size=1, max_size=12))
def test_what_statistics_say_is_never_wrong(numbers: list[float]) -> None:
    values = np.array(numbers, np.float32)
    with np.errstate(over="ignore"):
        norm = float(np.sqrt((values.astype(np.float64) ** 2).sum()))
    dump = one_slot_dump(values.shape, float(values.max()), float(values.min()), norm)
    rows = run_to_end(measure_headroom(dump)).rows
    truth = counted(values, "float32")
    nonzero = truth.count - truth.zeros
    for name in ("overflow", "vanishing", "subnormal"):
        answer, count = Answer(int(getattr(rows, name)[0])), getattr(truth, name)
        allowed = {
            Answer.UNKNOWN: True,
            Answer.NONE: count == 0,
            Answer.SOME: count > 0,
            Answer.ALL: count == nonzero > 0,
        }
        assert allowed[answer], (name, answer, count)
        told = int(getattr(rows, f"{name}_count")[0])
        assert told in (-1, count)
    assert truth.overflow / truth.count <= rows.overflow_at_most[0] or np.isnan(rows.overflow_at_most[0])


def test_a_tensor_that_is_gone_keeps_what_its_statistics_say(tmp_path: Path) -> None:
    write_dump(tmp_path, network(), tensors=True)
    dump = read_only_cell(tmp_path)
    (tmp_path / "dump_tensor_data" / "Torch.mul.0.forward.output.0.npy").write_bytes(b"short")
    headroom = run_to_end(measure_headroom(dump))
    rows = headroom.rows
    assert len(headroom.problems) == 1
    assert np.count_nonzero(rows.evidence == Evidence.STATISTICS) == 1
    assert rows.overflow[rows.evidence == Evidence.STATISTICS].tolist() == [Answer.SOME]


def test_several_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dump(tmp_path, network(), tensors=True)
    dump = read_only_cell(tmp_path)
    alone = run_to_end(measure_headroom(dump))
    monkeypatch.setattr("core.overflow.headroom.measuring._WORTH_PROCESSES", 1)
    both = run_to_end(measure_headroom(dump, processes=2))
    assert (alone.histograms == both.histograms).all()
    for name, values in alone.rows.columns().items():
        np.testing.assert_array_equal(values, getattr(both.rows, name), name)


def test_progress_comes_while_a_large_tensor_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.overflow.headroom.measuring._TELL_AFTER", 0.0)
    big = np.ones(1 << 20, np.float32)
    write_dump(tmp_path, {"Torch.ones.0.forward": call([], [big])}, tensors=True)
    work = measure_headroom(read_only_cell(tmp_path))
    assert sum(1 for _ in work) >= 4
    cancelled = measure_headroom(read_only_cell(tmp_path))
    next(cancelled)
    next(cancelled)
    cancelled.close()


def test_the_tightest_come_first(tmp_path: Path) -> None:
    _, headroom = measured(tmp_path, tensors=True)
    found = tightest(headroom, 3)
    bits = headroom.rows.headroom[found]
    assert (np.diff(bits) >= 0).all()
    assert bits[0] == np.nanmin(headroom.rows.headroom)
    everything = tightest(headroom, 1000)
    assert len(everything) == np.count_nonzero(np.isfinite(headroom.rows.headroom))


def test_the_loss_scale_uses_the_room_and_keeps_its_margin(tmp_path: Path) -> None:
    _, headroom = measured(tmp_path, tensors=True)
    scale = suggest_loss_scale([headroom])
    assert scale.peak * scale.scale * 2 <= 65504 < scale.peak * scale.scale * 4
    assert scale.largest is not None
    gradients = headroom.rows.role == Role.GRADIENT
    assert scale.largest.magnitude == np.nanmax(headroom.rows.peak[gradients])
    assert scale.at_one is not None
    assert scale.at_scale is not None
    assert scale.at_scale.vanishing <= scale.at_one.vanishing
    assert [remark.code for remark in scale.remarks] == ["loss_scale.suggested"]
    assert scale.loss_gradient == 1.0


def test_losses_are_unknown_from_statistics_alone(tmp_path: Path) -> None:
    _, headroom = measured(tmp_path, tensors=False)
    scale = suggest_loss_scale([headroom])
    assert scale.exponent is not None
    assert scale.at_one is None
    assert "loss_scale.losses_unknown" in [remark.code for remark in scale.remarks]


def test_gradients_that_are_scaled_already_are_recognised(tmp_path: Path) -> None:
    _, headroom = measured(tmp_path, tensors=False, root=65536.0, gradient=50.0)
    remarks = {remark.code: remark.parameters for remark in suggest_loss_scale([headroom]).remarks}
    assert remarks["loss_scale.scaled"] == {"scale": 65536.0}


def test_a_run_without_gradients_has_no_loss_scale(tmp_path: Path) -> None:
    write_dump(tmp_path, {"Torch.ones.0.forward": call([], [np.ones(3, np.float32)])})
    headroom = run_to_end(measure_headroom(read_only_cell(tmp_path)))
    scale = suggest_loss_scale([headroom])
    assert scale.exponent is None
    assert np.isnan(scale.scale)
    assert [remark.code for remark in scale.remarks] == ["loss_scale.no_gradients"]
    assert suggest_loss_scale([]).exponent is None


@pytest.mark.parametrize("tensors", [True, False])
@pytest.mark.parametrize("width", [1, 3, 1000])
def test_a_picture_of_any_width_shows_every_peak(tmp_path: Path, tensors: bool, width: int) -> None:
    _, headroom = measured(tmp_path, tensors=tensors)
    picture = exponent_picture(headroom, width)
    rows = headroom.rows
    assert picture.shares.shape == (BINS, min(width, len(np.unique(rows.operator))))
    assert (picture.first[1:] > picture.last[:-1]).all()
    for row in np.flatnonzero(rows.top != NO_EXPONENT):
        (column,) = np.flatnonzero(
            (picture.first <= rows.operator[row]) & (rows.operator[row] <= picture.last)
        )
        assert picture.shares[rows.top[row] - FIRST_EXPONENT, column] > 0
    assert picture.shares.max() <= 1
    assert (picture.evidence == (Evidence.FULL if tensors else Evidence.STATISTICS)).all()


def test_real_dumps_of_both_kinds_agree(dumps: Path) -> None:
    seen = 0
    for folder in sorted({path.parent for path in dumps.rglob("dump.json")}):
        for source in find_run(folder).cells.values():
            dump = run_to_end(read_cell(source))
            rows = run_to_end(measure_headroom(dump)).rows
            both = rows.take((rows.evidence == Evidence.FULL) & (dump.slots.known[rows.slot] == Known.ALL))
            if not len(both):
                continue
            seen += 1
            slots = dump.slots.take(both.slot)
            sizes = np.maximum(np.abs(slots.max), np.abs(slots.min))
            finite = np.isfinite(sizes)
            np.testing.assert_allclose(both.peak[finite], sizes[finite], rtol=1e-6)
            with np.errstate(divide="ignore"):
                rms = np.log2(slots.norm) - np.log2(both.count) / 2
            plain = finite & (sizes > 0)
            assert np.abs(rms[plain] - both.rms[plain]).max() < 0.06
    assert seen
