"""The learning rate at each step, as the frameworks work it out of their settings.

Sources: Megatron-LM ``megatron/core/optimizer_param_scheduler.py`` (``OptimizerParamScheduler.get_lr``),
transformers ``optimization.py`` (``get_scheduler``), DeepSpeed ``runtime/lr_schedules.py`` (``WarmupLR``,
``WarmupDecayLR``, ``WarmupCosineLR``). Step n is the rate after n updates, which is what Megatron-LM prints
for iteration n; trainers that print before the schedule moves on are one step late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.precheck.configuration import Configuration
from core.precheck.settings.known import number
from core.records.columns import Float64, Int64
from core.records.evidence import Dialect

_LINEAR, _COSINE, _CONSTANT = "linear", "cosine", "constant"
_HELD, _INVERSE_ROOT, _STABLE = "constant_with_warmup", "inverse_sqrt", "wsd"
_POLYNOMIAL, _COSINE_TO = "polynomial", "cosine_with_min_lr"
_INPUTS = (
    "learning_rate", "learning_rate_schedule", "deepspeed_schedule", "min_learning_rate", "warmup_peak",
    "warmup_start", "warmup_kind", "warmup_steps", "warmup_fraction", "warmup_samples", "decay_steps",
    "decay_samples", "train_steps", "train_samples", "annealing_kind", "annealing_steps", "annealing_samples",
    "batch_ramp",
)  # fmt: skip
"""Settings that rates hang on: with one of them open they are not known."""
_DEEPSPEED = ("warmuplr", "warmupdecaylr", "warmupcosinelr")
_POLYNOMIAL_END = 1e-7
"""``lr_end`` of transformers' polynomial schedule, its ``power`` being 1."""
_COSINE_END = 1e-4
"""``cos_min_ratio`` of DeepSpeed's WarmupCosineLR."""
_INVERSE_SCALE = 10_000
"""``timescale`` of transformers' inverse root without warm-up."""


@dataclass(frozen=True)
class Schedule:
    """All that the rates depend on."""

    family: Dialect
    """Whose formulas hold: Megatron-LM's, transformers' or DeepSpeed's."""
    style: str
    peak: float
    least: float
    start: float
    """Rate at the beginning of the warm-up."""
    warm_up: float
    """Steps; Megatron-LM counts samples, so that one may lie partly in the warm-up."""
    total: float
    """Steps at the end of which the rate has fallen; 0 where the style needs none."""
    annealing: str = ""
    annealed: float = 0
    """Kind and steps of the fall that ends a stable rate."""
    logarithmic: bool = False
    """The warm-up rises with the logarithm of the step."""
    batch: int = 1
    """Samples of a step: Megatron-LM's inverse root begins at one sample."""


def schedule_of(settings: Configuration) -> Schedule | None:
    """Return the schedule that *settings* describe; ``None`` where they leave it open, or nobody knows it."""
    if any(map(settings.is_open, _INPUTS)):
        return None
    peak = number(settings.get("learning_rate"))
    style = settings.get("deepspeed_schedule") or settings.get("learning_rate_schedule")
    if style is None or not isinstance(style.value, str):
        return None
    family = _family(style.value, style.dialect)
    if family is Dialect.DEEPSPEED:
        peak = number(settings.get("warmup_peak")) or peak
    warm_up = number(settings.get("warmup_steps"))
    total = number(settings.get("decay_steps")) or number(settings.get("train_steps"))
    needs_total = style.value not in (_CONSTANT, _HELD, _INVERSE_ROOT, "warmuplr")
    if family is None or peak is None or warm_up is None or (needs_total and not total):
        return None
    annealed, batch = number(settings.get("annealing_steps")), settings.whole("global_batch")
    if style.value == _STABLE and not annealed:
        return None
    # Megatron-LM counts samples: while the batch grows, steps do not tell them
    ramped = family is Dialect.MEGATRON and settings.get("batch_ramp") is not None
    if ramped or (style.value == _INVERSE_ROOT and family is Dialect.MEGATRON and not batch):
        return None
    return Schedule(
        family,
        style.value,
        peak,
        number(settings.get("min_learning_rate")) or 0.0,
        number(settings.get("warmup_start")) or 0.0,
        warm_up,
        total or 0,
        _annealing(settings) if style.value == _STABLE else "",
        (annealed or 0) if style.value == _STABLE else 0,
        family is Dialect.DEEPSPEED and settings.value("warmup_kind") != _LINEAR,
        batch or 1,
    )


def _annealing(settings: Configuration) -> str:
    """Return how a stable rate falls at the end; Megatron-LM's own is exponential."""
    kind = settings.value("annealing_kind")
    return kind if isinstance(kind, str) else "exponential"


def _family(style: str, dialect: Dialect | None) -> Dialect | None:
    if style in _DEEPSPEED:
        return Dialect.DEEPSPEED
    known = {
        Dialect.MEGATRON: (_LINEAR, _COSINE, _CONSTANT, _INVERSE_ROOT, _STABLE),
        Dialect.HUGGING_FACE: (
            _LINEAR, _COSINE, _CONSTANT, _HELD, _INVERSE_ROOT, _POLYNOMIAL, _COSINE_TO,
        ),
    }  # fmt: skip
    if dialect is Dialect.MINDFORMERS and style in (_LINEAR, _COSINE):
        return Dialect.MEGATRON  # the same formulas, with ``lr_end`` as the least rate
    return dialect if dialect in known and style in known[dialect] else None


def rates(schedule: Schedule, steps: Int64) -> Float64:
    """Return the learning rate after each of *steps* updates, (n,) float64."""
    n = steps.astype(np.float64)
    by_family: dict[Dialect, Callable[[Schedule, Float64], Float64]] = {
        Dialect.MEGATRON: _megatron,
        Dialect.HUGGING_FACE: _transformers,
        Dialect.DEEPSPEED: _deepspeed,
    }
    return by_family[schedule.family](schedule, n)


def _megatron(by: Schedule, n: Float64) -> Float64:
    rise = by.start + (by.peak - by.start) * n / (by.warm_up or 1)
    if by.style == _CONSTANT:
        fallen = np.full(len(n), by.peak)
    elif by.style == _INVERSE_ROOT:
        sample = 1 / by.batch
        falling = by.peak * max(by.warm_up, sample) ** 0.5 / np.maximum(n, sample) ** 0.5
        fallen = np.maximum(by.least, falling)
    else:
        fallen = by.least + _megatron_part(by, n) * (by.peak - by.least)
    if by.style != _CONSTANT and by.total:
        fallen = np.where(n > by.total, by.least, fallen)
    return np.where((by.warm_up > 0) & (n <= by.warm_up), rise, fallen)


def _megatron_part(by: Schedule, n: Float64) -> Float64:
    """Return which part of the way from the least rate to the peak is left."""
    falling = by.total - by.warm_up
    part = (n - by.warm_up) / (falling if falling > 0 else 1)
    if by.style == _LINEAR:
        return 1.0 - part
    if by.style == _COSINE:
        return _half_cosine(part)
    part = np.clip((n - (by.total - by.annealed)) / by.annealed, 0.0, 1.0)
    if by.annealing == _LINEAR:
        return 1.0 - part
    if by.annealing == _COSINE:
        return _half_cosine(part)
    if by.annealing == "minus_sqrt":
        return 1.0 - np.sqrt(part)
    return 2.0 * np.power(0.5, part) - 1.0


def _half_cosine(part: Float64) -> Float64:
    return 0.5 * (np.cos(np.pi * part) + 1.0)


def _transformers(by: Schedule, n: Float64) -> Float64:
    if by.style == _CONSTANT:
        return np.full(len(n), by.peak)
    rise = by.peak * n / max(by.warm_up, 1)
    part = (n - by.warm_up) / max(by.total - by.warm_up, 1)
    if by.style == _LINEAR:
        fallen = by.peak * np.maximum(0.0, 1.0 - part)
    elif by.style == _COSINE:
        fallen = by.peak * np.maximum(0.0, _half_cosine(part))
    elif by.style == _COSINE_TO:
        fallen = np.maximum(by.least, by.least + (by.peak - by.least) * _half_cosine(part))
    elif by.style == _POLYNOMIAL:
        fallen = np.where(
            n > by.total, _POLYNOMIAL_END, (by.peak - _POLYNOMIAL_END) * (1.0 - part) + _POLYNOMIAL_END
        )
    elif by.style == _INVERSE_ROOT:
        scale = by.warm_up or _INVERSE_SCALE
        fallen = by.peak / np.sqrt((np.maximum(n - by.warm_up, 0) + scale) / scale)
    else:
        fallen = np.full(len(n), by.peak)
    return np.where(n < by.warm_up, rise, fallen)


def _deepspeed(by: Schedule, n: Float64) -> Float64:
    length = max(by.warm_up, 2)
    risen = np.log(np.maximum(n, 0) + 1.0) / np.log(length) if by.logarithmic else n / length
    total = max(by.total - length, 1)
    if by.style == "warmupcosinelr":
        start = by.start / by.peak if by.peak else 0.0
        fallen = np.maximum(0.0, _COSINE_END + (1.0 - _COSINE_END) * _half_cosine((n - length + 1.0) / total))
        return by.peak * np.where(n < length, start + (1.0 - start) * risen, fallen)
    left = np.maximum(0.0, (by.total - n) / total) if by.style == "warmupdecaylr" else np.ones(len(n))
    return by.start + (by.peak - by.start) * np.where(n < length, risen, left)
