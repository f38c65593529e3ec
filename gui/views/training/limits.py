"""The limits that a training is judged by, to be edited in place."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QLabel, QSpinBox, QToolButton, QWidget

from core.messages import text
from gui.numbers import THIN_SPACE
from gui.training.state import TrainingState
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated

_HEIGHT = 26


class _Share(QDoubleSpinBox):
    """A share in per cent; the wheel scrolls it only while it has the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(3)
        self.setRange(0.001, 100.0)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.setSuffix(f"{THIN_SPACE}%")
        self.setFixedSize(84, _HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def textFromValue(self, value: float) -> str:
        return f"{value:.3f}".rstrip("0").rstrip(".")

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class _Batch(QSpinBox):
    """A global batch size."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(1, 10_000_000)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setFixedSize(84, _HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class LimitsRow(Translated, QWidget):
    """``Limit [0.5 %]  from a global batch of [1024] [0.1 %]``, and whose figures these are."""

    def __init__(self, state: TrainingState) -> None:
        super().__init__()
        self._state = state
        self.limit, self.batch, self.large_limit = _Share(), _Batch(), _Share()
        self._words = [QLabel() for _ in range(2)]
        self._hint = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._hint.setObjectName("dim")
        self.reset = QToolButton()
        self.reset.setObjectName("elsewhere")
        flow = FlowLayout(8)
        self.setLayout(flow)
        parts = (
            self._words[0],
            self.limit,
            self._words[1],
            self.batch,
            self.large_limit,
            self._hint,
            self.reset,
        )
        for part in parts:
            part.setMinimumHeight(_HEIGHT)
            flow.addWidget(part)
        self.limit.valueChanged.connect(self._set_limit)
        self.large_limit.valueChanged.connect(self._set_large_limit)
        self.batch.valueChanged.connect(self._set_batch)
        self.reset.clicked.connect(state.reset_limits)
        state.limits_changed.connect(self._load)
        self.retranslate()
        self._load()

    def _set_limit(self, value: float) -> None:
        self._state.set_limit("limit", round(value / 100, 8))

    def _set_large_limit(self, value: float) -> None:
        self._state.set_limit("large_batch_limit", round(value / 100, 8))

    def _set_batch(self, value: int) -> None:
        self._state.set_limit("large_batch", float(value))

    def _load(self) -> None:
        limits = self._state.limits
        for field, value in ((self.limit, limits.limit), (self.large_limit, limits.large_batch_limit)):
            if not field.hasFocus():  # what is being typed stays as it is typed
                with QSignalBlocker(field):
                    field.setValue(value * 100)
        if not self.batch.hasFocus():
            with QSignalBlocker(self.batch):
                self.batch.setValue(round(limits.large_batch))
        self.reset.setVisible(self._state.has_own_limits)

    def retranslate(self) -> None:
        self._words[0].setText(text("gui.training.limit"))
        self._words[1].setText(text("gui.training.large_batch"))
        self._hint.setText(text("gui.training.limits.hint"))
        self.reset.setText(text("gui.training.limits.reset"))
        self.limit.setAccessibleName(text("gui.training.limit.help"))
        self.large_limit.setAccessibleName(text("gui.training.large_limit.help"))
        self.batch.setAccessibleName(text("gui.training.large_batch.help"))
        for field in (self.limit, self.large_limit, self.batch):
            field.setToolTip(field.accessibleName())
