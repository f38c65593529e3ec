"""Which type of operator each call is of: gelu, linear, layer_norm, a module's class. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.records.columns import ABSENT, Int32
from core.records.dump import Dump
from core.records.ignoring import operator_type
from gui.models.pair.texts import Texts

_WAYS = ("forward", "backward")


@dataclass(frozen=True)
class OperatorTypes:
    """The types that occur, and for each pair of calls that of either side, -1 where it has none."""

    texts: Texts
    target: Int32
    golden: Int32

    @property
    def shown(self) -> Int32:
        """The type of each pair: the target's, or the golden's for a call that only it has."""
        return np.where(self.target >= 0, self.target, self.golden)


def types_of_calls(target: Dump, golden: Dump, on_target: Int32, on_golden: Int32) -> OperatorTypes:
    """Return the types of the calls that are pairs of *on_target* and *on_golden* (-1: on one side only)."""
    numbers: dict[str, int] = {}
    found = [
        _types_of_side(dump, operators, numbers)
        for dump, operators in ((target, on_target), (golden, on_golden))
    ]
    return OperatorTypes(Texts.of(list(numbers)), *found)


def _types_of_side(dump: Dump, operators: Int32, numbers: dict[str, int]) -> Int32:
    if not len(dump.operators):
        return np.full(len(operators), ABSENT, np.int32)
    texts = list(dump.strings)
    words = map(_word, map(texts.__getitem__, dump.operators.name.tolist()))
    types = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32)
    return np.where(operators >= 0, types[operators], ABSENT).astype(np.int32)


def _word(name: str) -> str:
    """Return the type of the call *name*: nearly all end in the same way, and parsing costs more."""
    parts = name.rsplit(".", 3)
    if len(parts) == 4 and (
        (parts[3] in _WAYS and parts[2].isdecimal()) or (parts[2] in _WAYS and parts[3].isdecimal())
    ):
        return parts[1]
    return operator_type(name)
