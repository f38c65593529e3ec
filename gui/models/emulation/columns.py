"""The columns of the emulation's table: how each sorts and reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.messages import text
from core.records.emulation import GoldenVerdict
from gui import numbers
from gui.models.emulation.calls import GOLDENS, VERDICTS, EmulatedCalls
from gui.models.emulation.words import (
    golden_word,
    reason_text,
    setting_text,
    share_text,
    ulp_text,
    verdict_word,
)
from gui.models.pair.suspects import cell_label
from gui.models.table.table_column import Face, TableColumn

_GOLDEN_BADNESS = np.array(
    [
        {GoldenVerdict.WRONG: 2, GoldenVerdict.RIGHT: 1, GoldenVerdict.UNKNOWN: 0}[verdict]
        for verdict in GOLDENS
    ],
    np.int64,
)


class CallColumn(TableColumn[EmulatedCalls]):
    """A column of the table of calls."""

    @property
    def title(self) -> str:
        return text(f"gui.emulation.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.emulation.column.{self.key}.help")


def _number(key: str, width: int, write: Callable[[float], str], largest: bool = True) -> CallColumn:
    def sort(calls: EmulatedCalls) -> np.ndarray:
        values: np.ndarray = getattr(calls, key)
        return values

    def show(calls: EmulatedCalls, row: int) -> str:
        return write(float(getattr(calls, key)[row]))

    def plain(calls: EmulatedCalls, row: int) -> str:
        value = float(getattr(calls, key)[row])
        return "" if value != value else repr(value)

    return CallColumn(key, Face.NUMBER, width, sort, show, plain, largest)


def _badness(calls: EmulatedCalls) -> np.ndarray:
    return calls.badness


def _name(calls: EmulatedCalls, row: int) -> str:
    return calls.names[int(calls.name[row])]


def _name_order(calls: EmulatedCalls) -> np.ndarray:
    found: np.ndarray = calls.names.place[calls.name]
    return found


def _verdict(calls: EmulatedCalls, row: int) -> str:
    return verdict_word(VERDICTS[int(calls.verdict[row])])


def _golden(calls: EmulatedCalls, row: int) -> str:
    verdict = GOLDENS[int(calls.golden[row])]
    return "" if verdict is GoldenVerdict.UNKNOWN else golden_word(verdict)


def _remark(calls: EmulatedCalls, row: int) -> str:
    """Return the setting that comes closest, or why the call was not replayed."""
    if calls.reason[row] >= 0:
        return reason_text(calls.reasons[int(calls.reason[row])], calls.details[int(calls.detail[row])])
    return setting_text(calls.settings[int(calls.closest[row])])


def _cell(calls: EmulatedCalls, row: int) -> str:
    return cell_label(calls.cells[int(calls.cell[row])])


def _short_cell(calls: EmulatedCalls, row: int) -> str:
    key = calls.cells[int(calls.cell[row])]
    return " · ".join(part for part in (key.phase, str(key.step), str(key.rank)) if part)


def _place(_calls: EmulatedCalls, row: int) -> str:
    return numbers.grouped(row + 1)


def _plain_place(_calls: EmulatedCalls, row: int) -> str:
    return str(row + 1)


def _execution(calls: EmulatedCalls) -> np.ndarray:
    return np.arange(len(calls))


def _golden_badness(calls: EmulatedCalls) -> np.ndarray:
    found: np.ndarray = _GOLDEN_BADNESS[calls.golden]
    return found


def _remark_order(calls: EmulatedCalls) -> np.ndarray:
    """Return the key by which reasons come after settings, and calls without either last."""
    keys = np.where(calls.closest >= 0, calls.settings.place[calls.closest].astype(np.float64), np.nan)
    after = len(calls.settings.texts) + calls.reasons.place[calls.reason].astype(np.float64)
    return np.where(calls.reason >= 0, after, keys)


def _cells(calls: EmulatedCalls) -> np.ndarray:
    return calls.cell


CALL_COLUMNS: tuple[CallColumn, ...] = (
    CallColumn("place", Face.NUMBER, 58, _execution, _place, _plain_place),
    CallColumn("operator", Face.OPERATOR, 300, _name_order, _name, _name),
    CallColumn("cell", Face.DIM, 84, _cells, _short_cell, _cell),
    CallColumn("verdict", Face.VERDICT, 160, _badness, _verdict, _verdict, True),
    _number("share", 82, share_text, largest=False),
    _number("profile", 92, ulp_text),
    _number("reference", 98, ulp_text),
    _number("control", 84, ulp_text),
    CallColumn("golden", Face.TEXT, 66, _golden_badness, _golden, _golden, True),
    _number("cancellation", 98, ulp_text),
    CallColumn("remark", Face.DIM, 124, _remark_order, _remark, _remark),
)
"""In their order from left to right."""
PLACE_OF = {column.key: number for number, column in enumerate(CALL_COLUMNS)}
"""Where each column of :data:`CALL_COLUMNS` is, by its key."""
