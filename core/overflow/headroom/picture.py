"""Exponents over the execution order, in as many columns as there are pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.records.headroom import (
    BINS,
    FIRST_EXPONENT,
    LAST_EXPONENT,
    NO_EXPONENT,
    ExponentPicture,
    Headroom,
    HeadroomTable,
)
from core.records.result import Evidence

_Shares = NDArray[np.float32]
_BLOCK = 4096
"""Rows spread into bins at a time."""


def exponent_picture(headroom: Headroom, width: int) -> ExponentPicture:
    """Return the exponents of the calls in execution order, in at most *width* columns.

    Only calls that have rows take part, equally many a column. A column holds the maximum of its rows'
    shares, so that no peak is lost: a single element beyond the format is in the picture at every width.
    Where only statistics are known, the span from the root mean square (or the top alone, where that is not
    known) to the largest magnitude is filled with equal shares.

    Raises
    ------
    ValueError
        If *width* is below 1.
    """
    if width < 1:
        raise ValueError(f"a picture {width} columns wide")
    rows = headroom.rows
    operators, first_rows = np.unique(rows.operator, return_index=True)
    columns = min(width, len(operators))
    edges = (np.arange(columns + 1, dtype=np.int64) * len(operators)) // max(columns, 1)
    bounds = np.append(first_rows, len(rows))[edges] if columns else np.zeros(1, np.int64)
    shares = np.zeros((BINS, columns), np.float32)
    evidence = np.zeros(columns, np.uint8)
    spans = _spans(rows)
    for number in range(columns):
        start, stop = int(bounds[number]), int(bounds[number + 1])
        for at in range(start, stop, _BLOCK):
            part = slice(at, min(at + _BLOCK, stop))
            np.maximum(shares[:, number], _most(headroom, part, spans), out=shares[:, number])
        evidence[number] = rows.evidence[start:stop].max(initial=Evidence.NONE)
    first = operators[edges[:-1]].astype(np.int32)
    last = operators[edges[1:] - 1].astype(np.int32) if columns else first
    return ExponentPicture(shares, first, last, evidence)


def _spans(rows: HeadroomTable) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return first and last bin that a row fills by its statistics; first > last where it fills none."""
    top = np.clip(rows.top, FIRST_EXPONENT, LAST_EXPONENT) - FIRST_EXPONENT
    with np.errstate(invalid="ignore"):
        rms = np.where(np.isfinite(rms_floor := np.floor(rows.rms)), rms_floor, rows.top)
    bottom = np.clip(rms, FIRST_EXPONENT, LAST_EXPONENT) - FIRST_EXPONENT
    nothing = (rows.top == NO_EXPONENT) | (rows.evidence != Evidence.STATISTICS)
    last = np.where(nothing, -1, top)
    return np.minimum(bottom, np.maximum(last, 0)).astype(np.int16), last.astype(np.int16)


def _most(headroom: Headroom, part: slice, spans: tuple[NDArray[np.int16], NDArray[np.int16]]) -> _Shares:
    """Return the largest share of each bin among the rows *part*."""
    rows = headroom.rows
    most = np.zeros(BINS, np.float32)
    at = rows.histogram[part]
    read = at >= 0
    if read.any():
        counts = np.maximum(rows.count[part][read], 1)
        most = (headroom.histograms[at[read]] / counts[:, None]).max(axis=0).astype(np.float32)
    first, last = (span[part] for span in spans)
    filled = last >= 0
    if filled.any():
        most = np.maximum(most, _filled(first[filled], last[filled]))
    return most


def _filled(first: NDArray[np.int16], last: NDArray[np.int16]) -> _Shares:
    """Return for each bin the largest of 1 / length over the spans that cover it."""
    most = np.zeros(BINS, np.float32)
    spans = np.unique(first.astype(np.int32) * BINS + last)
    for low, high in zip((spans // BINS).tolist(), (spans % BINS).tolist()):
        most[low : high + 1] = np.maximum(most[low : high + 1], np.float32(1 / (high - low + 1)))
    return most
