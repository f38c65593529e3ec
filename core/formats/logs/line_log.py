"""Logs of lines, of any form, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.formats.logs import printed
from core.formats.logs.columns import Part, part_of
from core.formats.logs.damage import LONGEST_SAMPLE, Torn, is_beginning, is_cut
from core.formats.logs.forms import begins_like_record, read_line
from core.formats.logs.headings import Headings
from core.formats.logs.layouts import Layout
from core.formats.logs.learning import learned
from core.formats.logs.lines import TextBlock
from core.formats.logs.record import LogRecord
from core.records.log_table import UnreadLine

_MOST_LAYOUTS = 24
_LINES_EACH = 100
"""Lines read by learned layouts that earn one more try to learn."""


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
        self._headings = Headings()
        self.sample = ""
        """The line of the last record."""

    @property
    def heading(self) -> str:
        """The line that names the epoch of those after it."""
        return self._headings.heading

    def go_on(self, sample: str, heading: str) -> None:
        """Read on after these lines."""
        self.sample, self._headings.heading = sample, heading

    def read(self, block: TextBlock) -> ReadBlock:
        """Return the records of *block*, and the lines that begin like one and are none."""
        text = "\n".join(block.lines)
        lines = self._headings.joined(block.lines, text)
        parts: list[Part] = []
        rest: Sequence[int] = range(len(lines))
        if self._layouts and lines:
            self._layouts.sort(key=lambda layout: -layout.hits)
            for layout in self._layouts:
                layout.hits //= 2  # what was of use long ago is of less
            text = text if lines is block.lines else "\n".join(lines)
            rest = self._in_bulk(self._layouts[0], text, parts)
        hits: dict[Layout, tuple[list[int], list[tuple[str, ...]]]] = {}
        at: list[int] = []
        records: list[LogRecord] = []
        left: list[int] = []
        for index in rest:
            line = lines[index]
            for layout in self._layouts:
                if (groups := layout.match(line)) is not None:
                    places, rows = hits.setdefault(layout, ([], []))
                    places.append(index)
                    rows.append(groups)
                    break
            else:
                record = self._slow(line)
                if record is None or record.form == printed.BARE:
                    left.append(index)
                if record is not None:
                    at.append(index)
                    records.append(record)
        parts += [layout.part(np.array(places), rows) for layout, (places, rows) in hits.items()]
        self._earn(sum(len(part.line) for part in parts))
        unread = self._unread(block, lines, left, at, records, parts)
        if records:
            parts.append(part_of(at, records))
        return ReadBlock(parts, unread)

    def _unread(
        self, block: TextBlock, lines: list[str], left: list[int], at: list[int], records: list[LogRecord],
        parts: list[Part],
    ) -> list[UnreadLine]:  # fmt: skip
        """Return those of the lines *left* that are damaged records; take torn ones out of *records*."""
        bare = {index for index, record in zip(at, records) if record.form == printed.BARE}
        said = [int(part.line[-1]) for part in parts] + [index for index in at[-1:] if index not in bare]
        if said or not self.sample:
            self.sample = lines[max(said or at)] if said or at else ""
        torn = Torn(self.sample)
        unread: list[UnreadLine] = []
        lost: set[int] = set()
        for index in left:
            if not (line := lines[index]):
                continue
            if halves := torn.halves(line, block.numbers[index]):
                unread += halves
                lost.add(index)
            if index not in bare and self._begins(line.strip()):
                unread.append(UnreadLine(block.numbers[index], block.lines[index].strip()[:LONGEST_SAMPLE]))
        if lost & bare:
            records[:] = [record for index, record in zip(at, records) if index not in lost]
            at[:] = [index for index in at if index not in lost]
        return sorted(set(unread))

    def is_whole(self, line: str) -> bool:
        """Whether *line*, the last one and without an end, looks as if it were no half of one."""
        return not is_cut(line, self.sample)

    def looks_like_record(self, line: str) -> bool:
        """Whether *line* is a record, or begins like one."""
        clean = line.strip()
        if not clean:
            return False
        return is_beginning(clean, self.sample) or self._parse(clean) is not None or self._begins(clean)

    def _in_bulk(self, layout: Layout, text: str, parts: list[Part]) -> Sequence[int]:
        """Read the lines of *text* by *layout*; return which of them look otherwise."""
        rows = layout.rows(text)
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
