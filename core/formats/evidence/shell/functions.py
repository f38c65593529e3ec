"""Functions of a script: kept as they are defined, to be walked through where they are called."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.formats.evidence.shell.expansion import Variables
from core.formats.evidence.shell.values import Text
from core.formats.evidence.shell.words import Keyword, Statement

_DEEPEST, _MOST_CALLS = 20, 500
"""Calls inside each other, and calls at all, that are followed."""


class Returned(Exception):
    """The function ends here."""


class Ended(Exception):
    """The script ends here."""


@dataclass
class Functions:
    """What was defined so far, and which calls are open."""

    bodies: dict[str, list[Statement]] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    _name: str = ""
    _body: list[Statement] = field(default_factory=list)
    _braces: int = 0
    _frames: list[dict[str, tuple[Text | None, list[Text] | None]]] = field(default_factory=list)
    """Of each open call the values that its ``local`` variables had before."""
    _calls: int = 0

    def takes(self, statement: Statement) -> bool:
        """Return whether *statement* belongs to a definition: it is kept, and not carried out."""
        word = statement.word if isinstance(statement, Keyword) else ""
        if self._braces:
            self._braces += {"{": 1, "}": -1}.get(word, 0)
            if self._braces:
                self._body.append(statement)
            else:
                self.bodies[self._name], self._body, self._name = self._body, [], ""
            return True
        if word == "function" and isinstance(statement, Keyword):
            self._name = statement.name
            return True
        if self._name and word == "{":
            self._braces = 1
            return True
        self._name = ""  # its body is no group: it is taken for a command
        return False

    @property
    def inside(self) -> bool:
        """Whether a call is open."""
        return bool(self._frames)

    def may_call(self, name: str) -> bool:
        """Return whether *name* is a function that is followed once more."""
        return name in self.bodies and len(self._frames) < _DEEPEST and self._calls < _MOST_CALLS

    def enter(self, name: str) -> list[Statement]:
        """Open a call; returns the body."""
        self._calls += 1
        self.called.add(name)
        self._frames.append({})
        return self.bodies[name]

    def leave(self, variables: Variables) -> None:
        """Close it; what it declared ``local`` has its value of before."""
        for name, (text, elements) in self._frames.pop().items():
            variables.put(name, text, elements)

    def keep(self, name: str, variables: Variables) -> None:
        """Note that *name* is the open call's own."""
        if self._frames:
            before = variables.texts.get(name), variables.arrays.get(name)
            self._frames[-1].setdefault(name, before)
