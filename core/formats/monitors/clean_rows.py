"""Rows without any fault, parsed by pandas' C reader: ten times as fast as one by one, and the same numbers.

A block that is not plainly clean is left to :mod:`core.formats.monitors.rows`.
"""

from __future__ import annotations

import inspect
import io
import re
import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from core.formats.monitors.cells import small
from core.formats.monitors.layout import ABSENT, Layout
from core.formats.monitors.row_block import RowBlock
from core.records.log_table import UNSAID

_WORTH = 16 << 10
"""Bytes from which a block is worth a call of pandas."""
_EXACT = 2**53
"""Steps up to here survive that pandas reads the column as float64, where one of them is written so."""
_NANS = ["nan", "NaN", "NAN"]
_QUOTED = re.compile(rb'(?<=[,\n])"[^"\r\n]*"(?=[,\r\n])')
"""A cell in quotes, as those of shapes are: ``"[1024, 1024]"``."""


def read(block: bytes, layout: Layout) -> RowBlock | None:
    """Return the rows of *block*, whole lines, ``None`` if it is short or any of them needs a closer look."""
    if len(block) < _WORTH or not _is_regular(block, layout.width):
        return None
    try:
        block.decode("utf-8")
        return _parsed(block, layout)
    except (ValueError, OverflowError, RuntimeWarning):  # pandas' ParserError is a ValueError
        return None


def _is_regular(block: bytes, width: int) -> bool:
    """Whether all lines have *width* cells, quoted as whole cells if at all."""
    if b'"' in block:
        block = _QUOTED.sub(b"", block)
    if width == 1 or b'"' in block or b"\0" in block or b"\r" in block.replace(b"\r\n", b"\n"):
        return False
    raw = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(raw == ord("\n"))
    commas = np.flatnonzero(raw == ord(","))
    if len(commas) != len(ends) * (width - 1):
        return False
    # The last comma of each line stands before its end, and the first of the next one after it.
    table = commas.reshape(len(ends), width - 1)
    return bool((table[:, -1] < ends).all() and (table[1:, 0] > ends[:-1]).all())


def _parsed(block: bytes, layout: Layout) -> RowBlock:
    import pandas as pd  # half a second: on use alone

    numbers = [column for column, _ in layout.statistics]
    texts = [column for column in (layout.name, layout.scope, layout.stage, layout.micro) if column != ABSENT]
    types: dict[Any, Any] = {
        **dict.fromkeys(numbers, "float64"),
        **dict.fromkeys(texts, "object"),  # "category" makes numbers of texts that look like some
    }
    if layout.step != ABSENT:
        types[layout.step] = "int64"
    read_csv: Any = pd.read_csv
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        frame = read_csv(
            io.BytesIO(block),
            header=None,
            names=list(range(layout.width)),
            usecols=sorted(types),
            index_col=False,
            dtype=types,
            engine="c",
            encoding="utf-8",
            keep_default_na=False,
            na_values=dict.fromkeys(numbers, _NANS),
            skip_blank_lines=False,
            **_exact_floats(),
        )
    rows = len(frame)
    step = frame[layout.step].to_numpy() if layout.step != ABSENT else np.full(rows, UNSAID, np.int64)
    if rows and not -_EXACT < step.min() <= step.max() < _EXACT:
        raise ValueError("no step")
    stages, stage = _wholes(frame, layout.stage, 0)
    micros, micro = _wholes(frame, layout.micro, UNSAID)
    names, name = _texts(frame, layout.name)
    scopes, scope = _texts(frame, layout.scope)
    combined, key = _numbered((name * len(scopes) + scope) * len(stages) + stage)
    places = [(*divmod(code // len(stages), len(scopes)), code % len(stages)) for code in combined]
    keys = tuple((stages[c], names[a], scopes[b]) for a, b, c in places)
    statistics = tuple((label, frame[column].to_numpy(), None) for column, label in layout.statistics)
    return RowBlock(keys, key, step, np.array(micros, np.int32)[micro], statistics)


@lru_cache(maxsize=1)
def _exact_floats() -> dict[str, str]:
    """Return the option that makes pandas read floats to the last bit; later versions always do so."""
    import pandas as pd

    known = "float_precision" in inspect.signature(pd.read_csv).parameters
    return {"float_precision": "round_trip"} if known else {}


def _texts(frame: Any, column: int) -> tuple[list[str], Any]:
    """Return the different texts of a column, and which of them each row has."""
    if column == ABSENT:
        return [""], np.zeros(len(frame), np.int64)
    import pandas as pd

    codes, texts = pd.factorize(frame[column].to_numpy())
    return texts.tolist(), codes.astype(np.int64)


def _wholes(frame: Any, column: int, otherwise: int) -> tuple[list[int], Any]:
    texts, codes = _texts(frame, column)
    made = [small(text, otherwise) for text in texts]
    if None in made:
        raise ValueError("no whole number")
    return [value for value in made if value is not None], codes


def _numbered(code: Any) -> tuple[list[int], Any]:
    """Return the different codes in the order in which they appear, and the number of each row's."""
    different, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return different[order].tolist(), place[inverse]
