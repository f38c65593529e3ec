"""Arguments: exact but for the rounding of floats, devices aside."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compare.arguments import judge_argument
from core.metrics.noise import shipped_noise
from core.records.result import Reason, Verdict

NOISE = shipped_noise()
EQUAL, CLOSE, DIFFERS = Verdict.EQUAL, Verdict.CLOSE, Verdict.DIFFERS


@pytest.mark.parametrize(
    ("left", "right", "verdict", "reason"),
    [
        (("int", "3"), ("int", "4"), DIFFERS, Reason.VALUE),
        (("int", "3"), ("int", "3"), EQUAL, Reason.IDENTICAL),
        (("int", "1"), ("float", "1.0"), EQUAL, Reason.SAME_VALUES),
        (("bool", "true"), ("bool", "false"), DIFFERS, Reason.VALUE),
        (("float", "1e-05"), ("float", "0.00001"), EQUAL, Reason.SAME_VALUES),
        (("float", "1e-05"), ("float", "1e-06"), DIFFERS, Reason.VALUE),
        (("float", "0.1"), ("float", "0.10000000149011612"), CLOSE, Reason.WITHIN_NOISE),
        (("float", "0.0"), ("float", "1e-12"), DIFFERS, Reason.VALUE),
        (("float", '"nan"'), ("float", '"NaN"'), EQUAL, Reason.SAME_VALUES),
        (("float", '"-inf"'), ("float", '"inf"'), DIFFERS, Reason.SPECIAL_VALUES),
        (("float", "-3.4e38"), ("float", '"-inf"'), DIFFERS, Reason.SPECIAL_VALUES),
        (("str", '"tanh"'), ("str", '"none"'), DIFFERS, Reason.VALUE),
        (("str", '"cuda:0"'), ("str", '"npu:0"'), CLOSE, Reason.DEVICE),
        (("torch.device", '"npu:1"'), ("torch.device", '"cpu"'), CLOSE, Reason.DEVICE),
        (("str", '"3"'), ("int", "3"), DIFFERS, Reason.TYPE),
        (("torch.dtype", '"torch.float32"'), ("torch.dtype", '"torch.bfloat16"'), DIFFERS, Reason.VALUE),
        (("slice", "[0, null, 2]"), ("slice", "[0,null,2]"), EQUAL, Reason.SAME_VALUES),
        (("slice", "[0, null, 2]"), ("slice", "[1, null, 2]"), DIFFERS, Reason.VALUE),
        (("torch.Size", "[3, 2]"), ("torch.Size", "[2, 3]"), DIFFERS, Reason.VALUE),
    ],
)
def test_pairs(left: tuple[str, str], right: tuple[str, str], verdict: Verdict, reason: Reason) -> None:
    assert judge_argument(*left, *right, NOISE)[:2] == (verdict, reason)
    assert judge_argument(*right, *left, NOISE)[:2] == (verdict, reason)


@given(st.floats(allow_nan=True), st.floats(allow_nan=True))
def test_floats_are_judged_by_their_relative_difference(left: float, right: float) -> None:
    def text(value: float) -> str:
        return json.dumps(value) if math.isfinite(value) else json.dumps(str(value))

    verdict = judge_argument("float", text(left), "float", text(right), NOISE)[0]
    if left == right or (math.isnan(left) and math.isnan(right)):
        assert verdict is EQUAL
    elif not (math.isfinite(left) and math.isfinite(right)) or right == 0:
        assert verdict is DIFFERS
    else:
        limit = NOISE.formats["float32"].relative_l2_factor * 2.0**-24
        assert verdict is (CLOSE if abs(left / 2 - right / 2) <= limit * abs(right / 2) else DIFFERS)


@given(st.integers(), st.integers())
def test_integers_are_exact_whatever_their_size(left: int, right: int) -> None:
    verdict = judge_argument("int", str(left), "int", str(right), NOISE)[0]
    assert verdict is (EQUAL if left == right else DIFFERS)
