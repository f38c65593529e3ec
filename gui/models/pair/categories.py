"""The classes in which the window shows rows: a verdict, and for `differs` its origin."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np

from core.messages import LANGUAGES, text
from core.records.columns import UInt8
from core.records.result import Origin, RowTable, Verdict


class Category(IntEnum):
    """What a row is drawn as; the larger one wins when rows are rolled up.

    Its name in lower case is the word in the filter box and the catalogue code ``gui.category.<name>``.
    """

    IGNORED = 0
    """The user gave a reason to leave it out; no verdict has it, see :mod:`gui.models.pair.ignoring`."""
    EQUAL = 1
    CLOSE = 2
    NOT_COMPARED = 3
    GOLDEN_INVALID = 4
    INHERITED = 5
    DIFFERS = 6
    """Differs, and where the difference comes from is not known."""
    INTRODUCED = 7

    @property
    def word(self) -> str:
        """Its word in the language in force."""
        return text(f"gui.category.{self.name.lower()}")

    @property
    def meaning(self) -> str:
        """What it means, in a sentence."""
        return text(f"gui.category.{self.name.lower()}.help")

    def sentence(self, name: str, slot: str) -> str:
        """Return what it says of *slot* of the operator called *name*."""
        return text(f"gui.category.{self.name.lower()}.sentence", name=name, slot=slot)

    @property
    def differs(self) -> bool:
        """Whether the verdict behind it is `differs`."""
        return self >= Category.INHERITED


_PLAIN = {
    Verdict.EQUAL: Category.EQUAL,
    Verdict.CLOSE: Category.CLOSE,
    Verdict.NOT_COMPARED: Category.NOT_COMPARED,
    Verdict.GOLDEN_INVALID: Category.GOLDEN_INVALID,
    Verdict.DIFFERS: Category.DIFFERS,
}


def categories(rows: RowTable) -> UInt8:
    """Return the :class:`Category` of each row."""
    table = np.zeros((len(Verdict), len(Origin)), np.uint8)
    for verdict, category in _PLAIN.items():
        table[verdict] = category
    table[Verdict.DIFFERS, Origin.INTRODUCED] = Category.INTRODUCED
    table[Verdict.DIFFERS, Origin.INHERITED] = Category.INHERITED
    shown: UInt8 = table[rows.verdict, rows.origin]
    return shown


VERDICT_WORDS: dict[str, tuple[Category, ...]] = {
    **{category.name.lower(): (category,) for category in Category},
    "differs": (Category.DIFFERS, Category.INHERITED, Category.INTRODUCED),
}
"""What ``verdict:`` in the filter box understands in every language."""


def verdict_named(word: str) -> tuple[Category, ...]:
    """Return what *word* stands for: a fixed word, or one the window shows in some language; () if none."""
    plain = " ".join(word.lower().replace("_", " ").split())
    return _all_words().get(plain, ())


def verdict_words() -> list[str]:
    """Return the words to offer: those of the table, in the language in force."""
    return [category.word for category in reversed(Category)]


@cache
def _all_words() -> dict[str, tuple[Category, ...]]:
    known = {word.replace("_", " "): found for word, found in VERDICT_WORDS.items()}
    for language in LANGUAGES:
        for category in Category:
            code = f"gui.category.{category.name.lower()}"
            known.setdefault(text(code, language).lower(), VERDICT_WORDS[category.name.lower()])
    return known
