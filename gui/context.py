"""What every view is given: the session, the commands, the scheme, and what is remembered."""

from __future__ import annotations

from dataclasses import dataclass

from gui.frame.actions import Actions
from gui.looks.theme import Theme
from gui.session import Session
from gui.settings import Settings


@dataclass(frozen=True)
class Context:
    """Handed down from the application; views reach nothing else."""

    session: Session
    theme: Theme
    settings: Settings
    actions: Actions
    """A view connects the commands that it carries out."""
