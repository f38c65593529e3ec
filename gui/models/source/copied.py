"""Rows of two files as text, as ``diff -u`` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.precheck.source.records import FileDifference
from gui.models.source.rows import ShownRows


def as_difference(rows: ShownRows, chosen: Iterable[int]) -> str:
    """Return the rows on show *chosen*: ``-`` before lines of the golden, ``+`` before lines of the target.

    Rows that do not count are written once, as the target has them.
    """
    difference = rows.difference
    lines = [f"--- {difference.golden.path}", f"+++ {difference.target.path}"]
    run: tuple[list[str], list[str]] = ([], [])
    for at in chosen:
        row = rows.row(at)
        if row < 0:
            lines += [*_emptied(run), f"@@ {rows.hidden[at]} @@"]
            continue
        target, golden = (_line(difference, row, golden) for golden in (False, True))
        if rows.marks[at]:
            run[0].extend(() if golden is None else (f"-{golden}",))
            run[1].extend(() if target is None else (f"+{target}",))
        else:
            lines += [*_emptied(run), f" {golden if target is None else target}"]
    return "\n".join([*lines, *_emptied(run)]) + "\n"


def _emptied(run: tuple[list[str], list[str]]) -> Iterator[str]:
    for part in run:
        yield from part
        part.clear()


def _line(difference: FileDifference, row: int, golden: bool) -> str | None:
    lines, text = (
        (difference.golden_line, difference.golden) if golden else (difference.target_line, difference.target)
    )
    return text.lines[line] if (line := int(lines[row])) >= 0 else None
