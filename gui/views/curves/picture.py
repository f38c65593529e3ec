"""The card with the picture, what is chosen about it above, and the selected span below."""

from __future__ import annotations

import html
import math

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QToolTip, QWidget

from core.messages import render, text
from core.records.curves import Axis
from gui import numbers
from gui.context import Context
from gui.curves.drawing import Drawing
from gui.curves.runs import ShownRun, short_names
from gui.looks.icons import icon
from gui.models.curves.laying import drawn_shifts
from gui.models.curves.places import ends_inside, marks_of, place_of, step_at, stretches_of
from gui.models.curves.roles import Role, looks
from gui.models.curves.words import series_words, share
from gui.views.curves.canvas import CurvesCanvas
from gui.views.curves.controls import PictureControls
from gui.views.curves.readout import written_place
from gui.views.curves.scene import DrawnCurve
from gui.widgets.card import Card
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

_AROUND = 0.06
"""Part of the run that is seen on either side of a finding that is gone to from afar."""
_LEAST_AROUND = 60.0
_ORDER = (Role.TARGET, Role.GOLDEN, Role.REPEAT, Role.OTHER)


class PictureCard(Translated, Card):
    """Fills the canvas with what the state has drawn."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._state, self._theme = context.session.curves, context.theme
        self._picture = self._state.picture
        self._shown: tuple[object, ...] = ()
        """Runs and axis of the picture before: if they stay, so does what is in sight."""
        self._laid: tuple[int, Axis, float] | None = None
        """The run in front, the axis of the picture before, and what was added to the places of that run."""
        self.controls = PictureControls(context)
        self.canvas = CurvesCanvas(context.theme)
        self.strip = QWidget()
        self._span_words = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._span_name = QLabel()
        self._span_name.setObjectName("strong")
        self._close = QToolButton()
        row = QHBoxLayout(self.strip)
        row.setContentsMargins(12, 2, 8, 4)
        row.setSpacing(10)
        row.addWidget(self._span_name)
        row.addWidget(self._span_words, 1)
        row.addWidget(self._close)
        self.strip.hide()
        head = QHBoxLayout()
        head.setContentsMargins(10, 8, 10, 2)
        head.addWidget(self.controls)
        self.body.addLayout(head)
        self.body.addWidget(self.canvas, 1)
        self.body.addWidget(self.strip)
        self._connect(context)
        self._restyle()
        self.retranslate()

    def _connect(self, context: Context) -> None:
        self.controls.fit_wanted.connect(self.canvas.fit)
        self.controls.span.toggled.connect(self._set_selecting)
        self.canvas.span_selected.connect(self._picture.select)
        self.canvas.finding_chosen.connect(self._state.choose)
        self.canvas.finding_pointed.connect(self._tell_finding)
        self.canvas.stepped.connect(self.canvas.step_cursor)
        self._close.clicked.connect(self._drop_span)
        self._picture.drawn.connect(self._load)
        self._picture.look_changed.connect(self._restyle_scene)
        self._picture.measured.connect(self._tell_span)
        self._state.changed.connect(self._load)
        self._state.finding_changed.connect(self._go_to_finding)
        context.theme.changed.connect(self._restyle)

    # ---- content

    def _judged_run(self) -> ShownRun | None:
        """Return the run whose steps findings are told in."""
        report = self._state.report
        path = report.target_path if report is not None else ""
        return next((run for run in self._state.runs if run.run is not None and run.run.path == path), None)

    def _load(self) -> None:
        drawing = self._picture.drawing
        scene = self.canvas.scene
        scene.curves = self._curves(drawing)
        readable = self._state.readable
        self.canvas.nothing = "gui.curves.nothing_drawn" if readable else "gui.curves.nothing_read"
        scene.difference = drawing.difference.relative if drawing and drawing.difference else None
        self._restyle_scene(redraw=False)
        self._mark(drawing)
        self._keep_cursor(drawing)
        if drawing is not None:
            self.canvas.unit = drawing.axis
            scene.whole = drawing.axis is not Axis.EPOCH
            scene.difference_gap = drawing.difference.gap if drawing.difference else math.inf
        shown = (drawing.axis, self._picture.laying, *sorted(drawing.numbers)) if drawing is not None else ()
        keep = bool(shown) and self._shown[:2] == shown[:2]
        self._shown = shown
        self.canvas.show_scene(keep)

    def _curves(self, drawing: Drawing | None) -> list[DrawnCurve]:
        runs = self._state.runs
        styles = dict(
            zip([run.number for run in runs], looks([run.role for run in runs], self._theme.colours))
        )
        names = dict(zip([run.number for run in runs], short_names([run.path for run in runs])))
        by_number = {run.number: run for run in runs}
        made = []
        drawn = zip(drawing.numbers, drawing.curves) if drawing is not None else ()
        for number, curve in drawn:
            run = by_number.get(number)
            if run is not None and curve.raw is not None and len(curve.raw.x):
                made.append(
                    DrawnCurve(
                        number, names[number], run.role, styles[number], curve.raw, curve.smooth, curve.gap
                    )
                )
        return sorted(made, key=lambda drawn: _ORDER.index(drawn.role))

    def _shift_of(self, run: ShownRun) -> float:
        known = [(each.role, each.run) for each in self._state.runs if each.run is not None]
        shifts = drawn_shifts(self._picture.laying, self._state.report, known)
        at = [each.number for each in self._state.runs if each.run is not None].index(run.number)
        return shifts[at]

    def _mark(self, drawing: Drawing | None) -> None:
        scene, report, judged = self.canvas.scene, self._state.report, self._judged_run()
        scene.marks, scene.stretches, scene.resumes = [], [], []
        scene.chosen = self._state.finding
        scene.limit = report.limits.get("limit") if report is not None else None
        if drawing is None:
            return
        if report is not None and judged is not None and judged.run is not None:
            shift = self._shift_of(judged)
            scene.marks = marks_of(report.findings, drawing.name, judged.run, drawing.axis, shift)
            scene.stretches = stretches_of(report, drawing.name, judged.run, drawing.axis, shift)
        for curve in scene.curves:
            run = self._state.run(curve.number)
            if run is not None and run.run is not None:
                shift = self._shift_of(run)
                places = [place_of(each.step, run.run, drawing.axis, shift) for each in run.run.resumes]
                scene.resumes += [(place, curve.look.colour) for place in places if math.isfinite(place)]

    def _keep_cursor(self, drawing: Drawing | None) -> None:
        """Leave the cursor on its step where that stands elsewhere now."""
        before, canvas = self._laid, self.canvas
        first = self._state.run(canvas.scene.curves[0].number) if canvas.scene.curves else None
        if drawing is None or first is None:
            return
        self._laid = first.number, drawing.axis, self._shift_of(first)
        if before is None or before == self._laid or canvas.cursor_place is None:
            return
        number, axis, shift = before
        run = self._state.run(number)
        step = step_at(canvas.cursor_place, run.run, axis, shift) if run and run.run else None
        place = math.nan
        if step is not None and run is not None and run.run is not None:
            place = place_of(step, run.run, drawing.axis, self._shift_of(run))
        canvas.point_at(place if math.isfinite(place) else None)

    def _restyle_scene(self, redraw: bool = True) -> None:
        scene, drawing = self.canvas.scene, self._picture.drawing
        scene.logarithmic, scene.clipped = self._picture.logarithmic, self._picture.clipped
        scene.relative = self._picture.relative
        scene.band = drawing.band if drawing is not None else None
        if drawing is not None and drawing.difference is not None:
            tracks = drawing.difference
            scene.difference = tracks.relative if scene.relative else tracks.absolute
        smooth = drawing.smooth_difference if drawing is not None else None
        if smooth is not None:
            scene.smooth_difference = smooth.relative if scene.relative else smooth.absolute
        else:
            scene.smooth_difference = None
        self._name()
        if redraw:
            self.canvas.redraw()

    # ---- findings

    def place_of_step(self, step: int) -> float:
        """Return where *step*, in the numbering that findings use, stands; NaN where that is not known."""
        judged, drawing = self._judged_run(), self._picture.drawing
        if judged is None or judged.run is None or drawing is None:
            return math.nan
        return place_of(step, judged.run, drawing.axis, self._shift_of(judged))

    def go_to(self, step: int) -> None:
        """See *step*, near enough to make it out, and put the cursor there."""
        place = self.place_of_step(step)
        if not math.isfinite(place):
            return
        first, last = self.canvas.axis.seen
        around = max(self.canvas.axis.calls * _AROUND, min(_LEAST_AROUND, self.canvas.axis.calls))
        if not first <= place <= last or last - first > 4 * around:
            self.canvas.look_at(place - around, place + around)
        self.canvas.point_at(place)

    def _go_to_finding(self) -> None:
        finding = self._state.chosen
        self.canvas.scene.chosen = self._state.finding
        if finding is not None:
            if finding.series != self._picture.name and finding.series in self._picture.names:
                self._picture.choose(finding.series)
            if finding.step is not None:
                self.go_to(finding.step)
        self.canvas.redraw()

    def _tell_finding(self, number: int) -> None:
        findings = self._state.findings
        if 0 <= number < len(findings):
            words = render(findings[number].message)
            QToolTip.showText(QCursor.pos() + QPoint(12, 8), f"<p>{html.escape(words)}</p>", self.canvas)
        else:
            QToolTip.hideText()

    # ---- the span

    def _set_selecting(self, on: bool) -> None:
        self.canvas.selecting = on

    def _drop_span(self) -> None:
        self._picture.select(None)

    def _tell_span(self) -> None:
        span, facts = self._picture.span, self._picture.facts
        self.canvas.span = span
        self.canvas.update()
        self.strip.setVisible(span is not None)
        if span is None:
            return
        inside = ends_inside([curve.raw for curve in self.canvas.scene.curves], *span)
        first, last = inside or (round(span[0], 6), round(span[1], 6))
        self._span_name.setText(f"{written_place(first)} – {written_place(last)}")
        parts = []
        if facts is not None and facts.difference is not None:
            found = facts.difference
            parts = [
                text("gui.curves.span.mean", value=share(found.mean_relative)),
                text("gui.curves.span.bias", value=share(found.bias, signed=True)),
                text("gui.curves.span.largest", value=share(found.largest_relative),
                     step=numbers.grouped(found.largest_step)),
                text("gui.curves.span.count", count=found.steps, number=numbers.grouped(found.steps)),
            ]  # fmt: skip
        elif facts is not None:
            for number, mean, count in facts.means[:2]:
                name = next((each.name for each in self.canvas.scene.curves if each.number == number), "")
                parts.append(
                    text("gui.curves.span.run", name=name, value=numbers.compact(mean, 6), steps=count)
                )
        self._span_words.setText("  ·  ".join(parts))

    # ---- words

    def _name(self) -> None:
        name = series_words(self._picture.name)
        code = (
            "gui.curves.difference.relative" if self._picture.relative else "gui.curves.difference.absolute"
        )
        self.canvas.names = (name, text(code))
        told = [name, *(curve.name for curve in self.canvas.scene.curves)]
        self.canvas.setAccessibleDescription(", ".join(told))

    def _restyle(self) -> None:
        self._close.setIcon(icon("close", self._theme.colours.dim))
        self._load()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.curves"))
        self.canvas.setAccessibleName(text("gui.page.curves"))
        self._close.setToolTip(text("gui.curves.span.drop"))
        self._close.setAccessibleName(text("gui.curves.span.drop"))
        self._load()
        self._tell_span()
