"""Trends of all layers: drop one monitor or two; verdict, heat map, curve and findings follow."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from core.errors import InputError
from core.messages import Message, render, text
from gui.context import Context
from gui.frame.drop import dropped_paths
from gui.models.trends.words import curve_as_tsv
from gui.opening import may_be_monitor
from gui.processes.work_state import Stage
from gui.trends.state import TrendsState
from gui.views.trends.curve import CurveCard
from gui.views.trends.export import write_picture
from gui.views.trends.findings import TrendFindingsCard
from gui.views.trends.headline import TrendsHeadline
from gui.views.trends.map import MapCard
from gui.widgets.log_start import LogStart, StartCodes
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _NARROW_SIDE, _WIDE = 460, 330, 1200
"""Pixels of the findings in a wide view and in a narrow one, and from where it is wide."""
_MAP_SHARE = 0.68
_CODES = StartCodes(
    title="gui.trends.drop", help="gui.trends.drop.help", open="gui.trends.open", near="gui.training.near"
)
_FILES = {
    "picture": ("ulpscope_trends.png", "PNG (*.png)"), "grid": ("ulpscope_trends_grid.csv", "CSV (*.csv)"),
    "report_csv": ("ulpscope_trends.csv", "CSV (*.csv)"),
    "report_json": ("ulpscope_trends.json", "JSON (*.json)"),
}  # fmt: skip


def is_droppable(paths: list[str]) -> bool:
    """Whether *paths* may be what monitors wrote; runs, results and logs are left to the window."""
    return 0 < len(paths) <= 2 and all(map(may_be_monitor, paths))


class TrendsView(WorkView[TrendsState]):
    """One monitor's output, or two compared."""

    opened = Signal()
    """Monitors were asked for by dropping or choosing them."""

    def __init__(self, context: Context) -> None:
        super().__init__(TrendsState(context.session, context.settings))
        self._context, self._settings = context, context.settings
        self.start = LogStart(_CODES)
        self._menu = QMenu(self)
        self._folder, self._file = self._menu.addAction(""), self._menu.addAction("")
        self.start.open.setMenu(self._menu)
        self.headline = TrendsHeadline(context, self.state)
        self.map = MapCard(context, self.state)
        self.curve = CurveCard(context, self.state, self.map.canvas)
        self.findings = TrendFindingsCard(context, self.state)
        self._left = gap_splitter(Qt.Orientation.Vertical, self.map, self.curve)
        self._left.setStretchFactor(0, 1)
        self._lower = gap_splitter(Qt.Orientation.Horizontal, self._left, self.findings)
        self._lower.setStretchFactor(0, 1)
        self._room = SharedRoom(self._lower, self._share, self._remember, self._left)
        self._content = QWidget()
        inside = QVBoxLayout(self._content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        inside.addWidget(self.headline)
        inside.addWidget(self._lower, 1)
        self._stack = WorkStack(
            self.state, self._show_state, (self._content, self.map.canvas), (self.start, self.start.open)
        )
        self.note = self._stack.note
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.setAcceptDrops(True)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self._folder.triggered.connect(self.choose_folder)
        self._file.triggered.connect(self.choose_files)
        self.headline.folder_wanted.connect(self.choose_folder)
        self.headline.files_wanted.connect(self.choose_files)
        self.headline.unread_wanted.connect(self.findings.show_unread)
        self.map.export_wanted.connect(self.ask_export)
        self.note.pressed.connect(self.state.leave)

    # ---- opening

    def open_paths(self, paths: list[str]) -> None:
        """Show one monitor's output, or two compared."""
        self.opened.emit()
        self.state.open_paths(paths)

    def choose_folder(self) -> None:
        """Ask for the folder of a monitor's output."""
        chosen = QFileDialog.getExistingDirectory(self, text("gui.trends.open.folder"), self._place)
        if chosen:
            self.open_paths([chosen])

    def choose_files(self) -> None:
        """Ask for one file or two: csv, or trend databases."""
        chosen, _ = QFileDialog.getOpenFileNames(
            self, text("gui.trends.open.files"), self._place, text("gui.trends.filter")
        )
        if chosen:
            self.open_paths(chosen)

    @property
    def _place(self) -> str:
        known = self.state.golden or self.state.target
        return str(Path(known).parent) if known else self._settings.last_folder

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if is_droppable(dropped_paths(event.mimeData())):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = dropped_paths(event.mimeData())
        if is_droppable(paths):
            event.acceptProposedAction()
            self.open_paths(paths)
        else:
            event.ignore()

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        if state.reading is not None:
            self._stack.setCurrentWidget(self._content)
        elif state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self.start)
        else:
            self._stack.setCurrentWidget(self.note)
            paths = "\n".join(path for path in (state.target, state.golden) if path)
            words = WorkWords(
                working=(text("gui.trends.reading"), paths),
                stopped=(text("gui.trends.stopped"), paths),
                failed=text("gui.trends.failed"),
                again=text("gui.trends.other"),
            )
            self.note.tell(state, words)

    # ---- room

    def _share(self, width: int, height: int) -> None:
        side = _SIDE if width >= _WIDE else _NARROW_SIDE
        upper = round((height - GAP) * _MAP_SHARE)
        side, upper = self._settings.trends_sizes or (side, upper)
        self._lower.setSizes([width - side - GAP, side])
        self._left.resize(width - side - GAP, height)  # sizes are shares of what it has
        self._left.setSizes([upper, max(height - upper - GAP, 1)])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.trends_sizes = [self.findings.width(), self.map.height()]

    # ---- commands

    def ask_export(self, what: str) -> None:
        """Ask where to, and write *what*: ``picture``, ``grid``, ``report_csv`` or ``report_json``."""
        name, kinds = _FILES[what]
        suggestion = str(Path(self._settings.last_folder) / name)
        chosen, _ = QFileDialog.getSaveFileName(self, text(f"gui.trends.export.{what}"), suggestion, kinds)
        if not chosen:
            return
        path = chosen if Path(chosen).suffix else chosen + Path(name).suffix
        if what == "grid":
            self.state.export_grid(path)
        else:
            self.export(path)

    def export(self, path: str) -> None:
        """Write the picture, or the report, by the ending of *path*; of a run alone, its grid as csv."""
        if Path(path).suffix.lower() in (".csv", ".json"):
            if self.state.report is not None:
                self.state.export_report(path)
            else:
                self.state.export_grid(path)
            return
        session = self._context.session
        try:
            write_picture(
                path, self.map.canvas, self.curve.canvas, self.map.legend, self._headings(),
                self._context.theme.colours,
            )  # fmt: skip
        except InputError as error:
            session.noticed.emit(error.problem, "")
        else:
            session.succeeded.emit(Message("gui.notice.exported", {"path": path}))

    def _headings(self) -> list[str]:
        state, picture = self.state, self.state.picture
        side, at = text(f"gui.trends.side.{picture.side.value}"), text(f"gui.trends.at.{picture.axis.value}")
        paths = "  ⇄  ".join(path for path in (state.target, state.golden) if path)
        sentence = [render(state.report.sentence)] if state.report is not None else []
        return [f"{picture.metric}   ·   {side}   ·   {at} {picture.at}", *sentence, paths]

    def copied_text(self) -> str:
        """Return the numbers of the layer looked at while the focus is on the pictures, else the findings."""
        picture = self.state.picture
        if self.state.reading is None:
            return ""
        on_pictures = self.map.canvas.hasFocus() or self.curve.canvas.hasFocus()
        if on_pictures and picture.curve is not None and picture.facts is not None:
            return curve_as_tsv(picture.curve, picture.facts.chosen)
        if self.findings.tabs.currentIndex():
            return self.findings.copied_text()
        return f"{self.headline.copied_text()}\n{self.findings.copied_text()}"

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.trends.title"))
        self._folder.setText(text("gui.trends.open.folder"))
        self._file.setText(text("gui.trends.open.files"))
        self._show_state()
