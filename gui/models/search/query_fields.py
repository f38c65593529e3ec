"""The fields of the query language, one entry each: ``name:value`` as a mask over rows. Imports no Qt."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fnmatch import translate

import numpy as np

from core.dtypes import dtype_named
from core.messages import Message
from core.records.columns import Int32
from core.records.dump import Dump
from core.records.names import Direction
from core.records.result import CellResult, RowTable
from gui.models.pair.categories import Category, verdict_named, verdict_words
from gui.models.pair.facts import Facts, Words, shape_label
from gui.models.pair.remarks import noted, rows_noted
from gui.models.search.stack_search import stacks_holding
from gui.models.search.text_search import texts_holding

Fits = Callable[[str, RowTable, Facts, CellResult], np.ndarray]
_OFFERED_TYPES = 50


def _accepts_all(_value: str) -> Message | None:
    return None


def _offers_nothing(_facts: Facts) -> list[str]:
    return []


@dataclass(frozen=True)
class Field:
    """What one field means; the catalogue explains it as ``gui.query.field.<name>``."""

    fits: Fits
    """The rows that fit one value, which is in lower case and without quotes."""
    check: Callable[[str], Message | None] = _accepts_all
    """What is wrong with a value, ``None`` if nothing is."""
    offers: Callable[[Facts], list[str]] = _offers_nothing
    """The values to offer for a cell, in this order."""


def in_categories(facts: Facts, wanted: Collection[Category]) -> np.ndarray:
    """Return which rows are in one of the *wanted* categories."""
    table = np.zeros(len(Category), bool)
    table[list(wanted)] = True
    return table[facts.category]


def _by_word(words: Words, fits: Callable[[str], bool], *columns: np.ndarray) -> np.ndarray:
    """Return the rows one of whose *columns* holds a word that *fits*; -1 never does."""
    table = np.zeros(len(words.texts) + 1, bool)
    table[:-1] = [fits(text) for text in words.texts]
    result = table[columns[0]]
    for column in columns[1:]:
        result = result | table[column]
    return result


def _one_of(*known: str) -> Callable[[str], Message | None]:
    def check(value: str) -> Message | None:
        if value in known:
            return None
        return Message("gui.filter.error.word", {"term": value, "known": ", ".join(known)})

    return check


# ---- verdict


def _verdict(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    return in_categories(facts, verdict_named(value))


def _check_verdict(value: str) -> Message | None:
    if verdict_named(value):
        return None
    known = ", ".join(f'"{word}"' if " " in word else word for word in verdict_words())
    return Message("gui.filter.error.verdict", {"term": value, "known": known})


# ---- dtype and shape


def _dtype(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    known = dtype_named(value)
    name = known.name if known else ""
    return _by_word(
        facts.dtypes,
        lambda text: text == name or (not name and value in text.lower()),
        facts.dtype,
        facts.golden_dtype,
    )


def _shape(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    value = value.removeprefix("torch.size")
    if value.strip("()[] ") == "" and value:
        return _by_word(facts.shapes, lambda text: text == shape_label(()), facts.shape, facts.golden_shape)
    wanted = [part.strip() for part in re.split(r"[x×,]", value.strip("()[] ")) if part.strip()]

    def fits(text: str) -> bool:
        dims = text.split(" × ")
        return len(dims) >= len(wanted) and all(want in ("*", have) for want, have in zip(wanted, dims))

    return _by_word(facts.shapes, fits, facts.shape, facts.golden_shape)


# ---- names


def _name(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    """Fit the name on either side; a star at an end adds nothing to being somewhere in it."""
    found = texts_holding(facts.operators.texts, value.strip("*"))
    return found[facts.operator] | found[facts.golden_operator]


def _module(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    """Fit what lies in a module whose name holds *value*, at any depth, and the module's own calls."""
    tree = facts.hierarchy
    holding = texts_holding(tree.names, value.strip("*"))[:-1] & tree.is_module
    depth = np.zeros(len(tree) + 1, np.int32)  # how many of them a node lies in
    nodes = np.flatnonzero(holding)
    depth[nodes] += 1
    np.subtract.at(depth, tree.end[nodes], 1)
    inside = np.cumsum(depth) > 0
    found: np.ndarray = inside[tree.node_of_row]
    return found


# ---- what a call is: all rows of a call fit or none


def _of_calls(facts: Facts, calls: np.ndarray) -> np.ndarray:
    found: np.ndarray = calls[facts.call_of_row]
    return found


def _type(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    types, fits = facts.hierarchy.types, re.compile(translate(value)).match
    table = np.array([bool(fits(word.lower())) for word in types.texts] + [False])
    return _of_calls(facts, table[types.target] | table[types.golden])


def _frequent_types(facts: Facts) -> list[str]:
    types = facts.hierarchy.types
    counts = np.bincount(types.shown, minlength=len(types.texts))
    return [types.texts[at] for at in np.argsort(-counts, kind="stable")[:_OFFERED_TYPES].tolist()]


def _of_operators(dump: Dump, column: np.ndarray, operators: Int32) -> np.ndarray:
    """Return what *column* of the operators of *dump* says of *operators*, no where there is none."""
    if not len(dump.operators):
        return np.zeros(len(operators), bool)
    found: np.ndarray = column[operators] & (operators >= 0)
    return found


def _on_either_side(
    rows: RowTable, facts: Facts, cell: CellResult, tell: Callable[[Dump], np.ndarray]
) -> np.ndarray:
    """Return the rows of calls of which, on one side, *tell* says yes for its dump's operators."""
    first = facts.calls.first_row
    target = _of_operators(cell.target, tell(cell.target), rows.target_operator[first])
    golden = _of_operators(cell.golden, tell(cell.golden), rows.golden_operator[first])
    return _of_calls(facts, target | golden)


def _stack(value: str, rows: RowTable, facts: Facts, cell: CellResult) -> np.ndarray:
    return _on_either_side(
        rows, facts, cell, lambda dump: stacks_holding(dump.stacks, value)[dump.operators.stack]
    )


_DIRECTIONS = {"forward": Direction.FORWARD, "backward": Direction.BACKWARD}


def _dir(value: str, rows: RowTable, facts: Facts, cell: CellResult) -> np.ndarray:
    wanted = _DIRECTIONS[value]
    return _on_either_side(rows, facts, cell, lambda dump: dump.operators.direction == wanted)


def _side(value: str, rows: RowTable, _facts: Facts, _cell: CellResult) -> np.ndarray:
    on_target, on_golden = rows.target_operator >= 0, rows.golden_operator >= 0
    if value == "both":
        return on_target & on_golden
    return on_target & ~on_golden if value == "target" else on_golden & ~on_target


def _note(value: str, _rows: RowTable, facts: Facts, _cell: CellResult) -> np.ndarray:
    return noted(facts) if value in _ANY else rows_noted(facts, value)


_ANY = ("any", "*")

FIELDS: dict[str, Field] = {
    "verdict": Field(_verdict, _check_verdict, lambda _facts: verdict_words()),
    "type": Field(_type, offers=_frequent_types),
    "name": Field(_name),
    "module": Field(_module),
    "dtype": Field(_dtype, offers=lambda facts: sorted(facts.dtypes.texts)),
    "shape": Field(_shape),
    "side": Field(_side, _one_of("target", "golden", "both"), lambda _facts: ["target", "golden", "both"]),
    "dir": Field(_dir, _one_of(*_DIRECTIONS), lambda _facts: list(_DIRECTIONS)),
    "stack": Field(_stack),
    "note": Field(_note, offers=lambda _facts: ["any"]),
}
