"""The card with the suggested loss scale: the number, what it rests on, what is lost without it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from core.messages import Message, render, text
from core.records.headroom import LossScale
from gui import numbers
from gui.context import Context
from gui.headroom.state import HeadroomState
from gui.models.headroom.columns import share_text
from gui.widgets.card import Card
from gui.widgets.facts_panel import Fact, FactsPanel
from gui.widgets.labels import breakable, unbroken, wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated

_SUGGESTED = "loss_scale.suggested"
_PROBLEMS = 2
"""Tensors that could not be read of which the card says why."""


class ScaleCard(Translated, Card):
    """Reads from top to bottom; scrolls where it is low."""

    def __init__(self, context: Context, state: HeadroomState) -> None:
        super().__init__()
        self._theme, self._state = context.theme, state
        self._sentence, self._remarks, self._largest = (
            wrapped_label("strong"), wrapped_label("dim"), wrapped_label("dim")
        )  # fmt: skip
        self._number = QLabel()
        self._number.setObjectName("title")
        self._number.setTextFormat(Qt.TextFormat.RichText)
        self._number.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.losses = FactsPanel(columns=2)
        self._problems = wrapped_label("dim")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 10, 12, 10)
        column.setSpacing(8)
        for part in (self._number, self._sentence, self._remarks, self.losses, self._largest, self._problems):
            column.addWidget(part)
        column.addStretch(1)
        self.area = page_area(page)
        self.area.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.body.addWidget(self.area)
        state.changed.connect(self._load)
        self.retranslate()

    @property
    def words(self) -> str:
        """All that it says."""
        parts = (self._sentence, self._remarks, self._largest, self._problems)
        return "\n".join(unbroken(part.text()) for part in parts if not part.isHidden())

    def copied_text(self) -> str:
        """Return what is said."""
        lines = ["\t".join(row) for row in self.losses.texts()]
        return "\n".join([self.words, *lines])

    def _load(self) -> None:
        room = self._state.room
        if room is None:
            return
        scale = room.scale
        suggested = [remark for remark in scale.remarks if remark.code == _SUGGESTED]
        others = [remark for remark in scale.remarks if remark.code != _SUGGESTED]
        self._number.setVisible(scale.exponent is not None)
        if scale.exponent is not None:
            times = numbers.grouped(int(scale.scale))
            self._number.setText(f"{times}&nbsp; =&nbsp; 2<sup>{scale.exponent}</sup>")
        lead = suggested or others[:1]
        self._sentence.setText("\n".join(map(render, lead)))
        self._sentence.setVisible(bool(lead))
        self._say(self._remarks, others if suggested else others[1:])
        self.losses.set_facts(_losses(scale))
        self._largest.setVisible(scale.largest is not None)
        if scale.largest is not None:
            self._largest.setText(
                text(
                    "gui.headroom.largest_gradient",
                    magnitude=numbers.compact(scale.largest.magnitude, 4),
                    operator=breakable(scale.largest.operator),
                    slot=scale.largest.slot,
                )
            )
        problems = room.headroom.problems
        lines = [breakable(problem.sentence()) for problem in problems[:_PROBLEMS]]
        if len(problems) > _PROBLEMS:
            lines.append(text("gui.headroom.unread", count=len(problems) - _PROBLEMS))
        self._problems.setVisible(bool(lines))
        self._problems.setText("\n".join(lines))

    @staticmethod
    def _say(label: QLabel, remarks: list[Message]) -> None:
        label.setVisible(bool(remarks))
        label.setText("\n".join(map(render, remarks)))

    def retranslate(self) -> None:
        self.set_title(text("gui.headroom.scale"), text("gui.headroom.scale.subtitle"))
        self.area.setAccessibleName(text("gui.headroom.scale"))
        self._load()


def _losses(scale: LossScale) -> list[Fact]:
    """Return what is lost as a small table; empty where that is not known."""
    told = [(1.0, scale.at_one)] + ([(scale.scale, scale.at_scale)] if scale.exponent else [])
    known = [(factor, losses) for factor, losses in told if losses is not None]
    if not known:
        return []

    def line(code: str, share: str) -> Fact:
        values = [share_text(getattr(losses, share)) for _, losses in known]
        return (text(code), *values, *[""] * (2 - len(values)))

    heads = [text("gui.headroom.at_scale", scale=numbers.grouped(int(factor))) for factor, _ in known]
    return [
        (text("gui.headroom.gradients"), *heads, *[""] * (2 - len(heads))),
        line("gui.headroom.become_zero", "vanishing_share"),
        line("gui.headroom.become_subnormal", "subnormal_share"),
    ]
