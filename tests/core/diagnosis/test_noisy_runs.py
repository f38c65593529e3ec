"""Causes that noise, statistics or a recomputation hide, and harmless differences that look like causes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis, Kind
from tests.builders.dumps import call, write_dump

RNG = np.random.default_rng(5)
X = RNG.standard_normal((16, 32)).astype(np.float32)
W = RNG.standard_normal((32, 32)).astype(np.float32)
V = RNG.standard_normal((32, 32)).astype(np.float32)

Calls = dict[str, Any]
OUTSIDE = (Kind.WEIGHTS, Kind.DATA)
"""Nothing in these dumps requires a gradient, so a weight may be called data."""


def rounded(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return values.astype(np.float16).astype(np.float32)


def diagnose(folder: Path, target: Calls, golden: Calls, **how: Any) -> Diagnosis:
    for name, calls in (("t", target), ("g", golden)):
        write_dump(folder / name, calls, **how)
    options = CompareOptions(use_cache=False)
    return run_to_end(diagnose_runs(str(folder / "t"), str(folder / "g"), options))[1]


def first(diagnosis: Diagnosis) -> tuple[Kind, str | None]:
    assert diagnosis.first is not None
    return diagnosis.first.kind, diagnosis.first.operator


def chain(w: np.ndarray[Any, Any], v: np.ndarray[Any, Any], *, factor: float = 1.0) -> Calls:
    """Return three calls; the result of the second is off by *factor*."""
    one = X @ w.T
    two = np.tanh(one) * np.float32(factor)
    return {
        "Functional.linear.0.forward": call([X, w, None], [one]),
        "Torch.tanh.0.forward": call([one], [two]),
        "Functional.linear.1.forward": call([two, v, None], [two @ v.T]),
    }


def test_error_that_stands_out_of_rounded_weights_is_found(tmp_path: Path) -> None:
    target = chain(rounded(W), rounded(V), factor=1.1)
    found = diagnose(tmp_path, target, chain(W, V))
    assert first(found) == (Kind.NUMERIC, "Torch.tanh.0.forward")


def test_rounded_weights_alone_are_no_error(tmp_path: Path) -> None:
    assert not diagnose(tmp_path, chain(rounded(W), rounded(V)), chain(W, V)).suspects


def test_weight_of_the_same_extremes_but_a_row_of_zeros_is_not_taken_for_rounded(tmp_path: Path) -> None:
    w = rounded(W)
    w[0] = 0
    assert abs(W[0]).max() < abs(W).max()
    kind, operator = first(diagnose(tmp_path, chain(w, rounded(V)), chain(W, V)))
    assert kind in OUTSIDE
    assert operator == "Functional.linear.0.forward"


def added(rolled: int, *, weight: int = 0) -> Calls:
    """Return calls of which the first gives its rows in another order; the last mixes them with others."""
    w = np.roll(W, weight, axis=0)
    one = np.roll(X @ w.T, rolled, axis=0)
    two = np.exp(-one)
    return {
        "Functional.linear.0.forward": call([X, w, None], [one]),
        "Torch.exp.0.forward": call([one], [two]),
        "Tensor.__mul__.0.forward": call([two, V[:16]], [two * V[:16]]),
    }


def test_rows_in_another_order_are_found_where_they_arise(tmp_path: Path) -> None:
    found = diagnose(tmp_path, added(1), added(0), checksums=True)
    assert first(found) == (Kind.NUMERIC, "Functional.linear.0.forward")


def test_rows_in_another_order_show_without_checksums_where_they_do_damage(tmp_path: Path) -> None:
    found = diagnose(tmp_path, added(1), added(0))
    assert found.first is not None


def test_weight_with_rows_in_another_order_is_found_by_its_checksum(tmp_path: Path) -> None:
    found = diagnose(tmp_path, added(0, weight=1), added(0), checksums=True)
    kind, operator = first(found)
    assert kind in OUTSIDE
    assert operator == "Functional.linear.0.forward"


def test_shifted_ids_of_equal_statistics_are_other_data(tmp_path: Path) -> None:
    ids = np.arange(16)

    def calls(ids: np.ndarray[Any, Any]) -> Calls:
        return {"Functional.embedding.0.forward": call([ids, W], [W[ids]])}

    found = diagnose(tmp_path, calls(np.roll(ids, 1)), calls(ids), checksums=True)
    assert first(found) == (Kind.DATA, "Functional.embedding.0.forward")


def test_argument_whose_effect_statistics_hide_is_to_blame_for_what_follows(tmp_path: Path) -> None:
    def calls(dim: int) -> Calls:
        mixed = np.roll(X, dim, axis=0)
        return {
            "Tensor.roll.0.forward": call([X], [mixed], {"shifts": dim}),
            "Tensor.__mul__.0.forward": call([mixed, V[:16]], [mixed * V[:16]]),
        }

    assert first(diagnose(tmp_path, calls(2), calls(1))) == (Kind.ARGUMENT, "Tensor.roll.0.forward")


@pytest.mark.parametrize("tensors", [True, False])
def test_near_tie_is_no_error(tmp_path: Path, tensors: bool) -> None:
    def calls(upper: int) -> Calls:
        scores = X * np.float32(1 + (upper == 3) * 3e-7)
        scores[:, 3:5] = 4.0
        scores[:, upper] = np.float32(4.000001)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :1]
        return {"Torch.topk.0.forward": call([scores, 1], [np.take_along_axis(scores, order, axis=1), order])}

    assert not diagnose(tmp_path, calls(3), calls(4), tensors=tensors).suspects


def test_masks_with_equal_statistics_need_not_be_equal(tmp_path: Path) -> None:
    def calls(first_true: int) -> Calls:
        mask = np.zeros(8, bool)
        mask[[first_true, 5]] = True
        return {"Torch.where.0.forward": call([mask], [np.flatnonzero(mask)])}

    assert not diagnose(tmp_path, calls(1), calls(2)).suspects


def test_rows_sent_elsewhere_by_a_near_tie_are_not_called_data(tmp_path: Path) -> None:
    def calls(rows: list[int]) -> Calls:
        mask = np.zeros(16, bool)
        mask[rows] = True
        noisy = X * np.float32(1 + len(rows) * 1e-7)
        sent = noisy[rows]
        return {
            "Torch.tanh.0.forward": call([X], [np.tanh(X)]),
            "Torch.where.0.forward": call([mask], [np.flatnonzero(mask)]),
            "Functional.linear.0.forward": call([sent, W, None], [sent @ W.T]),
        }

    assert not diagnose(tmp_path, calls([1, 2, 5]), calls([1, 5])).suspects


def test_call_that_one_side_adds_inside_a_module_is_named(tmp_path: Path) -> None:
    def calls(factor: float) -> Calls:
        inner = np.tanh(X)
        outer = inner * np.float32(factor)
        extra = {"Torch.mul.0.forward": call([inner, factor], [outer])} if factor != 1 else {}
        return {
            "Module.act.Act.forward.0": call([X], [outer]),
            "Torch.tanh.0.forward": call([X], [inner]),
            **extra,
            "Functional.linear.0.forward": call([outer, W, None], [outer @ W.T]),
        }

    module = "Module.act.Act.forward.0"
    construct = {module: None, "Torch.tanh.0.forward": module, "Torch.mul.0.forward": module,
                 "Functional.linear.0.forward": None}  # fmt: skip
    found = diagnose(tmp_path, calls(1.25), calls(1.0), construct=construct)
    assert first(found) == (Kind.STRUCTURE, "Torch.mul.0.forward")


def backward(noise: float, bias: float) -> Calls:
    gradient = X * np.float32(1 + noise)
    gradient -= gradient.mean(axis=0)
    into = gradient @ W
    of_bias = np.full(32, bias, np.float32)
    return {
        "Tensor.__add__.0.forward": call([X * np.float32(1 + noise), V[:16]], [X * np.float32(1 + noise)]),
        "Functional.linear.0.backward": {"input": [gradient], "output": [into, of_bias]},
    }


def test_gradient_of_a_bias_that_cancels_is_no_error(tmp_path: Path) -> None:
    found = diagnose(tmp_path, backward(1e-3, 3e-6), backward(0, -2e-6))
    assert all(item.operator != "Functional.linear.0.backward" for item in found.suspects)


def test_gradient_of_a_bias_that_is_really_wrong_is_found(tmp_path: Path) -> None:
    target, golden = backward(0, 2.0), backward(0, 1.0)
    assert first(diagnose(tmp_path, target, golden)) == (Kind.NUMERIC, "Functional.linear.0.backward")


def test_what_enters_the_backward_pass_is_never_called_data(tmp_path: Path) -> None:
    def calls(scale: float) -> Calls:
        gradient = X * np.float32(scale)
        return {
            "Functional.relu.0.forward": call([X], [np.maximum(X, 0)]),
            "Functional.relu.0.backward": {"input": [gradient], "output": [gradient * (X > 0)]},
        }

    found = diagnose(tmp_path, calls(1.5), calls(1.0))
    assert Kind.DATA not in [item.kind for item in found.suspects]
    assert first(found) == (Kind.STRUCTURE, "Functional.relu.0.backward")


AGAIN = [
    "File /site-packages/torch/utils/checkpoint.py, line 1, in recompute_fn, \n fn()",
    "File /site-packages/torch/utils/checkpoint.py, line 2, in unpack_hook, \n frame.recompute_fn()",
]


def recomputed(again: Mapping[str, np.ndarray[Any, Any]] | None) -> Calls:
    act = np.tanh(X)
    grad = V[:16]
    calls = {
        "Torch.tanh.0.forward": call([X], [act]),
        "Functional.linear.0.forward": call([act, W, None], [act @ W.T]),
        "Functional.linear.0.backward": {"input": [grad], "output": [grad @ W]},
    }
    if again is not None:
        calls["Torch.tanh.1.forward"] = call([X], [again["tanh"]])
    calls["Torch.tanh.0.backward"] = {
        "input": [grad @ W],
        "output": [(grad @ W) * (1 - (again or {"tanh": act})["tanh"] ** 2)],
    }
    return calls


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_recomputation_is_held_against_the_first_run(tmp_path: Path, factor: float) -> None:
    target = recomputed({"tanh": np.tanh(X) * np.float32(factor)})
    stacks = {"Torch.tanh.1.forward": AGAIN}
    found = diagnose(tmp_path, target, recomputed(None), stacks=stacks)
    if factor == 1:
        assert not found.suspects
    else:
        assert first(found) == (Kind.NUMERIC, "Torch.tanh.1.forward")
