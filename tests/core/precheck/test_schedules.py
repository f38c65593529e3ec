"""The learning rate of each framework, against plain loops over its own description."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders.settings import meaning, saying, script
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.settings.schedule import Schedule, rates, schedule_of
from core.records.columns import Float64
from core.records.evidence import Dialect, EvidenceKind, Value


def drawn(schedule: Schedule, last: int) -> Float64:
    return rates(schedule, np.arange(last + 1))


def megatron_rate(
    n: int,
    style: str,
    peak: float,
    least: float,
    start: float,
    warm_up: int,
    total: int,
    annealed: int,
    kind: str,
) -> float:
    """Return the rate after *n* steps, one step at a time, as the scheduler's description has it."""
    if warm_up > 0 and n <= warm_up:
        return start + (peak - start) * (n / warm_up)
    if style == "constant":
        return peak
    if n > total:
        return least
    if style == "inverse_sqrt":
        return max(least, peak * math.sqrt(max(warm_up, 1) / max(n, 1)))
    share = (n - warm_up) / (total - warm_up)
    if style == "linear":
        left = 1 - share
    elif style == "cosine":
        left = (1 + math.cos(math.pi * share)) / 2
    else:
        begin = total - annealed
        share = (n - begin) / annealed
        left = {
            "linear": lambda: 1 - share,
            "cosine": lambda: (1 + math.cos(math.pi * share)) / 2,
            "minus_sqrt": lambda: 1 - math.sqrt(share),
            "exponential": lambda: 2 * 0.5**share - 1,
        }[kind]() if n > begin else 1.0  # fmt: skip
    return least + left * (peak - least)


@given(
    st.sampled_from(["linear", "cosine", "constant", "inverse_sqrt", "wsd"]),
    st.sampled_from(["linear", "cosine", "minus_sqrt", "exponential"]),
    st.floats(1e-6, 1e-2),
    st.floats(0, 1),
    st.integers(0, 40),
    st.integers(2, 60),
    st.integers(1, 30),
)
def test_megatron(
    style: str, kind: str, peak: float, share: float, warm_up: int, more: int, annealed: int
) -> None:
    total, least, start = warm_up + more, peak * share, peak * share / 2
    annealed = min(annealed, more)
    schedule = Schedule(Dialect.MEGATRON, style, peak, least, start, warm_up, total, kind, annealed)
    expected = [
        megatron_rate(n, style, peak, least, start, warm_up, total, annealed, kind) for n in range(total + 5)
    ]
    np.testing.assert_allclose(drawn(schedule, total + 4), expected, rtol=1e-12, atol=1e-18)


def transformers_factor(n: int, style: str, warm_up: int, total: int) -> float:
    if style == "constant":
        return 1.0
    if n < warm_up:
        return n / max(1, warm_up)
    if style == "linear":
        return max(0.0, (total - n) / max(1, total - warm_up))
    if style == "cosine":
        return max(0.0, 0.5 * (1 + math.cos(math.pi * (n - warm_up) / max(1, total - warm_up))))
    if style == "inverse_sqrt":
        scale = warm_up or 10_000
        return 1 / math.sqrt((n + scale - warm_up) / scale)
    return 1.0


@given(
    st.sampled_from(["linear", "cosine", "constant", "constant_with_warmup", "inverse_sqrt"]),
    st.integers(0, 40),
    st.integers(1, 60),
)
def test_transformers(style: str, warm_up: int, more: int) -> None:
    total = warm_up + more
    schedule = Schedule(Dialect.HUGGING_FACE, style, 2e-5, 0.0, 0.0, warm_up, total)
    expected = [2e-5 * transformers_factor(n, style, warm_up, total) for n in range(total + 1)]
    np.testing.assert_allclose(drawn(schedule, total), expected, rtol=1e-12, atol=1e-20)


def test_polynomial_and_cosine_to_a_minimum() -> None:
    made = drawn(Schedule(Dialect.HUGGING_FACE, "polynomial", 1e-4, 0.0, 0.0, 2, 12), 14)
    assert made[2] == pytest.approx(1e-4)
    assert made[7] == pytest.approx((1e-4 - 1e-7) / 2 + 1e-7)
    assert made[12:].tolist() == pytest.approx([1e-7] * 3)
    to_least = drawn(Schedule(Dialect.HUGGING_FACE, "cosine_with_min_lr", 1e-4, 1e-5, 0.0, 0, 10), 10)
    assert (to_least[0], to_least[5], to_least[10]) == pytest.approx((1e-4, 5.5e-5, 1e-5))


@given(st.integers(2, 50), st.integers(1, 50), st.booleans())
def test_deepspeed(warm_up: int, more: int, logarithmic: bool) -> None:
    total = warm_up + more

    def rise(n: int) -> float:
        return math.log(n + 1) / math.log(warm_up) if logarithmic else n / warm_up

    made = {
        style: drawn(
            Schedule(Dialect.DEEPSPEED, style, 1e-3, 0.0, 1e-5, warm_up, total, logarithmic=logarithmic),
            total,
        )
        for style in ("warmuplr", "warmupdecaylr", "warmupcosinelr")
    }
    for n in range(total + 1):
        risen = 1e-5 + (1e-3 - 1e-5) * rise(n)
        held, falling, cosine = risen, risen, risen
        if n >= warm_up:
            held = 1e-3
            falling = 1e-5 + (1e-3 - 1e-5) * (total - n) / more
            turn = (1 + math.cos(math.pi * (n - warm_up + 1) / more)) / 2
            cosine = 1e-3 * max(0.0, 1e-4 + (1 - 1e-4) * turn)
        assert [made[style][n] for style in made] == pytest.approx([held, falling, cosine], rel=1e-9)


def test_the_settings_of_a_script_make_a_schedule() -> None:
    known = meaning(
        script(lr="1.0e-4", min_lr="1.0e-5", lr_decay_style="cosine", lr_warmup_fraction=0.1, train_iters=100)
    )
    schedule = schedule_of(known)
    assert schedule == Schedule(Dialect.MEGATRON, "cosine", 1e-4, 1e-5, 0.0, 10, 100)
    assert drawn(schedule, 100)[[0, 5, 10, 55, 100]].tolist() == pytest.approx([0, 5e-5, 1e-4, 5.5e-5, 1e-5])


def test_deepspeeds_own_schedule_goes_to_its_own_peak() -> None:
    known = meaning(
        saying(
            Dialect.DEEPSPEED, EvidenceKind.CONFIG, "ds.json", optimizer__params__lr=1e-4,
            scheduler__type="WarmupLR", scheduler__params__warmup_max_lr=3e-4,
            scheduler__params__warmup_num_steps=10,
        )
    )  # fmt: skip
    schedule = schedule_of(known)
    assert schedule is not None
    assert (schedule.family, schedule.peak, schedule.logarithmic) == (Dialect.DEEPSPEED, 3e-4, True)


@pytest.mark.parametrize(
    "settings",
    [
        {"lr": 1e-4}, {"lr": 1e-4, "lr_decay_style": "unheard-of", "train_iters": 10},
        {"lr": None, "lr_decay_style": "cosine", "train_iters": 10},
        {"lr": 1e-4, "lr_decay_style": "WSD", "train_iters": 10},
    ],
)  # fmt: skip
def test_what_leaves_the_schedule_open(settings: dict[str, Value]) -> None:
    assert schedule_of(meaning(script(**settings))) is None
