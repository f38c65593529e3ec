"""The error of all elements of a matrix product together, beside that of a chip's settings.

Elements may each lie within a bound that must hold for any order of summation; together they do not err so
much more than the orders tried. Errors are measured in what each element is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from core.dtypes import DType
from core.emulation.chips.distances import spacing
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.computing import Array
from core.emulation.terms.formats import FLOAT32

_ROUNDINGS, _ROUNDINGS_NARROW = 1.0, 4.0
"""Roundings to float32 of the size |A||B| that are always admissible: orders may stray more than those tried.
More of them are in 16-bit formats, where they show in results that cancel alone."""
_SHARE_OF_BOUND = 0.125
"""The same in running error bounds, where |A||B| is not known."""


@dataclass
class TogetherError:
    """Errors beside one reference: of settings as they are tried, then of the target."""

    reference: Array
    allowed: Array
    """How far each element may be from the reference, by the bound."""
    floor: float
    """Error that is admissible whatever the settings give: they may be exact by luck, or all round alike."""
    noise: float = 0.0
    """Error of the setting that strays most, of those that round to nearest."""
    truncation: float = 0.0
    """The same of those that truncate: their errors go toward zero."""

    def take(self, made: Array, *, truncates: bool = False) -> None:
        """Take in what a setting gives."""
        if truncates:
            self.truncation = max(self.truncation, self.error(made))
        else:
            self.noise = max(self.noise, self.error(made))

    def error(self, given: Array) -> float:
        """Return the root mean square of the error over what is allowed, where that is finite."""
        return _root_mean_square(given - self.reference, self.allowed)

    def excess(self, dumped: Array, *, leans: bool) -> float:
        """Return the error of *dumped* over that of the setting that strays most.

        Settings that truncate count where its errors lean toward zero.
        """
        noise = max(self.noise, self.floor, self.truncation if leans else 0.0)
        mine = self.error(dumped)
        return mine / noise if noise else (inf if mine else 0.0)


def together(reference: Bounded, allowed: Array, sizes: Array | None, dtype: DType) -> TogetherError:
    """Return the errors beside *reference*, none taken in yet.

    *sizes* are |A||B| of the product, ``None`` or of another shape where it is not known; *dtype* is the
    format that the result passed through.
    """
    value = reference.value
    roundings = _ROUNDINGS_NARROW if dtype.precision < FLOAT32.precision else _ROUNDINGS
    if sizes is not None and sizes.size == value.size:
        accumulated = roundings * sizes.reshape(value.shape)
    else:
        accumulated = _SHARE_OF_BOUND * np.nan_to_num(np.asarray(reference.error), posinf=0.0)
    with np.errstate(all="ignore"):
        half = 0.5 * spacing(np.abs(value), dtype)
        admissible = half + FLOAT32.unit_roundoff * accumulated
    return TogetherError(value, allowed, _root_mean_square(admissible, allowed))


def _root_mean_square(errors: Array, allowed: Array) -> float:
    with np.errstate(all="ignore"):
        shares = np.abs(errors) / allowed
    known = shares[np.isfinite(shares)]
    return float(np.sqrt(np.mean(np.square(known)))) if known.size else 0.0
