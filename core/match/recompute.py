"""Forward calls that run a second time while the backward pass needs their results again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.match.calls import Calls
from core.match.hashing import combine, join_unique
from core.match.similarity import record_keys
from core.records.columns import Int64
from core.records.dump import Dump
from core.records.names import Direction, OperatorKind
from core.records.stacks import decode_stack

_CHECKPOINT_FILES = ("torch/utils/checkpoint.py", "tensor_parallel/random.py")
"""Where PyTorch and Megatron run a forward again; the first run passes there, too, from other functions."""
_AGAIN = ("backward", "unpack_hook", "recompute_fn")


@dataclass(frozen=True)
class Repeats:
    """Which forward calls of a dump are repetitions, and of what."""

    repeated: NDArray[np.bool_]
    original: Int64
    """The row that a repetition repeats; -1 where it is not one or the first run is not known."""


def find_repeats(dump: Dump, calls: Calls) -> Repeats:
    """Find the recomputed forward calls of *dump*, by their stack, else by their records.

    Without stacks a call is a repetition if it runs between two backward calls and its record, results
    included, is that of a call before the first of them; a new micro-batch has other numbers.
    """
    count = len(dump.operators)
    forward = (dump.operators.direction == Direction.FORWARD) & (dump.operators.kind <= OperatorKind.MODULE)
    backward = np.flatnonzero(dump.operators.direction == Direction.BACKWARD)
    original = np.full(count, -1, np.int64)
    repeated = forward & _said_by_stack(dump)
    if not len(backward):
        return Repeats(repeated, original)
    within = forward & (np.arange(count) > backward[0]) & (np.arange(count) < backward[-1])
    records, telling = record_keys(dump)
    exact = combine(calls.whole.view(np.int64), records.view(np.int64))
    for keys, may_repeat in ((exact, repeated | (within & telling)), (calls.shape, repeated)):
        late = np.flatnonzero(may_repeat & (original < 0))
        early = np.flatnonzero(forward & ~repeated & ~may_repeat)
        early = np.setdiff1d(early, original)
        at_early, at_late = join_unique(keys[early], keys[late])
        fits = early[at_early] < late[at_late]
        original[late[at_late[fits]]] = early[at_early[fits]]
        repeated |= original >= 0
    return Repeats(repeated, original)


def _said_by_stack(dump: Dump) -> NDArray[np.bool_]:
    """Return which calls have a stack that only a recomputation has."""
    says = np.array([_recomputes(text) for text in dump.stacks] + [False], bool)
    result: NDArray[np.bool_] = says[dump.operators.stack]
    return result


def _recomputes(stack: str) -> bool:
    if "recompute_fn" not in stack and not any(file in stack for file in _CHECKPOINT_FILES):
        return False
    return any(
        frame.function == "recompute_fn"
        or (frame.function in _AGAIN and frame.path.replace("\\", "/").endswith(_CHECKPOINT_FILES))
        for frame in decode_stack(stack)
    )
