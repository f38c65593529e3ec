"""The card with the picture of exponents over the calls."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolButton, QToolTip

from core.dtypes import DTYPES
from core.messages import text
from core.records.headroom import FIRST_EXPONENT
from gui import numbers
from gui.context import Context
from gui.headroom.state import HeadroomState
from gui.looks.icons import icon
from gui.models.headroom.columns import ROOM_COLUMNS, call_name, dtype_name, share_text, slot_name
from gui.models.headroom.picture import RangePicture, range_picture
from gui.names import shown
from gui.views.headroom.canvas import RangeCanvas
from gui.views.headroom.legend import RangeLegend
from gui.views.headroom.painter import Limit
from gui.widgets.card import Card
from gui.widgets.powers import power_of_two
from gui.widgets.translated import Translated

_NAMED = 5
"""Slots of a column that its tip names."""
_SHOWN = {column.key: column.show for column in ROOM_COLUMNS}


def limits_of_format(name: str) -> tuple[Limit, ...]:
    """Return the limits of the number format *name*, the highest first."""
    form = DTYPES[name]
    # powers of two: their exponents stand in the lengths of numerator and denominator
    top = form.maximum.as_integer_ratio()[0].bit_length()
    normal, subnormal = (
        1 - value.as_integer_ratio()[1].bit_length()
        for value in (form.smallest_normal, form.smallest_subnormal)
    )
    largest = numbers.grouped(int(form.maximum)) if form.maximum < 1e9 else numbers.compact(form.maximum, 4)
    return (
        Limit(top, text("gui.headroom.limit.overflow"), largest, "introduces", True, 0.10),
        Limit(normal, text("gui.headroom.limit.normal"), "", "inherited", False, 0.08),
        Limit(subnormal, text("gui.headroom.limit.subnormal"), "", "inherited", False, 0.14),
    )


class PictureCard(Translated, Card):
    """Picture, legend, and a button to see all of it."""

    entered_on = Signal()

    def __init__(self, context: Context, state: HeadroomState) -> None:
        super().__init__()
        self._session, self._theme, self._state = context.session, context.theme, state
        self.canvas = RangeCanvas(context.theme)
        self.legend = RangeLegend(context.theme)
        self._fit = QToolButton()
        self._fit.setAutoRaise(True)
        for widget in (self.legend, self._fit):
            self.header.add(widget)
        self.body.addWidget(self.canvas, 1)
        self.body.setContentsMargins(6, 4, 6, 4)
        self._fit.clicked.connect(self.canvas.fit)
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.canvas.stepped.connect(self._step)
        self.canvas.entered_on.connect(self.entered_on)
        state.changed.connect(self._load)
        state.row_changed.connect(self._mark)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self._load()

    @property
    def picture(self) -> RangePicture | None:
        """What is drawn."""
        return self.canvas.scene.picture

    def _load(self) -> None:
        room, cell = self._state.room, self._session.cell
        if room is None or cell is None:
            self.canvas.show_picture(None, ())
            return
        limits = limits_of_format(room.headroom.format)
        ends = limits[-1].exponent - 1, limits[0].exponent + 1
        made = range_picture(room.picture, room.headroom.rows, cell.target, ends)
        self.canvas.show_picture(made, limits)
        self.legend.set_kinds(bool(made.read.any()), not made.read.all(), bool(made.special.any()))
        self._mark()
        self._heading()

    def _mark(self) -> None:
        room, picture = self._state.room, self.picture
        if room is None or picture is None or self._state.row < 0:
            self.canvas.mark(-1)
            return
        column = picture.column_of(int(room.headroom.rows.operator[self._state.row]))
        self.canvas.mark(column)
        self.canvas.setAccessibleDescription(self._told(column, None) if column >= 0 else "")

    # ---- pointing and choosing

    def _choose(self, column: int) -> None:
        """Look at the slot of *column* with the least room."""
        room, picture = self._state.room, self.picture
        if room is None or picture is None:
            return
        found = picture.rows_of(column, room.headroom.rows)
        bits = room.headroom.rows.headroom
        known = [row for row in found if bits[row] == bits[row]]
        if found:
            self._state.choose(min(known, key=lambda row: float(bits[row])) if known else found[0])

    def _step(self, forward: bool) -> None:
        picture = self.picture
        if picture is not None and picture.columns:
            at = self.canvas.marked + (1 if forward else -1)
            self._choose(min(max(at, 0), picture.columns - 1))

    def _point(self, column: int, exponent: float) -> None:
        if column < 0:
            QToolTip.hideText()
            return
        QToolTip.showText(QCursor.pos() + QPoint(12, 8), self._told(column, exponent), self.canvas)

    def tip(self, column: int, exponent: float) -> str:
        """Return what is said of a point of the picture."""
        return self._told(column, exponent)

    def _told(self, column: int, exponent: float | None) -> str:
        room, picture, cell = self._state.room, self.picture, self._session.cell
        if room is None or picture is None or cell is None:
            return ""
        rows, dump = room.headroom.rows, cell.target
        mine = picture.rows_of(column, rows)
        calls = sorted({int(rows.operator[row]) for row in mine})
        lines = [shown(call_name(rows, dump, mine[0]))]
        if len(calls) > 1:
            lines.append(
                text("gui.headroom.tip.to", name=shown(call_name(rows, dump, mine[-1])), count=len(calls))
            )
        for row in mine[:_NAMED]:
            parts = shown(slot_name(rows, dump, row)), dtype_name(rows, dump, row)
            lines.append(
                text(
                    "gui.headroom.tip.slot",
                    slot="  ".join(parts),
                    largest=_SHOWN["largest"](rows, dump, row),
                    bits=_SHOWN["bits"](rows, dump, row),
                )
            )
        if len(mine) > _NAMED:
            lines.append(text("gui.headroom.tip.more", count=len(mine) - _NAMED))
        if picture.special[column]:
            lines.append(text("gui.headroom.tip.special"))
        if exponent is not None:
            lines.append(self._share(picture, column, exponent))
        return "\n".join(lines)

    @staticmethod
    def _share(picture: RangePicture, column: int, exponent: float) -> str:
        line = int(exponent // 1)
        inside = 0 <= line - FIRST_EXPONENT < picture.shares.shape[0]
        share = float(picture.shares[line - FIRST_EXPONENT, column]) if inside else 0.0
        ends = {"low": power_of_two(line), "high": power_of_two(line + 1)}
        if share == 0:
            return text("gui.headroom.tip.none", **ends)
        if not picture.read[column]:
            return text("gui.headroom.tip.statistics", **ends)
        return text("gui.headroom.tip.share", share=share_text(share), **ends)

    # ---- looks

    def _heading(self) -> None:
        room = self._state.room
        subtitle = text("gui.headroom.picture.subtitle")
        if room is not None:
            counts = {name: numbers.grouped(room.counts[name]) for name in ("slots", "read")}
            subtitle = text("gui.headroom.picture.counts", **counts)
        self.set_title(text("gui.headroom.picture"), subtitle)

    def _restyle(self) -> None:
        self._fit.setIcon(icon("fit", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._fit.setToolTip(text("gui.trajectory.fit"))
        self._fit.setAccessibleName(text("gui.trajectory.fit"))
        self.canvas.setAccessibleName(text("gui.headroom.picture"))
        room = self._state.room
        if room is not None:
            self.canvas.scene.limits = limits_of_format(room.headroom.format)
            self.canvas.rename()
        self._heading()
