"""Torch's functions as operators of the table, where the table itself has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from core.emulation.operators.table import Backward, Operator, Outputs
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.computing import computing
from core.emulation.torch_backend.allowed import GRADIENTS, added_signature
from core.emulation.torch_backend.listed import ADDED
from core.emulation.torch_backend.reference import torch_available, torch_control, torch_reference


def torch_operator(name: str) -> Operator | None:
    """Return the operator that only torch knows, ``None`` if it knows none or is not installed."""
    return _added(name) if name in ADDED and torch_available() else None


def completed(operator: Operator) -> Operator:
    """Return an operator of the table with its gradient by torch, where the table has none."""
    if operator.backward is not None or operator.name not in GRADIENTS or not torch_available():
        return operator
    return replace(operator, backward=_backward(operator.name))


@lru_cache(maxsize=512)
def _added(name: str) -> Operator:
    def forward(call: Call) -> Outputs:
        if computing().tracks_errors:
            return torch_reference(name, call.arguments, call.outputs)
        # No chip's arithmetic is emulated inside torch: it stands for the usual one.
        made = torch_control(name, call.arguments, call.outputs)
        return [None if item is None else Bounded(item.array) for item in made]

    backward = _backward(name) if ADDED[name].gradient else None
    return Operator(name, added_signature(name), forward, backward)


def _backward(name: str) -> Backward:
    def backward(call: Call, gradients: list[Bounded | None]) -> Sequence[Bounded | None]:
        # The outputs of a backward call are the gradients that arrive, with their formats.
        if computing().tracks_errors:
            return torch_reference(name, call.arguments, call.outputs, call.outputs)
        made = torch_control(name, call.arguments, call.outputs, call.outputs)
        return [None if item is None else Bounded(item.array) for item in made]

    return backward
