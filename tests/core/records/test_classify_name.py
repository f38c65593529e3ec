"""The quick way to take a name apart agrees with the regular expressions."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.records.ignoring import operator_type
from core.records.names import (
    Direction,
    OperatorKind,
    classify_name,
    parse_operator_name,
    short_name,
)

WAYS = ["forward", "backward", "pre_forward", "parameters_grad", "debug", "abnormal"]
COUNTS = ["0", "12", "²", "٣", "9999999999"]
PARTS = st.sampled_from([*WAYS, *COUNTS, "Module", "Cell", "a b", "", "_", "x_0_forward", "中"])


@given(st.lists(PARTS, max_size=6).flatmap(lambda parts: st.sampled_from([".".join(parts), "_".join(parts)])))
@example("Module.net.blk.0.Linear.forward.1")
@example("a.0.forward\n")
def test_both_ways_agree(name: str) -> None:
    parsed = parse_operator_name(name)
    assert classify_name(name) == (parsed.kind, parsed.direction, parsed.occurrence)


@pytest.mark.parametrize(
    ("name", "kind", "direction", "occurrence"),
    [
        ("Functional.conv2d.3.forward", OperatorKind.API, Direction.FORWARD, 3),
        ("Module.net.0.Linear.backward.1", OperatorKind.MODULE, Direction.BACKWARD, 1),
        ("Module.net.Linear.parameters_grad", OperatorKind.PARAMETERS_GRAD, Direction.BACKWARD, -1),
        ("x.y.0.debug", OperatorKind.DEBUG, Direction.NONE, 0),
        ("Torch_conv2d_0_forward", OperatorKind.API, Direction.FORWARD, 0),
        ("optimizer", OperatorKind.OTHER, Direction.NONE, -1),
    ],
)
def test_names(name: str, kind: OperatorKind, direction: Direction, occurrence: int) -> None:
    assert classify_name(name) == (kind, direction, occurrence)


@pytest.mark.parametrize(
    ("name", "short", "kind"),
    [
        ("Tensor___mul___1_forward", "__mul__.1", "__mul__"),
        ("Torch_layer_norm_0_backward", "layer_norm.0", "layer_norm"),
        ("Functional_conv2d_12_forward", "conv2d.12", "conv2d"),
        ("NPU_npu_fusion_attention_3_forward", "npu_fusion_attention.3", "npu_fusion_attention"),
        ("my_own_api_0_forward", "my_own_api.0", "my_own_api"),
        ("Tensor.__mul__.1.forward", "__mul__.1", "__mul__"),
        ("Functional.layer_norm.4.backward", "layer_norm.4", "layer_norm"),
        ("Module.net.fc1.Linear.forward.0", "fc1 Linear.0", "Linear"),
    ],
)
def test_what_a_person_calls_a_call(name: str, short: str, kind: str) -> None:
    assert short_name(name) == short
    assert operator_type(name) == kind
