"""The checklist: the answer on top, the evidence of both sides, the checks, and details of one of them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from core.messages import text
from gui.context import Context
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.processes.work_state import Stage
from gui.views.precheck.bring import BringCard
from gui.views.precheck.checks import ChecksCard
from gui.views.precheck.details import DetailsCard
from gui.views.precheck.evidence import EvidenceCard
from gui.views.precheck.headline import PrecheckHeadline
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_LOW = 760
"""Pixels of height below which the details stand beside the list and not under it."""
_VERY_LOW = 520
"""Pixels of height below which the answer has one line beside its counts."""
_EVIDENCE, _LOW_EVIDENCE, _VERY_LOW_EVIDENCE = 138, 118, 80
"""Pixels of the evidence at first."""


class PrecheckView(WorkView[PrecheckState]):
    """All of it; what to bring where there is nothing yet."""

    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.session.precheck)
        self._settings = context.settings
        self.headline = PrecheckHeadline(context)
        self.target, self.golden = EvidenceCard(context, Side.TARGET), EvidenceCard(context, Side.GOLDEN)
        self.checks, self.details, self.bring = ChecksCard(context), DetailsCard(context), BringCard()
        evidence = gap_splitter(Qt.Orientation.Horizontal, self.target, self.golden)
        for at in (0, 1):
            evidence.setStretchFactor(at, 1)
        self._evidence = evidence
        self._lower = gap_splitter(Qt.Orientation.Vertical, self.checks, self.details)
        self._lower.setStretchFactor(0, 1)
        self._stack = WorkStack(
            self.state, self._show_state, (self._lower, self.checks.tree),
            (self.bring, self.target.add_files),
        )  # fmt: skip
        self.note = self._stack.note
        self._whole = gap_splitter(Qt.Orientation.Vertical, evidence, self._stack)
        self._whole.setStretchFactor(0, 0)
        self._whole.setStretchFactor(1, 1)
        self._room = SharedRoom(self._whole, self._share, self._remember, self._lower)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.headline)
        column.addWidget(self._whole, 1)
        self.headline.export_wanted.connect(self.export_wanted)
        self.headline.cause_wanted.connect(self._look_at_cause)
        self.checks.entry_wanted.connect(self._enter)
        self.note.pressed.connect(self.state.again)
        self.state.evidence_changed.connect(self._stack.refresh)
        context.actions.connect_to("copy_markdown", self._copy_markdown)
        self._low: bool | None = None
        self._very_low = False
        self.retranslate()
        self._stack.refresh()

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        if state.report is not None and state.stage is not Stage.FAILED:
            fresh = not self._stack.answered
            self._stack.setCurrentWidget(self._lower)
            if fresh:
                self._room.share_anew()
            return
        if state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self.bring)
            return
        self._stack.setCurrentWidget(self.note)
        words = WorkWords(
            working=(text("gui.precheck.working"), text("gui.precheck.working.help")),
            stopped=(text("gui.precheck.stopped"), ""),
            failed=text("gui.precheck.failed"),
            again=text("gui.precheck.again"),
        )
        self.note.tell(state, words)

    def _look_at_cause(self) -> None:
        if self.state.report is not None and self.state.report.failures:
            self.state.choice.choose(self.state.report.failures[0].id)
            self.checks.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _enter(self) -> None:
        button = self.details.entry.result.buttons[self.details.entry.result.word]
        button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # ---- room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        low, very_low = self.height() < _LOW, self.height() < _VERY_LOW
        if (low, very_low) != (self._low, self._very_low):
            self._low, self._very_low = low, very_low
            self.headline.be_brief(very_low)
            self._lower.setOrientation(Qt.Orientation.Horizontal if low else Qt.Orientation.Vertical)
            self._room.share_anew()

    def _share(self, _width: int, height: int) -> None:
        sizes = [] if self._low else self._settings.precheck_sizes
        first = _LOW_EVIDENCE if self._low else _EVIDENCE
        evidence = sizes[0] if sizes else _VERY_LOW_EVIDENCE if self._very_low else first
        self._whole.setSizes([evidence, height - evidence - GAP])
        left = self._lower.width() if self._low else height - evidence - GAP
        details = sizes[1] if sizes else int(left * (0.43 if self._low else 0.46))
        self._lower.setSizes([left - details - GAP, details])
        half = self._evidence.width() // 2
        self._evidence.setSizes([half, half])
        self.details.lay(bool(self._low))

    def _remember(self) -> None:
        """Keep how the user shares the room of a high page."""
        if not self._low:
            self._settings.precheck_sizes = [self._evidence.height(), self.details.height()]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.attended = True

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.state.attended = False

    # ---- commands

    def search_list(self) -> None:
        """Go to the field that searches the list."""
        self.checks.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.checks.search.selectAll()

    def copied_text(self) -> str:
        """Return the selected checks, else the answer."""
        return self.checks.copied_text() or self.headline.copied_text()

    def copied_markdown(self) -> str:
        """Return the selected checks as a table of Markdown, else the answer."""
        return self.checks.copied_markdown() or self.headline.copied_text()

    def _copy_markdown(self) -> None:
        if self.isVisible():
            inside = self.details.items.hasFocus()
            QGuiApplication.clipboard().setText(
                self.details.copied_markdown() if inside else self.copied_markdown()
            )

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.precheck"))
        self._show_state()
