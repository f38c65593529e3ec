"""A line form of the user's own: a regular expression, tried as it is typed, kept under a name."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import InputError, Problem
from core.formats.logs.patterns import LinePattern, load_patterns, remove_pattern, save_pattern
from core.messages import Message, render, text
from gui import numbers
from gui.context import Context
from gui.curves import work as curves_work
from gui.names import shown
from gui.processes.picture_service import PictureService
from gui.views.curves.preview import PatternPreview
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_PAUSE = 250
"""Milliseconds without a key before an expression is tried."""
_LONGEST = 4000
"""Milliseconds that trying one may take: some expressions never end."""
_REASONS = {
    "pattern_broken": "gui.curves.pattern.broken",
    "pattern_no_groups": "gui.curves.pattern.no_groups",
}
_FIRST = r"(?:step|iter\w*)[ :=\[]*(?P<step>\d+).*?loss[ :=]+(?P<loss>[-+.\deE]+|nan|inf)"


class PatternDialog(Translated, QDialog):
    """For one log; nothing is read anew before the button is pressed."""

    wanted = Signal(object)
    """The :class:`LinePattern` to read by; ``None`` for the known forms of lines again."""

    def __init__(self, context: Context, path: str, pattern: LinePattern | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path, self._theme = path, context.theme
        self.service = PictureService(self)
        self.saved, self.expression, self.name = QComboBox(), QLineEdit(), QLineEdit()
        self.preview = PatternPreview(context.theme)
        self._help, self.verdict = wrapped_label("dim"), wrapped_label("dim")
        self.keep, self.forget = QPushButton(), QPushButton()
        self.use, self.plain, self.close_button = QPushButton(), QPushButton(), QPushButton()
        self.use.setObjectName("primary")
        self._labels = [QLabel() for _ in range(3)]
        self.expression.setFont(context.theme.fixed_font(12))
        self._build()
        self._timer, self._limit = QTimer(self), QTimer(self)
        for timer, pause in ((self._timer, _PAUSE), (self._limit, _LONGEST)):
            timer.setSingleShot(True)
            timer.setInterval(pause)
        self._timer.timeout.connect(self._try)
        self._limit.timeout.connect(self._give_up)
        self.service.answered.connect(self._show)
        self.service.rejected.connect(self._refuse)
        self.service.crashed.connect(self._break)
        self._connect()
        self.expression.setText(pattern.expression if pattern is not None else _FIRST)
        self.name.setText(pattern.name if pattern is not None else "")
        self.plain.setVisible(pattern is not None)
        self.resize(900, 620)
        self.retranslate()
        self._list()
        self.expression.setFocus()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(9)
        column.addWidget(self._help)
        for label, *fields in (
            (self._labels[0], self.saved, self.forget), (self._labels[1], self.expression),
            (self._labels[2], self.name, self.keep),
        ):  # fmt: skip
            row = QHBoxLayout()
            row.setSpacing(8)
            label.setMinimumWidth(110)
            row.addWidget(label)
            row.addWidget(fields[0], 1)
            for field in fields[1:]:
                row.addWidget(field)
            column.addLayout(row)
        column.addWidget(self.verdict)
        column.addWidget(self.preview, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.plain)
        buttons.addStretch(1)
        for button in (self.close_button, self.use):
            buttons.addWidget(button)
        column.addLayout(buttons)
        for button in (self.keep, self.forget, self.plain, self.close_button):
            button.setAutoDefault(False)

    def _connect(self) -> None:
        self.expression.textChanged.connect(self._type)
        self.name.textChanged.connect(self._check)
        self.saved.activated.connect(self._choose)
        self.keep.clicked.connect(self._keep)
        self.forget.clicked.connect(self._forget)
        self.use.clicked.connect(self._use)
        self.plain.clicked.connect(self._use_none)
        self.close_button.clicked.connect(self.reject)

    # ---- trying

    def _type(self, _typed: str) -> None:
        self.use.setEnabled(False)
        self._timer.start()

    def _try(self) -> None:
        self._limit.start()
        self.service.request("try", curves_work.try_expression, self.expression.text(), self._path)

    def _show(self, _channel: str, tried: list[curves_work.TriedLine]) -> None:
        self._limit.stop()
        self.preview.show_lines(tried)
        count = self.preview.matched
        self._say(text("gui.curves.pattern.matched", count=count, number=numbers.grouped(count),
                       all=numbers.grouped(len(tried))), wrong=not count)  # fmt: skip
        self.use.setEnabled(count > 0)
        self._check()

    def _refuse(self, _channel: str, problem: Problem) -> None:
        self._limit.stop()
        self.preview.show_lines([])
        code = _REASONS.get(problem.code)  # what is being typed has no name yet
        told = render(Message(code, problem.parameters)) if code else problem.sentence()
        self._say(told, wrong=True)

    def _break(self, _channel: str, _traceback: str) -> None:
        self._limit.stop()
        self._say(text("gui.curves.pattern.crashed"), wrong=True)

    def _give_up(self) -> None:
        """End the process that still searches: nothing else stops a regular expression."""
        self.service.forget("try")
        self.service.close()
        self._say(text("gui.curves.pattern.slow"), wrong=True)

    def _say(self, words: str, wrong: bool) -> None:
        self.verdict.setText(words)
        self.verdict.setObjectName("error" if wrong else "dim")
        self.verdict.style().unpolish(self.verdict)
        self.verdict.style().polish(self.verdict)
        self.expression.setProperty("wrong", wrong)
        self.expression.style().unpolish(self.expression)
        self.expression.style().polish(self.expression)

    # ---- keeping

    @property
    def pattern(self) -> LinePattern:
        """What stands in the fields."""
        return LinePattern(self.name.text().strip(), self.expression.text())

    def _list(self) -> None:
        found = load_patterns()
        self.saved.clear()
        self.saved.addItem(text("gui.curves.pattern.choose"), None)
        for kept in found.patterns:
            self.saved.addItem(shown(kept.name), kept)
        if found.problem is not None:
            self._say(found.problem.sentence(), wrong=True)
        self._check()

    def _check(self) -> None:
        self.keep.setEnabled(bool(self.pattern.name) and self.use.isEnabled())
        names = [self.saved.itemText(at) for at in range(1, self.saved.count())]
        self.forget.setEnabled(shown(self.pattern.name) in names)

    def _choose(self, at: int) -> None:
        kept = self.saved.itemData(at)
        if kept is not None:
            self.name.setText(kept[0])
            self.expression.setText(kept[1])

    def _keep(self) -> None:
        try:
            save_pattern(self.pattern)
        except InputError as error:
            self._say(error.problem.sentence(), wrong=True)
            return
        self._list()
        self.saved.setCurrentIndex(max(self.saved.findText(shown(self.pattern.name)), 0))

    def _forget(self) -> None:
        try:
            remove_pattern(self.pattern.name)
        except InputError as error:
            self._say(error.problem.sentence(), wrong=True)
            return
        self._list()

    # ---- leaving

    def _use(self) -> None:
        self.wanted.emit(self.pattern)
        self.accept()

    def _use_none(self) -> None:
        self.wanted.emit(None)
        self.accept()

    def done(self, result: int) -> None:
        """End the process too, however the dialog is left."""
        self._timer.stop()
        self._limit.stop()
        self.service.close()
        super().done(result)

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.curves.pattern.title"))
        self._help.setText(text("gui.curves.pattern.help"))
        for label, code in zip(
            self._labels,
            ("gui.curves.pattern.saved", "gui.curves.pattern.expression", "gui.curves.pattern.name"),
        ):
            label.setText(text(code))
        for field, label in zip((self.saved, self.expression, self.name), self._labels):
            field.setAccessibleName(label.text())
        self.keep.setText(text("gui.curves.pattern.keep"))
        self.forget.setText(text("gui.curves.pattern.forget"))
        self.use.setText(text("gui.curves.pattern.use"))
        self.plain.setText(text("gui.curves.pattern.plain"))
        self.close_button.setText(text("gui.cancel"))
