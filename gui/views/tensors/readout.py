"""One line: an element's index, both exact values, their difference; or what is marked."""

from __future__ import annotations

from PySide6.QtCore import Qt

from core.messages import text
from core.metrics.inspection.values import ElementPair
from core.metrics.pictures.kinds import Difference
from core.metrics.pictures.plane import Region
from gui import numbers
from gui.looks.theme import Theme
from gui.tensors.value_words import value_words
from gui.views.tensors.parts_label import Part, PartsLabel
from gui.widgets.translated import Translated

_VALUE, _MARKED, _DIFFERENCE, _ULP = range(1, 5)
"""In what order parts are left out, the last ones first."""


class Readout(Translated, PartsLabel):
    """Words dim, numbers plain; what does not fit is left out and told by the tool tip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._values: ElementPair | None = None
        self._rectangle: Region | None = None
        self._stored = ("", "")
        self._kind = Difference.ABSOLUTE
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.changed.connect(self.retranslate)
        self.retranslate()

    def show_values(self, values: ElementPair | None, stored: tuple[str, str] = ("", "")) -> None:
        """Tell *values*; *stored* are the formats of target and golden."""
        self._values, self._stored = values, stored
        self.retranslate()

    def show_rectangle(self, rectangle: Region | None) -> None:
        """Tell the size of what is marked."""
        self._rectangle = rectangle
        self.retranslate()

    def show_kind(self, kind: Difference) -> None:
        """Tell the difference as the picture shows it, too."""
        self._kind = kind
        self.retranslate()

    @property
    def values(self) -> ElementPair | None:
        """What is told."""
        return self._values

    def _spelled(self) -> list[Part]:
        parts: list[Part] = []
        values = self._values
        if values is not None:
            parts.append(Part("", f"[{', '.join(map(str, values.index))}]"))
            for code, value, stored in zip(
                ("gui.target", "gui.golden"), (values.target, values.golden), self._stored
            ):
                if value is not None:
                    parts.append(Part(text(code), value_words(value, stored), _VALUE))
            if values.kept and values.target is None and values.golden is None:
                parts.append(Part(text("gui.heat.not_kept"), "", _VALUE))
            if values.difference is not None:
                parts.append(Part(text("gui.tensors.difference"), _difference(values), _DIFFERENCE))
            relative = _relative(values) if self._kind is Difference.RELATIVE else None
            if relative is not None:
                spelled = numbers.scientific(relative)
                parts.append(Part(text("gui.heat.kind.relative"), spelled, _MARKED))
            if values.ulps is not None:
                worth = _MARKED if self._kind is Difference.ULP else _ULP
                parts.append(Part("", f"{ulp_words(values.ulps)} ULP", worth))
        marked = self._rectangle
        if marked is not None:
            rows, columns = marked.bottom - marked.top, marked.right - marked.left
            size = f"{numbers.grouped(rows)} × {numbers.grouped(columns)}"
            spelled = f"{size} = {numbers.grouped(rows * columns)}"
            parts.append(Part(text("gui.heat.marked"), spelled, _MARKED))
        return parts

    def retranslate(self) -> None:
        self.show_parts(self._spelled())


def _relative(values: ElementPair) -> float | None:
    """Return the difference by the golden's magnitude, with the sign of the difference where it has one."""
    difference, golden = values.difference, values.golden
    if difference is None or golden is None or not abs(golden):
        return None
    try:
        return (abs(difference) if isinstance(difference, complex) else float(difference)) / abs(golden)
    except OverflowError:
        return None


def _difference(values: ElementPair) -> str:
    difference = values.difference
    if isinstance(difference, bool | int):
        return numbers.grouped(int(difference))
    if isinstance(difference, complex):
        return value_words(difference)
    return numbers.scientific(float(difference or 0.0))


def ulp_words(ulps: float) -> str:
    """Return a number of units in the last place, whole where it is large."""
    if ulps >= 1e9:
        return numbers.scientific(ulps, 1)
    return numbers.grouped(round(ulps)) if ulps >= 10 or ulps == round(ulps) else numbers.compact(ulps, 2)
