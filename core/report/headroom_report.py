"""Headroom and loss scale as JSON and as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.messages import render, text
from core.overflow.headroom.measuring import tightest
from core.records.columns import Float64, Int64
from core.records.dump import Dump
from core.records.headroom import NO_EXPONENT, Answer, Headroom, HeadroomTable, Losses, LossScale, Role
from core.records.names import Direction
from core.records.overflow import Special
from core.records.result import Evidence
from core.report.json_report import json_safe

_FATES = ("overflow", "vanishing", "subnormal")
_SHARE_DIGITS = 3


def headroom_as_json(headroom: Headroom, dump: Dump, rows: Int64 | None = None) -> dict[str, Any]:
    """Return *headroom* of *dump* as plain values.

    Parameters
    ----------
    rows
        Which rows of the table, in which order; default all, in execution order. What is not known is null.
    """
    chosen = np.arange(len(headroom.rows)) if rows is None else rows
    return {
        "step": headroom.key.step,
        "rank": headroom.key.rank,
        "phase": headroom.key.phase,
        "format": headroom.format,
        "counts": counts_of(headroom),
        "rows": [_row(headroom.rows, row, dump) for row in chosen.tolist()],
        "problems": [problem.sentence() for problem in headroom.problems],
    }


def counts_of(headroom: Headroom) -> dict[str, int]:
    """Return how many slots there are, by what happens to them and how much is known."""
    rows = headroom.rows

    def number(where: NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(where))

    counts = {"slots": len(rows), "read": number(rows.evidence == Evidence.FULL)}
    counts["not_finite"] = number(rows.special != 0)
    counts["infinite"] = number((rows.special & (Special.PLUS_INF | Special.MINUS_INF)) != 0)
    for name in _FATES:
        answers = getattr(rows, name)
        counts[name] = number(answers >= Answer.SOME)
        counts[f"{name}_unknown"] = number(answers == Answer.UNKNOWN)
    return counts


def headroom_as_text(headroom: Headroom, dump: Dump, first: int = 10) -> list[str]:
    """Return a summary, and the *first* slots with the least room, as lines for the console."""
    counts = counts_of(headroom)
    lines = [
        text(
            "headroom.summary",
            count=counts["overflow"],
            slots=counts["slots"],
            format=headroom.format,
            unknown=counts["overflow_unknown"],
        ),
        text("headroom.lost", vanishing=counts["vanishing"], subnormal=counts["subnormal"],
             unknown=counts["vanishing_unknown"]),
    ]  # fmt: skip
    if counts["not_finite"]:
        lines.append(text("headroom.not_finite", count=counts["not_finite"]))
    cells = [tuple(text(f"headroom.column.{name}") for name in _COLUMNS)]
    cells += [_cells(headroom.rows, row, dump) for row in tightest(headroom, first).tolist()]
    if len(cells) > 1:
        widths = [max(map(len, column)) for column in zip(*cells)]
        for line in cells:
            lines.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    return [*lines, *(problem.sentence() for problem in headroom.problems)]


def loss_scale_as_json(scale: LossScale) -> dict[str, Any]:
    """Return *scale* as plain values."""
    largest = None
    if scale.largest is not None:
        key = scale.largest.key
        largest = {
            "step": key.step,
            "rank": key.rank,
            "phase": key.phase,
            "operator": scale.largest.operator,
            "slot": scale.largest.slot,
            "magnitude": scale.largest.magnitude,
        }
    return {
        "format": scale.format,
        "scale": _known(scale.scale),
        "exponent": scale.exponent,
        "largest_gradient": largest,
        "gradients": {"slots": scale.slots, "known": scale.known, "read": scale.read},
        "loss_gradient": _known(scale.loss_gradient),
        "at_scale_1": _losses(scale.at_one),
        "at_scale": _losses(scale.at_scale),
        "remarks": [render(remark) for remark in scale.remarks],
    }


def loss_scale_as_text(scale: LossScale) -> list[str]:
    """Return *scale* as lines for the console."""
    lines = [render(remark) for remark in scale.remarks]
    scaled = scale.at_scale if scale.exponent else None
    for losses, factor in ((scale.at_one, 1.0), (scaled, scale.scale)):
        if losses is not None:
            lines.append(
                text(
                    "loss_scale.losses",
                    scale=factor,
                    vanishing=losses.vanishing_share,
                    subnormal=losses.subnormal_share,
                )
            )
    return lines


def _row(rows: HeadroomTable, row: int, dump: Dump) -> dict[str, Any]:
    top, histogram = int(rows.top[row]), int(rows.histogram[row])
    made: dict[str, Any] = {
        "operator": dump.operator_name(int(rows.operator[row])),
        "slot": dump.slot_name(int(rows.slot[row])),
        "direction": Direction(int(rows.direction[row])).name.lower(),
        "role": Role(int(rows.role[row])).name.lower(),
        "dtype": dump.dtype(int(rows.slot[row])),
        "evidence": Evidence(int(rows.evidence[row])).name.lower(),
        "special": Special(int(rows.special[row])).words,
        "count": _counted(rows.count, row),
        "largest": _known(float(rows.peak[row])),
        "top_exponent": None if top == NO_EXPONENT else top,
        "rms_exponent": _known(float(rows.rms[row])),
        "headroom_bits": _known(float(rows.headroom[row])),
    }
    for name in _FATES:
        made[name] = Answer(int(getattr(rows, name)[row])).name.lower()
        made[f"{name}_share"] = _known(float(_shares(rows, name)[row]))
    made["overflow_at_most"] = _known(float(rows.overflow_at_most[row]))
    if histogram >= 0:
        made.update(zeros=_counted(rows.zeros, row), nan=_counted(rows.nan, row))
        made["infinite"] = _counted(rows.infinite, row)
    return made


_COLUMNS = ("operator", "slot", "bits", "largest", "overflow", "vanishing", "subnormal", "evidence")


def _cells(rows: HeadroomTable, row: int, dump: Dump) -> tuple[str, ...]:
    return (
        dump.operator_name(int(rows.operator[row])),
        dump.slot_name(int(rows.slot[row])),
        f"{rows.headroom[row]:.1f}",
        f"{rows.peak[row]:.4g}",
        *(fate_words(rows, row, name) for name in _FATES),
        text(f"evidence.{Evidence(int(rows.evidence[row])).name.lower()}"),
    )


def fate_words(rows: HeadroomTable, row: int, name: str) -> str:
    """Return how much of a slot meets a fate, as far as it is known."""
    share = float(_shares(rows, name)[row])
    if (
        name == "overflow"
        and not share > 0
        and int(rows.special[row]) & (Special.PLUS_INF | Special.MINUS_INF)
    ):
        infinite = int(rows.infinite[row])
        if infinite < 0:
            return text("headroom.infinite.some")
        return text("headroom.infinite", count=infinite, infinite=infinite)
    if share == share:
        return "0" if share == 0 else f"{share:.{_SHARE_DIGITS}%}"
    answer = Answer(int(getattr(rows, name)[row]))
    if answer is Answer.SOME and name == "overflow" and rows.overflow_at_most[row] < 1:
        return f"≤ {rows.overflow_at_most[row]:.{_SHARE_DIGITS}%}"
    return text(f"headroom.answer.{answer.name.lower()}")


def _shares(rows: HeadroomTable, name: str) -> Float64:
    return rows.share(getattr(rows, f"{name}_count"))


def _counted(column: Int64, row: int) -> int | None:
    return int(column[row]) if column[row] >= 0 else None


def _known(value: float) -> float | str | None:
    """Return *value* for JSON; NaN stands for what is not known."""
    return None if value != value else json_safe(value)


def _losses(losses: Losses | None) -> dict[str, Any] | None:
    if losses is None:
        return None
    return {
        "nonzero": losses.nonzero,
        "vanishing": losses.vanishing,
        "vanishing_share": losses.vanishing_share,
        "subnormal": losses.subnormal,
        "subnormal_share": losses.subnormal_share,
    }
