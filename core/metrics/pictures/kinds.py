"""What a picture may show of two tensors and of complex numbers."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Difference(StrEnum):
    """How target *t* and golden *g* are set against each other, element by element.

    An element of any kind but ``CLASSES`` is special (NaN, +Inf, −Inf) where either side is and they are
    not the same; equal special values differ by 0.
    """

    ABSOLUTE = "absolute"
    """t − g. Of complex numbers, by magnitude, |t − g|."""
    RELATIVE = "relative"
    """(t − g) / |g|; float32's largest number, with the sign of t, where g is 0 and t is not."""
    ULP = "ulp"
    """(t − g) in units in the last place of the coarser dtype at g's magnitude; exact formats have unit 1."""
    SIGN = "sign"
    """+1 where t's sign (−1, 0 or 1) is the larger: positive against 0 or negative, 0 against negative;
    −1 where it is the smaller; 0 where they are the same. −0 is 0."""
    CLASSES = "classes"
    """A :class:`PairClass`; the worst of a block is shown."""


class Part(StrEnum):
    """What is shown of a complex number; real numbers are shown as they are."""

    MAGNITUDE = "magnitude"
    PHASE = "phase"
    """In radians, from −π to π; the difference is the shorter turn from golden to target."""
    REAL = "real"
    IMAGINARY = "imaginary"


class PairClass(IntEnum):
    """Which of two elements are special values; the larger the worse."""

    FINITE = 0
    SAME_SPECIAL = 1
    GOLDEN_SPECIAL = 2
    """The target is finite."""
    TARGET_INF = 3
    """The golden is finite."""
    TARGET_NAN = 4
    """The golden is finite."""
    OTHER_SPECIAL = 5
    """Both are special, each in its own way."""
