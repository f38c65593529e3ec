"""The bar of pages at the left: which part of the answer is on show, and what waits on the others."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QVBoxLayout

from core.messages import render, text
from core.precheck.telling import headline_of
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.processes.work_state import Stage
from gui.widgets.translated import Translated

_WIDTH, _HEIGHT = 68, 54


class Page(StrEnum):
    """The pages there are, in the order of the bar."""

    PRECHECK = "precheck"
    COMPARE = "compare"
    CURVES = "curves"
    OVERFLOW = "overflow"
    EMULATION = "emulation"


class PrecheckTab(StrEnum):
    """The tabs of the pre-check page, in their order."""

    CHECKLIST = "checklist"
    SOURCE = "source"
    DATASET = "dataset"


class OverflowTab(StrEnum):
    """The tabs of the overflow page, in their order."""

    BIRTHS = "births"
    HEADROOM = "headroom"
    TRAINING = "training"


class CurvesTab(StrEnum):
    """The tabs of the curves page, in their order."""

    CURVES = "curves"
    TRENDS = "trends"


class PageButton(QAbstractButton):
    """Icon over a word, with a badge at its corner."""

    def __init__(self, page: Page, theme: Theme) -> None:
        super().__init__()
        self.page, self._theme = page, theme
        self.badge = ""
        self.busy = False
        """Whether something is still being found out for this page."""
        self.setCheckable(True)
        self.setFixedSize(_WIDTH - 12, _HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def set_badge(self, badge: str, busy: bool = False) -> None:
        """Show another badge; an empty one shows none."""
        self.badge, self.busy = badge, busy
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH - 12, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = self._theme.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        fill = (
            colours.selection if self.isChecked() else colours.second if self.underMouse() else colours.card
        )
        painter.setPen(QPen(QColor(colours.accent), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, 8, 8)
        ink = colours.accent if self.isChecked() else colours.dim
        picture = icon(self.page.value, ink, 20)
        picture.paint(painter, self.width() // 2 - 10, 9, 20, 20)
        font = QFont(self.font())
        font.setPixelSize(11)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        if QFontMetrics(font).horizontalAdvance(self.text()) > self.width() - 6:
            font.setPixelSize(10)
            painter.setFont(font)
        words = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width() - 2)
        painter.drawText(QRectF(0, 31, self.width(), 17), Qt.AlignmentFlag.AlignCenter, words)
        if self.badge:
            self._paint_badge(painter)
        elif self.busy:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent))
            painter.drawEllipse(QPointF(self.width() - 10, 10), 3, 3)
        painter.end()

    def _paint_badge(self, painter: QPainter) -> None:
        font = QFont(self.font())
        font.setPixelSize(10)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        width = max(QFontMetrics(font).horizontalAdvance(self.badge) + 9, 16)
        box = QRectF(self.width() - width, 1, width, 16)
        painter.setPen(QPen(self._theme.colour("card"), 1.5))
        painter.setBrush(self._theme.colour("introduces"))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(self._theme.colour("card"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.badge)


class PageBar(Translated, QFrame):
    """The buttons; hidden while nothing is open."""

    chosen = Signal(object)
    """The :class:`Page` that was asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("pageBar")
        self.setFixedWidth(_WIDTH)
        self._session, self._actions = context.session, context.actions
        self._overflow, self._emulation = context.session.overflow, context.session.emulation
        self._curves, self._precheck = context.session.curves, context.session.precheck
        self._buttons = {page: PageButton(page, context.theme) for page in Page}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 10, 6, 10)
        column.setSpacing(6)
        for button in self._buttons.values():
            self._group.addButton(button)
            column.addWidget(button)
            button.clicked.connect(self._choose)
        column.addStretch(1)
        self._session.opened.connect(self._load)
        self._session.arrivals.logs_found.connect(self._load)
        self._session.arrivals.monitors_found.connect(self._load)
        self._curves.changed.connect(self._load)
        self._curves.runs_changed.connect(self._load)
        self._overflow.changed.connect(self._load)
        self._emulation.changed.connect(self._load)
        self._precheck.changed.connect(self._load)
        self._precheck.wanted_changed.connect(self._load)
        self.retranslate()

    def button(self, page: Page) -> PageButton:
        """Return the button of *page*."""
        return self._buttons[page]

    def available(self) -> list[Page]:
        """Return the pages that there is something to show on."""
        if self._session.info is not None:
            return list(Page)
        log, monitor = self._session.arrivals.log, self._session.arrivals.monitor
        alone = [Page.PRECHECK] if self._precheck.wanted else []
        alone += [Page.CURVES] if log or monitor or self._curves.runs else []
        return [*alone, *([Page.OVERFLOW] if log or self._overflow.report is not None else [])]

    def set_page(self, page: Page | None) -> None:
        """Mark the page on show."""
        self._group.setExclusive(False)
        for candidate, button in self._buttons.items():
            button.setChecked(candidate is page)
        self._group.setExclusive(page is not None)

    def _choose(self) -> None:
        button = self._group.checkedButton()
        if isinstance(button, PageButton):
            self.chosen.emit(button.page)

    def _load(self) -> None:
        pages = self.available()
        self.setVisible(bool(pages))
        for page, button in self._buttons.items():
            button.setVisible(page in pages)
        births = self._overflow.births
        working = self._overflow.stage is Stage.WORKING
        self._buttons[Page.OVERFLOW].set_badge(_short(births) if births else "", working)
        outside, replaying = self._emulation.outside, self._emulation.stage is Stage.WORKING
        self._buttons[Page.EMULATION].set_badge(_short(outside) if outside else "", replaying)
        faults, judging = self._curves.faults, self._curves.stage is Stage.WORKING
        self._buttons[Page.CURVES].set_badge(_short(faults) if faults else "", judging)
        failures, examining = self._precheck.failures, self._precheck.working
        self._buttons[Page.PRECHECK].set_badge(_short(failures) if failures else "", examining)
        self._name()

    def _name(self) -> None:
        """Say where each button leads, and what its badge means."""
        for page, button in self._buttons.items():
            name = text(f"gui.page.{page.value}")
            keys = self._actions[f"page_{page.value}"].shortcut()
            native = keys.toString(QKeySequence.SequenceFormat.NativeText)
            button.setText(name)
            said = {
                Page.OVERFLOW: self._told, Page.EMULATION: self._emulation_told,
                Page.CURVES: self._curves_told, Page.PRECHECK: self._precheck_told,
            }.get(page, str)()  # fmt: skip
            button.setToolTip(f"{name}  {native}" + (f"\n{said}" if said else ""))
            button.setAccessibleName(f"{name}, {said}" if said else name)

    def _told(self) -> str:
        overflow = self._overflow
        if overflow.report is not None:
            count = overflow.births
            return text("gui.overflow.births", count=count, number=numbers.grouped(count))
        return text("gui.overflow.working") if overflow.stage is Stage.WORKING else ""

    def _emulation_told(self) -> str:
        emulation = self._emulation
        if emulation.stage is Stage.WORKING:
            return text("gui.emulation.loading" if emulation.loading else "gui.emulation.working")
        if emulation.found is None:
            return ""
        count = emulation.outside
        return text("gui.emulation.outside", count=count, number=numbers.grouped(count))

    def _curves_told(self) -> str:
        curves = self._curves
        if curves.report is not None:
            count = curves.faults
            return text("gui.curves.faults", count=count, number=numbers.grouped(count))
        return text("gui.curves.reading") if curves.stage is Stage.WORKING else ""

    def _precheck_told(self) -> str:
        report = self._precheck.report
        if report is not None:
            return render(headline_of(report))
        return text("gui.precheck.working") if self._precheck.working else ""

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.bar"))
        self._load()


def _short(count: int) -> str:
    return str(count) if count < 1000 else "999+"
