"""The result of a comparison on one screen: counts, and the first rows that need a look."""

from __future__ import annotations

import numpy as np

from core.cli.console import table
from core.messages import text
from core.records.result import CellResult, Evidence, Reason, Verdict
from core.report.json_report import counts_of, slot_name

_WORST_FIRST = sorted(Verdict, reverse=True)


def summary(cells: list[CellResult], *, limit: int = 10) -> str:
    """Return counts by verdict, then the first *limit* rows in execution order that are not good."""
    counts = counts_of(cells)
    total = sum(counts.values())
    lines = [
        table(
            [
                (text(f"verdict.{verdict.name.lower()}"), f"{counts[verdict.name.lower()]:,}")
                for verdict in _WORST_FIRST
            ]
            + [(text("cli.summary.total"), f"{total:,}")],
            right=(1,),
        )
    ]
    if limit and (rows := _first_rows(cells, limit)):
        heads = ("operator", "slot", "verdict", "error", "allowed", "evidence", "reason")
        lines += [
            "",
            text("cli.summary.first"),
            table([tuple(text(f"column.{head}") for head in heads), *rows], right=(3, 4)),
        ]
    return "\n".join(lines)


def _first_rows(cells: list[CellResult], limit: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    several = len(cells) > 1
    for cell in cells:
        bad = np.flatnonzero(cell.rows.verdict >= Verdict.GOLDEN_INVALID)
        for index in bad[: limit - len(rows)].tolist():
            table_row = cell.rows
            operator = int(table_row.target_operator[index])
            slots = int(table_row.target_slot[index]), int(table_row.golden_slot[index])
            name = cell.target.operator_name(operator)
            rows.append(
                (
                    f"{cell.key.label()} {name}" if several else name,
                    slot_name(cell, *slots) or "",
                    text(f"verdict.{Verdict(int(table_row.verdict[index])).name.lower()}"),
                    _number(float(table_row.error[index])),
                    _number(float(table_row.allowed[index])),
                    text(f"evidence.{Evidence(int(table_row.evidence[index])).name.lower()}"),
                    text(f"reason.{Reason(int(table_row.reason[index])).name.lower()}"),
                )
            )
    return rows


def _number(value: float) -> str:
    return "" if value != value else f"{value:.3g}"
