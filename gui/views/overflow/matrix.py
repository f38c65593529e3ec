"""Where in the run births are: ranks against steps."""

from __future__ import annotations

from core.messages import text
from core.records.run import CellKey
from gui.context import Context
from gui.models.overflow.matrix import Matrix, matrix_of
from gui.views.overflow.matrix_canvas import MatrixCanvas
from gui.widgets.card import Card
from gui.widgets.translated import Translated


class MatrixView(Translated, Card):
    """The card with the squares."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._overflow, self._choice = context.session.overflow, context.session.overflow.choice
        self.canvas = MatrixCanvas(context.theme)
        self.body.setContentsMargins(6, 2, 4, 4)
        self.body.addWidget(self.canvas)
        self.setMinimumWidth(150)
        self.canvas.chosen.connect(self._choose)
        self._overflow.changed.connect(self._load)
        self._choice.place_changed.connect(self._follow)
        self._choice.filter_changed.connect(self._heading)
        context.theme.changed.connect(self.canvas.viewport().update)
        self.retranslate()
        self._load()

    @property
    def useful(self) -> bool:
        """Whether there is more than one cell, so that it tells something."""
        return self.canvas.matrix.state.size > 1

    def _load(self) -> None:
        report = self._overflow.report
        self.canvas.show_matrix(matrix_of(report) if report is not None else Matrix(), report)
        self._follow()
        self._heading()

    def _follow(self) -> None:
        place = self._choice.place
        self.canvas.mark(place.cell if place is not None else None)

    def _choose(self, key: CellKey) -> None:
        self._choice.choose_cell(key)

    def _heading(self) -> None:
        self.set_title(text("gui.overflow.matrix.title"), text("gui.overflow.matrix.subtitle"))

    def retranslate(self) -> None:
        self.canvas.retranslate()
        self._heading()
