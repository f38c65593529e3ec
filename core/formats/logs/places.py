"""Where in a training a printed line stands: its step, its epoch, and which part it is about.

An iteration counted within its epoch is counted on over the epochs where the line says how long they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from core.formats.logs.numbers import read_count, read_number

_COUNT = r"\d{1,15}+(?:,\d++)*+"
_FRACTION = re.compile(
    rf"\[\s*+({_COUNT})\s*+/\s*+({_COUNT})[^\]]{{0,64}}\]|"
    rf"(?:[|:]|^)\s*+({_COUNT})\s*+/\s*+({_COUNT})(?=\s*+\[|\s)"
)
_STEP = re.compile(
    r"(?<![\w/])(?:num_updates|global[ _]?step|(?:train(?:ing)?[ _])?(?:step|iter(?:ation)?)|"
    r"(?:训练)?步[数骤]?|迭代(?:次数|步数)?)s?(?:\((train|val|test)\))?"
    rf"['\"]?\s*+[:=#]?\s*+(?:\[\s*+)?({_COUNT})(?!\w|[.:]\d|%)(?:\s*+/\s*+\d)?",
    re.I,
)
_ORDINAL = re.compile(rf"第\s*+()({_COUNT})\s*+(?:步|次迭代|个?(?:step|iter))", re.I)
_EPOCH = re.compile(
    r"(?<![\w/])(?:epoch|轮次)(?:\((train|val|test)\))?['\"]?\s*+[:=#]?\s*+(?:\[\s*+)?"
    r"([-+]?+(?:\d++(?:\.\d*+)?+(?:e[-+]?+\d++)?+|nan|inf(?:inity)?+))(?!\w|\.\d)(?:\s*+/\s*+(\d{1,15}+))?",
    re.I,
)
_OTHER_EPOCHS = (
    re.compile(r"第\s*+()(\d{1,15}+)()\s*+(?:轮|个?epoch)", re.I),
    re.compile(r"^\s*+Train:\s*+()(\d{1,15}+)()(?=\s*+\[)"),  # timm
    re.compile(r"()\[\s*+(\d{1,15}+)\s*+/\s*+(\d{1,15}+)\s*+\](?=\s*+\[\s*+\d{1,15}+\s*+/\s*+\d)"),
)
_KERAS = re.compile(r"^Epoch \d++/\d++ (\d++)/(\d++)\s")
_FROM_ONE = re.compile(r"train\s$", re.I)
"""Before an epoch: trainers that say it so count epochs from 1."""


class Place(NamedTuple):
    """Where a line stands."""

    step: int | None
    epoch: float | None
    part: str
    """``train``, ``val``, ``test`` or ``""``."""
    start: int
    """Where the line says it; its length where it does not."""
    unclear: bool = False
    """A step is there, and it cannot be told which: ``step 12,34``."""


def place_of(line: str) -> Place:
    """Return where *line* stands."""
    step = _STEP.search(line) or (_ORDINAL.search(line) if "第" in line else None)
    epoch = _epoch(line)
    start = min((found.start() for found in (step, epoch) if found), default=len(line))
    part = ((step and step[1]) or (epoch and epoch[1]) or "").lower()
    number = read_number(epoch[2]) if epoch else None
    fraction = _fraction(line, epoch)
    if fraction is not None and (step is None or step.start() <= fraction.start() < step.end()):
        if part in ("val", "test"):
            return Place(None, number, part, start)
        start = min(start, fraction.start())
        at, of = (read_count(text) for text in fraction.groups() if text is not None)
        if at is None or of is None:
            return Place(None, number, part, start, True)
        if epoch is None or not epoch[2].isdigit():
            return Place(at, number, part, start)
        return Place(max(int(epoch[2]) - _first(line, epoch), 0) * of + at, number, part, start)
    said = read_count(step[2]) if step else None
    return Place(said, number, part, start, step is not None and said is None)


def is_within_epoch(line: str) -> bool:
    """Whether *line* is the bar of an epoch that goes on, and its loss a mean so far (Keras)."""
    found = _KERAS.match(line)
    return found is not None and int(found[1]) < int(found[2])


def _epoch(line: str) -> re.Match[str] | None:
    if found := _EPOCH.search(line):
        return found
    for pattern in _OTHER_EPOCHS:
        if found := pattern.search(line):
            return found
    return None


def _fraction(line: str, epoch: re.Match[str] | None) -> re.Match[str] | None:
    for fraction in _FRACTION.finditer(line):
        if epoch is None or not epoch.start() <= fraction.start(0) < epoch.end():
            return fraction
    return None


def _first(line: str, epoch: re.Match[str]) -> int:
    """Return the number of the first epoch, by how *epoch* is said."""
    from_one = epoch[1] or epoch[3] or line[epoch.end() : epoch.end() + 1] == "/"
    return 1 if from_one or _FROM_ONE.search(line, max(epoch.start() - 6, 0), epoch.start()) else 0
