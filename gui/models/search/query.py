"""What is typed into a search field, as a mask over rows.

Terms are AND-ed::

    gelu mlp            text in the operator's name (either side) or the slot
    "layer_norm.1."     text with spaces or other signs, in quotes
    verdict:differs     one of the verdicts, or introduced, inherited, also as the window words it
    err>1e-4  cos<0.99  a metric against a number, with < <= > >= =
    -term               everything that does not fit the term

A word before a colon or a comparison that is neither a field nor a metric is an error: quotes make it text.

``verdict:`` and the other fields are those of :data:`gui.models.search.query_fields.FIELDS`; several values
with a comma between them fit if one does.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from core.messages import Message
from core.records.result import CellResult
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.search.query_fields import FIELDS, in_categories
from gui.models.search.text_search import texts_holding

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
_INSIDE = r'[^()\[\]"]*'
_TERM = re.compile(
    rf'-?(?:"[^"]*"?|(?<=[:：,，])(?:\({_INSIDE}\)|\[{_INSIDE}\]|torch\.Size\(\[{_INSIDE}\]\))|\S)+'
)
"""Ends at a space, but for one in quotes or in the brackets of a value."""
_METRIC = re.compile(r"^([A-Za-z_]+)(<=|>=|<|>|=)(.*)$")
_NAMED = re.compile(r"^([^\W\d]\w*)(?::(?![:\\/])|<|>|=)")
"""What looks like a field or a metric; ``at::add`` of C++ and the drive of a path do not."""
_VALUE = re.compile(r'(?:"[^"]*"?|\([^)]*\)?|\[[^\]]*\]?|[^,，])+')
"""One of several values; a comma in quotes or brackets separates none."""


@dataclass(frozen=True)
class Term:
    """One parsed term: a field (empty for plain text), its values, if it is negated."""

    field: str
    values: tuple[str, ...] = ()
    comparison: str = ""
    number: float = 0.0
    negated: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is text to be found in names."""
        return not self.field and not self.negated


@dataclass(frozen=True)
class Query:
    """Parsed terms, and what could not be understood."""

    terms: tuple[Term, ...] = ()
    errors: tuple[Message, ...] = ()

    def mask(self, cell: CellResult, facts: Facts) -> np.ndarray:
        """Return which rows of *cell* fit all terms."""
        passes = np.ones(len(facts), bool)
        for term in self.terms:
            fits = _fits(term, cell, facts)
            passes &= ~fits if term.negated else fits
        return passes


def terms_in(text: str) -> list[re.Match[str]]:
    """Return where the terms of *text* are."""
    return list(_TERM.finditer(text))


def parse_query(text: str) -> Query:
    """Take *text* apart; terms that make no sense are errors and filter nothing."""
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
        return Term("", (raw.strip('"').lower(),), negated=negated)
    name, colon, value = raw.replace("：", ":", 1).partition(":")
    known = FIELDS.get(name.lower())
    if colon and known is not None:
        values = [part.replace('"', "").strip().lower() for part in _VALUE.findall(value)]
        values = [part for part in values if part]
        if not values:
            return Message("gui.filter.error.unfinished", {"term": raw})
        wrong = next((error for part in values if (error := known.check(part)) is not None), None)
        return wrong or Term(name.lower(), tuple(values), negated=negated)
    found = _METRIC.match(raw)
    if found and found[1].lower() in METRIC_WORDS:
        try:
            number = float(found[3].replace("−", "-"))
        except ValueError:
            return Message("gui.filter.error.number", {"term": raw})
        return Term(METRIC_WORDS[found[1].lower()], (), found[2], number, negated)
    unknown = _NAMED.match(raw.replace("：", ":", 1))
    if unknown and unknown[1].lower() in (*FIELDS, *METRIC_WORDS):
        signs = ":" if unknown[1].lower() in FIELDS else "< <= > >= ="
        return Message("gui.filter.error.sign", {"name": unknown[1], "signs": signs})
    if unknown:
        known_fields, metrics = "  ".join(f"{name}:" for name in FIELDS), "  ".join(METRIC_WORDS)
        return Message(
            "gui.filter.error.field",
            {"name": unknown[1], "fields": known_fields, "metrics": metrics, "term": raw},
        )
    return Term("", (raw.lower().replace('"', ""),), negated=negated)


@dataclass
class Filter:
    """All that decides which rows are shown."""

    text: str = ""
    categories: frozenset[Category] = field(default_factory=frozenset)
    """Empty shows all."""
    node: int = -1
    """Only the rows under this node of the tree; -1 for all."""

    def mask(self, cell: CellResult, facts: Facts) -> np.ndarray:
        """Return which rows of *cell* pass."""
        passes = self.mask_without_categories(cell, facts)
        if self.categories:
            passes &= in_categories(facts, self.categories)
        return passes

    def mask_without_categories(self, cell: CellResult, facts: Facts) -> np.ndarray:
        """Return which rows pass all but the verdict chips, whose counts are over these."""
        passes = parse_query(self.text).mask(cell, facts)
        tree = facts.hierarchy
        if 0 <= self.node < len(tree):
            passes &= (tree.node_of_row >= self.node) & (tree.node_of_row < tree.end[self.node])
        return passes

    @property
    def active(self) -> bool:
        """Whether anything is filtered."""
        return bool(self.text.strip() or self.categories or self.node >= 0)


def _fits(term: Term, cell: CellResult, facts: Facts) -> np.ndarray:
    if term.comparison:
        with np.errstate(invalid="ignore"):
            return _COMPARE[term.comparison](getattr(cell.rows, term.field), term.number)
    if term.field:
        fits = FIELDS[term.field].fits
        found = fits(term.values[0], cell.rows, facts, cell)
        for value in term.values[1:]:
            found = found | fits(value, cell.rows, facts, cell)
        return found
    (words,) = term.values
    in_name = texts_holding(facts.operators.texts, words)
    found = in_name[facts.operator] | in_name[facts.golden_operator]
    return found | texts_holding(facts.slots.texts, words)[facts.slot]
