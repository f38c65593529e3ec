"""Texts and rows of tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGNS = re.compile(r"[\\|<_*`\[\]]")
"""What would end a cell, or begin a tag, a link or an emphasis."""
_SPECIAL = re.compile(r"[\\|<_*`\[\]\s]|[^\x20-\x7e]")
"""What may need anything at all."""


def markdown_rows(columns: Sequence[list[str]]) -> str:
    """Return lines of a Markdown table, from *columns* of equally many texts; they read as they are."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in zip(*map(_escaped, columns)))


def markdown_rule(numbers: Sequence[bool]) -> str:
    """Return the line under the headings; *numbers* says which columns are right-aligned."""
    return "|" + "|".join(" ---: " if number else " --- " for number in numbers) + "|\n"


def markdown_text(text: str) -> str:
    """Return *text* such that it reads as it is, on one line."""
    one_line = "".join(sign if sign.isprintable() else " " for sign in text)
    return _SIGNS.sub(r"\\\g<0>", one_line)


def _escaped(texts: list[str]) -> list[str]:
    if not _SPECIAL.search("".join(texts)):
        return texts
    known = {text: markdown_text(text) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]
