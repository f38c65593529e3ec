"""The list itself, without torch: what is in it, what never is, and that nothing imports torch early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.torch_calls import CALLS, as_dumped

from core.dtypes import DTYPES
from core.emulation.operators import OPERATORS
from core.emulation.operators.dropout import RANDOM
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.torch_backend import (
    added_operator,
    added_operators,
    added_signature,
    reference,
    torch_available,
    torch_reference,
)
from core.emulation.torch_backend.allowed import GRADIENTS, allowed
from core.emulation.torch_backend.listed import ADDED

PROJECT = Path(__file__).resolve().parents[4]


def test_asking_what_there_is_imports_no_torch() -> None:
    code = (
        "import sys; from core.emulation import torch_backend as t; t.torch_available(); t.added_operators();"
        "[t.added_signature(n) for n in t.added_operators()]; print('torch' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "False"


def test_each_has_an_example_and_a_signature() -> None:
    assert set(CALLS) == set(added_operators())
    for name, calls in CALLS.items():
        form = added_signature(name)
        known = {*form.names, form.rest}
        for arguments in calls:
            assert set(arguments) <= known, name
            assert all(argument in arguments for argument in form.names if form.required(argument)), name


def test_nothing_that_draws_numbers_or_works_in_place_is_in_it() -> None:
    for name in added_operators():
        entry = allowed(name)
        assert entry is not None
        last = entry.path.rsplit(".", 1)[-1]
        assert not {name, last} & RANDOM
        assert "dropout" not in name
        assert not last.endswith("_") or last.startswith("__"), name
        assert not last.startswith("__i"), name
    assert not set(ADDED) & set(OPERATORS)
    assert set(GRADIENTS) <= set(OPERATORS)


@pytest.mark.parametrize(
    ("prefix", "name", "ours"),
    [
        ("Functional", "interpolate", "interpolate"),
        ("Functional", "unfold", "unfold"),
        ("Tensor", "unfold", "tensor_unfold"),
        ("Tensor", "__mod__", "mod"),
        ("Torch", "linalg.inv", "linalg_inv"),
        ("Aten", "grid_sampler_2d.default", "grid_sampler_2d"),
        ("Torch", "ctc_loss", None),
        ("Distributed", "trace", None),
        ("Tensor", "cumprod_", None),
        ("Torch", "multinomial", None),
        ("Torch", "hub.load", None),
        ("Torch", "load", None),
        ("Torch", "ops.aten.mul", None),
    ],
)
def test_only_names_in_the_list_are_found(prefix: str, name: str, ours: str | None) -> None:
    assert added_operator(prefix, name) == ours


def refusal(name: str, arguments: dict[str, Any], grads: Any = None) -> NotReplayed:
    with pytest.raises(NotReplayable) as found:
        torch_reference(name, arguments, [], grads)
    return found.value.reason


def test_refusals_before_torch_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("save", {}) is NotReplayed.UNSUPPORTED_OPERATOR
    monkeypatch.setattr(reference, "torch_available", lambda: True)
    assert refusal("gcd", {}, []) is NotReplayed.UNSUPPORTED_OPERATOR  # has no gradient
    attention = as_dumped(CALLS["multi_head_attention_forward"][0], DTYPES["float32"])
    assert refusal("multi_head_attention_forward", {**attention, "dropout_p": 0.1}) is NotReplayed.RANDOM
    recurrent = as_dumped(CALLS["lstm"][0], DTYPES["float32"])
    assert refusal("lstm", {**recurrent, "dropout": 0.5}) is NotReplayed.RANDOM
    image = as_dumped({"input": np.zeros((1, 1, 4, 4))}, DTYPES["float32"])
    huge = NotReplayed.TOO_LARGE
    assert refusal("interpolate", {**image, "size": [100000, 100000]}) is huge
    assert refusal("interpolate", {**image, "scale_factor": 1e9}) is huge
    assert refusal("bincount", {**image, "minlength": 10**12}) is huge


@pytest.mark.skipif(torch_available(), reason="torch is installed")
def test_without_torch_nothing_is_replayed() -> None:
    arguments = as_dumped(CALLS["glu"][0], DTYPES["float32"])
    assert refusal("glu", arguments) is NotReplayed.UNSUPPORTED_OPERATOR
