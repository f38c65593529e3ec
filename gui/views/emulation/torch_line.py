"""One line where torch is not installed: what it would add."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.messages import text
from gui.context import Context
from gui.emulation import work as emulation_work
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

_CHANNEL = "torch"


class TorchLine(Translated, ElidedLabel):
    """Asks a worker once, when it is first seen; hidden where there is nothing to say."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("dim")
        self._pictures = context.session.pictures
        self.operators = 0
        self._asked = False
        self._pictures.answered.connect(self._take)
        self.setVisible(False)

    def ask(self) -> None:
        """Find out, the first time."""
        if not self._asked:
            self._asked = True
            self._pictures.request(_CHANNEL, emulation_work.operators_torch_would_add)

    def _take(self, channel: str, operators: object) -> None:
        if channel == _CHANNEL and isinstance(operators, int):
            self.operators = operators
            self.retranslate()

    def retranslate(self) -> None:
        self.setVisible(self.operators > 0)
        self.setText(text("emulation.torch_missing", count=self.operators) if self.operators else "")
