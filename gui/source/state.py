"""The sources of both sides: which are compared, the file that is looked at, what is not to count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.messages import Message
from core.precheck.source.records import DifferenceOptions, FileDifference, FileSummary, TreeDifference
from core.progress import Work
from core.records.evidence import EvidenceKind
from core.records.precheck import EvidenceSummary
from gui.processes.picture_client import PictureClient
from gui.processes.work_state import Stage, WorkState
from gui.source import work as source_work

if TYPE_CHECKING:
    from gui.session import Session
    from gui.settings import Settings

_CHANNEL = "file"
SWITCHES = ("ignore_blanks", "ignore_comments", "device_words", "only_numeric")
"""Fields of :class:`DifferenceOptions` that users switch."""


class FileReading(QObject):
    """The two files that are looked at, beside each other; the service lays them so, which is soon done."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._client = PictureClient(session.pictures, self)
        self.difference: FileDifference | None = None
        self.failed = False
        self._client.answered.connect(self._take)
        self._client.rejected.connect(self._fail)
        self._client.crashed.connect(self._fail)

    def read(self, file: FileSummary | None, options: DifferenceOptions) -> None:
        """Read another file; ``None``: there is none."""
        self.difference, self.failed = None, False
        self._client.forget(_CHANNEL)
        if file is not None:
            self._client.request(_CHANNEL, source_work.read_file, file.target_path, file.golden_path, options)
        self.changed.emit()

    def _take(self, _channel: str, answer: FileDifference) -> None:
        self.difference = answer
        self.changed.emit()

    def _fail(self, _channel: str, _why: object) -> None:
        self.failed = True
        self.changed.emit()


class SourceState(WorkState):
    """Two folders of source compared in a worker; what counts is chosen without comparing anew."""

    options_changed = Signal()
    file_changed = Signal()
    """Another file is looked at."""
    sides_changed = Signal()

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session, Message("gui.sources.crashed"))
        self._session, self._settings = session, settings
        self.work: Callable[..., Work[TreeDifference]] = source_work.compare
        self.target: tuple[str, ...] = ()
        self.golden: tuple[str, ...] = ()
        self.tree: TreeDifference | None = None
        self.file: FileSummary | None = None
        """The file that is looked at."""
        self.reading = FileReading(session)
        self.options = _switched(settings.source_switches)
        self._wanted = False
        self._offered: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        """What the evidence of the pre-check was last; folders that were chosen stay until it is another."""
        session.precheck.changed.connect(self._follow_evidence)
        self._follow_evidence()

    # ---- which sources

    def want(self) -> None:
        """Compare what there is, now that somebody looks."""
        self._wanted = True
        if self.stage is Stage.NOTHING:
            self.again()

    def open(self, target: Sequence[str], golden: Sequence[str]) -> None:
        """Compare other folders, or files."""
        self._drop_job()
        self.target, self.golden = tuple(target), tuple(golden)
        self.sides_changed.emit()
        self._enter(Stage.NOTHING)
        if self._wanted:
            self.again()

    def again(self) -> None:
        """Compare anew."""
        if not (self.target and self.golden):
            return
        self._drop_job()
        self._begin(self._session.tasks.start(self.work, self.target, self.golden, self._work_options))

    def swap(self) -> None:
        """Exchange target and golden."""
        self.open(self.golden, self.target)

    @property
    def _work_options(self) -> DifferenceOptions:
        """What the work is told: a folder of one side stands for the other's in its files."""
        pairs = zip(self.golden, self.target)
        return DifferenceOptions(mapping=tuple((str(Path(old)), str(Path(new))) for old, new in pairs))

    def _follow_evidence(self) -> None:
        report = self._session.precheck.report
        if report is None:
            return
        offered = _sources(report.target_evidence), _sources(report.golden_evidence)
        if offered != self._offered and any(offered):
            self._offered = offered
            self.open(*offered)

    # ---- what counts

    def switch(self, name: str, on: bool) -> None:
        """Let a field of :data:`SWITCHES` hold or not, and remember it."""
        held = {field: getattr(self.options, field) for field in SWITCHES} | {name: on}
        self.options, self._settings.source_switches = _switched(held), held
        self.options_changed.emit()
        listed = self.differing
        if self.file not in listed:
            self.choose(listed[0] if listed else None)

    @property
    def differing(self) -> list[FileSummary]:
        """The files that differ in what counts."""
        return self.tree.differing(self.options) if self.tree is not None else []

    # ---- the answer

    def _show_answer(self, answer: TreeDifference) -> None:
        self.show_tree(answer)

    def show_tree(self, tree: TreeDifference) -> None:
        """Show what was found, and the file that matters most."""
        self.tree = tree
        self._enter(Stage.READY)
        name = self.file.name if self.file is not None else ""
        files = self.differing
        first = max(files, key=_weight, default=None)
        self.choose(next((file for file in files if file.name == name), first))

    def _forget_answer(self) -> None:
        self.tree = None
        self.reading.read(None, self.options)

    def choose(self, file: FileSummary | None) -> None:
        """Look at *file*."""
        if file is self.file and self.reading.difference is not None:
            return
        self.file = file
        self.reading.read(file, self._work_options)
        self.file_changed.emit()


def _switched(held: Mapping[str, bool]) -> DifferenceOptions:
    """Return the options by their names; those that are not told are as they are at first."""
    usual = DifferenceOptions()
    blanks, comments, device, numeric = (held.get(name, getattr(usual, name)) for name in SWITCHES)
    return DifferenceOptions(blanks, comments, device, numeric)


def _sources(evidence: Sequence[EvidenceSummary]) -> tuple[str, ...]:
    return tuple(item.path for item in evidence if EvidenceKind.SOURCE.value in item.kinds)


def _weight(file: FileSummary) -> tuple[bool, int, int]:
    """Return by what a file is the first to be looked at: both sides have it, and numbers depend on it."""
    return (
        bool(file.target and file.golden),
        max(file.counts[0][-1], file.counts[1][-1]),
        sum(file.counts[0][1:]),
    )
