"""Lines that people and small trainers print: a step or an epoch, and ``name: value`` pairs with a loss.

``step 10: train loss 2.3, val loss 2.4`` · ``[10/1000] loss: 2.3`` · ``epoch 0 loss 3.42`` · bars of tqdm and
Lightning (``| 10/100 [00:01<00:10, 9.0it/s, loss=2.3]``) · mmengine (``Iter(train) [  50/1000]  lr: ... loss:
2.3``) · PaddleNLP (``loss: 10.9, learning_rate: 3e-05, global_step: 1``) · MindSpore (``epoch: 1 step: 5,
loss is 2.3``) · ``第5步 损失：2.3``.
"""

from __future__ import annotations

import re

from core.formats.logs import dicts
from core.formats.logs.names import EVALUATED, loss_order, named
from core.formats.logs.pairs import END, VALUE, pairs_of, plain
from core.formats.logs.places import Place, is_within_epoch, place_of
from core.formats.logs.rates import rates_of
from core.formats.logs.record import LogRecord
from core.records.series import Series

NAME = "printed"
BARE = "bare"
"""Form of lines that say a loss and nothing else."""
HINTS = ("loss", "Loss", "LOSS", "acc", "Acc", "损失", "nll", "mse", "ntropy", "erplexity")
_LONGEST = 20_000
"""Characters of the longest line that is looked into."""
_ALONE = re.compile(
    rf"^(?:\[[^\]]{{0,60}}\]\s*+|[\d\-/.]{{8,10}}[ T][\d:.,]{{8,15}}\s*+|(?:INFO|DEBUG)\s*+[:\-]?\s*+){{0,3}}"
    rf"(?:training )?(?:lm )?loss\s*+[:=]\s*+(?P<value>{VALUE}){END}",
    re.I,
)
_BEGUN = re.compile(
    rf"(?<![\w/])(?:loss|损失值?)['\"]?\s*+[:=]\s*+(?!\[?{VALUE}{END})"
    r"(?!['\"]?(?:none|null|n/a|na|--?)(?!\w))(?P<value>\S)",
    re.I,
)
_COMMA = re.compile(r"\d,\d")
_EVALUATED = re.compile(rf"\btrain loss:? {VALUE}, val(?:idation)? loss:? ", re.I)
"""A line of nanoGPT about an evaluation on both sets; its steps have lines of their own."""
_FAULT = re.compile(r"\w*(?:Error|Exception)\b:?|\w+Warning:|Traceback\b")
"""Messages of Python, which may quote anything."""
_TELLING = (Series.LOSS, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY, Series.GRAD_NORM)


def parse(line: str) -> LogRecord | None:
    """Read *line*; an iteration counted within its epoch is counted on over the epochs."""
    if len(line) > _LONGEST or dicts.SUMMARY in line:
        return None
    line = plain(line)
    pairs = pairs_of(line)
    values = named(pairs.values)
    if pairs.unclear or not _tells(values):
        return None
    named_epoch = values.pop(Series.EPOCH, None)
    place = place_of(line)
    if place.unclear or is_within_epoch(line) or _is_of_fault(line, place):
        return None
    epoch = named_epoch if place.epoch is None else place.epoch
    if place.step is None and epoch is None:
        return LogRecord(values, BARE) if Series.LOSS in values and _ALONE.search(line) else None
    if epoch is not None:
        values[Series.EPOCH] = epoch
    values |= rates_of(line)
    if Series.LOSS in values:
        if place.part in ("val", "test") and Series.VALIDATION_LOSS not in values:
            values[Series.VALIDATION_LOSS] = values.pop(Series.LOSS)
        elif _EVALUATED.search(line):
            values[EVALUATED] = values.pop(Series.LOSS)
    return LogRecord(values, NAME, place.step)


def begins(line: str) -> bool:
    """Whether *line*, which is no record, names a loss that is no number, or a number that is unclear."""
    if len(line) > _LONGEST:
        return False
    line = plain(line)
    found = _BEGUN.search(line)
    if found is None and _COMMA.search(line) is None:
        return False
    place = place_of(line)
    if _is_of_fault(line, place):
        return False
    if found is None or found["value"] in "'\"":
        pairs = pairs_of(line)
        placed = place.step is not None or place.epoch is not None
        return (pairs.unclear and (placed or place.unclear)) or (
            place.unclear and _tells(named(pairs.values))
        )
    return found["value"] in "+-.0123456789*?" or place.step is not None or place.epoch is not None


def _tells(values: dict[str, float]) -> bool:
    """Whether *values* are of a training."""
    return any(name in values for name in _TELLING) or any(loss_order(name) is not None for name in values)


def _is_of_fault(line: str, place: Place) -> bool:
    """Whether *line* names an error before it says where it stands."""
    found = _FAULT.search(line)
    return found is not None and found.start() < place.start
