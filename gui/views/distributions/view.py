"""How the elements of the shown pair are distributed, as plots that lead back to the elements."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout

from core.messages import Message, text
from gui.context import Context
from gui.tensors.asking import AskingView
from gui.tensors.shown_pair import ShownPair
from gui.views.distributions.controls import Controls
from gui.views.distributions.exponents_pane import ExponentsPane
from gui.views.distributions.plot_grid import PlotGrid
from gui.views.distributions.profile_pane import ProfilePane
from gui.views.distributions.scatter_pane import ScatterPane
from gui.views.distributions.ulps_pane import UlpsPane
from gui.views.distributions.values_pane import ValuesPane
from gui.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions, ValueRange

_PLACE = "place"
"""The channel of the way back to an element."""
_SOON = 60
"""Milliseconds of marking that are counted together."""


class DistributionsView(AskingView):
    """Asks for the whole tensor, or for what is marked in it."""

    def __init__(self, context: Context, pair: ShownPair) -> None:
        super().__init__(context, pair)
        self.values, self.exponents = ValuesPane(context), ExponentsPane(context)
        self.ulps, self.scatter, self.profiles = UlpsPane(context), ScatterPane(context), ProfilePane(context)
        self.panes = (self.values, self.profiles, self.ulps, self.scatter, self.exponents)
        self.controls = Controls(
            context, self.reading, {pane.name: f"gui.{pane.name}.title" for pane in self.panes}
        )
        self._lost = ElidedLabel()
        self._lost.setObjectName("dim")
        self._lost.setContentsMargins(12, 0, 12, 0)
        self._lost.hide()
        self.grid = PlotGrid(self.panes)
        self._marking = QTimer(self)
        self._last: tuple[ValueRange | None, tuple[int, ...] | None] = (None, None)
        """What was looked for last, and the place that was found."""
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self._lost)
        column.addWidget(self.grid, 1)
        self._connect()
        self._choose_panes()
        self._clear()

    def _connect(self) -> None:
        for pane in self.panes:
            pane.value_wanted.connect(self._find)
            pane.group_wanted.connect(self._find_worst)
        self.ulps.special_wanted.connect(self._find_special)
        controls = self.controls
        controls.bins_changed.connect(self.ask_anew)
        controls.whole_wanted.connect(partial(self._pair.select, None))
        controls.drawing_changed.connect(self._draw_anew)
        controls.shown_changed.connect(self._choose_panes)
        self.grid.resized.connect(self._fit)
        self._pair.rectangle_changed.connect(self._follow_rectangle)
        self._marking.setSingleShot(True)
        self._marking.setInterval(_SOON)
        self._marking.timeout.connect(self.ask_anew)

    @property
    def channels(self) -> tuple[str, ...]:
        return self.channel, _PLACE

    # ---- asking

    def _ask(self) -> None:
        from core.metrics.inspection.distributions import Bins, DistributionRequest, pair_distributions

        pair = self._pair
        assert pair.sources is not None
        self.controls.show_sides(pair.focus.exploring)
        request = DistributionRequest(pair.sources, Bins(self.controls.bins.word))
        if self._of_rectangle:
            request = replace(request, plane=pair.plane, rectangle=pair.rectangle)
        self._client.request(self.channel, pair_distributions, request)

    @property
    def _of_rectangle(self) -> bool:
        return self._pair.rectangle is not None

    def _follow_rectangle(self) -> None:
        self.controls.offer_rectangle(self._of_rectangle)
        self._marking.start()

    def _clear(self) -> None:
        self._last = (None, None)
        self._lost.hide()
        self._marking.stop()
        self.controls.offer_rectangle(self._of_rectangle)
        for pane in self.panes:
            pane.clear()

    def _show_answer(self, channel: str, answer: object) -> None:
        if channel == self.channel:
            self._show_found(cast("Distributions", answer))
        elif channel == _PLACE:
            self._go_to(cast("tuple[int, ...] | None", answer))

    def _show_found(self, found: Distributions) -> None:
        lost = " ".join(
            dict.fromkeys(problem.sentence() for problem in found.problems if problem is not None)
        )
        if found.shape is None:
            self._say(lost or text("gui.tensors.side_missing"))
            return
        kept = text("gui.heat.facts.kept.help") if found.kept else ""
        self._lost.setText(kept or lost)
        self._lost.setVisible(bool(kept or lost) and found.values is not None)
        for pane in self.panes:
            pane.show_found(found)

    # ---- back to the elements

    def _find(self, wanted: ValueRange) -> None:
        """Look for the next element of a bar: a second click on it leads to another one."""
        from core.metrics.inspection.distributions import find_value

        before, place = self._last
        after = place if before == wanted else None
        self._last = (wanted, after)
        self._client.request(
            _PLACE, find_value, self._pair.sources, replace(wanted, after=after), *self._part()
        )

    def _find_worst(self, axis: int, start: int, stop: int) -> None:
        from core.metrics.inspection.distributions import worst_along

        self._last = (None, None)
        self._client.request(_PLACE, worst_along, self._pair.sources, axis, start, stop, *self._part())

    def _find_special(self) -> None:
        """Look for the next special value; in a rectangle for its worst element, which is one."""
        from gui.views.distributions.special_work import next_special_pair

        self._last = (None, None)
        profile = self.profiles.profile
        if self._of_rectangle and profile is not None and len(profile.starts):
            self._find_worst(profile.axis, int(profile.starts[0]), int(profile.stops[-1]))
            return
        self._client.request(_PLACE, next_special_pair, self._pair.sources, self._pair.place)

    def _part(self) -> tuple[object, ...]:
        return (self._pair.plane, self._pair.rectangle) if self._of_rectangle else ()

    def _go_to(self, place: tuple[int, ...] | None) -> None:
        if place is None:
            self._context.session.noticed.emit(Message("gui.distributions.no_place"), "")
            return
        self._last = (self._last[0], place)
        self._pair.go_to(place)
        shown = f"[{', '.join(map(str, place))}]"
        self._context.session.succeeded.emit(Message("gui.distributions.at_place", {"place": shown}))

    # ---- drawing

    def _draw_anew(self) -> None:
        for pane in self.panes:
            pane.redraw()

    def _fit(self) -> None:
        """Show one plot, and let the user choose it, where there is no room for two."""
        one = self.grid.one
        if one != self.controls.one.isVisibleTo(self.controls):
            self.controls.show_one(one)
            self._choose_panes()

    def _choose_panes(self) -> None:
        self.grid.show_panes([pane for pane in self.panes if pane.name not in self.controls.hidden])

    def copied_text(self) -> str:
        """Return the lines of facts of the plots on show."""
        return "\n".join(f"{pane.title}\t{pane.line}" for pane in self.panes if pane.line)
