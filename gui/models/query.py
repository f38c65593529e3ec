"""What is typed into the filter box, as a mask over rows.

Terms are AND-ed::

    gelu mlp            text in the operator's name (either side) or the slot
    "layer_norm.1."     text with spaces or other signs, in quotes
    verdict:differs     one of the verdicts, or introduced, inherited, also as the window words it;
                        several with a comma
    dtype:bf16          dtype of either side, by any of its names
    shape:2x12          shape of either side begins with these dimensions (* for any)
    err>1e-4  cos<0.99  a metric against a number, with < <= > >= =
    -term               everything that does not fit the term
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from core.dtypes import dtype_named
from core.messages import Message
from core.records.result import RowTable
from gui.models.categories import Category, verdict_named, verdict_words
from gui.models.facts import Facts, Words

METRIC_WORDS = {
    "err": "error", "error": "error", "cos": "cosine", "cosine": "cosine", "max": "max_abs",
    "maxabs": "max_abs", "maxrel": "max_rel", "l2": "relative_l2", "rmse": "rmse", "mae": "mae",
    "allowed": "allowed", "count": "count", "flips": "sign_flips",
}  # fmt: skip
_COMPARE: dict[str, Callable[..., np.ndarray]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_TERM = re.compile(r'-?(?:"[^"]*"?|\S)+')
_METRIC = re.compile(r"^([A-Za-z_]+)(<=|>=|<|>|=)(.*)$")


@dataclass(frozen=True)
class Term:
    """One parsed term: a field (empty for plain text), what it is compared with, if it is negated."""

    field: str
    value: str = ""
    comparison: str = ""
    number: float = 0.0
    negated: bool = False


@dataclass(frozen=True)
class Query:
    """Parsed terms, and what could not be understood."""

    terms: tuple[Term, ...] = ()
    errors: tuple[Message, ...] = ()


def parse_query(text: str) -> Query:
    """Take the filter *text* apart; terms that make no sense are errors and filter nothing."""
    terms, errors = [], []
    for raw in _TERM.findall(text):
        negated = raw.startswith("-") and len(raw) > 1
        found = _parse_term(raw[1:] if negated else raw, negated)
        if isinstance(found, Message):
            errors.append(found)
        else:
            terms.append(found)
    return Query(tuple(terms), tuple(errors))


def _parse_term(raw: str, negated: bool) -> Term | Message:
    if raw.startswith('"'):
        return Term("", raw.strip('"').lower(), negated=negated)
    name, colon, value = raw.replace("：", ":", 1).partition(":")
    name = name.lower()
    if colon and name in ("verdict", "dtype", "shape"):
        if not value:
            return Message("gui.filter.error.unfinished", {"term": raw})
        if name == "verdict":
            value = value.replace('"', "").replace("，", ",").strip(",")
            if not all(verdict_named(word) for word in value.split(",")):
                known = ", ".join(verdict_words())
                return Message("gui.filter.error.verdict", {"term": value, "known": known})
        return Term(name, value.lower(), negated=negated)
    found = _METRIC.match(raw)
    if found and found[1].lower() in METRIC_WORDS:
        try:
            number = float(found[3].replace("−", "-"))
        except ValueError:
            return Message("gui.filter.error.number", {"term": raw})
        return Term(METRIC_WORDS[found[1].lower()], "", found[2], number, negated)
    return Term("", raw.lower().replace('"', ""), negated=negated)


@dataclass
class Filter:
    """All that decides which rows are shown."""

    text: str = ""
    categories: frozenset[Category] = field(default_factory=frozenset)
    """Empty shows all."""
    node: int = -1
    """Only the rows under this node of the tree; -1 for all."""

    def mask(self, rows: RowTable, facts: Facts) -> np.ndarray:
        """Return which rows pass."""
        passes = self.mask_without_categories(rows, facts)
        if self.categories:
            passes &= _in_categories(facts, self.categories)
        return passes

    def mask_without_categories(self, rows: RowTable, facts: Facts) -> np.ndarray:
        """Return which rows pass all but the verdict chips, whose counts are over these."""
        passes = np.ones(len(facts), bool)
        tree = facts.hierarchy
        if 0 <= self.node < len(tree):
            passes &= (tree.node_of_row >= self.node) & (tree.node_of_row < tree.end[self.node])
        for term in parse_query(self.text).terms:
            fits = _fits(term, rows, facts)
            passes &= ~fits if term.negated else fits
        return passes

    @property
    def active(self) -> bool:
        """Whether anything is filtered."""
        return bool(self.text.strip() or self.categories or self.node >= 0)


def _in_categories(facts: Facts, wanted: frozenset[Category] | tuple[Category, ...]) -> np.ndarray:
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


def _fits(term: Term, rows: RowTable, facts: Facts) -> np.ndarray:
    if term.comparison:
        with np.errstate(invalid="ignore"):
            return _COMPARE[term.comparison](getattr(rows, term.field), term.number)
    if term.field == "verdict":
        wanted = tuple(category for word in term.value.split(",") for category in verdict_named(word))
        return _in_categories(facts, wanted)
    if term.field == "dtype":
        known = dtype_named(term.value)
        name = known.name if known else ""
        return _by_word(
            facts.dtypes,
            lambda text: text == name or (not name and term.value in text.lower()),
            facts.dtype,
            facts.golden_dtype,
        )
    if term.field == "shape":
        return _by_word(facts.shapes, _shape_test(term.value), facts.shape, facts.golden_shape)
    in_name = facts.operators.texts.containing(term.value)
    found = in_name[facts.operator] | in_name[facts.golden_operator]
    return found | facts.slots.texts.containing(term.value)[facts.slot]


def _shape_test(value: str) -> Callable[[str], bool]:
    wanted = [part.strip() for part in re.split(r"[x×,]", value.strip("()[]")) if part.strip()]

    def fits(text: str) -> bool:
        dims = text.split(" × ")
        return len(dims) >= len(wanted) and all(want in ("*", have) for want, have in zip(wanted, dims))

    return fits
