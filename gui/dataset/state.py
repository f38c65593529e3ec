"""The data sets of both sides: what each brings, the lists that are being made, how they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.messages import Message
from core.progress import Work
from core.records.evidence import EvidenceKind
from core.records.precheck import EvidenceSummary
from gui.dataset import work as dataset_work
from gui.dataset.work import Written
from gui.models.dataset.rows import DatasetAnswer
from gui.precheck.sides import Side
from gui.processes.export import Export
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session

Paths = tuple[str, ...]
_TOLD = (EvidenceKind.DATA, EvidenceKind.CHECKSUMS, EvidenceKind.FILES, EvidenceKind.SHARDS)
"""Evidence that tells of files of data."""


class ListMaking(WorkState):
    """The checksums of one side's folder, being taken; stopped, they are gone on with the next time."""

    made = Signal(str)
    """The list that is written now."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.dataset.list.crashed"))
        self._session = session
        self.work: Callable[[str, str, str], Work[Written]] = dataset_work.checksums
        self.written: Written | None = None

    def begin(self, folder: str, output: str, algorithm: str) -> None:
        """Take the checksums of *folder* into the list *output*."""
        self._drop_job()
        self._begin(self._session.tasks.start(self.work, folder, output, algorithm))

    def _show_answer(self, answer: Written) -> None:
        self.written = answer
        self._enter(Stage.READY)
        self.made.emit(answer.path)

    def _forget_answer(self) -> None:
        self.written = None


class DatasetState(WorkState):
    """Compares once both sides bring something."""

    sides_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.dataset.crashed"))
        self._session = session
        self.work: Callable[[Paths, Paths], Work[DatasetAnswer]] = dataset_work.compare
        self.paths: dict[Side, Paths] = {Side.TARGET: (), Side.GOLDEN: ()}
        self.lists = {side: ListMaking(session) for side in Side}
        self.exports = Export(session)
        self.answer: DatasetAnswer | None = None
        self._wanted = False
        self._offered: tuple[Paths, Paths] = ((), ())
        """What the evidence of the pre-check was last; paths that were chosen stay until it is another."""
        for side, making in self.lists.items():
            making.made.connect(lambda path, side=side: self._take_list(side, path))
        session.precheck.changed.connect(self._follow_evidence)
        self._follow_evidence()

    # ---- which data sets

    def want(self) -> None:
        """Compare what there is, now that somebody looks."""
        self._wanted = True
        if self.stage is Stage.NOTHING:
            self.again()

    def bring(self, side: Side, paths: Sequence[str]) -> None:
        """Let *paths* be what *side* brings; what was found of others goes."""
        if tuple(paths) != self.paths[side]:
            self.paths[side] = tuple(paths)
            self._drop_job()
            self._enter(Stage.NOTHING)
            self.sides_changed.emit()

    @property
    def comparable(self) -> bool:
        """Whether both sides bring something."""
        return all(self.paths.values())

    def again(self) -> None:
        """Compare anew."""
        if self.comparable:
            self._drop_job()
            self._begin(self._session.tasks.start(self.work, *self.paths.values()))

    def _take_list(self, side: Side, path: str) -> None:
        self.bring(side, [path])
        self.again()

    def _follow_evidence(self) -> None:
        report = self._session.precheck.report
        if report is None:
            return
        offered = _told(report.target_evidence), _told(report.golden_evidence)
        if offered != self._offered and any(offered):
            self._offered = offered
            for side, paths in zip(Side, offered):
                self.bring(side, paths)
            if self._wanted:
                self.again()

    # ---- the answer

    def _show_answer(self, answer: DatasetAnswer) -> None:
        self.show_found(answer)

    def show_found(self, answer: DatasetAnswer) -> None:
        """Show what was found."""
        self.answer = answer
        self._enter(Stage.READY)

    def _forget_answer(self) -> None:
        self.answer = None

    @property
    def working(self) -> bool:
        """Whether lists are compared, or one is made."""
        return self.stage is Stage.WORKING or any(making.working for making in self.lists.values())

    def cancel(self) -> None:
        """Stop all of it."""
        for making in self.lists.values():
            making.cancel()
        super().cancel()


def _told(evidence: Sequence[EvidenceSummary]) -> Paths:
    kinds = {kind.value for kind in _TOLD}
    return tuple(dict.fromkeys(item.path for item in evidence if kinds & set(item.kinds)))
