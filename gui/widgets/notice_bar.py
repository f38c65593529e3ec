"""One message that floats over the lower edge of the work: what happened, and details on request.

It takes no room, so that nothing moves when it comes or goes; good news goes by itself. Where it would lie
over what the user works at, it lies at the upper edge.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import Problem
from core.messages import Message, render, text
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.widgets.translated import Translated

_MARGIN, _MOST = 14, 920
"""Pixels to the edges of the area, and of the notice at most."""
_GOOD_FOR = 8_000
"""Milliseconds for which good news stays."""


class NoticeBar(Translated, QFrame):
    """Lies over *area*; hidden while there is nothing to say."""

    def __init__(self, theme: Theme, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        area.installEventFilter(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_GOOD_FOR)
        self._timer.timeout.connect(self._leave)
        self.setObjectName("notice")
        self._theme = theme
        self._said: Message | Problem | None = None
        self._good = False
        self._mark = QLabel()
        self._mark.setFixedWidth(18)
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._more = QToolButton()
        self._more.setCheckable(True)
        self._copy = QToolButton()
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFont(theme.fixed_font())
        self._details.setMaximumHeight(170)
        self._details.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget in (self._mark, self._label, self._more, self._copy, self._close):
            row.addWidget(widget, 1 if widget is self._label else 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.addLayout(row)
        layout.addWidget(self._details)
        self._more.toggled.connect(self._unfold)
        self._copy.clicked.connect(self._copy_details)
        self._close.clicked.connect(self.dismiss)
        theme.changed.connect(self._restyle)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._give_way)
        self._restyle()
        self.retranslate()
        self.hide()

    def say(self, said: Message | Problem, details: str = "", good: bool = False) -> None:
        """Show *said*; *details* such as a traceback stay folded; *good* news look less alarming."""
        self._said, self._good = said, good
        self.setProperty("good", good)
        self.style().unpolish(self)
        self.style().polish(self)
        self._restyle()
        self._details.setPlainText(details)
        self._more.setChecked(False)
        self._more.setVisible(bool(details))
        self._copy.setVisible(bool(details))
        self.retranslate()
        self._timer.start() if good else self._timer.stop()
        self.show()
        self._place()

    def _unfold(self, unfolded: bool) -> None:
        self._details.setVisible(unfolded)
        self._place()

    def _place(self) -> None:
        """Lie in the middle of the lower edge, as high as the words need."""
        if self.isHidden():
            return
        self.ensurePolished()
        width = min(self._area.width() - 2 * _MARGIN, _MOST)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = max(layout.totalHeightForWidth(width), layout.totalMinimumSize().height())
        left = (self._area.width() - width) // 2
        box = QRect(left, self._area.height() - height - _MARGIN, width, height)
        if self._is_worked_at(box):
            box.moveTop(_MARGIN)
        self.setGeometry(box)
        self.raise_()

    def _is_worked_at(self, box: QRect) -> bool:
        """Whether what has the focus lies in *box*: the current row of a list, else the widget."""
        focus = QApplication.focusWidget()
        if focus is None or not self._area.isAncestorOf(focus) or self.isAncestorOf(focus):
            return False
        part, here = focus, focus.rect()
        if isinstance(focus, QAbstractItemView):
            part, here = focus.viewport(), focus.visualRect(focus.currentIndex())
        return box.intersects(QRect(part.mapTo(self._area, here.topLeft()), here.size()))

    def _give_way(self) -> None:
        """Go to the upper edge where the user now works at what lies under it."""
        if self.isVisible() and self._is_worked_at(self.geometry()):
            self._place()

    def _leave(self) -> None:
        """Go, unless it is being read."""
        if self.underMouse() or self._close.hasFocus():
            self._timer.start()
        else:
            self.dismiss()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def dismiss(self) -> None:
        """Close the notice."""
        self._said = None
        self.hide()

    @property
    def sentence(self) -> str:
        """What it says now."""
        return self._label.text() if self._said is not None else ""

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._label.text()}\n{self._details.toPlainText()}")

    def _restyle(self) -> None:
        colours = self._theme.colours
        name, colour = ("check", colours.equal) if self._good else ("warning", colours.inherited)
        self._mark.setPixmap(icon(name, colour).pixmap(16, 16))
        self._close.setIcon(icon("close", colours.dim))
        self._copy.setIcon(icon("copy", colours.dim))

    def retranslate(self) -> None:
        self._more.setText(text("gui.notice.details"))
        self._copy.setToolTip(text("gui.notice.copy"))
        self._copy.setAccessibleName(text("gui.notice.copy"))
        self._close.setToolTip(text("gui.close"))
        self._close.setAccessibleName(text("gui.close"))
        if isinstance(self._said, Problem):
            self._label.setText(self._said.sentence())
        elif self._said is not None:
            self._label.setText(render(self._said))
        self._place()
