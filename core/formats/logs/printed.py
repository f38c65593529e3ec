"""Lines that people and small trainers print: a step or an epoch, and ``name: value`` pairs with a loss.

``step 10: train loss 2.3, val loss 2.4`` · ``[10/1000] loss: 2.3`` · ``epoch 0 loss 3.42`` · bars of tqdm and
Lightning (``| 10/100 [00:01<00:10, 9.0it/s, loss=2.3]``) · mmengine (``Iter(train) [  50/1000]  lr: ... loss:
2.3``) · PaddleNLP (``loss: 10.9, learning_rate: 3e-05, global_step: 1``).
"""

from __future__ import annotations

import re

from core.formats.logs import dicts
from core.formats.logs.names import meaning_of, named, step_order
from core.formats.logs.numbers import read_number
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "printed"
BARE = "bare"
"""Form of lines that say a loss and nothing else."""
HINTS = ("loss", "Loss", "LOSS", "acc", "Acc", "损失")
_LONGEST = 20_000
"""Characters of the longest line that is looked into."""
_VALUE = (
    r"(?:[a-z][\w.]{0,20}+\()?+[-+]?+(?:1\.#\w++|\d++(?:\.\d*+)?+(?:e[-+]?+\d++)?+|\.\d++(?:e[-+]?+\d++)?+|"
    r"nan|inf(?:inity)?+)"
)
_END = r"(?:\s?(?:ms|s|it/s|s/it|%)(?![\w/]))?+(?![\w:/\\-]|\.\d)"
_PAIR = re.compile(
    r"(?:(?<![\w/='\"])|(?<=[{,\s(]['\"]))"
    r"(?P<name>[^\W\d][\w./%()\-]{0,60}+(?:[ \t][^\W\d][\w./%()\-]{0,60}+){0,4}?)['\"]?\s*+[:=]\s*+['\"]?"
    rf"(?P<value>{_VALUE}){_END}",
    re.I,
)
_WORDS = re.compile(
    rf"(?<![\w/])(?P<name>(?:(?:train(?:ing)?|val(?:id(?:ation)?)?|eval|test|lm|total|avg|mean)[ _]){{0,2}}"
    rf"(?:loss|acc(?:uracy)?|grad[ _]norm|lr))\s++(?P<value>{_VALUE}){_END}",
    re.I,
)
_FRACTION = re.compile(
    r"\[\s*+(\d{1,15}+)\s*+/\s*+(\d{1,15}+)[^\]]{0,64}\]|(?:[|:]|^)\s*+(\d{1,15}+)\s*+/\s*+(\d{1,15}+)(?=\s*+\[|\s)"
)
_STEP = re.compile(
    r"(?<![\w/])(?:global[ _]?step|(?:train(?:ing)?[ _])?(?:step|iter(?:ation)?)|(?:训练)?步数?|迭代)s?"
    r"(?:\((train|val|test)\))?"
    r"['\"]?\s*+[:=#]?\s*+(?:\[\s*+)?(\d{1,15}+)(?!\w|[.:]\d)(?:\s*+/\s*+(\d{1,15}+))?",
    re.I,
)
_EPOCH = re.compile(
    r"(?<![\w/])(?:epoch|轮次)(?:\((train|val|test)\))?['\"]?\s*+[:=#]?\s*+(?:\[\s*+)?"
    r"([-+]?+(?:\d++(?:\.\d*+)?+(?:e[-+]?+\d++)?+|nan|inf(?:inity)?+))(?!\w|\.\d)(?:\s*+/\s*+(\d{1,15}+))?",
    re.I,
)
_ALONE = re.compile(
    rf"^(?:\[[^\]]{{0,60}}\]\s*+|[\d\-/.]{{8,10}}[ T][\d:.,]{{8,15}}\s*+|(?:INFO|DEBUG)\s*+[:\-]?\s*+){{0,3}}"
    rf"(?:training )?(?:lm )?loss\s*+[:=]\s*+(?P<value>{_VALUE}){_END}",
    re.I,
)
_BEGUN = re.compile(
    rf"(?<![\w/])loss['\"]?\s*+[:=]\s*+(?!{_VALUE}{_END})(?!['\"]?(?:none|null|n/a|na|--?)(?!\w))(?P<value>\S)",
    re.I,
)
_TIMES = ("eta", "elapsed", "remaining")
"""Say times of day or days, of which one part would be taken for a number."""
_TELLING = (Series.LOSS, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY, Series.GRAD_NORM)


def parse(line: str) -> LogRecord | None:
    """Read *line*; an iteration counted within its epoch is counted on over the epochs."""
    if len(line) > _LONGEST or dicts.SUMMARY in line:
        return None
    values = named(_pairs(line))
    if not any(name in values for name in _TELLING):
        return None
    named_epoch = values.pop(Series.EPOCH, None)
    step, epoch, part = _place(line)
    epoch = named_epoch if epoch is None else epoch
    if step is None and epoch is None:
        return LogRecord(values, BARE) if Series.LOSS in values and _ALONE.search(line) else None
    if epoch is not None:
        values[Series.EPOCH] = epoch
    if part in ("val", "test") and Series.LOSS in values and Series.VALIDATION_LOSS not in values:
        values[Series.VALIDATION_LOSS] = values.pop(Series.LOSS)
    return LogRecord(values, NAME, step)


def begins(line: str) -> bool:
    """Whether *line*, which is no record, names a loss that is no number."""
    if len(line) > _LONGEST or (found := _BEGUN.search(line)) is None:
        return False
    first = found["value"]
    if first in "+-.0123456789*?":
        return True
    return first not in "'\"" and any(part is not None for part in _place(line)[:2])


def _pairs(line: str) -> dict[str, float]:
    """Return the numbers of *line* by name; of two of one name the first."""
    pairs: dict[str, float] = {}
    for pattern in (_PAIR, _WORDS):
        for found in pattern.finditer(line):
            number = read_number(found["value"] + ")" if "(" in found["value"] else found["value"])
            name = _known(found["name"])
            if number is not None and step_order(name) is None and name.lower() not in _TIMES:
                pairs.setdefault(name, number)
    return pairs


def _known(name: str) -> str:
    """Return *name* without the words before it, which belong to the sentence, if the rest is known."""
    words = name.split()
    for first in range(len(words)):
        rest = " ".join(words[first:])
        if meaning_of(rest) is not None or step_order(rest) is not None:
            return rest
    return " ".join(words[-2:])


def _place(line: str) -> tuple[int | None, float | None, str]:
    """Return step, epoch, and which part of the training *line* is about."""
    step, epoch, fraction = _STEP.search(line), _EPOCH.search(line), None
    for fraction in _FRACTION.finditer(line):
        if epoch is None or not epoch.start() <= fraction.start(0) < epoch.end():
            break
        fraction = None
    part = ((step and step[1]) or (epoch and epoch[1]) or "").lower()
    number = read_number(epoch[2]) if epoch else None
    if fraction is not None and (step is None or step.start() <= fraction.start() < step.end()):
        if part in ("val", "test"):
            return None, number, part
        at, of = (int(text) for text in fraction.groups() if text is not None)
        if epoch is None or not epoch[2].isdigit():
            return at, number, part
        first = 1 if epoch[1] or epoch[3] or line[epoch.end() : epoch.end() + 1] == "/" else 0
        return max(int(epoch[2]) - first, 0) * of + at, number, part
    return (int(step[2]) if step else None), number, part
