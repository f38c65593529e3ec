"""Errors along one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from gui.views.distributions.sides import why_no_pairs, why_nothing
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
        self.axes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
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
            self.axes.setCurrentIndex(most_telling(found.profiles))
        self.axes.setVisible(len(wanted) > 1)
        profile = self.profile
        if profile is None or not len(profile.starts):
            scalar = found.shape == () and not why_no_pairs(found)
            return text("gui.profiles.no_axis") if scalar else why_no_pairs(found) or why_nothing(found)
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
        if not np.nanmax(profile.max_abs, initial=0.0):
            special = bool((profile.target_special + profile.golden_special).any())
            return text("gui.profiles.only_special") if special else text("gui.profiles.none")
        worst = int(np.nanargmax(profile.max_abs))
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


def most_telling(profiles: Sequence[AxisProfile]) -> int:
    """Return which axis the error varies most along; an index with NaN or Inf is as wrong as can be."""

    def varies(profile: AxisProfile) -> tuple[float, float]:
        special = profile.target_special + profile.golden_special > 0
        errors = np.where(special, np.inf, np.nan_to_num(profile.max_abs))
        if len(errors) < 2:
            return -1.0, 0.0
        middle, largest = np.sort(errors)[[(len(errors) - 1) // 2, -1]].tolist()
        if largest == middle:
            return 1.0, 0.0
        over = int(np.count_nonzero(errors > middle))
        return largest / middle if middle else math.inf, len(errors) / over

    return max(range(len(profiles)), key=lambda at: varies(profiles[at]), default=0)
