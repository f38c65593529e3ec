"""What is kept of a pair's pre-check: read with the first answer, written at each change after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.records.evidence import Given
from core.records.precheck import PrecheckTable
from gui.precheck.work import Answer, Key, joined


class Keeping:
    """Writes nothing before what was kept is here, so that nothing of it is lost."""

    def __init__(self) -> None:
        self.key: Key = ("", "")
        self.known = False
        """Whether what was kept is here."""
        self._unsaved = False
        self._removed: set[str] = set()
        """Given paths taken away before that."""

    @property
    def wanted_for(self) -> Key | None:
        """What is to be read for; ``None`` where it is here already, or there is nothing to name it by."""
        return None if self.known or not any(self.key) else self.key

    def go_to(self, key: Key) -> None:
        """Keep for *key* from now on."""
        if key != self.key:
            self.key, self.known = key, False

    def note_removed(self, path: str) -> None:
        """Let *path* not come back with what was kept."""
        self._removed.add(path)

    def note_added(self, paths: Iterable[str]) -> None:
        """Let *paths* come back."""
        self._removed.difference_update(paths)

    def take_in(self, mine: PrecheckTable, kept: Answer | PrecheckTable) -> PrecheckTable:
        """Return *mine* with what was *kept*; *mine* counts where both say something."""
        self.known = True
        made = PrecheckTable(
            joined(self._left(kept.target), mine.target),
            joined(self._left(kept.golden), mine.golden),
            {**kept.entries, **mine.entries},
        )
        self._removed.clear()
        return made

    def _left(self, given: Sequence[Given]) -> list[Given]:
        return [each for each in given if each.path not in self._removed]

    def save(self, table: PrecheckTable) -> None:
        """Write evidence and entries of *table*, once that may be; the answer is found anew each time.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        from core.store.prechecks import save_table

        self._unsaved = not self.known
        if self.known and any(self.key):
            save_table(*self.key, replace(table, report=None))

    def save_late(self, table: PrecheckTable) -> None:
        """Write what could not be written before, if there is such."""
        if self._unsaved and self.known:
            self.save(table)

    def save_last(self, table: PrecheckTable) -> None:
        """Write what could not be written before, with what was kept, though nobody read that."""
        if self._unsaved and any(self.key):
            from core.store.prechecks import load_table

            self.save(self.take_in(table, load_table(*self.key)))
