"""Numbers of a rectangle as text for the clipboard, digits enough to get the same numbers back.

Each number of a float32 or a wider format has the fewest digits that its format reads back exactly: 0.1 of
a float32 is ``0.1``. Of narrower formats all digits stand: whoever reads them has no such format.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import dtype_named
from core.metrics.elements.records import ValueWindow

_NARROW = 11
"""Bits of precision of a float format that has fewer than float32."""


def as_tsv(window: ValueWindow, side: str) -> str:
    """Return the numbers of *side* for a spreadsheet: column numbers on top, row numbers on the left."""
    values = _side(window, side)
    return _tsv(window, _texts(values, _dtype(window, side))) if values is not None else ""


def as_numpy(window: ValueWindow, side: str) -> str:
    """Return the numbers of *side* as a Python expression, with numpy as ``np``.

    The short last row of a folded tensor makes it one-dimensional.
    """
    values = _side(window, side)
    return _numpy(window, values, _dtype(window, side)) if values is not None else ""


def as_json(window: ValueWindow, side: str) -> str:
    """Return ``{"side", "dtype", "rows", "columns", "values"}``, rows and columns as start and stop.

    Special values are the strings ``"nan"``, ``"inf"`` and ``"-inf"``, a complex number is two numbers.
    """
    values = _side(window, side)
    if values is None:
        return ""
    dtype = _dtype(window, side)
    plain = values.astype(np.float64) if _all_digits(values, dtype) else values
    rows = [
        [_json_value(value) for value, there in zip(row, inside) if there]
        for row, inside in zip(plain.tolist() if plain.dtype.kind in "iubO" else plain, window.inside)
    ]
    document = {
        "side": side,
        "dtype": dtype or values.dtype.name,
        "rows": [window.rows.start, window.rows.stop],
        "columns": [window.columns.start, window.columns.stop],
        "values": rows,
    }
    return json.dumps(document, allow_nan=False)


def _side(window: ValueWindow, side: str) -> NDArray[Any] | None:
    """Return the numbers of ``"target"``, ``"golden"`` or ``"difference"``, ``None`` where there are none."""
    return {"target": window.target, "golden": window.golden, "difference": window.difference}[side]


def _dtype(window: ValueWindow, side: str) -> str:
    """Return the dump's own word for the numbers of *side*; a difference has none."""
    return {"target": window.target_dtype, "golden": window.golden_dtype}.get(side, "")


def _tsv(window: ValueWindow, texts: list[list[str]]) -> str:
    lines = ["\t".join(["", *(str(column) for column in window.columns)])]
    for number, row, inside in zip(window.rows, texts, window.inside):
        lines.append("\t".join([str(number), *(text if there else "" for text, there in zip(row, inside))]))
    return "\n".join(lines) + "\n"


def _all_digits(values: NDArray[Any], dtype: str) -> bool:
    """Return whether *values*, in the dump's words of *dtype*, are of a format narrower than float32."""
    if values.dtype.kind != "f":
        return False
    known = dtype_named(dtype)
    return values.dtype.itemsize < 4 or (known is not None and 0 < known.precision <= _NARROW)


def _texts(values: NDArray[Any], dtype: str) -> list[list[str]]:
    """Return the text of each number: all digits of narrow formats, else as few as its format reads back."""
    if _all_digits(values, dtype):
        values = values.astype(np.float64)
    if values.dtype.kind == "c":
        parts = zip(_texts(values.real, dtype), _texts(values.imag, dtype))
        return [
            [
                f"{real}{imaginary if imaginary[0] == '-' else '+' + imaginary}j"
                for real, imaginary in zip(*row)
            ]
            for row in parts
        ]
    return [[str(value) for value in row] for row in values]


_SPECIAL = {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}


def _numpy(window: ValueWindow, values: NDArray[Any], dtype: str) -> str:
    kind = {"b": "np.bool_", "O": "object"}.get(values.dtype.kind, f"np.{values.dtype.name}")
    if not values.size:
        return f"np.empty({values.shape}, dtype={kind})"
    if values.dtype.kind == "c":
        real, imaginary = _texts(values.real, dtype), _texts(values.imag, dtype)
        rows = [
            [f"complex({_literal(a)}, {_literal(b)})" for a, b in zip(*row)] for row in zip(real, imaginary)
        ]
    else:
        rows = [[_literal(text) for text in row] for row in _texts(values, dtype)]
    if window.inside.all():
        inner = ",\n          ".join("[" + ", ".join(row) + "]" for row in rows)
    else:  # the end of a folded tensor: the last row is short
        inner = ", ".join(
            text for row, there in zip(rows, window.inside) for text, yes in zip(row, there) if yes
        )
    remark = f"  # {dtype}" if dtype and dtype != values.dtype.name else ""
    return f"np.array([{inner}], dtype={kind}){remark}"


def _literal(text: str) -> str:
    return _SPECIAL.get(text, text)


def _json_value(value: Any) -> Any:
    """Return what JSON holds for *value*, floats with the digits of their own format."""
    if isinstance(value, np.complexfloating):
        return [_json_value(value.real), _json_value(value.imag)]
    if isinstance(value, np.floating):
        text = str(value)
        return text if text in _SPECIAL else float(text)
    return value
