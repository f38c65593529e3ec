"""What the user chooses about the picture: series, axis, scales, smoothing, what dragging does."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.curves.laying import Laying, offered
from gui.models.curves.words import series_words
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_HALF_LIVES = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10_000)
_PAUSE = 60
"""Milliseconds after which a slider that moved is heeded."""
_HEIGHT = 30
_GAP = 6
_COMBO = (160, 160, 130, 130, 104)
"""Widths of lists at most, by how tight everything stands."""
_SLIDER, _SHORT_SLIDER = 84, 60
_NAMELESS, _WORDLESS, _TIGHTEST = 1, 3, 4


class PictureControls(Translated, QWidget):
    """One line: where room is short, names give way to icons first; two lines where that is not enough."""

    fit_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._state, self._theme = context.session.curves, context.theme
        self._picture = self._state.picture
        self.series, self.laying = QComboBox(), QComboBox()
        self.logarithmic, self.relative, self.clipped = QToolButton(), QToolButton(), QToolButton()
        self.span, self.fit = QToolButton(), QToolButton()
        self.smoothing = QSlider(Qt.Orientation.Horizontal)
        self._smoothing_name, self._smoothing_value = QLabel(), QLabel()
        self._build()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self._smooth)
        self.series.activated.connect(self._choose_series)
        self.laying.activated.connect(self._choose_laying)
        self.logarithmic.toggled.connect(self._look)
        self.relative.toggled.connect(self._look)
        self.clipped.toggled.connect(self._look)
        self.smoothing.valueChanged.connect(self._slide)
        self.fit.clicked.connect(self.fit_wanted)
        self._state.runs_changed.connect(self._load)
        self._state.changed.connect(self._load)
        self._picture.drawn.connect(self._load)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _build(self) -> None:
        flow = self._flow = FlowLayout(_GAP)
        self.setLayout(flow)
        for combo, signs in ((self.series, 10), (self.laying, 10)):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.setMinimumContentsLength(signs)
            combo.setFixedHeight(_HEIGHT)
        for button in (self.logarithmic, self.relative, self.clipped, self.span):
            button.setCheckable(True)
            button.setObjectName("toggle")
            button.setFixedHeight(_HEIGHT)
            button.setIconSize(QSize(16, 16))
        self.fit.setFixedHeight(_HEIGHT)
        self.fit.setIconSize(QSize(16, 16))
        self.smoothing.setRange(0, len(_HALF_LIVES) - 1)
        self.smoothing.setPageStep(2)
        self._smoothing_name.setObjectName("dim")
        self._smoothing_value.setObjectName("dim")
        smoothing = QWidget()
        row = self._row = QHBoxLayout(smoothing)
        row.setContentsMargins(6, 0, 6, 0)
        row.setSpacing(7)
        for piece in (self._smoothing_name, self.smoothing, self._smoothing_value):
            row.addWidget(piece)
        smoothing.setFixedHeight(_HEIGHT)
        for part in (self.series, self.laying, smoothing, self.logarithmic, self.clipped, self.relative,
                     self.span, self.fit):  # fmt: skip
            flow.addWidget(part)
        self._tighten(0)
        nearest = min(range(len(_HALF_LIVES)), key=lambda at: abs(_HALF_LIVES[at] - self._picture.half_life))
        for control, value in ((self.logarithmic, self._picture.logarithmic),
                               (self.relative, self._picture.relative),
                               (self.clipped, self._picture.clipped)):  # fmt: skip
            control.setChecked(value)
        self.smoothing.setValue(nearest)

    def _load(self) -> None:
        """Offer what the runs on show have."""
        names, runs = self._picture.names, [run.run for run in self._state.runs if run.run is not None]
        wanted = [(series_words(name), name) for name in names]
        self._fill(self.series, wanted, self._picture.name)
        self.series.setVisible(bool(names))
        layings = [(laying.word, laying.value) for laying in offered(runs)]
        self._fill(self.laying, layings, self._picture.laying.value)
        several = len(runs) > 1
        self.laying.setVisible(several or len(layings) > len(Laying) - 2)
        self.relative.setVisible(self._picture.drawing is not None
                                 and self._picture.drawing.difference is not None)  # fmt: skip
        self._fit_line()

    # ---- room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() == event.oldSize().width():  # the height follows from what is done here
            return
        self._fit_line()
        QTimer.singleShot(0, self, self.updateGeometry)  # the pass that resizes heeds no other wish

    def _fit_line(self) -> None:
        """Take as little away as lets everything stand in one line."""
        for tightness in range(_TIGHTEST + 1):
            self._tighten(tightness)
            items = map(self._flow.itemAt, range(self._flow.count()))
            widths = [item.sizeHint().width() for item in items if item is not None and not item.isEmpty()]
            if sum(widths) + _GAP * (len(widths) - 1) <= self.width():
                break
        self._flow.setGeometry(self.rect())
        self.updateGeometry()

    def _tighten(self, tightness: int) -> None:
        """Leave out, in turn, the name of the smoothing, room of lists, words of buttons, and its value."""
        self._smoothing_name.setVisible(tightness < _NAMELESS)
        style = Qt.ToolButtonStyle
        for button in (self.logarithmic, self.clipped, self.relative, self.span):
            words = tightness < _WORDLESS
            button.setToolButtonStyle(style.ToolButtonTextOnly if words else style.ToolButtonIconOnly)
        tightest = tightness == _TIGHTEST
        self._smoothing_value.setVisible(not tightest)
        self.smoothing.setFixedWidth(_SHORT_SLIDER if tightest else _SLIDER)
        for combo in (self.series, self.laying):
            combo.setMinimumContentsLength(4 if tightest else 10)
            combo.setMaximumWidth(_COMBO[tightness])
        self._row.activate()  # its hint is asked for at once

    @staticmethod
    def _fill(combo: QComboBox, items: list[tuple[str, str]], chosen: str) -> None:
        shown = [(combo.itemText(at), combo.itemData(at)) for at in range(combo.count())]
        with QSignalBlocker(combo):
            if shown != items:
                combo.clear()
                for words, data in items:
                    combo.addItem(words, data)
            combo.setCurrentIndex(max(combo.findData(chosen), 0))

    def _choose_series(self, at: int) -> None:
        self._picture.choose(str(self.series.itemData(at)))

    def _choose_laying(self, at: int) -> None:
        self._state.lay(Laying(self.laying.itemData(at)))

    def _look(self) -> None:
        self._picture.look(
            logarithmic=self.logarithmic.isChecked(), relative=self.relative.isChecked(),
            clipped=self.clipped.isChecked(),
        )  # fmt: skip

    def _slide(self) -> None:
        self._tell_smoothing()
        self._timer.start()

    def _smooth(self) -> None:
        self._picture.smooth(float(_HALF_LIVES[self.smoothing.value()]))

    def _tell_smoothing(self) -> None:
        steps = _HALF_LIVES[self.smoothing.value()]
        words = text("gui.curves.smoothing.steps", count=steps, number=numbers.grouped(steps))
        self._smoothing_value.setText(words if steps else text("gui.curves.smoothing.none"))
        widest = self._smoothing_value.fontMetrics().horizontalAdvance(
            text("gui.curves.smoothing.steps", count=10_000, number=numbers.grouped(10_000))
        )
        self._smoothing_value.setMinimumWidth(widest)
        self.smoothing.setToolTip(f"{text('gui.curves.smoothing.help')}\n{self._smoothing_value.text()}")

    def _restyle(self) -> None:
        colours = self._theme.colours
        self.fit.setIcon(icon("fit", colours.dim))
        for name, button in (("logarithm", self.logarithmic), ("clip", self.clipped),
                             ("relative", self.relative), ("span", self.span)):  # fmt: skip
            button.setIcon(icon(name, colours.text))

    def retranslate(self) -> None:
        for button, code, help_code in (
            (self.logarithmic, "gui.curves.logarithmic", "gui.curves.logarithmic.help"),
            (self.clipped, "gui.curves.clipped", "gui.curves.clipped.help"),
            (self.relative, "gui.curves.relative", "gui.curves.relative.help"),
            (self.span, "gui.curves.span", "gui.curves.span.help"),
        ):
            button.setText(text(code))
            button.setToolTip(text(help_code))
        self.fit.setToolTip(text("gui.curves.fit"))
        self.fit.setAccessibleName(text("gui.curves.fit"))
        self.series.setAccessibleName(text("gui.curves.series"))
        self.series.setToolTip(text("gui.curves.series"))
        self.laying.setAccessibleName(text("gui.curves.laying"))
        self.laying.setToolTip(text("gui.curves.laying"))
        self._smoothing_name.setText(text("gui.curves.smoothing"))
        self.smoothing.setAccessibleName(text("gui.curves.smoothing"))
        self._tell_smoothing()
        self._load()
