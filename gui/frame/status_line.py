"""The bar at the bottom: timing, problems, result file, language; and the progress of what runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QSizePolicy, QStatusBar, QToolButton, QWidget

from core.messages import current_language, text
from core.progress import Progress
from gui import numbers
from gui.context import Context
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated

_LANGUAGE_NAMES = {"en": "English", "zh_CN": "简体中文"}


class StatusLine(Translated, QStatusBar):
    """Facts at the left, file and language at the right."""

    problems_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session = context.session
        self.setSizeGripEnabled(False)
        self.setFixedHeight(30)
        self._timing = ElidedLabel()
        self.progress = ProgressStrip()
        self.progress.setMinimumWidth(360)
        self.progress.cancel.setFixedHeight(22)
        self.progress.cancel.setStyleSheet("padding: 1px 10px;")
        self.progress.cancelled.connect(self._session.cancel)
        self.problems = QToolButton()
        self.problems.setObjectName("problemsButton")
        self.problems.clicked.connect(self.problems_wanted)
        self._file = ElidedLabel()
        self._file.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._language = QToolButton()
        self._language.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.addAction(context.actions["language_en"])
        menu.addAction(context.actions["language_zh_CN"])
        self._language.setMenu(menu)
        spacer = QWidget()
        spacer.setFixedWidth(4)
        for widget in (spacer, self._timing, self.problems, self.progress):
            self.addWidget(widget)
        for widget in (self._file, self._language):
            self.addPermanentWidget(widget)
        self._session.cell_changed.connect(self.retranslate)
        self._session.problems_changed.connect(self.retranslate)
        self._session.dumps.changed.connect(self.retranslate)
        self._session.busy_changed.connect(self._follow)
        self._session.progressed.connect(self._show_progress)
        self.retranslate()
        self._follow()

    def _follow(self) -> None:
        session = self._session
        visible = (session.busy and session.cell is not None) or session.exports.running
        self.progress.setVisible(visible)
        if visible:
            self.progress.begin()

    def _show_progress(self, progress: Progress) -> None:
        self.progress.show_progress(progress)

    def retranslate(self) -> None:
        session = self._session
        self._language.setText(_LANGUAGE_NAMES[current_language()] + "  ▾")
        self._language.setAccessibleName(text("gui.status.language"))
        count = len(session.problems)
        self.problems.setVisible(session.cell is not None or count > 0)
        self.problems.setText(text("gui.status.problems", count=count))
        self.problems.setProperty("some", count > 0)
        self.problems.style().unpolish(self.problems)
        self.problems.style().polish(self.problems)
        self.problems.setToolTip(text("gui.status.problems.help"))
        if session.cell is None:
            self._timing.setText("")
            self._file.setText("")
            return
        code = "gui.status.compared" if session.golden_path else "gui.status.read"
        self._timing.setText("●  " + text(code, seconds=f"{session.seconds:.1f}"))
        path = Path(session.result_path)
        try:
            size = f" ({numbers.size(path.stat().st_size)})"
        except OSError:
            size = ""
        chosen = session.opening[0] == session.result_path
        words = text("gui.status.result", name=path.name) if chosen else text("gui.status.kept")
        without = f"  ·  {text('gui.status.no_dumps')}" if session.dumps.lost else ""
        self._file.setText(f"{words}{size}{without}" if session.result_path else "")
        self._file.setToolTip(session.result_path)
