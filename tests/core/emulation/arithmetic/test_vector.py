"""Every cell of the vendor's boundary tables, in both overflow modes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.dtypes import DTYPES
from core.emulation.arithmetic.rounding import Overflow
from core.emulation.arithmetic.vector import ASCEND_950, ATLAS_A2, IEEE_754, run_vector

DATA = Path(__file__).resolve().parents[3] / "data"
HALF, SINGLE = DTYPES["float16"], DTYPES["float32"]
FORMATS = {"half": HALF, "float": SINGLE}

TWO_DIGITS = "the table prints 1.526e-05 with two digits: 0.000015"
ODD_CELL = "the table has 0 for the absolute value of a float NaN, which saturates nowhere else"
MISSES = {
    ("Reciprocal", "half", "-65504.0", Overflow.INF_NAN): TWO_DIGITS,
    ("Reciprocal", "half", "-65504.0", Overflow.SATURATE): TWO_DIGITS,
    ("Reciprocal", "half", "65504.0", Overflow.INF_NAN): TWO_DIGITS,
    ("Reciprocal", "half", "65504.0", Overflow.SATURATE): TWO_DIGITS,
    ("Abs", "float", "nan", Overflow.SATURATE): ODD_CELL,
}


ONE_UNIT = "the table's square root is one unit above the correctly rounded one; hardware may be one off"
OFF_BY_ONE = {
    ("Sqrt", "half", "65504.0"): ONE_UNIT,
    ("Sqrt", "float", "3.4028235e+38"): ONE_UNIT,
}


def printed_alike(found: float, text: str) -> bool:
    """Whether *found* is the number printed as *text*, to the digits that it has."""
    wanted = float(text)
    if math.isnan(wanted) or math.isinf(wanted) or wanted == 0:
        same_sign = math.copysign(1.0, found) == math.copysign(1.0, wanted)
        return math.isnan(found) if math.isnan(wanted) else found == wanted and same_sign
    digits = len(text.lower().split("e")[0].replace("-", "").replace(".", "").lstrip("0")) or 1
    return float(f"{found:.{max(digits, 4) - 1}e}") == wanted or np.float32(found) == np.float32(wanted)


def cells() -> list[tuple[str, str, list[str], Overflow, str]]:
    table = json.loads((DATA / "vector_boundary_a2.json").read_text(encoding="utf-8"))
    return [
        (operation, dtype, inputs, mode, wanted)
        for operation, dtype, inputs, *results in table["rows"]
        for mode, wanted in zip((Overflow.INF_NAN, Overflow.SATURATE), results)
    ]


def test_807_of_812_cells_are_the_vendors() -> None:
    missed = {}
    off_by_one = set()
    for operation, dtype, inputs, mode, wanted in cells():
        operands = [np.array([float(text)], np.float32) for text in inputs]
        found = float(run_vector(operation, FORMATS[dtype], operands, mode, ATLAS_A2)[0])
        if printed_alike(found, wanted):
            continue
        following = float(
            np.nextafter(FORMATS[dtype].storage.type(found), FORMATS[dtype].storage.type(np.inf))
        )
        if operation == "Sqrt" and printed_alike(following, wanted):
            off_by_one.add((operation, dtype, inputs[0]))
        else:
            missed[operation, dtype, inputs[0], mode] = (found, wanted)
    assert len(cells()) == 812
    assert off_by_one == OFF_BY_ONE.keys()
    assert missed.keys() == MISSES.keys(), missed
    for (operation, *_, mode), (value, wanted) in missed.items():
        if operation == "Reciprocal":  # right to the digits that are printed
            assert abs(value) == 2.0**-16
            assert abs(abs(float(wanted)) - abs(value)) < 1e-6
        else:
            assert mode is Overflow.SATURATE
            assert math.isnan(value)


def test_the_committed_table_is_the_whole_table(cases: Path) -> None:
    whole = json.loads((cases / "arithmetic" / "vector_boundary_a2.json").read_text(encoding="utf-8"))
    ours = json.loads((DATA / "vector_boundary_a2.json").read_text(encoding="utf-8"))
    assert ours["rows"] == whole["rows"]


def test_comparisons_and_casts() -> None:
    nan, one = np.array([np.nan], np.float32), np.array([1.0], np.float32)
    assert run_vector("NE", HALF, [nan, one]) == 1.0
    assert run_vector("NE", HALF, [nan, one], quirks=ATLAS_A2) == 0.0
    assert run_vector("NE", HALF, [one + 1, one], quirks=ATLAS_A2) == 1.0
    for operation, wanted in {"EQ": 0.0, "LT": 1.0, "LE": 1.0, "GT": 0.0, "GE": 0.0}.items():
        assert run_vector(operation, SINGLE, [one, one + 1]) == wanted
        assert run_vector(operation, SINGLE, [nan, one]) == 0.0
    zero = np.array([-0.0], np.float32)
    assert np.signbit(run_vector("Cast", SINGLE, [zero]))
    assert not np.signbit(run_vector("Cast", SINGLE, [zero], quirks=ATLAS_A2))
    with pytest.raises(KeyError):
        run_vector("Frobnicate", SINGLE, [one])


def test_documented_examples_of_the_modes() -> None:
    """INF_NAN_MODE_ENABLE, CANN environment variables: exp(12) and sqrt(-1) in half."""
    twelve, minus = np.array([12.0], np.float32), np.array([-1.0], np.float32)
    for mode, large, undefined in ((Overflow.INF_NAN, np.inf, np.nan), (Overflow.SATURATE, 65504.0, 0.0)):
        assert run_vector("Exp", HALF, [twelve], mode, ATLAS_A2) == large
        root = run_vector("Sqrt", HALF, [minus], mode, ATLAS_A2)
        assert np.array_equal(root, [undefined], equal_nan=True)


def test_the_950_flushes_in_some_operations() -> None:
    """Register vector interfaces: Div, Exp, Ln and Sqrt without subnormals unless asked; Add and Mul with."""
    one, tiny = np.array([1.0], np.float32), np.array([-5.019e-39], np.float32)
    assert run_vector("Div", SINGLE, [one, tiny], quirks=ASCEND_950) == -np.inf
    assert run_vector("Div", SINGLE, [one, tiny], quirks=IEEE_754) == pytest.approx(-1.99234e38, rel=1e-4)
    assert run_vector("Ln", SINGLE, [-tiny], quirks=ASCEND_950) == -np.inf
    assert run_vector("Ln", SINGLE, [-tiny]) == pytest.approx(math.log(5.019e-39), rel=1e-5)
    assert run_vector("Sqrt", SINGLE, [-tiny], quirks=ASCEND_950) == 0.0
    assert run_vector("Sqrt", SINGLE, [-tiny]) == pytest.approx(math.sqrt(5.019e-39), rel=1e-5)
    for operation in ("Add", "Sub", "Mul"):
        assert run_vector(operation, SINGLE, [tiny, one * 0.5], quirks=ASCEND_950) != 0.0
    subnormal = np.array([-9.75], np.float32)
    assert run_vector("Exp", HALF, [subnormal], quirks=ASCEND_950) == 0.0
    assert run_vector("Exp", HALF, [subnormal]) == pytest.approx(math.exp(-9.75), abs=2.0**-25)


def test_the_documented_exponential_is_two_units_off() -> None:
    """The document gives 6.0975551605e-05 for exp(-9.703125) in half, and 0 where subnormals are flushed.

    The exact value, 6.1092e-05, is above the smallest normal half, 6.1035e-05: correctly rounded it is normal
    and not flushed. The hardware's error of a unit or two decides, and that is not modelled.
    """
    found = float(run_vector("Exp", HALF, [np.array([-9.703125], np.float32)])[0])
    assert abs(found - 6.0975551605e-05) < 2.01 * HALF.smallest_subnormal
    assert found > HALF.smallest_normal
