"""What a script has set and started."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import Problem
from core.formats.evidence.shell.expansion import Variables
from core.formats.evidence.shell.functions import Functions
from core.formats.evidence.shell.values import Field, Text


@dataclass(frozen=True, slots=True)
class Written:
    """A document that the script itself writes."""

    name: str
    text: Text


@dataclass(frozen=True, slots=True)
class Started:
    """A command with its arguments."""

    fields: tuple[Field, ...]
    environment: tuple[tuple[str, Text], ...]
    """What is set for this command only."""


@dataclass
class Script:
    """What a script has set and started, files that it reads in included."""

    variables: Variables
    exported: dict[str, None] = field(default_factory=dict)
    """Names, in their order."""
    started: list[Started] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    """Variables that are read only, computed at assignment, or names of others."""
    functions: Functions = field(default_factory=Functions)
    files: dict[str, None] = field(default_factory=dict)
    """Paths of what was read."""
