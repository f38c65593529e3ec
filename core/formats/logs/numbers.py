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
