"""Which folders stand here for those that a dump names; kept in the settings."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.formats.path_mapping import PathMapping
from gui.settings import Settings


class SourceFolders(QObject):
    """Told once, it holds for all frames of all dumps."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def mapping(self) -> PathMapping:
        """The rules in force."""
        return PathMapping((old, new) for old, new in self._settings.source_folders)

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        """Pairs of an old folder and the one that stands for it."""
        return tuple((rule.old, rule.new) for rule in self.mapping.rules)

    def locate(self, path: str, folder: str) -> bool:
        """Take *folder* for where *path* lies now; False when nothing of it is found there."""
        rule = PathMapping.guess(path, folder)
        if rule is None:
            return False
        self._settings.source_folders = [list(each) for each in self.mapping.with_rule(*rule).rules]
        self.changed.emit()
        return True
