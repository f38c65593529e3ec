"""A document of settings that cannot be read, and why."""

from __future__ import annotations

from core.errors import Problem
from core.messages import Parameter


class Unreadable(Exception):
    """Nothing, or nothing more, can be read; becomes a problem of the file."""

    def __init__(self, problem: str, **parameters: Parameter) -> None:
        super().__init__(problem)
        self.code = problem
        self.parameters = parameters

    def problem(self, path: str) -> Problem:
        """Return it as a problem of the file at *path*."""
        return Problem(self.code, path, self.parameters)
