"""Errors along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.tensors.element_table import distance_words
from gui.views.distributions.pane import PlotPane
from gui.views.distributions.plots import ProfileCanvas
from gui.views.distributions.sides import why_no_pairs
from gui.views.distributions.words import GAP

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import AxisProfile, Distributions


class ProfilePane(PlotPane):
    """Errors along one axis, which is chosen."""

    name = "profiles"

    def __init__(self, context: Context) -> None:
        self.canvas = ProfileCanvas(context.theme)
        super().__init__(self.canvas)
        self.axes = QComboBox()
        self.axes.setFixedHeight(24)
        self.axes.setMinimumWidth(96)
        self.axes.activated.connect(self.redraw)
        self._heading.addWidget(self.axes, 0, Qt.AlignmentFlag.AlignVCenter)
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.retranslate()

    @property
    def profile(self) -> AxisProfile | None:
        """The one that is drawn."""
        profiles = self._found.profiles if self._found is not None else ()
        at = self.axes.currentIndex()
        return profiles[at] if 0 <= at < len(profiles) else None

    def _fill(self, found: Distributions) -> str:
        wanted = [
            text("gui.profiles.axis", axis=each.axis, size=int(each.stops[-1]) if len(each.stops) else 0)
            for each in found.profiles
        ]
        if wanted != [self.axes.itemText(at) for at in range(self.axes.count())]:
            self.axes.clear()
            self.axes.addItems(wanted)
            long = [at for at, each in enumerate(found.profiles) if len(each.starts) > 1]
            self.axes.setCurrentIndex(long[0] if long else 0)
        self.axes.setVisible(len(wanted) > 1)
        profile = self.profile
        if profile is None or not len(profile.starts):
            return why_no_pairs(found) or text("gui.values.none")
        edges = np.append(profile.starts, profile.stops[-1:]).astype(float)
        special = (profile.target_special + profile.golden_special).astype(float)
        self.canvas.show_profile(edges, profile.max_abs, profile.mean_abs, special)
        return ""

    def _point(self, at: int) -> None:
        profile = self.profile
        if at < 0 or profile is None:
            self._read("")
            return
        start, stop = int(profile.starts[at]), int(profile.stops[at])
        place = str(start) if stop == start + 1 else f"{start}–{stop - 1}"
        parts = [
            text(
                "gui.profiles.group",
                axis=profile.axis,
                place=place,
                largest=numbers.scientific(float(profile.max_abs[at])),
                mean=numbers.scientific(float(profile.mean_abs[at])),
            )
        ]
        if profile.max_ulp[at]:
            parts.append(f"{distance_words(float(profile.max_ulp[at]))} ULP")
        special = int(profile.target_special[at]), int(profile.golden_special[at])
        if any(special):
            parts.append(f"NaN/Inf {' | '.join(map(numbers.grouped, special))}")
        self._read(GAP.join(parts))

    def _choose(self, at: int) -> None:
        profile = self.profile
        if profile is not None:
            self.group_wanted.emit(profile.axis, int(profile.starts[at]), int(profile.stops[at]))

    def _facts(self) -> str:
        profile = self.profile
        if profile is None or not len(profile.max_abs):
            return ""
        worst = int(profile.max_abs.argmax())
        if not profile.max_abs[worst]:
            return text("gui.profiles.none")
        return text(
            "gui.profiles.worst",
            largest=numbers.scientific(float(profile.max_abs[worst])), place=int(profile.starts[worst]),
        )  # fmt: skip

    def _title_words(self) -> str:
        return text("gui.profiles.title")

    def _tip(self) -> str:
        return text("gui.profiles.help")

    def retranslate(self) -> None:
        super().retranslate()
        self.axes.setAccessibleName(text("gui.profiles.axes"))
        self.axes.setToolTip(text("gui.profiles.axes"))
