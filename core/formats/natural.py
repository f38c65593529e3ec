"""Names with numbers in them, in the order in which people count."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(\d+)")


def natural_key(text: str) -> tuple[str | int, ...]:
    """Return a key that sorts ``rank2`` before ``rank10``."""
    return tuple(int(part) if index % 2 else part for index, part in enumerate(_DIGITS.split(text)))
