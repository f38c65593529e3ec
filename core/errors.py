"""What is wrong with the input: data in the result, not an exception.

A :class:`Problem` names the file, what is wrong with it and what to do. It costs the rows it touches
and nothing else. Exceptions are for cancelling, for bugs, and for the one case where nothing at all can
be opened (:class:`InputError`, which carries its problem to the command line or the window).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.messages import Message, Parameter, render


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one input file or folder.

    ``problem.<code>`` in the catalogue says what is wrong, ``problem.<code>.remedy`` what to do; both
    may use ``{path}`` and the parameters.
    """

    code: str
    path: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    @property
    def detail(self) -> Message:
        """What is wrong, naming the path."""
        return Message(f"problem.{self.code}", {"path": self.path, **self.parameters})

    @property
    def remedy(self) -> Message:
        """What the user can do about it."""
        return Message(f"problem.{self.code}.remedy", {"path": self.path, **self.parameters})

    def sentence(self, language: str | None = None) -> str:
        """Return detail and remedy as one line."""
        return f"{render(self.detail, language)} {render(self.remedy, language)}"


class InputError(Exception):
    """Nothing could be opened; carries the :class:`Problem` that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return self.problem.sentence()


class Cancelled(Exception):
    """The user cancelled; nothing half-written is left behind."""
