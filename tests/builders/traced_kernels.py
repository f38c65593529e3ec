"""Which kernel runs for which recorded call, and a kernel that goes wrong, under the API.

Needs torch and mindstudio-probe. While :class:`Kernels` is on, each kernel (an ``aten`` operator) that runs
is known by its place: the recorded call it runs for and its number within that call. A fault changes what
the kernel at one place returns; what is recorded as the call's arguments stays right, as with a broken
kernel of a device.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from msprobe.core.dump.hook_manager import BaseHookManager
from msprobe.pytorch.dump.api_dump.api_register import ApiTemplate
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
Wrong = Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]
"""Takes the right result and the kernel's arguments, returns the wrong result."""

_NO_ARITHMETIC = frozenset((
    "view", "t", "transpose", "expand", "permute", "reshape", "_unsafe_view", "slice", "select",
    "clone", "copy", "detach", "as_strided", "alias", "unsqueeze", "squeeze", "split", "unbind",
    "zeros", "empty", "ones", "arange", "full", "zeros_like", "ones_like", "full_like", "empty_like",
    "_to_copy", "new_zeros", "new_empty", "new_empty_strided", "new_full", "new_ones", "triu",
    "scalar_tensor", "lift_fresh", "_local_scalar_dense", "select_backward", "slice_backward", "unfold",
    "split_with_sizes", "randn", "rand",
))  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A kernel of a recorded call: the call's name, the kernel's number within it, the kernel's name."""

    call: str
    number: int
    kernel: str


@dataclass(frozen=True)
class Seen:
    """A recorded forward call: its name, the module around it, the storages of its tensors, its numbers."""

    call: str
    module: str
    storages: tuple[int, ...]
    numbers: tuple[float, ...]


@dataclass(eq=False)
class Kernels(TorchDispatchMode):
    """Follows kernels; with *wrong* at *place*, that one goes wrong. *halved* sums products in two halves."""

    halved: bool = False
    place: Place | None = None
    wrong: Wrong | None = None
    places: dict[Place, tuple[int, ...]] = field(default_factory=dict)
    """Places whose first result is floating-point arithmetic, with its shape."""
    seen: list[Seen] = field(default_factory=list)
    applied: bool = False
    changed: float = 0.0
    """How much the fault changed the kernel's result, relative to its norm."""
    _calls: list[str] = field(default_factory=list)
    _modules: list[str] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(
        self, function: Any, types: Any, arguments: tuple[Any, ...] = (), keywords: Any = None
    ) -> Any:
        result = self._compute(function, arguments, keywords or {})
        name = function.__name__.split(".")[0]
        if not self._calls or name in _NO_ARITHMETIC or function._schema.is_mutable:
            return result
        call = self._calls[-1]
        number = self._counts[call] = self._counts.get(call, -1) + 1
        several = isinstance(result, tuple | list)
        first = result[0] if several else result
        if not isinstance(first, torch.Tensor) or not first.is_floating_point() or first.numel() < 4:
            return result
        place = Place(call, number, name)
        self.places[place] = tuple(first.shape)
        if place != self.place or self.wrong is None:
            return result
        wrong = self.wrong(first, arguments).to(first.dtype)
        self.applied = True
        norm = first.float().norm().item()
        self.changed = (wrong.float() - first.float()).norm().item() / (norm or 1.0)
        return type(result)([wrong, *result[1:]]) if several else wrong

    def _compute(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if self.halved and not keywords:
            if function in (aten.mm.default, aten.bmm.default):
                return _in_halves(function, *arguments)
            if function is aten.addmm.default:
                bias, left, right = arguments
                return aten.add.Tensor(_in_halves(aten.mm.default, left, right), bias)
        return function(*arguments, **keywords)

    @contextmanager
    def call(self, name: str) -> Iterator[None]:
        """Kernels that run inside belong to the call *name*."""
        self._calls.append(name)
        try:
            yield
        finally:
            self._calls.pop()

    @contextmanager
    def following(self, network: nn.Module) -> Iterator[None]:
        """Follow kernels, recorded calls and the modules of *network*."""
        handles = []
        for name, module in network.named_modules():
            handles.append(module.register_forward_pre_hook(lambda *_, name=name: self._modules.append(name)))
            handles.append(module.register_forward_hook(lambda *_: _nothing(self._modules.pop())))
        forward = ApiTemplate.forward

        def followed(api: Any, *arguments: Any, **keywords: Any) -> Any:
            name = getattr(api, "full_forward_name", "")
            # The dumper's own arithmetic goes through the same functions, unrecorded.
            if not name or BaseHookManager.inner_switch[threading.get_ident()]:
                return forward(api, *arguments, **keywords)
            given = [*_tensors(arguments), *_tensors(keywords)]
            storages = tuple(tensor.data_ptr() for tensor in given)
            numbers = tuple(item for item in arguments if isinstance(item, int | float))
            self.seen.append(Seen(name, self._modules[-1] if self._modules else "", storages, numbers))
            ends = {tensor.grad_fn for tensor in given}
            with self.call(name):
                result = forward(api, *arguments, **keywords)
            self._follow_backward(name.replace(".forward", ".backward"), [*_tensors(result)], ends)
            return result

        ApiTemplate.forward = followed
        try:
            with self:
                yield
        finally:
            ApiTemplate.forward = forward
            for handle in handles:
                handle.remove()

    def _follow_backward(self, name: str, results: list[torch.Tensor], ends: set[Any]) -> None:
        waiting = [tensor.grad_fn for tensor in results if tensor.grad_fn is not None]
        known = set(ends) | {None}
        while waiting:
            node = waiting.pop()
            if node in known or "AccumulateGrad" in node.name():
                continue
            known.add(node)
            node.register_prehook(lambda *_: _nothing(self._calls.append(name)))
            node.register_hook(lambda *_: _nothing(self._calls.pop()))
            waiting += [following for following, _ in node.next_functions]


def _nothing(_: Any) -> None:
    """Give a hook that changes nothing its return value."""


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors(item)


def _in_halves(multiply: Any, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    half = left.shape[-1] // 2
    first = multiply(aten.slice.Tensor(left, -1, 0, half), aten.slice.Tensor(right, -2, 0, half))
    rest = multiply(
        aten.slice.Tensor(left, -1, half, left.shape[-1]), aten.slice.Tensor(right, -2, half, right.shape[-2])
    )
    return aten.add.Tensor(first, rest)
