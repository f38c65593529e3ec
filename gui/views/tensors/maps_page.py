"""Target, golden and difference beside each other, as heat maps or, of a single row, as curves."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.messages import text
from core.metrics.inspection.pictures import PairPictures
from core.metrics.pictures.plane import Region
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Theme
from gui.models.pair.facts import shape_label
from gui.tensors.looks import VALUES, HeatLooks
from gui.tensors.scales import Shades
from gui.tensors.sight import Sight
from gui.tensors.ticks import axis_names
from gui.views.tensors.curve_canvas import Curve, CurveCanvas
from gui.views.tensors.heat_canvas import HeatCanvas
from gui.views.tensors.pane import Pane
from gui.views.tensors.plane_canvas import PlaneCanvas
from gui.views.tensors.range_words import words_instead


class MapsPage(QWidget):
    """All panes show the same part, except a golden of another shape."""

    sight_changed = Signal()
    """What is in sight, or the room that it has."""

    def __init__(self, theme: Theme, looks: HeatLooks, reading: QWidget) -> None:
        """Make all panes; *reading* says how far the pictures are."""
        super().__init__()
        self._theme, self.looks = theme, looks
        self.sight, self.golden_sight = Sight(self), Sight(self)
        self.target, self.golden, self.difference = (
            Pane(theme, HeatCanvas(theme, self.sight)) for _ in range(3)
        )
        self.curves, self.curve_difference = (
            Pane(theme, CurveCanvas(theme, self.sight), with_bar=False) for _ in range(2)
        )
        self._reading = reading
        self._exploring = self._curved = False
        self.pictures: PairPictures | None = None
        """Those on show."""
        self._finer: list[tuple[HeatCanvas, Picture]] = []
        """What is still to be drawn of a part, one pane a turn: together they would hold up the pointer."""
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._show_next)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        for pane in (self.target, self.golden, self.difference):
            row.addWidget(pane, 1)
        row.addWidget(self.curves, 3)
        row.addWidget(self.curve_difference, 2)
        for pane in self.panes:
            pane.resized.connect(self.sight_changed)
        for sight in (self.sight, self.golden_sight):
            sight.changed.connect(self.sight_changed)
        self.arrange(False, False)

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All of them, whether seen or not."""
        return self.target, self.golden, self.difference, self.curves, self.curve_difference

    @property
    def shown(self) -> tuple[Pane, ...]:
        """Those that are seen, from left to right."""
        return tuple(pane for pane in self.panes if not pane.isHidden())

    @property
    def linked(self) -> bool:
        """Whether the golden shows the same part as the target."""
        return self.golden.canvas.sight is self.sight

    def arrange(self, exploring: bool, curved: bool) -> None:
        """Show the panes of one run or of a pair, of heat maps or of curves."""
        self._exploring, self._curved = exploring, curved
        if exploring:
            held = self.curves if curved else self.target
        else:
            held = self.curve_difference if curved else self.difference
        held.heading.addWidget(self._reading)
        self.target.setVisible(not curved)
        self.golden.setVisible(not curved and not exploring)
        self.difference.setVisible(not curved and not exploring)
        self.curves.setVisible(curved)
        self.curve_difference.setVisible(curved and not exploring)

    def pixels(self) -> tuple[int, int]:
        """Return the most rows and columns that a picture of all in sight may have."""
        canvas = self.curves.canvas if self._curved else self.target.canvas
        assert isinstance(canvas, HeatCanvas | CurveCanvas)
        return canvas.pixels()

    # ---- pictures

    def link(self, linked: bool) -> None:
        """Let the golden show the same part as the target, or one of its own."""
        self.golden.canvas.set_sight(self.sight if linked else self.golden_sight)

    def show_pictures(self, pictures: PairPictures) -> None:
        """Draw the whole plane of each side, as far as it is there; :meth:`recolour` gives the colours."""
        self.pictures = pictures
        self._forget_finer()
        sides = (pictures.target, pictures.golden)
        first = next((side for side in sides if side.shape is not None), None)
        if first is not None:
            self.sight.set_plane(*first.plane_size)
        if not self.linked:
            self.golden_sight.set_plane(*pictures.golden.plane_size)
        found = (pictures.target.picture, pictures.golden.picture, pictures.difference)
        for pane in self.panes:
            side = pictures.golden if pane is self.golden and not self.linked else first
            if side is not None and side.plane is not None and side.shape is not None:
                pane.set_axes(axis_names(side.plane, side.shape))
        if self._curved:
            self._curve_canvas(self.curves).show_curves(_curves(found[:2], self._exploring))
            self._curve_canvas(self.curve_difference).show_curves(_difference_curve(found[2]))
        else:
            for pane, picture in zip(self.panes, found):
                self._heat_canvas(pane).show_overview(picture)

    def empty(self) -> None:
        """Show nothing of what is no longer wanted."""
        self.pictures = None
        self._forget_finer()
        for pane in self.panes:
            if isinstance(pane.canvas, HeatCanvas):
                pane.canvas.show_overview(None)
            else:
                self._curve_canvas(pane).show_curves(())
            pane.show_canvas()
            pane.show_no_colours()
        self.set_titles("", None, False)

    def show_part(self, pictures: PairPictures) -> None:
        """Draw what is in sight, finer."""
        found = (pictures.target.picture, pictures.golden.picture, pictures.difference)
        if self._curved:
            self._curve_canvas(self.curves).show_curves(_curves(found[:2], self._exploring), part=True)
            self._curve_canvas(self.curve_difference).show_curves(_difference_curve(found[2]), part=True)
            return
        self._finer = [
            (self._heat_canvas(pane), picture)
            for pane, picture in zip(self.panes, found)
            if picture is not None and (pane is not self.golden or self.linked)
        ]
        self._show_next()

    def _show_next(self) -> None:
        """Draw what comes next of the finer part."""
        if self._finer:
            canvas, picture = self._finer.pop(0)
            canvas.show_part(picture)
        if self._finer:
            self._turn.start()
        else:
            self._turn.stop()

    def _forget_finer(self) -> None:
        self._finer = []
        self._turn.stop()

    def show_golden_part(self, pictures: PairPictures) -> None:
        """Draw what is in sight of a golden of another shape, finer."""
        if not self.linked and pictures.golden.picture is not None:
            self._heat_canvas(self.golden).show_part(pictures.golden.picture)

    def recolour(self, pictures: PairPictures) -> tuple[Shades, Shades]:
        """Draw by the looks in force; returns the shades of target and difference."""
        colours = self._theme.colours
        target, golden = self.looks.value_shades(pictures, colours)
        difference = self.looks.difference_shades(pictures, colours)
        sides = (pictures.target.picture, pictures.golden.picture)
        found = (*sides, pictures.difference)
        said = self._said(pictures, target, golden, difference) if pictures.whole else ("", "", "")
        for pane, shades, picture, words in zip(self.panes, (target, golden, difference), found, said):
            self._heat_canvas(pane).set_shades(shades)
            pane.show_colours(shades, picture, pane is not self.difference, words)
        for pane, shades in ((self.curves, target), (self.curve_difference, difference)):
            self._curve_canvas(pane).set_shades(shades)
        first = next((picture for picture in sides if picture is not None), None)
        self.curves.show_colours(target, first, True, said[0])
        self.curve_difference.show_colours(difference, pictures.difference, False, said[2])
        self.difference.bar.symmetric = difference.low < 0
        return target, difference

    def _said(
        self, pictures: PairPictures, target: Shades, golden: Shades, difference: Shades
    ) -> tuple[str, str, str]:
        """Return what is said of target, golden and difference instead of a range that they do not have."""
        no_difference = words_instead(difference, (pictures.difference,), of_difference=True)
        if self.looks.keeps(VALUES):
            return "", "", no_difference
        sides = pictures.target.picture, pictures.golden.picture
        if target is golden:  # one range for both
            words = words_instead(target, sides)
            return words, words, no_difference
        return words_instead(target, sides[:1]), words_instead(golden, sides[1:]), no_difference

    @staticmethod
    def _heat_canvas(pane: Pane) -> HeatCanvas:
        assert isinstance(pane.canvas, HeatCanvas)
        return pane.canvas

    @staticmethod
    def _curve_canvas(pane: Pane) -> CurveCanvas:
        assert isinstance(pane.canvas, CurveCanvas)
        return pane.canvas

    # ---- what lies over them

    def linked_canvases(self) -> tuple[PlaneCanvas, ...]:
        """Return those that show the same part."""
        return tuple(pane.canvas for pane in self.panes if pane is not self.golden or self.linked)

    def set_cursor(self, place: tuple[int, int] | None) -> None:
        """Put the cross hair on an element of all panes that show the same part."""
        for canvas in self.linked_canvases():
            canvas.set_cursor(place)
        if not self.linked:
            self.golden.canvas.set_cursor(None)

    def set_rectangle(self, rectangle: Region | None) -> None:
        """Outline what is marked."""
        for pane in self.panes:
            pane.canvas.set_rectangle(rectangle if pane is not self.golden or self.linked else None)

    def set_boxes(self, boxes: tuple[Region, ...]) -> None:
        """Outline what a pattern speaks of."""
        for pane in self.panes:
            pane.canvas.set_boxes(boxes if pane is not self.golden or self.linked else ())

    def set_holds(self, holds: bool) -> None:
        """Say whether there is something that Esc lets go."""
        for pane in self.panes:
            pane.canvas.holds = holds

    def fit(self) -> None:
        """Show all of the plane."""
        self.sight.fit()
        self.golden_sight.fit()

    def set_titles(self, detail: str, difference: Shades | None, locked: bool) -> None:
        """Name the panes; *detail* is what the first one shows."""
        first = text("gui.run" if self._exploring else "gui.target")
        self.target.set_title(first, detail)
        self.golden.set_title(text("gui.golden"), self._own_shape())
        lines = [(first, "target")] + ([] if self._exploring else [(text("gui.golden"), "golden")])
        legend = [
            f'<span style="color:{self._theme.colour(role).name()}">{escape(name)}</span>'
            for name, role in lines
        ]
        self.curves.set_title(" · ".join(name for name, _ in lines), detail, " &nbsp; ".join(legend))
        kept = locked and difference is not None and not difference.names
        for pane in (self.difference, self.curve_difference):
            pane.set_title(text("gui.tensors.difference"), text("gui.tensors.locked") if kept else "")

    def _own_shape(self) -> str:
        """Return the golden's shape where it is not the target's."""
        sides = (self.pictures.target.shape, self.pictures.golden.shape) if self.pictures else (None, None)
        target, golden = sides
        return shape_label(golden) if golden is not None and target not in (None, golden) else ""


def _curves(found: tuple[Picture | None, ...], exploring: bool) -> tuple[Curve, ...]:
    """Return the golden's curve under the target's."""
    target, golden = found
    curves = []
    if golden is not None and golden.values.size and not exploring:
        curves.append(Curve(golden, "golden"))
    if target is not None and target.values.size:
        curves.append(Curve(target, "target"))
    return tuple(curves)


def _difference_curve(difference: Picture | None) -> tuple[Curve, ...]:
    return (Curve(difference, "introduces"),) if difference is not None and difference.values.size else ()
