"""Learning rates of several groups of parameters: ``lr=[0.001, 0.0001]``."""

from __future__ import annotations

import re

from core.formats.logs.numbers import NUMBER, read_number
from core.records.series import Series

_LIST = re.compile(
    rf"(?<!\w)(?:lr|learning[ _]rate|学习率)['\"]?\s*+[:=]\s*+[\[(]\s*+"
    rf"({NUMBER}(?:\s*+,\s*+{NUMBER}){{0,63}})\s*+,?+\s*+[\])]",
    re.I,
)


def rates_of(line: str) -> dict[str, float]:
    """Return the learning rates that *line* lists; those after the first are ``learning_rate[1]`` ..."""
    found = _LIST.search(line) if "[" in line or "(" in line else None
    if found is None:
        return {}
    numbers = [read_number(text) for text in found[1].split(",")]
    return {
        f"{Series.LEARNING_RATE}[{place}]" if place else str(Series.LEARNING_RATE): number
        for place, number in enumerate(numbers)
        if number is not None
    }
