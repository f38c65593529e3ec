"""Epochs that stand in a line of their own: ``Epoch 1/3``, and below it what was reached in it.

So print Keras, and loops after the examples of PyTorch.
"""

from __future__ import annotations

import re

_HEADING = re.compile(r"[-=*#\s]*+(Epoch:?\s*+\[?\s*+\d{1,9}+(?:\s*+/\s*+\d{1,9}+)?)\s*+\]?[-=*#:\s]*+", re.I)
_ANY = re.compile(r"poch:?[ \t\[]*+\d[\d/ \t]*+[\]\-=*#: \t]*+$", re.M)
"""Finds in many lines whether there may be such a one."""
_METRICS = re.compile(
    r"\s*+(?:\d++/\d++\s|\d++%\||-\s|\[\s*+\d++\s*+/|"
    r"(?:(?:train|val|valid|test|eval)\w*[\s_:]++)?(?:(?:avg|average|mean)\s)?loss\b)",
    re.I,
)
"""How lines begin that tell of the epoch above them."""
_OWN = re.compile(r"(?<![\w/])(?:epoch|step|iter(?:ation)?)s?\b\W{0,4}\d|第", re.I)
"""In lines that say themselves where they stand."""


class Headings:
    """Puts the epoch before the lines it is about, block by block."""

    def __init__(self, heading: str = "") -> None:
        self.heading = heading

    def joined(self, lines: list[str], text: str) -> list[str]:
        """Return *lines*, which make up *text*; those about the heading above them begin with it."""
        if not self.heading and _ANY.search(text) is None:
            return lines
        return [self.line(line) for line in lines]

    def line(self, line: str) -> str:
        """Return *line*, the next one, with its heading if it is about that."""
        if "poch" in line and len(line) < 80 and (found := _HEADING.fullmatch(line)):
            self.heading = found[1]
            return line
        if self.heading and "oss" in line and _METRICS.match(line) and not _OWN.search(line):
            return f"{self.heading} {line.strip()}"
        return line
