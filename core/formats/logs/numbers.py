"""Numbers as logs spell them."""

from __future__ import annotations

import math
import re

_WRAPPED = re.compile(r"^(?:np\.|numpy\.|torch\.)?\w+\(\s*(?P<inner>[^,()]+?)\s*(?:,.*)?\)$", re.S)
_PLAIN = re.compile(r"^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$", re.A)
_WORDS = {
    "nan": math.nan, "inf": math.inf, "infinity": math.inf, "1.#qnan": math.nan, "1.#ind": math.nan,
    "1.#snan": math.nan, "1.#inf": math.inf, "∞": math.inf,
}  # fmt: skip
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:[eE][-+]?\d+)?", re.A)
_LONGEST = 200
"""Characters that a number and what is around it may have: lines are of any length."""
NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|1\.#\w+|nan|inf(?:inity)?)"
"""Pattern of a number for the forms whose lines need one; without regard to case."""


def read_number(text: str) -> float | None:
    """Return the number that *text* spells, ``None`` if it spells none.

    Quotes around it, a wrapper (``np.float64(0.5)``, ``tensor(2.1, device='npu:0')``) and all spellings of
    NaN and infinity are understood. ``None``, ``null`` and ``N/A`` are no numbers.
    """
    if len(text) > _LONGEST:
        return None
    word = text.strip().strip("'\"").strip()
    if found := _WRAPPED.match(word):
        word = found["inner"]
    if _PLAIN.match(word):
        return float(word)
    sign, bare = (-1.0, word[1:]) if word[:1] == "-" else (1.0, word[1:] if word[:1] == "+" else word)
    special = _WORDS.get(bare.lower())
    return None if special is None else sign * special


def read_grouped(text: str) -> float | None:
    """Return the number that *text* spells, whose thousands may be set off by commas (``10,923.00``).

    ``None`` where a comma may mean something else: ``1234,567``, ``0,123``, ``2,5``.
    """
    if "," in text and len(text) <= _LONGEST:
        bare = text.strip().strip("'\"").strip()
        if _GROUPED.fullmatch(bare):
            return float(bare.replace(",", ""))
    return read_number(text)


def read_count(text: str) -> int | None:
    """Return the whole number that the digits and commas *text* spell; ``None`` as :func:`read_grouped`."""
    if text.isdigit():
        return int(text)
    number = read_grouped(text)
    return None if number is None else int(number)
