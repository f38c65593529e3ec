"""What trainers call the values that mean the same, in every form of log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from core.records.series import Series

_ALIASES: dict[Series, tuple[str, ...]] = {
    Series.LOSS: (
        "loss", "lm loss", "train loss", "training loss", "total loss", "loss value", "训练损失", "损失",
        "训练loss", "loss train", "train total loss", "train loss step", "loss step", "batch loss",
        "actor pg loss", "lm loss value", "avg loss", "average loss", "mean loss", "running loss",
        "train loss epoch", "reduced train loss", "pg loss", "train lm loss", "train lm loss value",
        "lm loss training", "lm loss training lm loss", "step loss", "gpt loss", "损失值", "训练损失值",
        "总损失", "平均损失",
    ),
    Series.LEARNING_RATE: (
        "lr", "learning rate", "学习率", "train lr", "train learning rate", "actor lr", "base lr",
        "train lr(1e 3)",
    ),
    Series.GRAD_NORM: (
        "grad norm", "gradient norm", "global norm", "gnorm", "global grad norm", "total norm",
        "grad norm total", "train grad norm", "actor grad norm", "梯度范数", "grad l2 norm",
    ),
    Series.GLOBAL_BATCH: ("global batch size", "global batch"),
    Series.LOSS_SCALE: ("loss scale", "scale", "train loss scale", "loss scaling"),
    Series.SKIPPED: ("number of skipped iterations", "skipped"),
    Series.NAN_STEPS: ("number of nan iterations",),
    Series.OVERFLOW: ("overflow", "overflow cond"),
    Series.CONSUMED_SAMPLES: ("consumed samples", "consumed train samples", "global samples"),
    Series.CONSUMED_TOKENS: (
        "consumed tokens", "num input tokens seen", "tokens seen", "consumed train tokens",
        "train num input tokens seen",
    ),
    Series.STEP_TIME: (
        "elapsed time per iteration (ms)", "step time (ms)", "step time ms", "per step time",
        "iteration time (ms)", "time per iteration (ms)", "time per step (ms)", "elapsed time (ms)",
    ),
    Series.THROUGHPUT: (
        "throughput", "samples/sec", "samples per sec", "samples per second", "samples/s", "tokens/s",
        "tokens/sec", "tokens per second", "tokens per sec", "tokens per gpu per second",
        "throughput per gpu (tflop/s/gpu)", "throughput per gpu", "train samples per second",
        "throughput (tokens/s)", "tokens/s/gpu", "perf throughput", "interval samples per second",
        "train throughput", "tgs", "吞吐",
    ),
    Series.VALIDATION_LOSS: (
        "eval loss", "val loss", "validation loss", "valid loss", "test loss", "eval lm loss",
        "lm loss validation", "loss val", "验证损失", "val/loss step", "val loss epoch", "validation lm loss",
        "loss test", "loss eval", "loss valid", "loss validation", "lm loss validation lm loss validation",
        "验证损失值",
    ),
    Series.VALIDATION_ACCURACY: (
        "eval accuracy", "val acc", "val accuracy", "validation accuracy", "eval acc", "valid acc",
        "valid accuracy", "val acc epoch", "test accuracy", "验证准确率",
    ),
    Series.EPOCH: ("epoch", "train epoch", "training epoch", "progress or epoch", "轮次"),
}  # fmt: skip
"""The words of each series, the likeliest first; compared after :func:`_plain`."""
_SECONDS = (
    "iter time (s)", "step time (s)", "iteration time", "timing s step", "time per iteration (s)",
    "time per step (s)", "elapsed time per iteration (s)", "elapsed time per iteration",
)  # fmt: skip
"""Names of step times in seconds; a series holds milliseconds."""
STEPS = (
    "num updates", "global step", "train global step", "trainer global step", "training global step", "step",
    "iteration", "iter", "current steps", "steps", "global steps", "training step", "train step",
    "iterations", "步数", "训练步数", "步", "迭代", "迭代次数",
)  # fmt: skip
"""Words for the number of a step, after :func:`_plain`, the likeliest first."""
RANKS = ("rank", "global rank", "rank id")
EVALUATED = "train_loss_evaluated"
"""The loss on training data that an evaluation finds: no step of the training has it."""
_LOSS_WORDS = ("nll", "cross entropy", "ce", "mse", "perplexity", "ppl")
_NO_LOSS = re.compile(
    r"\b(?:val|valid|validation|eval|evaluation|test|dev|scale|scaler|weight|coef|ppl|perplexity|vs)\b|验证|测试"
)
_NO_NAME = re.compile(r"[:={}\[\]'\"%]|\d \d|\w(?: \w+){6}")
"""In sentences and pairs of name and value."""
_APART = re.compile(r"[\s_\-/.]+")
_EXPORTED = re.compile(r"^.+ - (?=\S)")
"""What wandb puts before a name in a csv export: the name of the run."""


class Meaning(NamedTuple):
    """A name as :func:`meaning_of` understands it."""

    series: Series
    order: int
    """How likely it is meant where several names mean the series, 0 the likeliest."""
    factor: float
    """What its values are multiplied by."""


def _plain(name: str) -> str:
    return _APART.sub(" ", name.strip().strip("'\"").lower()).strip()


_BY_WORD = {
    _plain(word): Meaning(series, order, 1.0)
    for series, words in _ALIASES.items()
    for order, word in enumerate((str(series), *words))
} | {_plain(word): Meaning(Series.STEP_TIME, 50 + order, 1000.0) for order, word in enumerate(_SECONDS)}
_STEP_ORDER = {word: order for order, word in enumerate(STEPS)}


@lru_cache(maxsize=4096)
def meaning_of(name: str) -> Meaning | None:
    """Return which series a log means by *name*; ``None``: none that is known."""
    return _BY_WORD.get(_plain(name)) or _BY_WORD.get(_plain(_EXPORTED.sub("", name)))


@lru_cache(maxsize=4096)
def step_order(name: str) -> int | None:
    """Return how likely *name* is that of the step, 0 the likeliest; ``None`` for other names."""
    return _STEP_ORDER.get(_plain(name))


@lru_cache(maxsize=4096)
def is_rank(name: str) -> bool:
    """Whether *name* is that of the rank."""
    return _plain(name) in RANKS


@lru_cache(maxsize=4096)
def loss_order(name: str) -> int | None:
    """Return how likely *name*, which is no series, is that of a loss, 0 the likeliest; ``None``: of none."""
    plain = _plain(_EXPORTED.sub("", name))
    if plain in _LOSS_WORDS:
        return 1
    if meaning_of(name) is not None or _NO_LOSS.search(plain) or _NO_NAME.search(plain):
        return None
    return 0 if "loss" in plain or "损失" in plain else None


def only_loss(names: Iterable[str]) -> str | None:
    """Return which of *names* is the loss where none is called so; ``None`` where several may be, or none."""
    found = [(order, name) for name in names if (order := loss_order(name)) is not None]
    for likely in (0, 1):
        alike = [name for order, name in found if order == likely]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def columns_of(names: Iterable[str]) -> dict[str, tuple[str, float]]:
    """Return, for each of the *names* of one record or table, its column and the factor of its values.

    Of two names that mean one series the likelier one gets it, the other keeps its own name.
    """
    taken: dict[str, tuple[int, str]] = {}
    made: dict[str, tuple[str, float]] = {}
    for name in dict.fromkeys(names):
        meaning = meaning_of(name)
        own = name.strip().strip("'\"")
        made[name] = own, 1.0
        if meaning is None:
            continue
        order = -1 if own == meaning.series else meaning.order
        if taken.get(meaning.series, (1000, ""))[0] <= order:
            continue
        if meaning.series in taken:
            loser = taken[meaning.series][1]
            made[loser] = loser.strip().strip("'\""), 1.0
        taken[meaning.series] = order, name
        made[name] = meaning.series, meaning.factor
    return made


@lru_cache(maxsize=512)
def _columns_of(names: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    found = columns_of(names)
    return tuple(found[name] for name in names)


def named(pairs: dict[str, float]) -> dict[str, float]:
    """Return the values *pairs* of one record by series, or by the log's own name."""
    names = tuple(pairs)
    return {
        column: value if factor == 1.0 else value * factor
        for (column, factor), value in zip(_columns_of(names), pairs.values())
    }
