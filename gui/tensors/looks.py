"""How heat maps look: kind of difference, range, scale and colours; kept over calls and starts."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from core.messages import text
from core.metrics.inspection.pictures import PairPictures
from core.metrics.pictures.kinds import Difference, PairClass, Part
from core.metrics.pictures.reduction import Picture
from gui.context import Context
from gui.looks.theme import Colours
from gui.settings import Settings
from gui.tensors.scales import (
    ColourMap,
    Extent,
    Scale,
    Shades,
    categorical,
    difference_shades,
    diverging,
    sequential,
    small_magnitude,
    symmetric_limit,
    value_range,
    value_shades,
)

_Word = TypeVar("_Word", bound=StrEnum)
VALUES = "values"
"""Under which the range of values is kept; those of differences under their kind."""


def _word(kind: type[_Word], word: str) -> _Word:
    """Return *word* as a member of *kind*; of a word from elsewhere the first."""
    return kind(word) if word in kind._value2member_map_ else next(iter(kind))


def heat_looks(context: Context) -> HeatLooks:
    """Return the looks that all windows share: what is chosen in one shows in the others."""
    session = context.session
    return session.findChild(HeatLooks) or HeatLooks(context.settings, session)


class HeatLooks(QObject):
    """Reads and writes the settings; views draw by it."""

    changed = Signal()
    """The same pictures look otherwise."""
    question_changed = Signal()
    """Other pictures are wanted."""

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings

    # ---- what is wanted

    @property
    def difference(self) -> Difference:
        """What the third picture shows."""
        return _word(Difference, self._settings.heat_difference)

    @property
    def part(self) -> Part:
        """Which part of complex numbers is shown."""
        return _word(Part, self._settings.heat_part)

    @property
    def scale(self) -> Scale:
        """How values are spread over the colours."""
        return _word(Scale, self._settings.heat_scale)

    @property
    def extent(self) -> Extent:
        """Which values the colours span."""
        return _word(Extent, self._settings.heat_extent)

    @property
    def colour_map(self) -> ColourMap:
        """The colours of values."""
        return _word(ColourMap, self._settings.heat_colour_map)

    @property
    def each_own(self) -> bool:
        """Whether target and golden have a range each."""
        return self._settings.heat_each_own

    @property
    def locked(self) -> bool:
        """Whether the ranges stay as they are."""
        return self.extent is Extent.FIXED

    def set_difference(self, wanted: Difference) -> None:
        """Show another kind of difference."""
        if wanted is not self.difference:
            self._settings.heat_difference = wanted.value
            self.question_changed.emit()

    def set_part(self, wanted: Part) -> None:
        """Show another part of complex numbers."""
        if wanted is not self.part:
            self._settings.heat_part = wanted.value
            self.question_changed.emit()

    def set_scale(self, wanted: Scale) -> None:
        """Spread values otherwise over the colours."""
        self._settings.heat_scale = wanted.value
        self.changed.emit()

    def set_extent(self, wanted: Extent) -> None:
        """Let the colours span other values."""
        self._settings.heat_extent = wanted.value
        self.changed.emit()

    def set_colour_map(self, wanted: ColourMap) -> None:
        """Draw values in other colours."""
        self._settings.heat_colour_map = wanted.value
        self.changed.emit()

    def set_each_own(self, wanted: bool) -> None:
        """Give target and golden a range each, or one for both."""
        self._settings.heat_each_own = wanted
        self.changed.emit()

    def keep(self, key: str, low: float, high: float) -> None:
        """Keep a range from now on, whatever the values are; *key*: of what (:attr:`difference_key`)."""
        if -math.inf < low < high < math.inf:
            self._settings.heat_limits[key] = [float(low), float(high)]
            self.set_extent(Extent.FIXED)

    def set_locked(self, locked: bool, pictures: PairPictures | None, colours: Colours) -> None:
        """Keep the ranges that *pictures* have now, or follow the values again."""
        if locked and pictures is not None:
            kept = self._settings.heat_limits
            values = self.value_shades(pictures, colours)
            if not values[0].names:
                kept[VALUES] = [min(side.low for side in values), max(side.high for side in values)]
            difference = self.difference_shades(pictures, colours)
            if pictures.difference is not None and not difference.names:
                kept[pictures.request.difference.value] = [difference.low, difference.high]
        self.set_extent(Extent.FIXED if locked else Extent.ALL)

    @property
    def difference_key(self) -> str:
        """Under which the range of the difference on show is kept."""
        return self.difference.value

    # ---- what follows from it

    def value_shades(self, pictures: PairPictures, colours: Colours) -> tuple[Shades, Shades]:
        """Return the shades of target and golden."""
        sides = pictures.target, pictures.golden
        dtypes = {side.dtype for side in sides if side.dtype}
        if dtypes == {"bool"}:
            table = sequential(self.colour_map)[[40, 215]]
            shades = Shades(table, 0.0, 1.0, names=("False", "True"))
            return shades, shades
        one = self._values([side.picture for side in sides])
        if not self.each_own or self.locked:
            return one, one
        target, golden = (self._values([side.picture]) for side in sides)
        return target, golden

    def _values(self, pictures: list[Picture | None]) -> Shades:
        kept = self._kept(VALUES)
        low, high = kept or value_range(pictures, Extent.ALL if self.locked else self.extent)
        small = small_magnitude(pictures) if self.scale is Scale.SYMLOG else None
        return value_shades(sequential(self.colour_map), low, high, self.scale, small)

    def difference_shades(self, pictures: PairPictures, colours: Colours) -> Shades:
        """Return the shades of the difference, of the kind that *pictures* were asked for."""
        kind = pictures.request.difference
        if kind is Difference.CLASSES:
            return _classes(colours)
        if kind is Difference.SIGN:
            table = categorical(colours.accent, colours.second, colours.introduces)
            names = (text("gui.heat.sign.lower"), text("gui.heat.sign.same"), text("gui.heat.sign.higher"))
            return Shades(table, -1.0, 1.0, names=names)
        kept = self._kept(kind.value)
        extent = Extent.ALL if self.locked else self.extent
        limit = kept[1] if kept else symmetric_limit(pictures.difference, extent)
        small = small_magnitude([pictures.difference]) if self.scale is Scale.SYMLOG else None
        complex_ = {pictures.target.dtype, pictures.golden.dtype} & {"complex64", "complex128"}
        one_sided = bool(complex_) and pictures.request.part is Part.MAGNITUDE
        return difference_shades(diverging(colours), limit, self.scale, small, one_sided)

    def keeps(self, key: str) -> bool:
        """Whether a range is kept, whatever the values are; *key* as of :meth:`keep`."""
        return self._kept(key) is not None

    def _kept(self, key: str) -> tuple[float, float] | None:
        if not self.locked:
            return None
        kept = self._settings.heat_limits.get(key, [])
        return (kept[0], kept[1]) if len(kept) == 2 and kept[1] > kept[0] else None


def _classes(colours: Colours) -> Shades:
    """Return a colour for each :class:`PairClass`."""
    table = categorical(
        colours.second, colours.close, colours.golden_invalid, colours.plus_infinity, colours.nan,
        colours.introduces,
    )  # fmt: skip
    names = tuple(text(f"gui.heat.class.{kind.name.lower()}") for kind in PairClass)
    return Shades(table, 0.0, float(max(PairClass)), names=names)
