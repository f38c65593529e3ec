"""Calling one function of torch in a chosen precision, forward or backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from importlib import import_module
from typing import Any

import numpy as np

from core.emulation.terms.arguments import UNRECORDED, Signature, Tensor
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.torch_backend.entry import Allowed

Prepare = Callable[[Tensor, bool], Any]
"""Makes a torch tensor of a dumped one; the flag tells whether its last bits may be changed."""

_DROPPED = frozenset({"out", "dtype", "inplace", "_stacklevel"})
"""Arguments that change no value beyond the format of the output, which is known."""

_FORMAT = "input_dtype"
"""The format of the operands, which is that of the run."""

_STATISTICS = frozenset({"running_mean", "running_var"})
"""Float operands without a gradient."""

_REFUSED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What torch raises for arguments that it does not take."""


def torch_module() -> Any:
    """Import torch, at the first use."""
    return import_module("torch")


@lru_cache(maxsize=512)
def function_at(path: str) -> Callable[..., Any]:
    """Return the function at *path* of the allow-list."""
    _, *names = path.split(".")
    found: Callable[..., Any] = reduce(getattr, names, torch_module())
    return found


def prepared_in(name: str, disturb: np.random.Generator | None = None, by: float = 0.0) -> Prepare:
    """Return how to make tensors whose floats have the torch format *name*.

    With *disturb*, each float is off by up to *by*, relative to itself, before it is rounded.
    """
    torch = torch_module()
    wide = getattr(torch, name)
    complex_ = torch.complex128 if name == "float64" else torch.complex64

    def prepare(tensor: Tensor, variable: bool) -> Any:
        array = tensor.array
        if array.dtype.kind not in "fc":
            return torch.from_numpy(np.array(array, copy=True))
        if disturb is not None and variable:
            array = array * (1.0 + by * disturb.uniform(-1.0, 1.0, array.shape))
        return torch.from_numpy(np.array(array, copy=True)).to(complex_ if array.dtype.kind == "c" else wide)

    return prepare


def prepared_as_dumped(tensor: Tensor, variable: bool) -> Any:
    """Return a tensor in the format it was dumped in."""
    torch = torch_module()
    made = torch.from_numpy(np.array(tensor.array, copy=True))
    return made.to(getattr(torch, tensor.dtype.name)) if tensor.array.dtype.kind in "fc" else made


def run_forward(entry: Allowed, form: Signature, values: Mapping[str, Any], prepare: Prepare) -> list[Array]:
    """Return the outputs as numpy arrays, in torch's order.

    Raises
    ------
    NotReplayable
        AMBIGUOUS_ARGUMENTS where torch refuses the arguments.
    """
    with _asking(torch_module(), gradients=False):
        made = _called(entry, form, values, prepare, [])
        return [_as_array(item) for item in _flat(made)]


def run_backward(
    entry: Allowed,
    form: Signature,
    values: Mapping[str, Any],
    grads: Sequence[Tensor | None],
    prepare: Prepare,
) -> list[Array | None]:
    """Return the gradient of each float operand, in the order of the arguments.

    Raises
    ------
    NotReplayable
        AMBIGUOUS_ARGUMENTS where torch refuses the arguments, SHAPE_MISMATCH for a gradient of another shape.
    """
    torch = torch_module()
    leaves: list[Any] = []
    with _asking(torch, gradients=True):
        made = [item for item in _flat(_called(entry, form, values, prepare, leaves)) if _differs(item)]
        pairs = [(out, grad) for out, grad in zip(made, grads) if grad is not None and out.requires_grad]
        if not pairs:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "grad")
        for out, grad in pairs:
            if tuple(out.shape) != grad.shape:
                raise NotReplayable(NotReplayed.SHAPE_MISMATCH, f"{list(out.shape)} {list(grad.shape)}")
        arriving = [prepare(grad, True).to(out.dtype) for out, grad in pairs]
        found = torch.autograd.grad([out for out, _ in pairs], leaves, arriving, allow_unused=True)
        return [None if item is None else _as_array(item) for item in found]


def _called(
    entry: Allowed, form: Signature, values: Mapping[str, Any], prepare: Prepare, leaves: list[Any]
) -> Any:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for name in form.names:
        value = _made(values.get(name), name, entry.constants, prepare, leaves)
        if form.required(name):
            positional.append(value)
        elif value is not None and name not in _DROPPED:
            keywords[entry.renamed.get(name, name)] = value
    if form.rest:
        positional += _made(values.get(form.rest, ()), form.rest, entry.constants, prepare, leaves)
    return function_at(entry.path)(*positional, **keywords)


def _made(value: Any, name: str, constants: Sequence[str], prepare: Prepare, leaves: list[Any]) -> Any:
    if name in _DROPPED:
        return None
    if name == _FORMAT:
        return leaves[0].dtype if leaves else None
    if value is UNRECORDED:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
    if isinstance(value, Tensor):
        constant = name in constants or name in _STATISTICS
        made = prepare(value, not constant)
        if _differs(made) and not constant:
            made = made.requires_grad_(torch_module().is_grad_enabled())
            leaves.append(made)
        return made
    if isinstance(value, (list, tuple)):
        return [_made(item, name, constants, prepare, leaves) for item in value]
    return value


def _differs(value: Any) -> bool:
    """Whether a tensor has a gradient at all."""
    return bool(value.is_floating_point() or value.is_complex())


def _flat(made: Any) -> Iterator[Any]:
    if isinstance(made, (list, tuple)):
        for item in made:
            yield from _flat(item)
    elif isinstance(made, torch_module().Tensor):
        yield made


def _as_array(made: Any) -> Array:
    torch = torch_module()
    made = made.detach().resolve_conj().resolve_neg()
    if made.is_complex():
        return np.asarray(made.to(torch.complex128).numpy())
    if made.is_floating_point():
        return np.asarray(made.to(torch.float64).numpy())
    return np.asarray((made if made.dtype == torch.bool else made.to(torch.int64)).numpy())


@contextmanager
def _asking(torch: Any, gradients: bool) -> Iterator[None]:
    """Silence warnings, and turn what torch refuses into a reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.set_grad_enabled(gradients):
                yield
        except _REFUSED as error:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, type(error).__name__) from error
