"""What is known of the whole pair: how much differs, where most, NaN and Inf, how many bits are right."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QSizePolicy

from core.messages import text
from core.metrics.inspection.values import ElementPair, Value
from core.metrics.patterns.pattern import Pattern
from gui import numbers
from gui.looks.theme import Theme
from gui.tensors.classes import SpecialTotals, special_totals
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.parts_label import Part, PartsLabel
from gui.widgets.translated import Translated

_BITS, _OF_BITS = "effective_bits", "format_bits"
"""Under which a pattern tells how many significand bits are right, and of how many."""
_BEYOND = "bad"
"""Under which a pattern tells how many elements differ by more than noise."""
_WORST, _SPECIAL, _REST = range(1, 4)
"""In what order parts are left out, the last ones first."""


class FactsLine(Translated, PartsLabel):
    """Words dim, numbers strong."""

    def __init__(self, theme: Theme, pair: ShownPair) -> None:
        super().__init__(theme)
        self._pair = pair
        self._patterns: tuple[Pattern, ...] = ()
        self._kept = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.retranslate)
        pair.worst_changed.connect(self.retranslate)
        self.retranslate()

    def show_patterns(self, patterns: tuple[Pattern, ...]) -> None:
        """Tell what *patterns* know of the precision."""
        self._patterns = patterns
        self.retranslate()

    def show_origin(self, kept: bool) -> None:
        """Tell whether what is on show was *kept* in the result file, as the dumps are not here."""
        if kept != self._kept:
            self._kept = kept
            self.retranslate()

    def _spelled(self) -> list[Part]:
        selected, pair = self._pair.focus.selected, self._pair
        if selected is None or pair.sources is None or pair.focus.exploring:
            return []
        cell, _, row = selected
        rows, parts = cell.rows, [Part("", text("gui.heat.facts.kept"))] if self._kept else []
        count, equal = int(rows.count[row]), int(rows.equal_count[row])
        if count <= 0:
            return parts
        special = special_totals(cell, row)
        differing = max(count - equal - special.same, 0) if equal >= 0 else 0
        if equal >= 0:
            parts.append(Part(text("gui.heat.facts.differs"), self._share(differing, count)))
        parts += self._worst() if differing else []
        parts += _special(special)
        for pattern in self._patterns:
            bits, whole = pattern.numbers.get(_BITS), pattern.numbers.get(_OF_BITS)
            if isinstance(bits, float | int):
                spelled = numbers.compact(bits, 3)
                if isinstance(whole, float | int):
                    spelled = text("gui.heat.facts.of", part=spelled, whole=numbers.compact(whole, 3))
                parts.append(Part(text("gui.heat.facts.bits"), spelled, _REST))
                break
        return parts

    def _share(self, differing: int, count: int) -> str:
        """Return how many elements differ at all, and how many by more than noise where that is known."""
        part, whole = numbers.grouped(differing), numbers.grouped(count)
        known = (pattern.numbers.get(_BEYOND) for pattern in self._patterns)
        beyond = next((number for number in known if isinstance(number, int)), None)
        if beyond is not None and beyond < differing:
            return text("gui.heat.facts.beyond", part=part, whole=whole, beyond=numbers.grouped(beyond))
        if differing and beyond is None:
            return text("gui.heat.facts.any_bit", part=part, whole=whole)
        return text("gui.heat.facts.of", part=part, whole=whole)

    def _worst(self) -> list[Part]:
        place, special = self._pair.worst, self._pair.worst_special
        if place is None:
            return []
        name = text("gui.heat.facts.largest") if special is None else _special_words(special)
        return [Part(name, f"[{', '.join(map(str, place))}]", _WORST)]

    def retranslate(self) -> None:
        parts = self._spelled()
        tips = [text("gui.heat.facts.kept.help")] if self._kept else []
        self.show_parts(parts, "\n".join([*tips, text("gui.heat.facts.help")]) if parts else "")


def _special(counts: SpecialTotals) -> list[Part]:
    """Return how many elements of target and golden are NaN, and how many Inf."""
    found = [(name, pair) for name, pair in (("NaN", counts.nan), ("Inf", counts.inf)) if any(pair)]
    if not found:
        return [Part(text("gui.heat.facts.special"), "0", _REST)]
    parts = [
        Part(name, f"{numbers.grouped(target)} / {numbers.grouped(golden)}", _SPECIAL)
        for name, (target, golden) in found
    ]
    return [*parts, Part(text("gui.heat.facts.sides"), "", _REST)]


def _special_words(worst: ElementPair) -> str:
    """Return what the worst element is: the target's NaN or Inf, or else the golden's."""
    if worst.target is not None and not _finite(worst.target):
        return text("gui.heat.facts.special_at", kind=_kind(worst.target))
    if worst.golden is not None and not _finite(worst.golden):
        return text("gui.heat.facts.golden_special_at", kind=_kind(worst.golden))
    return text("gui.heat.facts.largest")


def _finite(value: Value) -> bool:
    return isinstance(value, bool | int) or math.isfinite(abs(value))


def _kind(value: Value) -> str:
    """Return ``NaN``, ``Inf`` or ``−Inf``."""
    if isinstance(value, complex):
        return "NaN" if math.isnan(value.real) or math.isnan(value.imag) else "Inf"
    return numbers.scientific(float(value))
