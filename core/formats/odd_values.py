"""Values of a JSON type that the format does not foresee: each costs itself, all are told together."""

from __future__ import annotations

from core.errors import Problem

_LONGEST = 200


class OddValues:
    """Counts the odd values of one file and keeps the first as the example."""

    def __init__(self) -> None:
        self.count = 0
        self._example = ""

    def add(self, *place: str) -> None:
        """Note one; *place* says where it stands, from the outside in."""
        if not self.count:
            example = " / ".join(part for part in place if part)
            self._example = example if len(example) <= _LONGEST else example[:_LONGEST] + "…"
        self.count += 1

    def problems(self, path: str) -> list[Problem]:
        """Return what to say of the file at *path*: at most one problem."""
        if not self.count:
            return []
        return [Problem("odd_values", path, {"count": self.count, "name": self._example})]
