"""Matrix products against fractions, GPUs, and what is published of chips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.exact_rounding import block_sum
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import COMPUTING_FORMATS, DTYPES
from core.emulation.arithmetic.block_fma import BlockFma, multiply
from core.emulation.arithmetic.nvidia import TENSOR_CORES
from core.emulation.arithmetic.rounding import Conversion, Rounding, convert

DATA = Path(__file__).resolve().parents[3] / "data" / "tensor_cores"
SINGLE, HALF = DTYPES["float32"], DTYPES["float16"]
NEAREST, ZERO = Rounding.NEAREST_EVEN, Rounding.TOWARD_ZERO

WAYS = {
    "exact": BlockFma(16),
    "exact, cut off": BlockFma(16, None, ZERO),
    "aligned": BlockFma(16, 2, ZERO),
    "half": BlockFma(16, accumulator=HALF),
    "blas": BlockFma(16, fused=False),
    "blas, cut off": BlockFma(16, None, ZERO, fused=False),
    "blas, half": BlockFma(16, accumulator=HALF, fused=False),
}


def gaussian(*shape: int, seed: int = 0, dtype: str = "float16") -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(shape, np.float32)
    return convert(values, Conversion({**DTYPES, **COMPUTING_FORMATS}[dtype]))


def by_fractions(a: np.ndarray, b: np.ndarray, parameters: BlockFma) -> np.ndarray:
    """Multiply two matrices element by element."""
    result = np.empty((a.shape[0], b.shape[1]))
    order = list(range(0, a.shape[1], parameters.block))
    for i, j in np.ndindex(*result.shape):
        total = 0.0
        for k in order[::-1] if parameters.reverse else order:
            block = slice(k, k + parameters.block)
            total = block_sum(
                total,
                a[i, block].tolist(),
                b[block, j].tolist(),
                parameters.accumulator,
                parameters.accumulate,
                parameters.guard_bits,
            )
            if np.isinf(total):
                break
        result[i, j] = total
    return result


parameter_sets = st.builds(
    BlockFma,
    block=st.integers(1, 9),
    guard_bits=st.none() | st.integers(0, 4),
    accumulate=st.sampled_from([NEAREST, ZERO]),
    accumulator=st.sampled_from([SINGLE, HALF]),
    reverse=st.booleans(),
)
halves = st.floats(width=16, allow_nan=False, allow_infinity=False)
# Numbers that cancel and tie much more often than random ones do.
awkward = st.builds(
    lambda sign, power, more: sign * 2.0**power * (1 + more),
    st.sampled_from([-1.0, 1.0]),
    st.integers(-13, 12),
    st.sampled_from([0.0, 0.0, 2.0**-10, 0.5, 1 - 2.0**-10]),
)
# Numbers whose products lie on ties of each other, and far below them what breaks the tie.
sticky = st.builds(
    lambda sign, power: sign * 2.0**power,
    st.sampled_from([-1.0, 1.0]),
    st.sampled_from([-45, -40, -12, -11, 0, 1]),
)
singles = st.floats(-(2.0**100), 2.0**100, width=32)


@settings(max_examples=150)
@given(st.data(), parameter_sets, st.integers(1, 12), st.sampled_from([halves, awkward, sticky, singles]))
def test_products_are_those_of_fractions(
    data: st.DataObject, parameters: BlockFma, length: int, numbers: st.SearchStrategy[float]
) -> None:
    draw = st.lists(numbers, min_size=2 * length, max_size=2 * length)
    a = np.array(data.draw(draw), np.float32).reshape(2, length)
    b = np.array(data.draw(draw), np.float32).reshape(length, 2)
    found, wanted = multiply(a, b, parameters), by_fractions(a, b, parameters)
    finite = np.isfinite(wanted)  # what comes after an overflow depends on what it meets
    assert found.dtype == np.float32
    assert np.array_equal(found[finite], wanted[finite])
    assert not np.isfinite(found[~finite]).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "hf32", "float32"])
@pytest.mark.parametrize("block", [4, 16])
@pytest.mark.parametrize("rounding", [NEAREST, ZERO])
def test_larger_products_are_those_of_fractions(dtype: str, block: int, rounding: Rounding) -> None:
    a, b = gaussian(20, 70, dtype=dtype), gaussian(70, 20, seed=1, dtype=dtype)
    a[:5] *= np.float32(2.0**-20)  # rows of another size, and some that cancel
    a[5:8, 1::2], b[1::2] = -a[5:8, ::2], b[::2]
    for guard in (None, 1):
        parameters = BlockFma(block, guard, rounding)
        assert np.array_equal(multiply(a, b, parameters), by_fractions(a, b, parameters))


@pytest.mark.parametrize("length", [3, 16, 17])
@pytest.mark.parametrize("scale", [0, -60, 60])
def test_what_breaks_a_tie_counts_however_small(length: int, scale: int) -> None:
    """1 + 2^-24 is a tie in float32, and 1 a number; 2^-80 more or less is lost in float64."""
    a, b = np.zeros((4, length), np.float32), np.zeros((length, 1), np.float32)
    a[:, 0], b[0] = 1.0, 2.0**scale
    a[:, 1], b[1] = [2.0**-12, 2.0**-12, 0.0, 2.0**-12], 2.0 ** (scale - 12)
    a[:, -1], b[-1] = [2.0**-40, -(2.0**-40), -(2.0**-40), 0.0], 2.0 ** (scale - 40)
    before, after = 1 - 2.0**-24, 1 + 2.0**-23
    near = multiply(a, b, BlockFma(17))[:, 0] * 2.0**-scale
    assert near.tolist() == [after, 1.0, 1.0, 1.0]
    cut_off = multiply(a, b, BlockFma(17, None, ZERO))[:, 0] * 2.0**-scale
    assert cut_off.tolist() == [1.0, 1.0, before, 1.0]


def measured(folder: Path, chip: str) -> dict[str, np.ndarray]:
    with np.load(folder / f"tensor_core_{chip}.npz") as file:
        return {name: file[name] for name in "abcd"}


def committed(chip: str) -> dict[str, np.ndarray]:
    with np.load(DATA / "measured.npz") as file:
        return {name: file[f"{chip}_{name}"] for name in "abcd"}


def bits_right(rows: dict[str, np.ndarray], parameters: BlockFma) -> int:
    left, right = rows["a"][:, np.newaxis, :], rows["b"][:, :, np.newaxis]
    found = multiply(left, right, parameters, start=rows["c"][:, np.newaxis, np.newaxis])[:, 0, 0]
    return int((found.view(np.uint32) == rows["d"].view(np.uint32)).sum())


@pytest.mark.parametrize("chip", sorted(TENSOR_CORES))
def test_gpus_gave_these_bits(chip: str) -> None:
    assert bits_right(committed(chip), TENSOR_CORES[chip]) == 60


@pytest.mark.parametrize("chip", sorted(TENSOR_CORES))
def test_gpus_gave_these_bits_in_every_case(chip: str, cases: Path) -> None:
    rows = measured(cases / "arithmetic", chip)
    assert bits_right(rows, TENSOR_CORES[chip]) == 1000
    # Other parameters are told apart by the same rows.
    for other in (replace(TENSOR_CORES[chip], guard_bits=None), BlockFma(1)):
        assert bits_right(rows, other) < 950


@pytest.mark.parametrize("way", sorted(WAYS))
def test_special_values_are_those_of_the_vendor(way: str) -> None:
    """CANN, Ascend C API documents, boundary values of Mmad, float results."""
    inf, nan = np.inf, np.nan
    largest = np.float32(65504.0)
    rows = [
        ((inf, 1.0), (0.0, 1.0), nan),
        ((-inf, 1.0), (0.0, 1.0), nan),
        ((inf, 1.0), (2.0, 1.0), inf),
        ((inf, 1.0), (-2.0, 1.0), -inf),
        ((inf, -inf), (1.0, 1.0), nan),
        ((nan, 1.0), (1.0, 1.0), nan),
        ((1.0, inf), (inf, inf), inf),
        ((2.0, 3.0), (1.0, 1.0), 5.0),
    ]
    for left, right, wanted in rows:
        a = np.zeros((1, 40), np.float32)
        b = np.zeros((40, 1), np.float32)
        a[0, [3, 30]], b[[3, 30], 0] = left, right
        assert np.array_equal(multiply(a, b, WAYS[way])[0, 0], np.float32(wanted), equal_nan=True)
    huge = np.float32(2.0**127 if WAYS[way].accumulator is SINGLE else largest)
    a = np.array([[huge, huge], [-huge, -huge]], np.float32)
    assert multiply(a, np.ones((2, 1), np.float32), WAYS[way])[:, 0].tolist() == [inf, -inf]


@pytest.mark.parametrize("way", sorted(WAYS))
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (70, 90)])
def test_special_values_stay_in_their_row_and_column(way: str, shape: tuple[int, int]) -> None:
    rows, columns = shape
    a, b = gaussian(rows, 50), gaussian(50, columns, seed=1)
    plain = multiply(a, b, WAYS[way])
    a[rows // 2, 20], b[33, columns // 2] = np.nan, np.inf
    found = multiply(a, b, WAYS[way])
    reached = np.zeros(shape, np.bool_)
    reached[rows // 2], reached[:, columns // 2] = True, True
    assert not np.isfinite(found[reached]).any()
    assert np.array_equal(found[~reached], plain[~reached])


@pytest.mark.parametrize("way", sorted(WAYS))
def test_batches_broadcast_and_tiles_do_not_show(way: str) -> None:
    a, b = gaussian(2, 1, 5, 33), gaussian(3, 33, 7, seed=1)
    found = multiply(a, b, WAYS[way])
    assert found.shape == (2, 3, 5, 7)
    for i, j in np.ndindex(2, 3):
        assert np.array_equal(found[i, j], multiply(a[i, 0], b[j], WAYS[way]))
    assert np.array_equal(multiply(a[:, 0], b[0], WAYS[way]), found[:, 0])
    whole = multiply(gaussian(700, 40), gaussian(40, 600, seed=1), WAYS[way])
    corner = multiply(gaussian(700, 40)[690:], gaussian(40, 600, seed=1)[:, 590:], WAYS[way])
    if WAYS[way].fused:
        assert np.array_equal(whole[690:, 590:], corner)
    else:
        assert np.allclose(whole[690:, 590:], corner, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("way", sorted(WAYS))
def test_parts_of_k_are_added_to_nearest(way: str) -> None:
    a, b = gaussian(6, 100), gaussian(100, 5, seed=1)
    parameters = WAYS[way]
    parts = [multiply(a[:, k], b[k], parameters) for k in (slice(0, 48), slice(48, 96), slice(96, 100))]
    conversion = Conversion(parameters.accumulator)
    wanted = parts[0].astype(np.float64)
    for part in parts[1:]:
        wanted = convert(wanted + part, conversion)
    assert np.array_equal(multiply(a, b, replace(parameters, splits=3)), wanted)
    # A start is what the first part begins with.
    start = np.full((6, 5), 3.0, np.float32)
    first = multiply(a[:, :48], b[:48], parameters, start=start).astype(np.float64)
    for part in parts[1:]:
        first = convert(first + part, conversion)
    assert np.array_equal(multiply(a, b, replace(parameters, splits=3), start=start), first)


@pytest.mark.parametrize("fused", [True, False])
def test_nothing_to_add(fused: bool) -> None:
    parameters = BlockFma(16, fused=fused)
    empty = multiply(np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32), parameters)
    assert empty.shape == (3, 4)
    assert not empty.any()
    start = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.array_equal(
        multiply(np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32), parameters, start), start
    )
    assert multiply(np.zeros((0, 3), np.float32), np.zeros((3, 4), np.float32), parameters).shape == (0, 4)


def test_refusals() -> None:
    good = np.ones((2, 2), np.float32)
    with pytest.raises(ValueError):
        multiply(good, np.ones((3, 2), np.float32), BlockFma())
    with pytest.raises(ValueError):
        multiply(np.full((2, 2), 0.1), good, BlockFma())
    for wrong in (
        {"block": 0},
        {"guard_bits": -1},
        {"guard_bits": 2, "fused": False},
        {"accumulate": Rounding.UP},
        {"accumulator": DTYPES["bfloat16"]},
        {"splits": 0},
    ):
        with pytest.raises(ValueError):
            BlockFma(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", [name for name in WAYS if name.startswith("blas")])
def test_blas_blocks_keep_the_bound(way: str) -> None:
    """Blanchard, Higham, Lopez, Mary and Pranesh 2020: gamma of the blocks and the sum inside one."""
    parameters, length = WAYS[way], 200
    a, b = gaussian(30, length), gaussian(length, 30, seed=1)
    unit = parameters.accumulator.unit_roundoff * (1 if parameters.accumulate is NEAREST else 2)
    steps = -(-length // 16)
    bound = (steps * unit + 15 * 2.0**-24) * 1.1 * (np.abs(a).astype(float) @ np.abs(b).astype(float))
    error = np.abs(multiply(a, b, parameters) - a.astype(float) @ b.astype(float))
    assert (error <= bound).all()
    assert error.max() > 2.0**-4 * unit


def effective_bits(a: np.ndarray, b: np.ndarray, exact: np.ndarray, parameters: BlockFma) -> float:
    error = np.abs(multiply(a, b, parameters) - exact) / np.abs(exact)
    return float(-np.log2(np.median(error)))


def test_effective_bits_are_those_that_an_npu_showed() -> None:
    """Jittor, pull request 18025: 23.0 on the CPU, 23.9 and 12.7 on the NPU without and with HF32."""
    found = []
    for seed in range(12):
        a, b = (gaussian(64, 64, seed=2 * seed + k, dtype="float32") for k in (0, 1))
        exact = a.astype(np.float64) @ b.astype(np.float64)
        short = [convert(matrix, Conversion(COMPUTING_FORMATS["hf32"])) for matrix in (a, b)]
        found.append(
            (
                effective_bits(a, b, exact, BlockFma(1)),
                effective_bits(a, b, exact, BlockFma(4)),
                effective_bits(*short, exact, BlockFma(8)),
                effective_bits(a, b, exact, BlockFma(4, None, ZERO)),
            )
        )
    cpu, cube, hf32, cut_off = np.mean(found, axis=0)
    assert (cpu, cube, hf32) == (
        pytest.approx(23.0, abs=0.1),
        pytest.approx(23.9, abs=0.1),
        pytest.approx(12.7, abs=0.1),
    )
    assert cut_off < 21.5  # the same hardware rounding toward zero would have shown far fewer


def test_split_operands_restore_single_precision() -> None:
    """SGEMM-cube: float32 products of a matrix unit that takes float16, from high and low parts."""
    random = np.random.default_rng(0)
    a, b = random.uniform(-1, 1, (64, 1024)), random.uniform(-1, 1, (1024, 64))
    a, b = a.astype(np.float32), b.astype(np.float32)
    exact, cube, half = a.astype(float) @ b.astype(float), BlockFma(16), Conversion(HALF)
    high_a, high_b = convert(a, half), convert(b, half)
    scale = np.float32(2.0**11)
    low_a, low_b = convert((a - high_a) * scale, half), convert((b - high_b) * scale, half)
    low = multiply(high_a, low_b, cube) + multiply(low_a, high_b, cube)
    plain = multiply(high_a, high_b, cube)
    split = plain + low / scale

    def error(found: np.ndarray) -> float:
        return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))

    assert 1e-4 < error(plain) < 1e-3
    assert error(split) < 4e-7


def test_half_accumulators_fail_the_double_thousandth() -> None:
    """CANN, Mmad: half to half "cannot reach double-1e-3 accuracy"; use float results."""
    a, b = gaussian(64, 1024), gaussian(1024, 64, seed=1)
    exact = a.astype(float) @ b.astype(float)

    def share_off(parameters: BlockFma) -> float:
        out = convert(multiply(a, b, parameters), Conversion(HALF))
        return float((np.abs(out - exact) > 1e-3 * np.abs(exact)).mean())

    assert share_off(BlockFma(16, accumulator=HALF)) > 0.3
    assert share_off(BlockFma(16)) < 1e-3


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(("block", "length"), [(4, 20), (16, 40), (1, 6)])
def test_the_order_shows_in_the_results(block: int, length: int, fused: bool, reverse: bool) -> None:
    """FPRev (Xie et al. 2025): a huge number and its opposite swallow what is added between them."""
    parameters = BlockFma(block, reverse=reverse, fused=fused)
    huge = np.float32(2.0**40)
    pairs = [(i, j) for i in range(length) for j in range(i + 1, length) if i // block != j // block]
    a = np.ones((len(pairs), length), np.float32)
    for row, (i, j) in zip(a, pairs):
        row[i], row[j] = huge, -huge
    found = multiply(a, np.ones((length, 1), np.float32), parameters)[:, 0]
    for kept, (i, j) in zip(found, pairs):
        # Blocks that begin after the second of the two, in order of addition, are kept.
        second = i // block if reverse else j // block
        after = second * block if reverse else length - min((second + 1) * block, length)
        own = min((second + 1) * block, length) - second * block - 1
        if fused:  # the block of the second is one exact sum with the accumulator
            assert kept == after + own
        else:  # inside it BLAS has an order of its own
            assert after <= kept <= after + own
