"""Many texts in one array: nothing to unpickle, and none is made before it is shown or searched.

A result of a million slots has as many names. As Python objects they would cost the window a long stall
while they arrive and a hundred bytes each; here they are bytes end to end, with a NUL after each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from core.records.columns import Int64, UInt8

_CODING = ("utf-8", "surrogatepass")


@dataclass(frozen=True, eq=False)
class Texts(Sequence[str]):
    """A frozen list of texts; ``ends[i]`` is one past the NUL that ends text *i*."""

    data: UInt8
    ends: Int64

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Pack *texts*."""
        if not texts:
            return cls(np.empty(0, np.uint8), np.empty(0, np.int64))
        whole = "\0".join(texts)
        data = np.frombuffer(whole.encode(*_CODING) + b"\0", np.uint8)
        ends = np.flatnonzero(data == 0) + 1
        if len(ends) != len(texts):  # some hold a NUL themselves
            ends = np.cumsum([len(text.encode(*_CODING)) + 1 for text in texts], dtype=np.int64)
        return cls(data, ends)

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        at = range(len(self))[index]
        start = int(self.ends[at - 1]) if at else 0
        return self.data[start : int(self.ends[at]) - 1].tobytes().decode(*_CODING)

    def __iter__(self) -> Iterator[str]:
        return iter(self._split(self._decoded()))

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.find(text) >= 0

    def index(self, text: Any, start: int = 0, stop: int | None = None) -> int:
        """Return where *text* first is.

        Raises
        ------
        ValueError
            If it is not among them.
        """
        found = self.find(str(text), start)
        if found < 0 or (stop is not None and found >= stop):
            raise ValueError(f"{text!r} is not among the texts")
        return found

    def find(self, text: str, start: int = 0) -> int:
        """Return where *text* first is from *start* on, -1 when it is nowhere."""
        wanted, whole = text.encode(*_CODING) + b"\0", self._bytes
        at = -1
        while (at := whole.find(wanted, at + 1)) >= 0:
            place = int(np.searchsorted(self.ends, at + len(wanted)))
            begins = int(self.ends[place - 1]) if place else 0
            if place >= start and begins == at and self.ends[place] == at + len(wanted):
                return place
        return -1

    def containing(self, needle: str) -> np.ndarray:
        """Return for each text, and for -1 at the end, whether *needle* occurs in it in lower case."""
        return np.array([needle in text for text in self._lowered] + [False])

    @cached_property
    def _bytes(self) -> bytes:
        return self.data.tobytes()

    @cached_property
    def _lowered(self) -> list[str]:
        return self._split(self._decoded().lower())

    def _decoded(self) -> str:
        return self.data.tobytes().decode(*_CODING)

    def _split(self, whole: str) -> list[str]:
        """Return the texts of *whole*, all of them as one."""
        if not whole:
            return []
        pieces = whole[:-1].split("\0")
        if len(pieces) == len(self):
            return pieces
        merged, at = [], 0  # put together again what holds a NUL itself
        for text in self[:]:
            count = text.count("\0") + 1
            merged.append("\0".join(pieces[at : at + count]))
            at += count
        return merged

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "ends": self.ends}


def in_natural_order(texts: Texts) -> np.ndarray:
    """Return where each of *texts* stands with digits read as numbers: "conv2" before "conv10"."""
    padded = texts._split(_with_padded_digits(texts.data).tobytes().decode(*_CODING))
    order = sorted(range(len(texts)), key=padded.__getitem__)
    place = np.empty(len(texts), np.int32)
    place[order] = np.arange(len(texts), dtype=np.int32)
    return place


_LONGEST = 12
"""Digits up to which numbers in names sort by value."""


def _with_padded_digits(data: UInt8) -> UInt8:
    """Return *data* with zeros before each run of digits shorter than the longest."""
    digit = (data >= ord("0")) & (data <= ord("9"))
    edges = np.flatnonzero(digit[1:] != digit[:-1]) + 1  # the first may be a digit, the last is a NUL
    edges = np.append(0, edges) if len(digit) and digit[0] else edges
    starts, stops = edges[::2], edges[1::2]
    missing = np.maximum(_LONGEST - (stops - starts), 0)
    zeros = np.repeat(starts, missing) + np.arange(int(missing.sum()))
    given = np.ones(len(data) + len(zeros), bool)
    given[zeros] = False
    padded = np.full(len(given), ord("0"), np.uint8)
    padded[given] = data
    return padded
