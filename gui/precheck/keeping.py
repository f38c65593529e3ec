"""What is kept of a pair's pre-check: read with the first answer, written at each change after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.errors import InputError
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
        self._withdrawn: set[str] = set()
        """Checks whose entries were taken back before that."""

    @property
    def wanted_for(self) -> Key | None:
        """What is to be read for; ``None`` where it is here already, or there is nothing to name it by."""
        return None if self.known or not any(self.key) else self.key

    def goes_on(self, key: Key) -> bool:
        """Return whether *key* names the same runs: nothing that was named is another, or lacks now."""
        same = all(not before or before == now for before, now in zip(self.key, key))
        return same or key == self.key[::-1]

    def go_to(self, key: Key) -> None:
        """Keep for *key* from now on; what was exchanged is kept as one."""
        if key not in (self.key, self.key[::-1]):
            if not self.goes_on(key):
                self._withdrawn.clear()
            self.known = False
        self.key = key

    def note_removed(self, path: str) -> None:
        """Let *path* not come back with what was kept."""
        self._removed.add(path)

    def note_added(self, paths: Iterable[str]) -> None:
        """Let *paths* come back."""
        self._removed.difference_update(paths)

    def note_entered(self, check: str, withdrawn: bool) -> None:
        """Let what was kept for *check* not come back where it was *withdrawn*."""
        (self._withdrawn.add if withdrawn else self._withdrawn.discard)(check)

    def take_in(self, mine: PrecheckTable, kept: Answer | PrecheckTable) -> PrecheckTable:
        """Return *mine* with what was *kept*; *mine* counts where both say something."""
        self.known = True
        left = {check: entry for check, entry in kept.entries.items() if check not in self._withdrawn}
        made = PrecheckTable(
            joined(self._left(kept.target), mine.target),
            joined(self._left(kept.golden), mine.golden),
            {**left, **mine.entries},
        )
        self._removed.clear()
        self._withdrawn.clear()
        return made

    def _left(self, given: Sequence[Given]) -> list[Given]:
        return [each for each in given if each.path not in self._removed]

    def save(self, table: PrecheckTable) -> str:
        """Write evidence and entries of *table*, once that may be.

        Returns where a file that could not be read is now; else empty.

        Raises
        ------
        OSError
            If the file cannot be written; it is tried again with the next change, and at the end.
        """
        from core.store.prechecks import save_table

        self._unsaved = any(self.key)
        if not (self.known and self._unsaved):
            return ""
        aside = save_table(*self.key, table)
        self._unsaved = False
        return aside

    def save_late(self, table: PrecheckTable) -> str:
        """Write what could not be written before, if there is such."""
        return self.save(table) if self._unsaved and self.known else ""

    def save_last(self, table: PrecheckTable) -> str:
        """Write what could not be written before, with what was kept, though nobody read that."""
        if not self._unsaved or not any(self.key):
            return ""
        return self.save(table if self.known else self.take_in(table, self._kept()))

    def _kept(self) -> PrecheckTable:
        from core.store.prechecks import load_table

        try:
            return load_table(*self.key)
        except InputError:  # saving puts it aside, and says so
            return PrecheckTable()

    def replace(self, table: PrecheckTable) -> str:
        """Let *table* stand for what was kept.

        Returns where the table before is now, if it said something else; else empty.

        Raises
        ------
        OSError
            If that cannot be kept.
        """
        from core.store.prechecks import keep_former

        self.known = True
        kept = self._kept()
        self._removed.clear()
        self._withdrawn.clear()
        same = kept == PrecheckTable(table.target, table.golden, table.entries)
        return "" if same or kept == PrecheckTable() or not any(self.key) else keep_former(*self.key)
