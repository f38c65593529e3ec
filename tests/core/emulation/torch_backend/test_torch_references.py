"""References by torch: right in every format, wrong once touched; gradients by finite differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from builders.torch_calls import CALLS, as_dumped, cases

from core.dtypes import DTYPES, DType
from core.emulation.terms.allowance import judge
from core.emulation.terms.arguments import UNRECORDED, Tensor
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.outcome import NotReplayable, NotReplayed, ReplayVerdict
from core.emulation.torch_backend import added_signature, torch_control, torch_reference
from core.emulation.torch_backend.allowed import GRADIENTS, allowed

pytestmark = pytest.mark.integration
pytest.importorskip("torch")

NAMES = sorted(CALLS)
FORMATS = ["float32", "bfloat16", "float16"]
DIFFERENTIABLE = [
    name for name, entry in ((name, allowed(name)) for name in NAMES) if entry and entry.gradient
]


def arriving(name: str, arguments: dict[str, Any], dtype: DType) -> list[Tensor | None]:
    """Return a gradient for each float output."""
    random = np.random.default_rng(3)
    made: list[Tensor | None] = []
    for item in torch_control(name, arguments, []):
        if item is None or item.array.dtype.kind not in "fc":
            continue
        values = random.normal(size=item.shape)
        if item.array.dtype.kind == "c":
            values = values + 1j * random.normal(size=item.shape)
        made.append(as_dumped(values, dtype))
    return made


def verdicts(dumped: Sequence[Tensor | None], references: Sequence[Bounded | None]) -> list[ReplayVerdict]:
    pairs = [(d, r) for d, r in zip(dumped, references) if d is not None and r is not None]
    assert pairs
    return [judge(0, d, r, d.dtype).verdict for d, r in pairs]


def touched(tensor: Tensor | None, format_: DType) -> Tensor | None:
    """Shift floats by a thousandth of the largest, or by all of it in half formats; whole numbers by one."""
    if tensor is None or not tensor.array.size:
        return None
    array = tensor.array
    if array.dtype.kind == "b":
        return Tensor(~array, tensor.dtype)
    if array.dtype.kind not in "fc":
        return Tensor(array + 1, tensor.dtype)
    size = np.abs(array[np.isfinite(array)]).max(initial=0.0)
    half = format_.itemsize == 2
    return Tensor(array + (max(size, 1.0) if half else 1e-3 * size + 1e-30), tensor.dtype)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_run_on_this_machine_is_right_and_a_touched_one_wrong(format_: str) -> None:
    dtype = DTYPES[format_]
    failed = []
    for name, arguments in cases():
        if name in GRADIENTS:
            continue
        dumped = as_dumped(arguments, dtype)
        given = torch_control(name, dumped, [])
        references = torch_reference(name, dumped, given)
        if set(verdicts(given, references)) != {ReplayVerdict.RIGHT}:
            failed.append(("right", name))
        changed = [touched(item, dtype) for item in given]
        if any(changed) and ReplayVerdict.RIGHT in verdicts(changed, references):
            failed.append(("wrong", name))
    assert not failed


@pytest.mark.parametrize("format_", FORMATS)
def test_gradients_on_this_machine_are_right_and_touched_ones_wrong(format_: str) -> None:
    dtype = DTYPES[format_]
    failed = []
    for name in DIFFERENTIABLE:
        for arguments in CALLS[name]:
            dumped = as_dumped(arguments, dtype)
            grads = arriving(name, dumped, dtype)
            entry = allowed(name)
            if entry is not None and not entry.gradient_in_half and dtype.itemsize == 2:
                with pytest.raises(NotReplayable):
                    torch_reference(name, dumped, [], grads)
                continue
            given = torch_control(name, dumped, [], grads)
            references = torch_reference(name, dumped, given, grads)
            if set(verdicts(given, references)) != {ReplayVerdict.RIGHT}:
                failed.append(("right", name))
            nonzero = [item if item is not None and item.array.any() else None for item in given]
            changed = [touched(item, dtype) for item in nonzero]
            if any(changed) and ReplayVerdict.RIGHT in verdicts(changed, references):
                failed.append(("wrong", name))
    assert not failed


def values_of(name: str, arguments: Any) -> list[np.ndarray]:
    found = torch_control(name, arguments, [])
    return [item.array for item in found if item is not None and item.array.dtype.kind in "fc"]


def floats_in(value: Any, constants: Sequence[str] = ()) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value] if value.array.dtype.kind in "fc" else []
    if isinstance(value, dict):
        constants = (*constants, "running_mean", "running_var")
        value = [item for name, item in value.items() if name not in constants]
    return [leaf for item in value for leaf in floats_in(item)] if isinstance(value, list) else []


def inner(grads: list[Tensor], outputs: list[np.ndarray]) -> float:
    """Return the real inner product, which gradients of complex numbers belong to."""
    return float(sum(np.sum((np.conj(grad.array) * out).real) for grad, out in zip(grads, outputs)))


STEP = 1e-6


def way_of(name: str, values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a direction in which torch defines the gradient."""
    way = random.normal(size=values.shape)
    if values.dtype.kind == "c":
        way = way + 1j * random.normal(size=values.shape)
    if name in ("cholesky", "linalg_cholesky", "linalg_eigvalsh", "logdet"):
        return way + way.T  # symmetric matrices have symmetric neighbours
    if name in ("cholesky_inverse", "cholesky_solve") and values.shape[0] == values.shape[1]:
        return np.tril(way)
    if name == "linalg_solve_triangular" and values.shape[0] == values.shape[1]:
        return np.triu(way)
    if name == "ctc_loss":  # probabilities go on to add up to 1
        return way - np.sum(np.exp(values) * way, axis=-1, keepdims=True)
    return way


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_are_finite_differences(name: str) -> None:
    """The derivative along a random direction, by central differences in float64."""
    random = np.random.default_rng(11)
    for arguments in CALLS[name]:
        dumped = as_dumped(arguments, DTYPES["float64"])
        grads = [item for item in arriving(name, dumped, DTYPES["float64"]) if item is not None]
        grads = grads[: len(values_of(name, dumped))]
        gradients = torch_reference(name, dumped, [], grads)
        entry = allowed(name)
        assert entry is not None
        operands = floats_in(in_order(name, dumped), entry.constants)
        assert len(gradients) == len(operands)
        expected = 0.0
        sides = [0.0, 0.0]
        moves = []
        for operand, gradient in zip(operands, gradients):
            way = way_of(name, operand.array, random)
            moves.append(way)
            if gradient is not None:
                expected += float(np.sum((np.conj(gradient.value) * way).real))
        for side, sign in enumerate((1.0, -1.0)):
            for operand, way in zip(operands, moves):
                operand.array[...] += sign * STEP * way
            sides[side] = inner(grads, values_of(name, dumped))
            for operand, way in zip(operands, moves):
                operand.array[...] -= sign * STEP * way
        found = (sides[0] - sides[1]) / (2 * STEP)
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6), arguments


def in_order(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    form = added_signature(name)
    return {key: arguments[key] for key in (*form.names, form.rest) if key in arguments}


def only(name: str, **arguments: Any) -> np.ndarray:
    found = torch_reference(name, as_dumped(arguments, DTYPES["float64"]), [])
    assert found[0] is not None
    return found[0].value


def test_closed_forms() -> None:
    random = np.random.default_rng(5)
    image = random.normal(size=(1, 8, 2, 3))
    shuffled = only("pixel_shuffle", input=image, upscale_factor=2)
    assert np.array_equal(
        shuffled, image.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)
    )
    x = random.normal(size=(2, 7))
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)[:, ::2]
    assert np.array_equal(only("tensor_unfold", input=x, dimension=1, size=3, step=2), windows)
    line = only("interpolate", input=x[None], size=13, mode="linear", align_corners=True)
    assert line[0, 1] == pytest.approx(np.interp(np.linspace(0, 6, 13), np.arange(7), x[1]))
    steps = np.moveaxis(np.indices((5, 6)), 0, -1)[None, ..., ::-1] / [2.5, 2.0] - 1.0
    picture = random.normal(size=(1, 1, 5, 6))
    assert only("grid_sample", input=picture, grid=steps, align_corners=True) == pytest.approx(
        picture, abs=1e-12
    )
    assert only("cumprod", input=x, dim=1) == pytest.approx(np.cumprod(x, axis=1))
    assert only("fft_fft", input=x) == pytest.approx(np.fft.fft(x))
    matrix = random.normal(size=(4, 4)) + 4 * np.eye(4)
    assert only("linalg_solve", A=matrix, B=np.eye(4)) == pytest.approx(np.linalg.inv(matrix))
    assert only("kron", input=x, other=matrix) == pytest.approx(np.kron(x, matrix))
    pairs = np.linalg.norm(x[:, None] - x[None], axis=-1)
    assert only("cdist", x1=x, x2=x) == pytest.approx(pairs, abs=1e-6)
    state = random.normal(size=(2, 3))
    weights = random.normal(size=(3, 7)), random.normal(size=(3, 3))
    recurrent = np.tanh(x @ weights[0].T + state @ weights[1].T)
    cell = only("rnn_tanh_cell", input=x, hx=state, w_ih=weights[0], w_hh=weights[1], b_ih=None, b_hh=None)
    assert cell == pytest.approx(recurrent)


def test_ctc_loss_is_the_sum_over_all_alignments() -> None:
    random = np.random.default_rng(6)
    scores = random.normal(size=(4, 1, 3))
    log_probs = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
    total = 0.0
    for path in np.ndindex(3, 3, 3, 3):
        merged = [label for place, label in enumerate(path) if place == 0 or label != path[place - 1]]
        if [label for label in merged if label] == [1, 2]:
            total += np.exp(sum(log_probs[step, 0, label] for step, label in enumerate(path)))
    found = only(
        "ctc_loss", log_probs=log_probs, targets=np.array([[1, 2]]), input_lengths=np.array([4]),
        target_lengths=np.array([2]), reduction="sum",
    )  # fmt: skip
    assert float(found) == pytest.approx(-np.log(total))


def test_a_wrong_option_is_noticed() -> None:
    dtype = DTYPES["bfloat16"]
    for name, right, wrong in (
        ("interpolate", {"align_corners": True}, {"align_corners": False}),
        ("grid_sample", {"padding_mode": "zeros"}, {"padding_mode": "border"}),
        ("huber_loss", {"delta": 1.0}, {"delta": 0.5}),
    ):
        arguments = {
            **CALLS[name][0],
            **({"mode": "bilinear", "size": [7, 9]} if name == "interpolate" else {}),
        }
        if name == "grid_sample":
            arguments["grid"] = arguments["grid"] * 1.5
        given = torch_control(name, as_dumped({**arguments, **wrong}, dtype), [])
        references = torch_reference(name, as_dumped({**arguments, **right}, dtype), given)
        assert verdicts(given, references) == [ReplayVerdict.WRONG]


def test_a_gradient_that_cancels_is_not_an_error() -> None:
    """Along itself, a normalized vector does not change: its gradient is rounding errors alone."""
    x = as_dumped(np.random.default_rng(8).normal(size=(3, 5)), DTYPES["float32"])
    given = torch_control("normalize", {"input": x}, [], [x])
    references = torch_reference("normalize", {"input": x}, given, [x])
    assert given[0] is not None
    assert np.abs(given[0].array).max() < 1e-6
    assert verdicts(given, references) == [ReplayVerdict.RIGHT]
    off = [Tensor(given[0].array + 1e-3, given[0].dtype)]
    assert verdicts(off, references) == [ReplayVerdict.WRONG]


def test_what_torch_refuses_has_a_reason() -> None:
    x = as_dumped(np.zeros((2, 3)), DTYPES["float32"])
    for arguments, reason in (
        ({"input": x, "upscale_factor": 2}, NotReplayed.AMBIGUOUS_ARGUMENTS),
        ({"input": x, "upscale_factor": UNRECORDED}, NotReplayed.AMBIGUOUS_ARGUMENTS),
    ):
        with pytest.raises(NotReplayable) as found:
            torch_reference("pixel_shuffle", arguments, [])
        assert found.value.reason is reason
    with pytest.raises(NotReplayable) as found:
        torch_reference("glu", {"input": as_dumped(np.zeros((2, 4)), DTYPES["float32"]), "dim": 1}, [], [x])
    assert found.value.reason is NotReplayed.SHAPE_MISMATCH
