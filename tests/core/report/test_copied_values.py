"""Copied numbers read back as the same numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from builders.element_pairs import handle_of, numpy_dtype, pairs, sources_of
from hypothesis import given, settings

from core.metrics.elements.records import ValueWindow
from core.metrics.inspection.elements import value_window
from core.metrics.pictures.plane import Plane
from core.report.copied_values import as_json, as_numpy, as_tsv


def window_of(target: np.ndarray, golden: np.ndarray, width: int = 0) -> ValueWindow:
    sources = sources_of(handle_of(target), handle_of(golden))
    axes = tuple(range(target.ndim))
    plane = Plane(axes[:-1], axes[-1:], (0,) * target.ndim, width)
    return value_window(sources, plane, 0, 0, 100, 100)


@settings(max_examples=120, deadline=None)
@given(pairs())
def test_numpy_literals_evaluate_to_the_same_array(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    window = window_of(*pair[:2])
    for side in ("target", "golden", "difference"):
        values = getattr(window, side)
        made = eval(as_numpy(window, side), {"np": np})
        expected = values if window.inside.all() else values[window.inside]
        assert made.dtype == values.dtype
        np.testing.assert_array_equal(made, expected)
        if values.dtype.kind == "f":
            there = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(made[there]), np.signbit(expected[there]))


@settings(max_examples=80, deadline=None)
@given(pairs())
def test_tsv_and_json_hold_every_digit(pair: tuple[np.ndarray, np.ndarray, str, str]) -> None:
    window = window_of(*pair[:2])
    lines = as_tsv(window, "target").splitlines()
    values = window.target
    assert values is not None
    assert lines[0].split("\t") == ["", *map(str, window.columns)]
    assert len(lines) == len(window.rows) + 1
    document = json.loads(as_json(window, "target"))
    for row, (line, copied, there) in enumerate(zip(lines[1:], document["values"], window.inside)):
        number, *cells = line.split("\t")
        assert int(number) == window.rows[row]
        assert [cell != "" for cell in cells] == there.tolist()
        for cell, other, value in zip(cells, copied, values[row][there]):
            if values.dtype.kind == "b":
                assert (cell, other) == (str(bool(value)), bool(value))
            elif values.dtype.kind == "c":
                np.testing.assert_equal(values.dtype.type(complex(cell)), value)
                assert [values.real.dtype.type(part) for part in other] == [value.real, value.imag] or (
                    np.isnan(value.real) or np.isnan(value.imag)
                )
            else:
                np.testing.assert_equal(values.dtype.type(cell), value)
                np.testing.assert_equal(values.dtype.type(other), value)


def test_how_it_looks() -> None:
    target = np.array([[0.1, np.nan], [-np.inf, 2]], np.float32)
    window = window_of(target, target)
    assert as_tsv(window, "target") == "\t0\t1\n0\t0.1\tnan\n1\t-inf\t2.0\n"
    assert as_numpy(window, "target") == (
        "np.array([[0.1, np.nan],\n          [-np.inf, 2.0]], dtype=np.float32)"
    )
    assert json.loads(as_json(window, "target")) == {
        "side": "target",
        "dtype": "float32",
        "rows": [0, 2],
        "columns": [0, 2],
        "values": [[0.1, "nan"], ["-inf", 2.0]],
    }


def test_the_end_of_a_folded_tensor() -> None:
    window = window_of(np.arange(5), np.arange(5), width=3)
    assert as_tsv(window, "golden") == "\t0\t1\t2\n0\t0\t1\t2\n1\t3\t4\t\n"
    assert as_numpy(window, "golden") == "np.array([0, 1, 2, 3, 4], dtype=np.int64)"
    assert json.loads(as_json(window, "golden"))["values"] == [[0, 1, 2], [3, 4]]


def test_a_side_that_is_missing() -> None:
    array = np.zeros((2, 2), np.float32)
    window = value_window(sources_of(handle_of(array), None), Plane.of(array.shape), 0, 0, 2, 2)
    assert as_tsv(window, "golden") == as_numpy(window, "difference") == as_json(window, "golden") == ""


@pytest.mark.parametrize(
    ("dtype", "number", "text"),
    [
        ("float16", 1.484375, "1.484375"),
        ("bfloat16", 0.1, "0.10009765625"),
        ("float8_e4m3fn", 0.017578125, "0.017578125"),
        ("float8_e5m2", 57344.0, "57344.0"),
        ("float32", 0.1, "0.1"),
        ("float64", 0.1, "0.1"),
        ("complex64", 0.1, "0.1+0.0j"),
    ],
)
def test_narrow_formats_have_all_their_digits(dtype: str, number: float, text: str) -> None:
    window = window_of(*[np.array([[number]]).astype(numpy_dtype(dtype))] * 2)
    assert as_tsv(window, "target").splitlines()[1] == f"0\t{text}"
    if not dtype.startswith("complex"):
        assert f"[[{text}]]" in as_numpy(window, "target")
        assert json.loads(as_json(window, "target"))["values"] == [[float(text)]]
