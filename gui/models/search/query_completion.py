"""What may be typed next into a search field: fields, metrics and the values that a cell holds. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import text
from gui.models.pair.facts import Facts
from gui.models.search.query import METRIC_WORDS, terms_in
from gui.models.search.query_fields import FIELDS

_METRICS = ("err>", "cos<", "max>", "maxrel>", "l2>", "rmse>", "mae>", "flips>", "count>")
"""With the comparison that is wanted most."""


@dataclass(frozen=True)
class Offer:
    """Words to put in the place of what stands at ``first .. last``, and what they are for."""

    words: str
    help: str
    first: int
    last: int


def offers_at(typed: str, caret: int, facts: Facts | None) -> list[Offer]:
    """Return what may follow in the term of *typed* that *caret* is in; nothing if it is finished."""
    term = next((found for found in terms_in(typed) if found.start() < caret <= found.end()), None)
    first, last = (term.start(), term.end()) if term is not None else (caret, caret)
    first += typed[first:caret].startswith("-")
    word = typed[first:caret].replace("：", ":", 1)
    name, colon, value = word.partition(":")
    if colon and name.lower() in FIELDS:
        behind = value.replace("，", ",").rpartition(",")[2]
        return _values(name.lower(), behind, caret - len(behind), _end_of_value(typed, caret, last), facts)
    return [] if '"' in word else _fields(word.lower(), first, last)


def _end_of_value(typed: str, caret: int, last: int) -> int:
    ends = [at for sign in ",，" if (at := typed.find(sign, caret, last)) >= 0]
    return min(ends, default=last)


def _fields(word: str, first: int, last: int) -> list[Offer]:
    fields = [Offer(f"{name}:", text(f"gui.query.field.{name}"), first, last) for name in FIELDS]
    metrics = [
        Offer(name, text(f"gui.query.metric.{METRIC_WORDS[name[:-1]]}"), first, last) for name in _METRICS
    ]
    return [offer for offer in fields + metrics if offer.words.startswith(word) and offer.words != word]


def _values(name: str, begun: str, first: int, last: int, facts: Facts | None) -> list[Offer]:
    if facts is None:
        return []
    wanted = begun.strip('"').lower()
    found = [word for word in FIELDS[name].offers(facts) if wanted in word.lower()]
    found.sort(key=lambda word: not word.lower().startswith(wanted))  # what begins so goes first
    if [word.lower() for word in found] == [wanted]:
        return []
    return [Offer(f'"{word}"' if " " in word else word, "", first, last) for word in found]
