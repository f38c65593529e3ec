"""One call as the references see it: its arguments by name, as float64 numbers with their first errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.dtypes import DType
from core.emulation.terms.arguments import UNRECORDED, Tensor
from core.emulation.terms.bounded import LAMBDA, Bounded, product_of
from core.emulation.terms.computing import Axis, Contract, computing
from core.emulation.terms.formats import FLOAT32, coarsest, computing_format, is_float, round_to
from core.emulation.terms.outcome import NotReplayable, NotReplayed


@dataclass(frozen=True)
class Call:
    """Arguments of a call, and the format it computed in.

    ``storage`` is the coarsest float format among operands and outputs: what intermediate tensors of a
    composite implementation, and scalars, may have been rounded to.
    """

    arguments: Mapping[str, Any]
    storage: DType = FLOAT32
    outputs: tuple[Tensor | None, ...] = ()
    """The dumped outputs; only what a reference cannot know may be taken from them: counts and shapes."""

    @property
    def unit_ratio(self) -> float:
        """Unit roundoffs of the computing format in one of the storage format."""
        return self.storage.unit_roundoff / computing_format(self.storage).unit_roundoff

    def __getitem__(self, name: str) -> Any:
        value = self.arguments[name]
        if value is UNRECORDED:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        return value

    def with_arguments(self, **changed: Any) -> Call:
        """Return the call with some arguments replaced."""
        return replace(self, arguments={**self.arguments, **changed})

    def has(self, name: str) -> bool:
        """Whether the argument is there and not None."""
        return self.arguments.get(name) is not None

    @property
    def has_out(self) -> bool:
        """Whether the result was written to a tensor that was passed."""
        return self.has("out")

    def tensor(self, name: str) -> Bounded:
        """Return a tensor or number; a number may have been rounded to the storage format."""
        return self.operand(self[name], name)

    def operand(self, value: Any, name: str = "") -> Bounded:
        """Return *value*, a tensor or a Python number, as a bounded number."""
        if isinstance(value, Tensor):
            return Bounded(computing().entered(value.array))
        if isinstance(value, bool):
            return Bounded(np.asarray(value))
        if isinstance(value, int) and abs(value) < 2**63:
            return Bounded(np.asarray(value, np.int64))
        if isinstance(value, (int, float)):
            array = np.asarray(float(value))
            if not computing().tracks_errors:
                return Bounded(computing().stored(array, self.storage))
            exact = bool(round_to(array, self.storage) == array) or not np.isfinite(array)
            return Bounded(array, 0.0 if exact else np.asarray(self.unit_ratio * abs(float(value))))
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)

    def optional(self, name: str) -> Bounded | None:
        """Return a tensor or number, ``None`` when it was not given."""
        return self.tensor(name) if self.has(name) else None

    def tensors(self, name: str) -> list[Bounded]:
        """Return a list of tensors."""
        value = self[name]
        items = value if isinstance(value, (list, tuple)) else [value]
        if len(items) == 1 and isinstance(items[0], (list, tuple)):
            items = items[0]
        return [self.operand(item, name) for item in items]

    def number(self, name: str) -> float:
        """Return a number; a tensor of one element counts as one."""
        value = self[name]
        if isinstance(value, Tensor) and value.array.size == 1:
            return float(value.array.reshape(()))
        if isinstance(value, (int, float)):
            return float(value)
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)

    def integer(self, name: str) -> int:
        """Return a whole number."""
        value = self.number(name)
        if value != int(value):
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        return int(value)

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        value = self[name]
        if isinstance(value, (bool, int)):
            return bool(value)
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)

    def word(self, name: str) -> str:
        """Return a string."""
        value = self[name]
        if not isinstance(value, str):
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        return value

    def integers(self, name: str) -> list[int]:
        """Return whole numbers, given one by one or as a list."""
        found = [
            int(item.array) if isinstance(item, Tensor) and item.array.size == 1 else item
            for item in _flat(self[name])
        ]
        if any(not isinstance(item, int) for item in found):
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        return found

    def axes(self, name: str, dimensions: int) -> tuple[int, ...]:
        """Return dimensions counted from the front; all of them for None or an empty list."""
        value = self[name]
        chosen = [] if value is None else self.integers(name)
        if not chosen:
            return tuple(range(dimensions))
        return tuple(axis % dimensions if dimensions else 0 for axis in chosen)

    def tuple_of(self, name: str, count: int) -> tuple[int, ...]:
        """Return *count* numbers; a single one stands for all."""
        found = self.integers(name)
        if len(found) == 1:
            found *= count
        if len(found) != count:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        return tuple(found)

    def stored(self, value: Bounded) -> Bounded:
        """Return *value* as it is after a composite implementation may have stored it as a tensor."""
        if not computing().tracks_errors:
            return Bounded(computing().stored(value.value, self.storage))
        return value.widened(self.storing, self.storage.smallest_normal)

    @property
    def storing(self) -> float:
        """Unit roundoffs of the computing format that storing a number costs; 0 where it is free."""
        return self.unit_ratio if self.storage.precision < FLOAT32.precision else 0.0

    def total(self, terms: Bounded, axis: Axis = None, keepdims: bool = False) -> Bounded:
        """Return sums of *terms* each of which, or partial sums, may have been stored.

        Independent roundings of the terms add up to their Euclidean norm.
        """
        made = terms.sum(axis, keepdims)
        if not computing().tracks_errors or not self.storing or made.value.dtype.kind not in "fc":
            return made
        squares = np.sum(np.square(np.abs(terms.value)), axis=axis, keepdims=keepdims)
        extra = np.sqrt(np.where(np.isfinite(squares), squares, 0.0))
        return Bounded(made.value, made.error + LAMBDA * self.storing * extra)

    def product(self, left: Bounded, right: Bounded, contract: Contract, terms: int) -> Bounded:
        """Return a sum of products of which partial sums may have been stored, as gradients are."""
        # The windows of a convolution meet in an order of their own: twice the norm.
        return product_of(left, right, contract, terms, 2.0 * self.storing)

    def cast(self, dtype: DType) -> Call:
        """Return the call with finer float operands rounded to *dtype*, as autocast does before it."""
        return replace(self, arguments={name: _cast(value, dtype) for name, value in self.arguments.items()})


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield all tensors in nested lists and dicts."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)


def storage_format(arguments: Mapping[str, Any], outputs: Sequence[Tensor | None]) -> DType:
    """Return the coarsest float format of all tensors; float32 if there is none."""
    found = coarsest([tensor.dtype for tensor in (*tensors_in(arguments), *outputs) if tensor is not None])
    return found or FLOAT32


def _cast(value: Any, dtype: DType) -> Any:
    if isinstance(value, Tensor) and is_float(value.dtype) and value.dtype.precision > dtype.precision:
        return Tensor(round_to(value.array, dtype), dtype)
    if isinstance(value, (list, tuple)):
        return [_cast(item, dtype) for item in value]
    return value


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value
