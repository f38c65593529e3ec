"""What the picture of the curves shows: series, axis, smoothing, tracks, the span measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.curves.shelf import Shelved, discard, unshelve
from core.errors import Problem
from core.messages import Message
from core.records.curves import CurvesReport
from core.records.series import Series
from gui.curves import drawing as curves_drawing
from gui.curves.drawing import Drawing, DrawnRun, Question, SpanFacts
from gui.curves.runs import ShownRun
from gui.models.curves.laying import Laying, drawn_axis, drawn_factors, drawn_shifts

if TYPE_CHECKING:
    from gui.processes.picture_service import PictureService
    from gui.settings import Settings

_DRAW, _MEASURE = "draw", "measure"


class Picture(QObject):
    """Asks for tracks whenever what is to be seen changes; late answers are dropped."""

    drawn = Signal()
    """Other tracks are there."""
    look_changed = Signal()
    """The same tracks are to be drawn in another way."""
    measured = Signal()
    failed = Signal(object, str)
    """Why nothing could be drawn, and a traceback or nothing."""

    def __init__(self, parent: QObject, service: PictureService, settings: Settings) -> None:
        super().__init__(parent)
        self._service, self._settings = service, settings
        self.name = str(Series.LOSS)
        """The series on show."""
        self.laying = Laying.FOUND
        self.drawing: Drawing | None = None
        self.facts: SpanFacts | None = None
        """Of the span that is selected."""
        self._span: tuple[float, float] | None = None
        self._token: Shelved | None = None
        self._runs: list[ShownRun] = []
        self._report: CurvesReport | None = None
        self._report_token: Shelved | None = None
        self._folder = ""
        service.answered.connect(self._take)
        service.rejected.connect(self._refuse)
        service.crashed.connect(self._break)

    # ---- what is drawn

    def show(
        self, runs: list[ShownRun], report: CurvesReport | None, token: Shelved | None, folder: str
    ) -> None:
        """Draw *runs* and the difference that *report*, shelved as *token*, has found."""
        self._runs, self._report, self._report_token, self._folder = runs, report, token, folder
        names = self.names
        if names and self.name not in names:
            self.name = names[0]
        self._ask()

    @property
    def names(self) -> list[str]:
        """All series that some run has, those with a common name first."""
        found = dict.fromkeys(name for run in self._runs if run.run is not None for name in run.run.curves)
        common = [str(series) for series in Series if series in found]
        return common + [name for name in found if name not in common]

    def _ask(self) -> None:
        drawn = [run for run in self._runs if run.drawn]
        if not drawn:
            self._service.forget(_DRAW)
            self._show(None, None)
            return
        known = [(run.role, run.run) for run in drawn if run.run is not None]
        axis = drawn_axis(self.laying, self._report, [run for _, run in known])
        shifts = drawn_shifts(self.laying, self._report, known)
        factors = drawn_factors(self._report, known)
        runs = tuple(
            DrawnRun(run.number, run.token, shift, factor)
            for run, shift, factor in zip(drawn, shifts, factors)
            if run.token is not None
        )
        question = Question(runs, self.name, axis, self.half_life, self._report_token)
        self._service.request(_DRAW, curves_drawing.draw, question, self._folder)

    def _take(self, channel: str, answer: object) -> None:
        if channel == _DRAW and isinstance(answer, Shelved):
            self._show(unshelve(answer), answer)
        elif channel == _MEASURE and isinstance(answer, SpanFacts):
            self.facts = answer
            self.measured.emit()

    def _show(self, drawing: Drawing | None, token: Shelved | None) -> None:
        if self._token is not None:
            discard(self._token)
        other = drawing is None or self.drawing is None or drawing.axis is not self.drawing.axis
        self.drawing, self._token = drawing, token
        if other:
            self.select(None)
        else:
            self._measure()
        self.drawn.emit()

    def _refuse(self, channel: str, problem: Problem) -> None:
        if channel in (_DRAW, _MEASURE):
            self.failed.emit(problem, "")

    def _break(self, channel: str, traceback: str) -> None:
        if channel in (_DRAW, _MEASURE):
            self.failed.emit(Message("gui.curves.not_drawn"), traceback)

    # ---- what the user chooses

    def choose(self, name: str) -> None:
        """Show another series."""
        if name != self.name:
            self.name = name
            self.select(None)
            self._ask()

    @property
    def half_life(self) -> float:
        """Steps after which a value counts half in the smoothed curve; 0 draws none."""
        return self._settings.curves_half_life

    def smooth(self, half_life: float) -> None:
        """Smooth more or less."""
        if half_life != self.half_life:
            self._settings.curves_half_life = float(half_life)
            self._ask()

    @property
    def logarithmic(self) -> bool:
        """Whether heights are logarithms."""
        return self._settings.curves_logarithmic

    @property
    def relative(self) -> bool:
        """Whether the difference is relative to the golden."""
        return self._settings.curves_relative

    @property
    def clipped(self) -> bool:
        """Whether heights leave out the outermost points."""
        return self._settings.curves_clipped

    def look(
        self, *, logarithmic: bool | None = None, relative: bool | None = None, clipped: bool | None = None
    ) -> None:
        """Draw in another way."""
        settings = self._settings
        if logarithmic is not None:
            settings.curves_logarithmic = logarithmic
        if relative is not None:
            settings.curves_relative = relative
        if clipped is not None:
            settings.curves_clipped = clipped
        self.look_changed.emit()

    # ---- the span

    @property
    def span(self) -> tuple[float, float] | None:
        """The span that is selected, in places of the picture."""
        return self._span

    def select(self, span: tuple[float, float] | None) -> None:
        """Select what lies between two places, or nothing."""
        if span is None and self._span is None:
            return
        self._span, self.facts = span, None
        self.measured.emit()
        self._measure()

    def _measure(self) -> None:
        if self._span is None or self._token is None:
            self._service.forget(_MEASURE)
            return
        arguments = (*self._span, self._token, self._report_token, self.name)
        self._service.request(_MEASURE, curves_drawing.measure, *arguments)

    def close(self) -> None:
        """Hold nothing more on the shelf."""
        self.drawing, self._token = None, None
