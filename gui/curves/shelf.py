"""The shelf of a window: where workers put what they have read, found and drawn."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from core.curves.shelf import Shelved, discard


class Shelf:
    """A folder of its own, made when first wanted; what is let go stays while somebody may be reading it."""

    def __init__(self) -> None:
        self._folder = ""
        self._old: list[Shelved] = []

    @property
    def folder(self) -> str:
        """The folder's path."""
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="ulpscope-curves-")
        return self._folder

    def let_go(self, *tokens: Shelved | None) -> None:
        """Want *tokens* no more."""
        self._old += [token for token in tokens if token is not None]

    def sweep(self) -> None:
        """Remove what was let go; nobody is reading now."""
        for token in self._old:
            discard(token)
        self._old = []

    def clear(self) -> None:
        """Remove everything, once no process can write to it any more."""
        if self._folder:
            shutil.rmtree(Path(self._folder), ignore_errors=True)
            self._folder = ""
