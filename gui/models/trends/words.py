"""What the window says of cells and curves of trends, and what a spreadsheet gets."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.messages import text
from core.records.log_table import UNSAID
from core.records.trends import GridAxis
from gui import numbers
from gui.models.trends.scale import Special, difference_words
from gui.trends.grids import CellFacts, LayerCurve
from gui.trends.planes import Chosen

_DIGITS = 7


def value_words(value: float, there: bool, clipped: bool) -> str:
    """Return a value as it is read; what is not there is a dash, what was cut says so."""
    if not there:
        return "—"
    words = numbers.compact(value, _DIGITS)
    return text("gui.trends.cut", value=words) if clipped else words


def relative_words(cell: CellFacts) -> str:
    """Return the relative difference of a cell, or why there is none."""
    if not cell.in_target or not cell.in_golden:
        return "—"
    cut = cell.target_clipped or cell.golden_clipped
    if cut and math.isnan(cell.relative) and not (math.isnan(cell.target) or math.isnan(cell.golden)):
        return text("gui.trends.unknown")
    return difference_words(cell.relative)


def place_words(chosen: Chosen, place: int) -> str:
    """Return step and rank of a cell."""
    over_steps = chosen.axis is GridAxis.STEP
    step, rank = (place, chosen.at) if over_steps else (chosen.at, place)
    return text("gui.trends.place", step=numbers.grouped(step), rank=numbers.grouped(rank))


def cell_parts(cell: CellFacts, chosen: Chosen) -> list[tuple[str, str]]:
    """Return what stands in a cell, as names and values."""
    parts = [
        (
            text("gui.trends.side.target"),
            value_words(cell.target, cell.in_target, cell.target_clipped),
        )
    ]
    if chosen.golden is not None:
        golden = value_words(cell.golden, cell.in_golden, cell.golden_clipped)
        parts += [
            (text("gui.trends.side.golden"), golden),
            (text("gui.trends.side.difference"), relative_words(cell)),
        ]
    if cell.micro_step != UNSAID:
        parts.append((text("gui.trends.micro_step"), numbers.grouped(cell.micro_step)))
    return parts


def special_words(special: Special) -> str:
    """Return what a colour or hatching means."""
    return text(f"gui.trends.special.{special.name.lower()}")


def curve_as_tsv(curve: LayerCurve, chosen: Chosen) -> str:
    """Return a layer's numbers for a spreadsheet, with headings."""
    found: dict[int, list[str]] = {}
    tracks = [curve.target, curve.golden, curve.relative]
    for number, track in enumerate(tracks):
        if track is not None:
            for x, y in zip(track.x.tolist(), track.y.tolist()):
                found.setdefault(int(x), ["", "", ""])[number] = repr(y)
    used = [number for number, track in enumerate(tracks) if track is not None]
    titles = [text(f"gui.trends.side.{name}") for name in ("target", "golden", "difference")]
    head = [text(f"gui.trends.axis.{chosen.axis.value}.one"), *(titles[number] for number in used)]
    lines = [f"{curve.layer}\t{chosen.metric}", "\t".join(head)]
    lines += [
        "\t".join((str(int(curve.places[column])), *(cells[number] for number in used)))
        for column, cells in sorted(found.items())
    ]
    return "\n".join(lines) + "\n"


def telling_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Return *names* without the dotted parts that all of them begin with, and end with."""
    if len(names) < 2:
        return tuple(names)
    split = [name.split(".") for name in names]
    most = min(map(len, split)) - 1
    first, last = min(split), max(split)
    head = next((at for at in range(most) if first[at] != last[at]), most)
    turned = [parts[::-1] for parts in split]
    first, last = min(turned), max(turned)
    tail = next((at for at in range(most - head) if first[at] != last[at]), most - head)
    return tuple(".".join(parts[head : len(parts) - tail]) for parts in split)
