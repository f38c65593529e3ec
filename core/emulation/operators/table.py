"""The table of references: which numpy function says what an operator is defined to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.emulation.terms.arguments import Signature, signature
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call

Outputs = Bounded | Sequence[Bounded | None]
Forward = Callable[[Call], Outputs]
Backward = Callable[[Call, list[Bounded | None]], Sequence[Bounded | None]]
"""Returns gradients of the arguments in autograd's order. Which of them a dump holds, and whether an
implementation returns them of an inner step instead, is found by shape: further candidates may follow."""
Options = Callable[[Call], Iterator[dict[str, object]]]


class Matrix(StrEnum):
    """What an operator asks of a matrix unit; chips treat float32 operands of the two in other ways."""

    PRODUCT = "product"
    CONVOLUTION = "convolution"
    CHAIN = "chain"
    """Products of products, as attention: what is rounded before each is the kernel's choice."""


class Rows(StrEnum):
    """Which operands a row of the output, an element of its first dimension, needs only the same row of."""

    FIRST = "first"
    """The first operand; the others are needed whole."""
    BATCH = "batch"
    """The first operand, and others that have more than two dimensions."""
    ALL = "all"
    """All operands that have as many rows."""


@dataclass(frozen=True)
class Operator:
    """One operator: how its arguments are called, and its references.

    Attributes
    ----------
    matrix
        What it asks of a matrix unit, whose operands autocast casts to the coarse format first.
    ends_in_view
        Whether the last step of usual implementations may be a mere reshape, whose gradient is one too.
    rows
        How rows of the output depend on those of the operands; ``None`` where they do in another way.
    options
        Values to try for arguments that the dump does not tell.
    exhaustive
        Whether one of ``options`` must explain the output, so that none doing so means wrong.
    temporaries
        Float64 arrays of the size of all operands and outputs together that the reference holds at once.
    workspace
        Float64 numbers it holds beside those: windows of a convolution, scores of an attention.
    """

    name: str
    signature: Signature
    forward: Forward
    backward: Backward | None = None
    matrix: Matrix | None = None
    ends_in_view: bool = False
    rows: Rows | None = None
    options: Options | None = None
    exhaustive: bool = False
    temporaries: float = 6.0
    workspace: Callable[[Call], int] | None = None


_operators: dict[str, Operator] = {}


def reference(
    names: str,
    arguments: str,
    *,
    matrix: Matrix | None = None,
    ends_in_view: bool = False,
    rows: Rows | None = None,
    options: Options | None = None,
    exhaustive: bool = False,
    temporaries: float = 6.0,
    workspace: Callable[[Call], int] | None = None,
) -> Callable[[Forward], Forward]:
    """Register a forward reference under all of *names* (separated by blanks)."""

    def register(function: Forward) -> Forward:
        for name in names.split():
            if name in _operators:
                raise ValueError(f"two references for {name}")
            _operators[name] = Operator(
                name,
                signature(arguments),
                function,
                matrix=matrix,
                ends_in_view=ends_in_view,
                rows=rows,
                options=options,
                exhaustive=exhaustive,
                temporaries=temporaries,
                workspace=workspace,
            )
        return function

    return register


def gradient(names: str) -> Callable[[Backward], Backward]:
    """Register a backward reference for operators that have a forward one."""

    def register(function: Backward) -> Backward:
        for name in names.split():
            _operators[name] = replace(_operators[name], backward=function)
        return function

    return register


def registered() -> dict[str, Operator]:
    """Return all operators that have been registered, by name."""
    return _operators
