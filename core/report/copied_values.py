"""Numbers of a rectangle as text for the clipboard, digits enough to get the same numbers back.

Each number has the fewest digits that its own format reads back exactly: 0.1 of a float32 is ``0.1``.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.elements.records import ValueWindow


def as_tsv(window: ValueWindow, side: str) -> str:
    """Return the numbers of *side* for a spreadsheet: column numbers on top, row numbers on the left."""
    values = _side(window, side)
    return _tsv(window, values) if values is not None else ""


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
    rows = [
        [_json_value(value) for value, there in zip(row, inside) if there]
        for row, inside in zip(values.tolist() if values.dtype.kind in "iubO" else values, window.inside)
    ]
    document = {
        "side": side,
        "dtype": _dtype(window, side) or values.dtype.name,
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


def _tsv(window: ValueWindow, values: NDArray[Any]) -> str:
    lines = ["\t".join(["", *(str(column) for column in window.columns)])]
    for number, row, inside in zip(window.rows, _texts(values), window.inside):
        lines.append("\t".join([str(number), *(text if there else "" for text, there in zip(row, inside))]))
    return "\n".join(lines) + "\n"


def _texts(values: NDArray[Any]) -> list[list[str]]:
    """Return the shortest text of each number that its format reads back."""
    if values.dtype.kind == "c":
        parts = zip(_texts(values.real), _texts(values.imag))
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
        real, imaginary = _texts(values.real), _texts(values.imag)
        rows = [
            [f"complex({_literal(a)}, {_literal(b)})" for a, b in zip(*row)] for row in zip(real, imaginary)
        ]
    else:
        rows = [[_literal(text) for text in row] for row in _texts(values)]
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
