"""The noise that may be expected of a pair: the one home of all tolerances.

The shipped table is ``resources/tables/noise.toml``, where each number's source stands. A user may load
another one; what it does not name keeps the shipped value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.dtypes import DTYPES, DType, coarser
from core.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of one number format. Factors count unit roundoffs; ``noise.toml`` explains each."""

    relative_l2_factor: float
    max_factor: float
    absolute_floor: float
    max_min_factor: float
    mean_factor: float
    norm_factor: float
    incoherent_limit: float


@dataclass(frozen=True)
class NoiseTable:
    """:class:`Noise` by the name of the format."""

    formats: Mapping[str, Noise]

    @classmethod
    def default(cls) -> NoiseTable:
        """Return the table that ulpscope comes with."""
        return shipped_noise()

    def of(self, dtype: DType) -> Noise:
        """Return the noise of *dtype*; a complex format has that of its parts."""
        name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
        return self.formats.get(name) or _EXACT

    def of_pair(self, target: DType, golden: DType) -> tuple[Noise, float]:
        """Return the noise of a pair, that of its coarser format, and that format's unit roundoff."""
        coarse = coarser(target, golden)
        floor = max(self.of(target).absolute_floor, self.of(golden).absolute_floor)
        return replace(self.of(coarse), absolute_floor=floor), coarse.unit_roundoff

    def allowed_relative_l2(self, dtype: DType) -> float:
        """Return the relative error that numbers of *dtype* may carry."""
        return self.of(dtype).relative_l2_factor * dtype.unit_roundoff

    def as_mapping(self) -> dict[str, dict[str, float]]:
        """Return plain numbers by format and name, as reports and result files show them."""
        return {name: asdict(noise) for name, noise in self.formats.items()}

    def to_toml(self) -> str:
        """Return the text of a file that :func:`load_noise` reads."""
        lines = []
        for name, numbers in self.as_mapping().items():
            lines += [f"[{name}]", *(f"{key} = {value!r}" for key, value in numbers.items()), ""]
        return "\n".join(lines)

    def save(self, path: str | Path) -> None:
        """Write the table to *path*."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")


_NAMES = tuple(item.name for item in fields(Noise))
_EXACT = Noise(**dict.fromkeys(_NAMES, 0.0))
ONE_ROUNDING = Noise(1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
"""Of a float that should hold a whole number: rounded once."""
_FORMATS = tuple(name for name, dtype in DTYPES.items() if dtype.precision and not name.startswith("complex"))


@lru_cache(maxsize=1)
def shipped_noise() -> NoiseTable:
    """Return the table that ulpscope comes with."""
    return NoiseTable({name: Noise(**numbers) for name, numbers in tomllib.loads(shipped_text()).items()})


def shipped_text() -> str:
    """Return the text of the table that ulpscope comes with: what each number means, and its source."""
    return (files("resources") / "tables" / "noise.toml").read_text("utf-8")


def load_noise(path: str | Path) -> NoiseTable:
    """Return the shipped table with what the file *path* says instead.

    Raises
    ------
    InputError
        ``noise_unreadable``, ``noise_syntax``, ``noise_unknown_format``, ``noise_unknown_key``,
        ``noise_bad_number``: nothing of a wrong table is used.
    """
    name = str(path)
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(Problem("noise_unreadable", name, {"detail": detail})) from None
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(Problem("noise_syntax", name, {"detail": str(error)})) from None
    return noise_from(said, name)


def noise_from(said: Mapping[str, Any], path: str = "") -> NoiseTable:
    """Return the shipped table with the numbers of *said* instead; *path* is named in problems.

    Raises
    ------
    InputError
        See :func:`load_noise`.
    """
    formats = dict(shipped_noise().formats)
    for name, numbers in said.items():
        if name not in _FORMATS or not isinstance(numbers, Mapping):
            known = ", ".join(_FORMATS)
            raise InputError(Problem("noise_unknown_format", path, {"name": str(name), "known": known}))
        for key, value in numbers.items():
            if key not in _NAMES:
                known = ", ".join(_NAMES)
                raise InputError(
                    Problem("noise_unknown_key", path, {"name": f"{name}.{key}", "known": known})
                )
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e300:
                parameters = {"name": f"{name}.{key}", "value": str(value)}
                raise InputError(Problem("noise_bad_number", path, parameters))
        changed = {key: float(value) for key, value in numbers.items()}
        formats[name] = replace(formats[name], **changed)
    return NoiseTable(formats)
