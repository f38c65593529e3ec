"""Logs of lines, of any form, as columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.formats.logs.columns import Part, part_of
from core.formats.logs.forms import begins_like_record, read_line
from core.formats.logs.layouts import Layout
from core.formats.logs.learning import learned
from core.formats.logs.lines import TextBlock
from core.formats.logs.record import LogRecord
from core.records.log_table import UnreadLine

_MOST_LAYOUTS = 24
_LINES_EACH = 100
"""Lines read by learned layouts that earn one more try to learn."""
LONGEST_SAMPLE = 200
_CLOSING = ("}", "|", "]")
"""Ends of lines that are no halves."""
_DIGITS = re.compile(r"[-+]?(?:[\d.]+(?:[eE][-+]?\d+)?|nan|inf)|\s+", re.I)


class ReadBlock(NamedTuple):
    """What the lines of one block say."""

    parts: list[Part]
    unread: list[UnreadLine]


class LineReader:
    """Reads blocks of lines in order, and learns the layouts of those it has read."""

    def __init__(
        self,
        parse: Callable[[str], LogRecord | None] = read_line,
        begins: Callable[[str], bool] = begins_like_record,
        learns: bool = True,
    ) -> None:
        self._parse = parse
        self._begins = begins
        self._layouts: list[Layout] = []
        self._tries = _MOST_LAYOUTS if learns else 0
        self._learns = learns
        self._bulk = 0
        self.shape = ""
        """What the last record's line looks like."""

    def read(self, block: TextBlock) -> ReadBlock:
        """Return the records of *block*, and the lines that begin like one and are none."""
        lines = block.lines
        parts: list[Part] = []
        rest: Sequence[int] = range(len(lines))
        if self._layouts and lines:
            self._layouts.sort(key=lambda layout: -layout.hits)
            for layout in self._layouts:
                layout.hits //= 2  # what was of use long ago is of less
            rest = self._in_bulk(self._layouts[0], lines, parts)
        hits: dict[Layout, tuple[list[int], list[tuple[str, ...]]]] = {}
        at: list[int] = []
        records: list[LogRecord] = []
        unread: list[UnreadLine] = []
        for index in rest:
            line = lines[index]
            for layout in self._layouts:
                if (groups := layout.match(line)) is not None:
                    places, rows = hits.setdefault(layout, ([], []))
                    places.append(index)
                    rows.append(groups)
                    break
            else:
                if (record := self._slow(line)) is not None:
                    at.append(index)
                    records.append(record)
                elif line and self._begins(line.strip()):
                    unread.append(UnreadLine(block.numbers[index], line.strip()[:LONGEST_SAMPLE]))
        parts += [layout.part(np.array(places), rows) for layout, (places, rows) in hits.items()]
        self._earn(sum(len(part.line) for part in parts))
        if records:
            parts.append(part_of(at, records))
        if parts:
            self.shape = shape_of(lines[max(int(part.line[-1]) for part in parts)])
        return ReadBlock(parts, unread)

    def is_whole(self, line: str) -> bool:
        """Whether *line*, the last one and without an end, looks as if it were no half of one."""
        return not self.shape or line.rstrip().endswith(_CLOSING) or shape_of(line) == self.shape

    def _in_bulk(self, layout: Layout, lines: list[str], parts: list[Part]) -> Sequence[int]:
        """Read *lines* by *layout*; return which of them look otherwise."""
        rows = layout.rows("\n".join(lines))
        if all(row[0] for row in rows):
            parts.append(layout.part(np.arange(len(rows)), rows))
            return ()
        found = [index for index, row in enumerate(rows) if row[0]]
        if found:
            parts.append(layout.part(np.array(found), [rows[index] for index in found]))
        return [index for index, row in enumerate(rows) if row[-1]]

    def _earn(self, lines: int) -> None:
        """Allow more tries to learn after *lines* more were read by what is learned."""
        if self._learns:
            self._bulk += lines
            self._tries = min(self._tries + self._bulk // _LINES_EACH, _MOST_LAYOUTS)
            self._bulk %= _LINES_EACH

    def _slow(self, line: str) -> LogRecord | None:
        clean = line.strip()
        record = self._parse(clean) if clean else None
        if record is None:
            return None
        if self._tries > 0:
            self._tries -= 1
            if (layout := learned(clean, record, self._parse)) is not None:
                self._layouts.append(layout)
                if len(self._layouts) > _MOST_LAYOUTS:
                    self._layouts.remove(min(self._layouts[:-1], key=lambda layout: layout.hits))
        return record


def shape_of(line: str) -> str:
    """Return *line* without its numbers and blanks."""
    return _DIGITS.sub("", line)
