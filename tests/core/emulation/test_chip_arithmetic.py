"""Calls under a profile: the envelope holds what the chip may give, and nothing much beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from builders.dumps import call
from builders.reading import read_only_cell
from builders.replay_answers import write_calls

from core.emulation.chips.calls import Emulator
from core.emulation.chips.profile import Profile, find_profile
from core.records.emulation import CallEmulation, EmulationVerdict
from core.records.run import CellKey

BF16 = ml_dtypes.bfloat16
INSIDE = (EmulationVerdict.INSIDE_ENVELOPE, EmulationVerdict.INSIDE_BOUND)


def normal(*shape: int, dtype: Any = np.float32, seed: int = 4) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float64)


def emulated(folder: Path, name: str, body: Any, profile: str | Profile = "910B") -> CallEmulation:
    dump = read_only_cell(write_calls(folder / "step0" / "rank0", {name: body}))
    chip = find_profile(profile) if isinstance(profile, str) else profile
    return Emulator(CellKey("", 0, 0), dump, None, chip, thorough=True).emulate(0)


def toward_zero_product(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], block: int) -> np.ndarray[Any, Any]:
    """Return a·b where each step of *block* products is cut to float32, computed in float64."""
    total = np.zeros((len(a), b.shape[1]))
    for start in range(0, a.shape[1], block):
        total = total + wide(a)[:, start : start + block] @ wide(b)[start : start + block]
        near = total.astype(np.float32)
        too_far = np.abs(wide(near)) > np.abs(total)
        total = wide(np.where(too_far, np.nextafter(near, np.float32(0)), near))
    return total.astype(np.float32)


@pytest.mark.parametrize("length", [64, 512])
def test_another_rounding_of_the_accumulator_is_admissible(tmp_path: Path, length: int) -> None:
    a, b = np.abs(normal(16, length, dtype=np.float16)), np.abs(normal(length, 16, dtype=np.float16, seed=5))
    cut = toward_zero_product(a, b, 16)
    found = emulated(tmp_path, "Torch.matmul.0.forward", call([a, b], [cut]))
    assert found.verdict is EmulationVerdict.INSIDE_ENVELOPE
    (slot,) = found.slots
    assert slot.closest.startswith("accumulate_rounding=toward_zero")
    assert slot.closest_equal == 1.0
    nearest = (wide(a) @ wide(b)).astype(np.float32)
    (tmp_path / "exact").mkdir()
    assert emulated(tmp_path / "exact", "Torch.matmul.0.forward", call([a, b], [nearest])).verdict in INSIDE


def test_one_element_beyond_is_found_and_told(tmp_path: Path) -> None:
    a, b = normal(16, 64, dtype=np.float16), normal(64, 8, dtype=np.float16, seed=5)
    made = (wide(a) @ wide(b)).astype(np.float16)
    made[3, 5] = made[3, 5] * np.float16(1.02)
    found = emulated(tmp_path, "Torch.matmul.0.forward", call([a, b], [made]))
    assert found.verdict is EmulationVerdict.OUTSIDE
    (slot,) = found.slots
    assert (slot.elements, slot.outside) == (128, 1)
    assert slot.worst is not None
    assert slot.worst.index == (3, 5)
    assert slot.worst.target == float(made[3, 5])
    exact = (wide(a) @ wide(b))[3, 5]
    assert slot.worst.low - 0.01 < exact < slot.worst.high + 0.01
    assert sum(slot.histogram) == 128


def test_hf32_is_the_default_of_convolutions_and_a_choice_of_products(tmp_path: Path) -> None:
    def hf32(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        scale = 2.0 ** (np.floor(np.log2(np.abs(wide(x)))) - 11)
        return np.asarray(np.rint(wide(x) / scale) * scale)

    image, kernel = normal(2, 3, 8, 8), normal(4, 3, 1, 1, seed=6)
    made = np.einsum("nchw,oc->nohw", hf32(image), hf32(kernel)[:, :, 0, 0]).astype(np.float32)
    body = call([image, kernel], [made])
    assert emulated(tmp_path / "a", "Functional.conv2d.0.forward", body).verdict in INSIDE
    keep = find_profile("910B").with_values("test", float32_convolution="float32")
    assert (
        emulated(tmp_path / "b", "Functional.conv2d.0.forward", body, keep).verdict
        is EmulationVerdict.OUTSIDE
    )
    a, b = normal(8, 32), normal(32, 8, seed=7)
    product = call([a, b], [(hf32(a) @ hf32(b)).astype(np.float32)])
    assert emulated(tmp_path / "c", "Torch.matmul.0.forward", product).verdict is EmulationVerdict.OUTSIDE
    allowed = find_profile("910B").with_values("test", float32_product="hf32")
    assert emulated(tmp_path / "d", "Torch.matmul.0.forward", product, allowed).verdict in INSIDE


def test_an_overflow_is_what_the_mode_of_the_chip_makes_of_it(tmp_path: Path) -> None:
    x = np.array([60000.0, -60000.0, 1.0], np.float16)
    infinite = call([x, x], [np.array([np.inf, -np.inf, 2.0], np.float16)])
    clipped = call([x, x], [np.array([65504.0, -65504.0, 2.0], np.float16)])
    for profile, right, wrong in (("910B", infinite, clipped), ("910A", clipped, infinite)):
        folder = tmp_path / profile
        found = emulated(folder / "right", "Torch.add.0.forward", right, profile)
        assert found.verdict is EmulationVerdict.INSIDE_ENVELOPE
        assert found.slots[0].status == ("float_overflow",)
        found = emulated(folder / "wrong", "Torch.add.0.forward", wrong, profile)
        assert found.verdict is EmulationVerdict.OUTSIDE


def test_nan_becomes_zero_where_a_chip_saturates(tmp_path: Path) -> None:
    x = np.array([-1.0, 4.0], np.float16)
    body = call([x], [np.array([0.0, 2.0], np.float16)])
    assert emulated(tmp_path / "a", "Torch.sqrt.0.forward", body, "910A").verdict in INSIDE
    assert emulated(tmp_path / "b", "Torch.sqrt.0.forward", body).verdict is EmulationVerdict.OUTSIDE


def test_a_dtype_that_the_chip_lacks_is_said_not_judged(tmp_path: Path) -> None:
    x = normal(8, dtype=BF16)
    found = emulated(tmp_path, "Torch.neg.0.forward", call([x], [-x]), "910A")
    assert (found.verdict, found.reason) == (EmulationVerdict.NOT_REPLAYED, "unsupported_dtype")
    assert found.detail == "bfloat16"


def test_not_equal_of_nan_is_a_documented_quirk(tmp_path: Path) -> None:
    x, y = np.array([np.nan, 1.0, 2.0], np.float32), np.array([1.0, 1.0, 3.0], np.float32)
    quirk = call([x, y], [np.array([False, False, True])])
    assert emulated(tmp_path / "a", "Torch.ne.0.forward", quirk).verdict is EmulationVerdict.INSIDE_ENVELOPE
    assert emulated(tmp_path / "b", "Torch.ne.0.forward", quirk, "950").verdict is EmulationVerdict.OUTSIDE
    ieee = call([x, y], [np.array([True, False, True])])
    assert emulated(tmp_path / "c", "Torch.ne.0.forward", ieee).verdict is EmulationVerdict.INSIDE_ENVELOPE


def test_layer_norm_of_a2_rounds_bf16_ties_away(tmp_path: Path) -> None:
    """The document tells of one operator; where its last bit shows, the setting is the closest."""
    x = normal(64, 32, dtype=BF16)
    centred = wide(x) - wide(x).mean(-1, keepdims=True)
    exact = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    found = emulated(
        tmp_path, "Functional.layer_norm.0.forward", call([x, [32], None, None, 1e-5], [exact.astype(BF16)])
    )
    assert found.verdict in INSIDE


def test_cancellation_is_measured(tmp_path: Path) -> None:
    a = np.array([[1.0, 1.0], [1.0, -1.0]], np.float16)
    b = np.array([[3.0], [2.0]], np.float16)
    found = emulated(tmp_path, "Torch.matmul.0.forward", call([a, b], [np.array([[5.0], [1.0]], np.float16)]))
    assert found.slots[0].cancellation == (3.0, 5.0)


def test_empty_and_scalar_outputs(tmp_path: Path) -> None:
    nothing = np.zeros((0, 4), np.float16)
    found = emulated(tmp_path / "a", "Torch.neg.0.forward", call([nothing], [nothing]))
    assert found.verdict is EmulationVerdict.INSIDE_ENVELOPE
    total = call([normal(9)], [np.asarray(wide(normal(9)).sum(), np.float32)])
    assert emulated(tmp_path / "b", "Torch.sum.0.forward", total).verdict in INSIDE
    double = normal(4, dtype=np.float64)
    assert emulated(tmp_path / "c", "Torch.exp.0.forward", call([double], [np.exp(double)])).verdict in INSIDE


def test_complex_numbers_are_compared_though_no_chip_is_emulated(tmp_path: Path) -> None:
    x = (normal(4, 5) + 1j * normal(4, 5, seed=8)).astype(np.complex64)
    y = (normal(5, 3) + 1j * normal(5, 3, seed=9)).astype(np.complex64)
    exact = (x.astype(np.complex128) @ y.astype(np.complex128)).astype(np.complex64)
    found = emulated(tmp_path / "a", "Torch.matmul.0.forward", call([x, y], [exact]))
    assert found.verdict in INSIDE
    exact[1, 1] *= 1.01
    found = emulated(tmp_path / "b", "Torch.matmul.0.forward", call([x, y], [exact]))
    assert found.verdict is EmulationVerdict.OUTSIDE


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int64, np.bool_, np.complex64, BF16]
)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (2, 3, 4)])
def test_every_kind_of_tensor_gets_an_answer(tmp_path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    if dtype is np.complex64 and not shape:
        pytest.skip("no JSON number for the statistics of such a dump")
    x = np.asarray(np.random.default_rng(1).integers(0, 3, shape)).astype(dtype)
    for number, api in enumerate(
        ("Torch.add", "Torch.mul", "Torch.matmul", "Torch.sum", "Torch.exp", "Torch.ne")
    ):
        found = emulated(tmp_path / str(number), f"{api}.0.forward", call([x, x], [x]))
        assert found.verdict in EmulationVerdict


def test_gradients_of_complex_products(tmp_path: Path) -> None:
    """dL/dA = G·Bᴴ and dL/dB = Aᴴ·G, as autograd defines them for complex numbers."""
    a, b, grad = (
        (normal(*shape) + 1j * normal(*shape, seed=6)).astype(np.complex64)
        for shape in ((3, 4), (4, 2), (3, 2))
    )
    wide_a, wide_b, wide_grad = (item.astype(np.complex128) for item in (a, b, grad))
    calls = {
        "Torch.matmul.0.forward": call([a, b], [(wide_a @ wide_b).astype(np.complex64)]),
        "Torch.matmul.0.backward": {
            "input": [grad],
            "output": [
                (wide_grad @ wide_b.conj().T).astype(np.complex64),
                (wide_a.conj().T @ wide_grad).astype(np.complex64),
            ],
        },
    }
    dump = read_only_cell(write_calls(tmp_path / "step0" / "rank0", calls))
    emulator = Emulator(CellKey("", 0, 0), dump, None, find_profile("910B"))
    assert all(emulator.emulate(row).verdict in INSIDE for row in range(2))


def test_long_float32_products_are_judged_as_a_whole(tmp_path: Path) -> None:
    """Each element of a product with HF32 operands lies within the bound of a long sum; not all of them."""
    a, b = normal(40, 4096), normal(4096, 40, seed=7)
    scale_a, scale_b = (2.0 ** (np.floor(np.log2(np.abs(wide(x)))) - 11) for x in (a, b))
    rounded = (np.rint(wide(a) / scale_a) * scale_a) @ (np.rint(wide(b) / scale_b) * scale_b)
    found = emulated(tmp_path / "a", "Torch.mm.0.forward", call([a, b], [rounded.astype(np.float32)]))
    assert found.verdict is EmulationVerdict.OUTSIDE
    assert found.slots[0].outside == 0
    assert found.slots[0].excess > 50
    sequence = np.zeros((40, 40), np.float32)
    for k in range(4096):
        sequence = sequence + a[:, k : k + 1] * b[k]
    for number, made in enumerate((sequence, a @ b, toward_zero_product(a, b, 16))):
        found = emulated(tmp_path / str(number), "Torch.mm.0.forward", call([a, b], [made]))
        assert found.verdict in INSIDE, found.slots[0].excess


def test_an_adder_that_truncates_is_tried_before_a_call_is_accused(tmp_path: Path) -> None:
    a, b = np.abs(normal(24, 8192)), np.abs(normal(8192, 24, seed=3))
    dump = read_only_cell(
        write_calls(
            tmp_path / "step0" / "rank0",
            {"Torch.mm.0.forward": call([a, b], [toward_zero_product(a, b, 4)])},
        )
    )
    found = Emulator(CellKey("", 0, 0), dump, None, find_profile("910B")).emulate(0)
    assert found.verdict is EmulationVerdict.INSIDE_ENVELOPE
    assert found.slots[0].closest.startswith("accumulate_rounding=toward_zero")


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32])
def test_attention_is_explained_and_a_factor_on_it_is_not(tmp_path: Path, dtype: Any) -> None:
    query, key, value = (normal(2, 64, 32, dtype=dtype, seed=seed) for seed in range(3))
    scores = wide(query) @ wide(key).swapaxes(-1, -2) / np.sqrt(32.0)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    made = (weights / weights.sum(-1, keepdims=True)) @ wide(value)
    name = "Functional.scaled_dot_product_attention.0.forward"
    for number, factor in enumerate((1.0, 1.1)):
        body = call([query, key, value], [(made * factor).astype(dtype)])
        found = emulated(tmp_path / str(number), name, body)
        assert found.verdict.explained == (factor == 1.0)


def test_vectors_in_matrix_products(tmp_path: Path) -> None:
    matrix, vector = normal(6, 40), normal(40, seed=9)
    product = (wide(matrix) @ wide(vector)).astype(np.float32)
    dot = np.asarray(wide(vector) @ wide(vector), np.float32)
    for number, (name, body) in enumerate(
        [
            ("Torch.matmul", call([matrix, vector], [product])),
            ("Torch.matmul", call([vector, matrix.T.copy()], [product])),
            ("Torch.matmul", call([vector, vector], [dot])),
            ("Torch.dot", call([vector, vector], [dot])),
            ("Torch.mv", call([matrix, vector], [product])),
            ("Functional.linear", call([vector, matrix], [product])),
        ]
    ):
        found = emulated(tmp_path / str(number), f"{name}.0.forward", body)
        assert found.verdict in INSIDE, (name, found)


def test_hf32_of_the_950_adds_in_blocks_of_its_own(tmp_path: Path) -> None:
    """Its ten fraction bits are those of half, whose blocks are twice as long."""
    chip = find_profile("950").with_values("test", float32_product="hf32")
    a, b = np.abs(normal(16, 256)), np.abs(normal(256, 16, seed=5))
    half = [x.astype(np.float16) for x in (a, b)]
    made = np.zeros((16, 16), np.float32)
    for start in range(0, 256, 8):
        step = wide(half[0])[:, start : start + 8] @ wide(half[1])[start : start + 8]
        made = (wide(made) + step).astype(np.float32)
    found = emulated(tmp_path, "Torch.mm.0.forward", call([a, b], [made]), chip)
    assert found.slots[0].closest_equal == 1.0
    assert found.slots[0].closest in ("usual", "fused")


def test_a_reference_that_fails_says_so(tmp_path: Path) -> None:
    found = emulated(tmp_path, "Torch.matmul.0.forward", call([normal(3, 4), normal(5, 6)], [normal(3, 6)]))
    assert (found.verdict, found.reason) == (EmulationVerdict.NOT_REPLAYED, "failed")
    assert "Error" in found.detail


def test_equal_to_float64_means_rounded_to_the_format(tmp_path: Path) -> None:
    a, b = normal(8, 8, dtype=np.float16), normal(8, 8, dtype=np.float16, seed=1)
    made = (wide(a) @ wide(b)).astype(np.float16)
    (slot,) = emulated(tmp_path, "Torch.mm.0.forward", call([a, b], [made])).slots
    assert slot.target["reference"].equal == 1.0
    assert 0 < slot.target["reference"].max_ulp <= 0.5


def test_products_that_settings_give_exactly_are_not_accused_of_a_last_bit(tmp_path: Path) -> None:
    """Where all orders tried are exact by luck, another one that rounds is innocent."""
    a = np.tile(np.array([0.37, 0.37], BF16), (16, 32))
    b = np.tile(np.array([[1.0], [-1.0]]), (32, 16)) * np.repeat(np.arange(1, 33), 2)[:, None] * 0.1
    b = b.astype(BF16)
    order = np.random.default_rng(0).permutation(64)
    total = np.zeros((16, 16), np.float32)
    for k in order:
        total = (total + a[:, k : k + 1].astype(np.float32) * b[k].astype(np.float32)).astype(np.float32)
    for number, profile in enumerate(("910B", "950")):
        found = emulated(
            tmp_path / str(number), "Torch.mm.0.forward", call([a, b], [total.astype(BF16)]), profile
        )
        assert found.verdict in INSIDE, found.slots[0].excess


@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1e-6])
def test_float32_results_are_no_fault_where_half_operands_vanish(tmp_path: Path, scale: float) -> None:
    a, b = normal(16, 64) * np.float32(scale), normal(64, 16, seed=2) * np.float32(scale)
    found = emulated(tmp_path, "Torch.mm.0.forward", call([a, b], [a @ b]), "910A")
    assert found.verdict in INSIDE


def test_a_silu_whose_exponential_overflows_is_innocent(tmp_path: Path) -> None:
    x = np.array([-80.0, -88.0, -95.0, -200.0], np.float32)
    with np.errstate(over="ignore"):
        made = x * (np.float32(1) / (np.float32(1) + np.exp(-x)))
    assert emulated(tmp_path, "Functional.silu.0.forward", call([x], [made])).verdict in INSIDE
