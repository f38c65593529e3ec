"""Which parts of a script count: what its own text decides is taken or left, of other branches all count."""

from __future__ import annotations

from dataclasses import dataclass

from core.formats.evidence.unreadable import Unreadable

_DEEPEST = 200
"""Compound commands inside each other."""


@dataclass(slots=True)
class _Compound:
    word: str
    now: bool | None
    """True: what stands here runs. False: it does not. ``None``: only the machine can tell."""
    taken: bool | None = False
    """Whether an earlier branch ran."""
    condition: bool = False
    """Its condition is being read."""


class Branches:
    """The compound commands that are open."""

    def __init__(self) -> None:
        self._open: list[_Compound] = []

    @property
    def count(self) -> bool | None:
        """Whether what comes now runs; ``None``: only the machine can tell."""
        states = [compound.now for compound in self._open]
        return False if False in states else None if None in states else True

    def open(self, word: str, line: int) -> None:
        """Begin ``if``, ``while``, ``until``, ``for`` or ``case`` in *line*.

        Raises
        ------
        Unreadable
            If more are open than in any script.
        """
        if len(self._open) >= _DEEPEST:
            raise Unreadable("settings_deep", line=line)
        self._open.append(
            _Compound(word, None if word == "case" else True, condition=word not in ("for", "case"))
        )

    def enter(self, answer: bool | None) -> None:
        """Begin the branch after ``then`` or ``do``, whose condition answered *answer*."""
        if not self._open or not self._open[-1].condition:
            return
        compound = self._open[-1]
        compound.condition = False
        answer = answer if compound.word == "if" else None
        earlier = compound.taken
        compound.now = False if earlier is True or answer is False else answer if earlier is False else None
        if earlier is not True and answer is not False:
            compound.taken = answer

    def other(self, *, conditional: bool) -> None:
        """Begin ``else``, or ``elif`` with its condition if *conditional*."""
        if self._open:
            compound = self._open[-1]
            compound.now = None if compound.taken is None else not compound.taken
            compound.condition = conditional

    @property
    def depth(self) -> int:
        """How many are open."""
        return len(self._open)

    def cut(self, depth: int) -> None:
        """End the innermost ones until *depth* are open: a function returned inside of them."""
        del self._open[depth:]

    def close(self) -> None:
        """End the innermost one."""
        if self._open:
            self._open.pop()
