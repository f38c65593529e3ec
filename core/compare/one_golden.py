"""Whether two rounds were compared with one golden, though their results name it by different paths."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from core.records.columns import ABSENT
from core.records.dump import Dump, SlotKind
from core.store.moved import Moved, path_now

_ELSEWHERE = ("file_mtime_ns",)
"""What a copy in another place may have otherwise."""


def is_one_place(one: str, other: str, moved: Sequence[Moved]) -> bool:
    """Return whether two paths lead to one run, links followed and dumps that have *moved* located."""
    places = [os.path.realpath(path_now(path, moved)) for path in (one, other)]
    return one == other or places[0] == places[1]


def holds_the_same(one: Dump, other: Dump) -> bool:
    """Return whether two dumps are copies: the same calls with the same statistics or checksums.

    A dump that holds neither for some of its tensors proves nothing.
    """
    pools = [
        (dump.strings.data, dump.strings.ends, dump.stacks.data, dump.stacks.ends, dump.shapes.dims,
         dump.shapes.ends)
        for dump in (one, other)
    ]  # fmt: skip
    if not all(np.array_equal(mine, theirs) for mine, theirs in zip(*pools)):
        return False
    for mine, theirs in ((one.operators, other.operators), (one.slots, other.slots)):
        columns = theirs.columns()
        for name, values in mine.columns().items():
            floats = np.issubdtype(values.dtype, np.floating)
            if name not in _ELSEWHERE and not np.array_equal(values, columns[name], equal_nan=floats):
                return False
    slots = one.slots
    sizes = np.append(one.shapes.sizes, ABSENT)[slots.shape]
    asked = (slots.kind == SlotKind.TENSOR) & (sizes != 0)
    told = (slots.known > 0) | (slots.checksum >= 0)
    return bool(asked.any() and told[asked].all())
