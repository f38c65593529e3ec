"""Random pairs whose difference has no pattern but the few that are true by the way they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle
from core.metrics.patterns.pattern import PatternName

FLOATS = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
_ROUNDED = {PatternName.ROUNDING_ONLY, PatternName.DOWNCAST_GRID, PatternName.UNDERFLOW}
_FEW = {PatternName.SINGLE_ELEMENT, PatternName.FEW_ELEMENTS}
"""What is true wherever few elements differ."""
_SMALL = (1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 64)


@dataclass(frozen=True)
class NoisePair:
    """Target and golden, and the patterns that are true by construction."""

    kind: str
    target: np.ndarray
    golden: np.ndarray
    true: set[PatternName] = field(default_factory=set)


def handle(array: np.ndarray) -> TensorHandle:
    """Return *array* as an opened tensor."""
    name = array.dtype.name
    array = np.ascontiguousarray(array).reshape(array.shape)
    if not DTYPES[name].native:
        return TensorHandle(array.view(f"u{array.dtype.itemsize}"), DTYPES[name])
    return TensorHandle(array.view(), DTYPES[name])


def cast(values: np.ndarray, name: str) -> np.ndarray:
    """Return *values* rounded to the format *name*, kept inside its range."""
    limit = DTYPES[name].maximum
    with np.errstate(all="ignore"):
        return np.clip(values, -limit, limit).astype(FLOATS[name])


def shape_of(random: np.random.Generator) -> tuple[int, ...]:
    """Return a shape of 0 to 4 dimensions: mostly small, now and then some hundred thousand elements."""
    axes = int(random.integers(0, 5))
    if random.random() < 0.06:
        return {0: (), 1: (100_000,), 2: (384, 512), 3: (8, 128, 96), 4: (2, 4, 96, 64)}[axes]
    if random.random() < 0.5:
        return tuple(int(random.choice(_SMALL[: 12 if axes < 3 else 7])) for _ in range(axes))
    return tuple(int(random.choice((8, 16, 24, 32, 48, 64))) for _ in range(min(axes, 3)))


def golden_of(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return golden values: even, normal, of a wide range, sparse, positive, of row scales, or walks."""
    values = random.standard_normal(shape)
    kind = int(random.integers(0, 7))
    if kind == 1:
        return random.uniform(-1, 1, shape)
    if kind == 2:
        return values * np.exp(3 * random.standard_normal(shape))
    if kind == 3:
        return np.where(random.random(shape) < 0.7, 0.0, values)
    if kind == 4:
        return np.abs(values)
    if kind == 5 and shape:
        return values * np.exp(random.standard_normal((*shape[:-1], 1)))
    if kind == 6:
        return values.cumsum(axis=-1) if shape else values
    return values


def draw(seed: int) -> NoisePair:
    """Return the pair with this number."""
    random = np.random.default_rng(seed)
    shape = shape_of(random)
    return MAKERS[seed % len(MAKERS)](random, shape)


def rounded(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Both sides computed exactly and rounded, or a target that is the golden rounded."""
    name = str(random.choice(list(FLOATS)))
    exact = golden_of(random, shape)
    golden = cast(exact, "float64" if name == "float64" else "float32")
    target = cast(golden.astype(np.float64), name)
    if random.random() < 0.5 and name != "float8_e5m2":
        target = target.astype(np.float32)
    return NoisePair(f"rounded {name}", target, golden, _ROUNDED | _FEW)


def _dtype(random: np.random.Generator) -> str:
    return str(random.choice(("float32", "float32", "float64", "float16", "bfloat16")))


def multiplied(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Relative noise from 1e-6 to 1e-1."""
    size = 10 ** random.uniform(-6, -1)
    golden = golden_of(random, shape)
    name = _dtype(random)
    target = golden * (1 + size * random.standard_normal(shape))
    true = _ROUNDED | _FEW  # of small tensors in short formats few elements change at all
    return NoisePair(f"multiplied {size:.1e} {name}", cast(target, name), cast(golden, name), true)


def added(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Noise of one size from 1e-6 to 1; of some sizes it is just what short operands leave."""
    size = 10 ** random.uniform(-6, 0)
    golden, name = golden_of(random, shape), _dtype(random)
    target = golden + size * random.standard_normal(shape)
    true = _FEW | {PatternName.LOWER_PRECISION}
    return NoisePair(f"added {size:.1e} {name}", cast(target, name), cast(golden, name), true)


def heavy(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Noise with heavy tails: Student's t of one to three degrees of freedom."""
    size = 10 ** random.uniform(-7, -1)
    golden, name = golden_of(random, shape), _dtype(random)
    tails = random.standard_t(random.uniform(1, 3), shape)
    target = golden + size * tails * (golden if random.random() < 0.5 else 1.0)
    return NoisePair(f"heavy {size:.1e} {name}", cast(target, name), cast(golden, name), _FEW)


def sparse(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Elements here and there that differ; few of them are told one by one, as they are."""
    golden, name = golden_of(random, shape), _dtype(random)
    where = random.random(shape) < 10 ** random.uniform(-4, -0.3)
    target = np.where(where, golden + random.standard_normal(shape), golden)
    return NoisePair(f"sparse {name}", cast(target, name), cast(golden, name), _FEW)


def unrelated(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Two tensors that have nothing to do with each other."""
    name = _dtype(random)
    return NoisePair("unrelated", cast(golden_of(random, shape), name), cast(golden_of(random, shape), name))


def integers(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Whole numbers, all drawn anew or few of them."""
    high = int(random.choice((2, 5, 100, 50_000, 2**40)))
    golden = random.integers(0, high, shape)
    other = random.integers(0, high, shape)
    target = other if random.random() < 0.5 else np.where(random.random(shape) < 0.05, other, golden)
    true = _FEW | {PatternName.NEAR_TIE} | ({PatternName.MASK_FLIPS} if high == 2 else set())
    return NoisePair(f"integers {high}", np.asarray(target), np.asarray(golden), true)


def flags(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Masks with flips anywhere."""
    golden = np.asarray(random.random(shape) < random.uniform(0.05, 0.95))
    target = golden ^ (random.random(shape) < random.choice((0.01, 0.5)))
    return NoisePair("flags", np.asarray(target), golden, _FEW | {PatternName.MASK_FLIPS})


def constants(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Tensors of one value each, or one of them noise."""
    name = _dtype(random)
    golden = np.full(shape, random.choice((0.0, 1.0, random.standard_normal())))
    target = np.full(shape, random.standard_normal())
    if random.random() < 0.5:
        target = random.standard_normal(shape)
    if random.random() < 0.3:
        target, golden = golden, target
    return NoisePair("constants", cast(target, name), cast(golden, name))


def mixed(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Two formats with noise of several units of the coarser one, and special values of both sides alike."""
    name = str(random.choice(("float16", "bfloat16")))
    golden = golden_of(random, shape)
    target = golden * (1 + 2.0**-7 * random.standard_normal(shape))
    odd = random.random(shape) < 0.01
    target, golden = np.where(odd, np.nan, target), np.where(odd, np.nan, golden)
    return NoisePair(f"mixed {name}", cast(target, name), cast(golden, "float32"), _ROUNDED | _FEW)


def complexes(random: np.random.Generator, shape: tuple[int, ...]) -> NoisePair:
    """Complex numbers with relative noise."""
    size = 10 ** random.uniform(-6, -1)
    golden = random.standard_normal(shape) + 1j * random.standard_normal(shape)
    noise = random.standard_normal(shape) + 1j * random.standard_normal(shape)
    target = golden * (1 + size * noise) if random.random() < 0.7 else noise
    return NoisePair("complexes", target.astype(np.complex64), golden.astype(np.complex64), _FEW)


MAKERS: tuple[Callable[..., NoisePair], ...] = (
    rounded,
    multiplied,
    added,
    heavy,
    sparse,
    unrelated,
    integers,
    flags,
    constants,
    mixed,
    complexes,
)
