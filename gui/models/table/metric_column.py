"""Columns over the rows of a cell: how to make one of words, numbers, counts or codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TypeVarTuple

import numpy as np

from core.messages import text
from core.records.result import CellResult, Evidence, Origin, Reason
from gui import numbers
from gui.models.pair.facts import Facts
from gui.models.table.table_column import Face, TableColumn

Source = TypeVarTuple("Source")


@dataclass(frozen=True)
class ExplainedColumn(TableColumn[*Source]):
    """A column whose heading tells what it is, how it comes about, and what it hides."""

    hides: bool = False
    """Whether there is something that this number alone does not show."""

    @property
    def title(self) -> str:
        return text(f"gui.column.{self.key}")

    @property
    def help(self) -> str:
        """What the column tells, as rich text, which wraps in a tool tip."""
        parts = [f"<b>{escape(self.title)}</b>", escape(text(f"gui.column.{self.key}.help"))]
        if self.hides:
            parts.append(f"<i>{escape(text(f'gui.column.{self.key}.hides'))}</i>")
        return "".join(f"<p>{part}</p>" for part in parts)


class Column(ExplainedColumn[CellResult, Facts]):
    """A column of the metric table."""


Values = Callable[[CellResult, Facts], np.ndarray]
"""Returns one value a row."""
Taken = Callable[[CellResult, Facts, np.ndarray], np.ndarray]
"""Returns the values of some rows."""


def of_numbers(
    key: str,
    width: int,
    take: Taken,
    show: Callable[[float], str],
    largest_first: bool = True,
    hides: bool = False,
) -> Column:
    """Return a column of numbers, NaN where one is not known or not defined."""

    def sort(cell: CellResult, facts: Facts) -> np.ndarray:
        return take(cell, facts, np.arange(len(facts)))

    def shown(cell: CellResult, facts: Facts, row: int) -> str:
        value = float(take(cell, facts, np.array([row]))[0])
        return "" if np.isnan(value) else show(value)

    def many(cell: CellResult, facts: Facts, rows: np.ndarray) -> list[str]:
        return ["" if value != value else repr(value) for value in take(cell, facts, rows).tolist()]

    return Column(key, Face.NUMBER, width, sort, shown, _one_of(many), largest_first, many, hides)


def of_words(key: str, words: str, column: str, face: Face, width: int) -> Column:
    """Return the column of the ids *column* of facts into their *words*."""

    def sort(_cell: CellResult, facts: Facts) -> np.ndarray:
        place: np.ndarray = getattr(facts, words).place[getattr(facts, column)]
        return place

    def show(_cell: CellResult, facts: Facts, row: int) -> str:
        shown: str = getattr(facts, words)[int(getattr(facts, column)[row])]
        return shown

    def many(_cell: CellResult, facts: Facts, rows: np.ndarray) -> list[str]:
        return spelled(getattr(facts, column)[rows], getattr(facts, words).__getitem__)

    return Column(key, face, width, sort, show, show, plain_many=many)


def of_metric(
    key: str,
    width: int,
    show: Callable[[float], str],
    largest_first: bool = True,
    hides: bool = True,
) -> Column:
    """Return the column of a metric of the same name."""

    def take(cell: CellResult, _facts: Facts, rows: np.ndarray) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)[rows]
        return values

    return of_numbers(key, width, take, show, largest_first, hides)


def of_counts(key: str, width: int, largest_first: bool = True) -> Column:
    """Return the column of a count of the same name; -1 is not known."""

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)
        return np.where(values < 0, np.nan, values)

    def shown(cell: CellResult, _facts: Facts, row: int) -> str:
        value = int(getattr(cell.rows, key)[row])
        return "" if value < 0 else numbers.grouped(value)

    def many(cell: CellResult, _facts: Facts, rows: np.ndarray) -> list[str]:
        return ["" if value < 0 else str(value) for value in getattr(cell.rows, key)[rows].tolist()]

    return Column(key, Face.NUMBER, width, sort, shown, _one_of(many), largest_first, many)


def of_codes(
    key: str,
    kind: type[Reason] | type[Evidence] | type[Origin],
    face: Face,
    width: int,
    silent: Reason | Origin | None = None,
) -> Column:
    """Return the column of an enumeration; *silent* is the member that reads as nothing."""

    def word(code: int) -> str:
        member = kind(code)
        return "" if member is silent else text(f"{key}.{member.name.lower()}")

    def sort(cell: CellResult, _facts: Facts) -> np.ndarray:
        values: np.ndarray = getattr(cell.rows, key)
        return values

    def show(cell: CellResult, _facts: Facts, row: int) -> str:
        return word(int(getattr(cell.rows, key)[row]))

    def many(cell: CellResult, _facts: Facts, rows: np.ndarray) -> list[str]:
        return spelled(getattr(cell.rows, key)[rows], word)

    return Column(key, face, width, sort, show, show, plain_many=many)


def spelled(codes: np.ndarray, word: Callable[[int], str]) -> list[str]:
    """Return the word of each of *codes*; each different one is asked for once."""
    different, inverse = np.unique(codes, return_inverse=True)
    words = [word(code) for code in different.tolist()]
    return [words[at] for at in inverse.tolist()]


def _one_of(many: Callable[[CellResult, Facts, np.ndarray], list[str]]) -> Callable[..., str]:
    def plain(cell: CellResult, facts: Facts, row: int) -> str:
        return many(cell, facts, np.array([row]))[0]

    return plain
