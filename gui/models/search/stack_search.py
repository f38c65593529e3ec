"""Which stacks hold a text: in a path, a function or a line of code. Imports no Qt."""

from __future__ import annotations

import re

import numpy as np

from core.records.columns import StringPool
from core.records.stacks import decode_stack
from gui.models.search.text_search import holding

_ODD = re.compile(r'[",\[\]\\]|[^ -~]')
"""What may stand between the fields of a stack as the pool holds it, or is spelled otherwise there."""
_LINE = re.compile(r'([^",\[\]\\]*):(\d+)$')


def stacks_holding(pool: StringPool, wanted: str) -> np.ndarray:
    """Return for each stack of *pool*, and for -1 at the end, whether *wanted* (in lower case) is in it.

    ``train.py:56`` finds a line of a file. All stacks are looked through at once, as the pool holds them.
    Only where *wanted* has signs that mean something there, those that hold all the rest are taken apart.
    """
    found = np.zeros(len(pool) + 1, bool)
    pieces = [piece for piece in _ODD.split(wanted) if piece.strip()]
    if pieces == [wanted] and not wanted.endswith(":"):
        found[:-1] = _hold(pool, wanted)
        line = _LINE.match(wanted)
        if line is not None:
            found[:-1] |= _hold(pool, f'{line[1]}",{line[2]}')
        return found
    pieces = [piece for piece in pieces if ":" not in piece]
    candidates = np.logical_and.reduce([_hold(pool, piece) for piece in pieces] or [np.ones(len(pool), bool)])
    for at in np.flatnonzero(candidates).tolist():
        begin = int(pool.ends[at - 1]) if at else 0  # the pool itself would decode all of them
        stack = pool.data[begin : int(pool.ends[at])].tobytes().decode("utf-8", "surrogatepass")
        found[at] = wanted in _spelled(stack)
    return found


def _hold(pool: StringPool, piece: str) -> np.ndarray:
    return holding(pool.data, pool.ends, piece.encode("ascii"))


def _spelled(stack: str) -> str:
    """Return *stack* as it is read: place, function and code of each frame on lines of their own."""
    return "\n".join(
        f"{frame.path}:{frame.line}\n{frame.function}\n{frame.code}" for frame in decode_stack(stack)
    ).lower()
