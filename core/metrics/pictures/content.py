"""What a picture is made of: the elements of one tensor, or of a difference, laid out by a plane."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, Kind, widen
from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.chunked_sheet import ChunkedSheet, Grain, portions, sheet_of
from core.metrics.pictures.differences import Subtraction
from core.metrics.pictures.kinds import Difference, Part
from core.metrics.pictures.parts import part_of
from core.metrics.pictures.plane import Plane, Region
from core.metrics.pictures.sheet import Sheet
from core.metrics.shapes import comparable


@dataclass(frozen=True, slots=True)
class Content:
    """Reads regions of one or two sheets, and makes of their bits what is to be seen."""

    sheets: tuple[Sheet | ChunkedSheet, ...]
    convert: Callable[..., NDArray[Any]]
    dtype: DType
    """Of what *convert* returns, as stored bits."""
    limit: float | None
    """The magnitude that stands for all larger ones too; ``None``: every element is itself."""

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.sheets[0].size

    @property
    def turned(self) -> bool:
        """Whether it is quicker to read columns as rows."""
        return self.sheets[0].turned

    @property
    def grain(self) -> Grain | None:
        """How the sheets are best read together; ``None``: in any portions."""
        grains = [sheet.grain for sheet in self.sheets if sheet.grain is not None]
        if not grains:
            return None
        rows, columns = min(grain.rows for grain in grains), min(grain.columns for grain in grains)
        return Grain(rows, columns, grains[0].order)

    def take(self, region: Region) -> tuple[NDArray[Any], int]:
        """Return *region*, and how many elements only fill up its last row; see :meth:`Sheet.take`."""
        taken = [sheet.take(region) for sheet in self.sheets]
        return self.convert(*(bits for bits, _ in taken)), taken[0][1]

    def sample(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> Generator[None, None, NDArray[Any]]:
        """Return the numbers at all crossings of *rows* and *columns*, both ascending, flat.

        Yields between portions where they must be unpacked.
        """
        mapped = [sheet for sheet in self.sheets if isinstance(sheet, Sheet)]
        grain = self.grain
        if grain is None:
            return self.numbers(self.convert(*(sheet.sample(rows, columns) for sheet in mapped)))
        made = np.empty((len(rows), len(columns)), self.dtype.storage)
        inside = np.ones(made.shape, np.bool_)
        area = Region(int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1)
        for part in grain.sorted(portions(area, grain), lambda part: part):
            down = slice(*np.searchsorted(rows, (part.top, part.bottom)).tolist())
            along = slice(*np.searchsorted(columns, (part.left, part.right)).tolist())
            wanted, across = rows[down], columns[along]
            if not (wanted.size and across.size):
                continue
            top, left, right = int(wanted[0]), int(across[0]), int(across[-1]) + 1
            taken, fill = self.take(Region(top, int(wanted[-1]) + 1, left, right))
            made[down, along] = taken[np.ix_(wanted - top, across - left)]
            inside[down.stop - 1, along] = across < right - fill
            yield None
        return self.numbers(made[inside])

    def numbers(self, taken: NDArray[Any]) -> NDArray[Any]:
        """Turn what :meth:`take` returns into numbers."""
        return widen(taken, self.dtype)


def of_side(handle: TensorHandle, plane: Plane, part: Part = Part.MAGNITUDE) -> Content:
    """Return the elements of one tensor, of complex numbers their *part*.

    Raises
    ------
    ValueError
        If the plane does not exist in the tensor.
    """
    sheet, dtype = sheet_of(handle, plane), handle.stored
    if handle.plain and handle.storage.isnative and dtype.kind is not Kind.COMPLEX:
        return Content((sheet,), lambda bits: bits, dtype, None)
    if dtype.kind is Kind.COMPLEX:
        dtype = DTYPES["float32" if dtype.name == "complex64" else "float64"]
    elif not dtype.native:
        dtype = DTYPES["float32"]
    return Content((sheet,), lambda bits: part_of(handle.numbers(bits), part), dtype, None)


def of_difference(
    target: TensorHandle,
    golden: TensorHandle,
    plane: Plane,
    difference: Difference = Difference.ABSOLUTE,
    part: Part = Part.MAGNITUDE,
) -> Content:
    """Return the *difference* of two tensors, of complex numbers that of their *part*.

    *plane* is one of the target's. Formats up to float32 are subtracted in float32, others in float64.

    Raises
    ------
    ValueError
        If the plane does not exist, or the shapes differ by more than dimensions of size 1.
    """
    if not plane.fits(target.shape) or not comparable(target.shape, golden.shape):
        raise ValueError(f"no common plane {plane} in {target.shape} and {golden.shape}")
    subtraction = Subtraction((target.stored, golden.stored), (target.dtype, golden.dtype), difference, part)
    golden = golden if golden.shape == target.shape else golden.reshaped(target.shape)
    sheets = sheet_of(target, plane), sheet_of(golden, plane)
    # Equal bits are equal numbers; whether these are special is what pictures of classes show.
    same = target.plain and golden.plain and target.storage == golden.storage
    same = same and target.stored is golden.stored and difference is not Difference.CLASSES
    same = same and target.stored.itemsize <= 8  # numpy has no larger words

    def convert(bits_t: NDArray[Any], bits_g: NDArray[Any]) -> NDArray[Any]:
        if same and np.array_equal(bits_t.view(_word(bits_t)), bits_g.view(_word(bits_g))):
            return subtraction.nothing(bits_t.shape)
        return subtraction.of(target.numbers(bits_t), golden.numbers(bits_g))

    return Content(sheets, convert, subtraction.dtype, subtraction.limit)


def _word(bits: NDArray[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{bits.dtype.itemsize}")
