"""Logged runs made by hand: a loss that falls with noise, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.series import Series

STEPS = 1000


def falling_loss(steps: int = STEPS, seed: int = 0, noise: float = 0.005) -> np.ndarray:
    """Return a loss as a small language model has it: from 10 down to 2, with noise of the batches."""
    random = np.random.default_rng(seed)
    at = np.arange(steps)
    return (2 + 8 * np.exp(-at / (steps / 6))) * (1 + noise * random.normal(size=steps))


def another_device(loss: np.ndarray, seed: int = 1, noise: float = 5e-4) -> np.ndarray:
    """Return *loss* as another device gives it: the same batches, other rounding."""
    return loss * (1 + noise * np.random.default_rng(seed).normal(size=len(loss)))


def warm_up(steps: int = STEPS, top: float = 1e-3, length: int = 100) -> np.ndarray:
    """Return a learning rate that rises and then falls slowly."""
    at = np.arange(1, steps + 1)
    return top * np.minimum(at / length, 1 - 0.5 * (at - length) / steps)


def logged(
    loss: np.ndarray,
    first: int = 1,
    interval: int = 1,
    axis: Axis = Axis.STEP,
    path: str = "run.log",
    **others: np.ndarray,
) -> LoggedRun:
    """Return a run with *loss* and *others* at steps *first*, *first* + *interval* ..."""
    curves: Mapping[str, np.ndarray] = {Series.LOSS.value: loss, **others}
    steps = first + interval * np.arange(len(loss), dtype=np.int64)
    made = {name: Curve(steps, np.asarray(values, np.float64)) for name, values in curves.items()}
    return LoggedRun(path, RunKind.LOG, ("megatron",), axis, made, (), (), len(loss), 0, ())
