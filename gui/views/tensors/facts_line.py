"""What is known of the whole pair: how much differs, where most, NaN and Inf, how many bits are right."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from core.messages import text
from core.metrics.patterns.pattern import Pattern
from gui import numbers
from gui.looks.theme import Theme
from gui.tensors.shown_pair import ShownPair
from gui.widgets.translated import Translated

_FINITE = 0
"""Place of finite elements among the classes of a result."""
_BITS, _OF_BITS = "effective_bits", "format_bits"
"""Under which a pattern tells how many significand bits are right, and of how many."""


class FactsLine(Translated, QLabel):
    """Words dim, numbers strong."""

    def __init__(self, theme: Theme, pair: ShownPair) -> None:
        super().__init__()
        self._theme, self._pair = theme, pair
        self._patterns: tuple[Pattern, ...] = ()
        self._kept = False
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.retranslate)
        self.retranslate()

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height() + 2)

    def show_patterns(self, patterns: tuple[Pattern, ...]) -> None:
        """Tell what *patterns* know of the precision."""
        self._patterns = patterns
        self.retranslate()

    def show_origin(self, kept: bool) -> None:
        """Tell whether what is on show was *kept* in the result file, as the dumps are not here."""
        if kept != self._kept:
            self._kept = kept
            self.retranslate()

    def _parts(self) -> list[tuple[str, str]]:
        selected = self._pair.focus.selected
        if selected is None or self._pair.sources is None or self._pair.focus.exploring:
            return []
        cell, _, row = selected
        rows, parts = cell.rows, [("", text("gui.heat.facts.kept"))] if self._kept else []
        count, equal = int(rows.count[row]), int(rows.equal_count[row])
        if count > 0 and equal >= 0:
            share = text(
                "gui.heat.facts.of", part=numbers.grouped(count - equal), whole=numbers.grouped(count)
            )
            parts.append((text("gui.heat.facts.differs"), share))
        worst = self._pair.worst
        if worst and equal < count:
            parts.append((text("gui.heat.facts.largest"), f"[{', '.join(map(str, worst))}]"))
        for pattern in self._patterns:
            bits, whole = pattern.numbers.get(_BITS), pattern.numbers.get(_OF_BITS)
            if isinstance(bits, float | int):
                spelled = numbers.compact(bits, 3)
                if isinstance(whole, float | int):
                    spelled = text("gui.heat.facts.of", part=spelled, whole=numbers.compact(whole, 3))
                parts.append((text("gui.heat.facts.bits"), spelled))
                break
        if count > 0:
            target, golden = self._special(row)
            spelled = f"{numbers.grouped(target)} / {numbers.grouped(golden)}"
            parts.append((text("gui.heat.facts.special"), spelled))
        return parts

    def _special(self, row: int) -> tuple[int, int]:
        """Return how many elements of target and golden are NaN or Inf."""
        selected = self._pair.focus.selected
        assert selected is not None
        table = selected[0].class_counts
        at = int(table.row.searchsorted(row))
        if at >= len(table.row) or int(table.row[at]) != row:
            return 0, 0
        counts = table.counts[at].reshape(4, 4)
        total = int(counts.sum())
        return total - int(counts[_FINITE].sum()), total - int(counts[:, _FINITE].sum())

    @property
    def words(self) -> str:
        """The line, as plain text."""
        return "   ".join(f"{name} {value}".strip() for name, value in self._parts())

    def retranslate(self) -> None:
        dim = self._theme.colours.dim
        spelled = [
            (f'<span style="color:{dim}">{escape(name)}</span>&nbsp; ' if name else "")
            + f"<b>{escape(value)}</b>"
            for name, value in self._parts()
        ]
        self.setText("&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; ".join(spelled))
        tips = [text("gui.heat.facts.kept.help")] if self._kept else []
        self.setToolTip("\n".join([*tips, text("gui.heat.facts.help")]) if spelled else "")
        self.setAccessibleName(self.words)
