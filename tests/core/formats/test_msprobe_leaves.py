"""All kinds of values that stand in a dump.json."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from builders.dump_oracle import actual_slots, expected_slots, same
from builders.reading import codes, read_only_cell, write_dump
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats import json_file
from core.records.dump import Dump, Known, SlotGroup, SlotKind

TENSOR = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2]}


def one_slot(folder: Path, leaf: Any, name: str = "Functional.relu.0.forward") -> Dump:
    dump = read_only_cell(write_dump(folder, {name: {"input_args": [leaf]}}))
    assert len(dump.slots) == 1
    return dump


def extra(dump: Dump, slot: int = 0) -> Any:
    return json.loads(dump.strings[int(dump.slots.extra[slot])] or "null")


def value(dump: Dump, slot: int = 0) -> Any:
    return json.loads(dump.strings[int(dump.slots.value[slot])])


def statistics(dump: Dump, slot: int = 0) -> list[float | None]:
    slots = dump.slots
    return [
        float(getattr(slots, name)[slot]) if int(slots.known[slot]) >> bit & 1 else None
        for bit, name in enumerate(("max", "min", "mean", "norm"))
    ]


def test_nan_infinity_and_null_are_three_things(tmp_path: Path) -> None:
    dump = one_slot(tmp_path, {**TENSOR, "Max": math.nan, "Min": -math.inf, "Mean": None, "Norm": math.inf})
    high, low, mean, norm = statistics(dump)
    assert high is not None
    assert math.isnan(high)
    assert (low, mean, norm) == (-math.inf, None, math.inf)
    assert dump.slots.known[0] == Known.MAX | Known.MIN | Known.NORM
    assert dump.problems == ()


@pytest.mark.parametrize(
    ("given_", "read", "kept"),
    [
        ([True, False, None, None], [1.0, 0.0, None, None], None),
        (["nan", "inf", "-inf", "1.5"], [math.nan, math.inf, -math.inf, 1.5], None),
        (["NaN", "Infinity", "-Infinity", ""], [math.nan, math.inf, -math.inf, None], {"Norm": ""}),
        ([2**53, -(2**53), 3, 4], [2.0**53, -(2.0**53), 3.0, 4.0], None),
        ([2**53 + 1, 0, None, None], [2.0**53, 0.0, None, None], {"Max": 2**53 + 1}),
        ([10**400, 0, None, None], [math.inf, 0.0, None, None], {"Max": 10**400}),
        (["N/A", 1.0, [], {}], [None, 1.0, None, None], {"Max": "N/A", "Mean": [], "Norm": {}}),
    ],
)
def test_odd_statistics(tmp_path: Path, given_: list[Any], read: list[Any], kept: Any) -> None:
    dump = one_slot(
        tmp_path, {**TENSOR, **dict(zip(("Max", "Min", "Mean", "Norm"), given_)), "requires_grad": True}
    )
    assert same(statistics(dump), read)
    assert extra(dump) == kept


@pytest.mark.parametrize(
    ("given_", "read", "kept"),
    [
        ([2, 3], (2, 3), None),
        ([], (), None),
        ([0, 4], (0, 4), None),
        ("[2, 3]", (2, 3), None),
        ("torch.Size([5])", (5,), None),
        ("()", (), None),
        ([-1, 2], None, {"shape": [-1, 2]}),
        ([2.5], None, {"shape": [2.5]}),
        ([2**62, 4], None, {"shape": [2**62, 4]}),
        ([[1]], None, {"shape": [[1]]}),
    ],
)
def test_shapes(tmp_path: Path, given_: Any, read: Any, kept: Any) -> None:
    dump = one_slot(tmp_path, {**TENSOR, "Max": 1.0, "shape": given_})
    assert dump.shape(0) == read
    assert dump.slots.kind[0] == SlotKind.TENSOR
    assert extra(dump) == kept


@pytest.mark.parametrize(
    ("leaf", "type_", "read"),
    [
        ({"type": "int", "value": 3}, "int", 3),
        ({"type": "int", "value": 2**70}, "int", 2**70),
        ({"type": "float", "value": -0.0}, "float", -0.0),
        ({"type": "float", "value": -math.inf}, "float", -math.inf),
        ({"type": "float", "value": 1e-300}, "float", 1e-300),
        ({"type": "bool", "value": False}, "bool", False),
        ({"type": "str", "value": 'a "quoted": text\n中'}, "str", 'a "quoted": text\n中'),
        ({"type": "str", "value": "NaN"}, "str", "NaN"),
        ({"type": "slice", "value": [0, None, 2]}, "slice", [0, None, 2]),
        ({"type": "ellipsis", "value": "..."}, "ellipsis", "..."),
        ({"type": "torch.Size", "value": [3, 2]}, "torch.Size", [3, 2]),
        ({"type": "torch.dtype", "value": "torch.float32"}, "torch.dtype", "torch.float32"),
        ({"type": "torch.memory_format", "format": None}, "torch.memory_format", None),
        ({"type": "torch.distributed.ReduceOp", "value": None}, "torch.distributed.ReduceOp", None),
        ({"type": "float64", "value": 1.5}, "float64", 1.5),
        (
            {"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "9a"},
            "torch.ProcessGroup",
            {"group_ranks": [0, 1], "group_id": "9a"},
        ),
    ],
)
def test_arguments(tmp_path: Path, leaf: dict[str, Any], type_: str, read: Any) -> None:
    dump = one_slot(tmp_path, leaf)
    assert dump.slots.kind[0] == SlotKind.ARGUMENT
    assert dump.strings[int(dump.slots.type[0])] == type_
    assert repr(value(dump)) == repr(read)
    assert dump.problems == ()


def test_minus_zero_and_nan_arguments_keep_their_spelling(tmp_path: Path) -> None:
    dump = read_only_cell(
        write_dump(
            tmp_path,
            {"a.0.forward": {"input_args": [{"type": "float", "value": v} for v in (0.0, -0.0, math.nan)]}},
        )
    )
    assert [dump.strings[int(text)] for text in dump.slots.value] == ["0.0", "-0.0", "NaN"]


def test_arrays_and_unknown_types_with_dtype_and_shape_are_tensors(tmp_path: Path) -> None:
    for type_ in ("numpy.ndarray", "a.future.Kind", "torch.nested._internal.nested_tensor.NestedTensor"):
        dump = one_slot(tmp_path, {**TENSOR, "type": type_, "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0})
        assert dump.slots.kind[0] == SlotKind.TENSOR
        assert dump.strings[int(dump.slots.type[0])] == type_
        assert statistics(dump) == [1.0, 0.0, 0.5, 1.0]


def test_distributed_tensor_keeps_mesh_and_placements(tmp_path: Path) -> None:
    more = {"device_mesh": [[0, 1]], "placements": [{"Shard": {"dim": 0}}, {"Partial": {"reduce_op": "sum"}}]}
    dump = one_slot(tmp_path, {**TENSOR, "type": "torch.distributed.tensor.DTensor", "Max": 2.0, **more})
    assert extra(dump) == more
    assert statistics(dump) == [2.0, None, None, None]
    assert codes(dump) == []


def test_placeholders_of_a_killed_run_leave_the_tensor_with_unknown_statistics(tmp_path: Path) -> None:
    dump = one_slot(tmp_path, {**TENSOR, "requires_grad": False, "tensor_stat_index": 17, "md5_index": 3})
    assert dump.slots.known[0] == 0
    assert dump.slots.checksum[0] == -1
    assert extra(dump) == {"tensor_stat_index": 17, "md5_index": 3}


def test_checksums_of_both_kinds(tmp_path: Path) -> None:
    leaves = [
        {**TENSOR, "md5": md5, "requires_grad": False}
        for md5 in ("dfe699b2", "0x822478d1839afabd", None, 1.5)
    ]
    dump = read_only_cell(write_dump(tmp_path, {"a.0.forward": {"output": leaves}}))
    assert [dump.strings[int(text)] for text in dump.slots.checksum] == [
        "dfe699b2",
        "0x822478d1839afabd",
        "",
        "1.5",
    ]


def test_none_unsupported_and_nested_values(tmp_path: Path) -> None:
    args = [
        None,
        {},
        [{"type": "int", "value": 1}, [None]],
        {"a": {"b": {"type": "int", "value": 2}}},
        [],
        7,
        "x",
    ]
    dump = read_only_cell(write_dump(tmp_path, {"a.0.forward": {"input_args": args}}))
    assert [
        (dump.slot_name(slot), SlotKind(int(dump.slots.kind[slot])).name) for slot in range(len(dump.slots))
    ] == [
        ("input.0", "NONE"),
        ("input.1", "UNRECORDED"),
        ("input.2.0", "ARGUMENT"),
        ("input.2.1.0", "NONE"),
        ("input.3.a.b", "ARGUMENT"),
        ("input.4", "ARGUMENT"),
        ("input.5", "ARGUMENT"),
        ("input.6", "ARGUMENT"),
    ]
    assert [value(dump, slot) for slot in (5, 6, 7)] == [[], 7, "x"]


def test_p2p_operation_gives_its_tensor_and_itself(tmp_path: Path) -> None:
    leaf = {
        "class_type": "torch.distributed.P2POp",
        "tensor": {**TENSOR, "Max": 1.0},
        "op": "isend",
        "peer": 1,
        "tag": 0,
    }
    dump = read_only_cell(
        write_dump(tmp_path, {"Distributed.batch_isend_irecv.0.forward": {"input_args": [[leaf]]}})
    )
    assert [dump.slot_name(slot) for slot in range(len(dump.slots))] == ["input.0.0", "input.0.0.tensor"]
    assert value(dump, 0) == {"op": "isend", "peer": 1, "tag": 0}
    assert dump.shape(1) == (2,)
    assert codes(dump) == []


def test_node_keys_and_their_groups(tmp_path: Path) -> None:
    leaf = {**TENSOR, "Max": 1.0}
    data = {
        "Module.a.Linear.forward.0": {
            "input_args": leaf,
            "input_kwargs": {"mask": leaf},
            "output": None,
            "parameters": {"weight": leaf},
            "is_recompute": False,
            "future": {"deep": leaf},
        },
        "Module.a.Linear.backward.0": {"grad_output": [leaf], "grad_input": [leaf, None], "is_nan": 1},
        "Module.a.Linear.parameters_grad.0": {"weight": [leaf], "bias": [None], "pair": [leaf, leaf]},
        "mine.0.debug": {"k": [leaf]},
        "bare.0.debug": leaf,
    }
    dump = read_only_cell(write_dump(tmp_path, data))
    rows = [
        (dump.operator_name(int(row)), SlotGroup(int(dump.slots.group[slot])).name, dump.slot_name(slot))
        for slot, row in enumerate(dump.slots.operator)
    ]
    forward, backward, grads, *_ = data
    assert rows == [
        (forward, "INPUT", "input"),
        (forward, "KEYWORD", "input.mask"),
        (forward, "OUTPUT", "output"),
        (forward, "PARAMETER", "parameters.weight"),
        (forward, "VALUE", "value.future.deep"),
        (backward, "INPUT", "input.0"),
        (backward, "OUTPUT", "output.0"),
        (backward, "OUTPUT", "output.1"),
        (grads, "PARAMETER_GRAD", "parameters_grad.weight"),
        (grads, "PARAMETER_GRAD", "parameters_grad.bias"),
        (grads, "PARAMETER_GRAD", "parameters_grad.pair.0"),
        (grads, "PARAMETER_GRAD", "parameters_grad.pair.1"),
        ("mine.0.debug", "VALUE", "value.k.0"),
        ("bare.0.debug", "VALUE", "value"),
    ]
    extras = [dump.strings[int(text)] for text in dump.operators.extra]
    assert extras == ['{"is_recompute":false}', '{"is_nan":1}', "", "", ""]
    # Gradients belong under the last backward call of their module.
    assert dump.strings[int(dump.operators.parent[2])] == backward


def test_a_leaf_without_type_and_a_single_file_in_lower_case(tmp_path: Path) -> None:
    dump = one_slot(tmp_path / "a", {"dtype": "torch.float16", "shape": [2], "Max": 1.0})
    assert (dump.slots.kind[0], dump.dtype(0)) == (SlotKind.TENSOR, "torch.float16")
    path = tmp_path / "logits.json"
    path.write_text('{"data": {"max": 2.0, "min": NaN, "mean": null, "norm": 3.0, "shape": [4, 5]}}')
    dump = read_only_cell(path)
    assert (dump.operator_name(0), dump.slot_name(0), dump.shape(0)) == ("logits", "value", (4, 5))
    assert same(statistics(dump), [2.0, math.nan, None, 3.0])


def test_mindspore_is_told_by_its_types(tmp_path: Path) -> None:
    leaf = {"type": "mindspore.Tensor", "dtype": "BFloat16", "shape": [2], "Max": 1.0, "layout": None}
    (tmp_path / "dump.json").write_text(
        json.dumps({"task": "statistics", "data": {"Mint.add.0.forward": {"output": [leaf]}}})
    )
    dump = read_only_cell(tmp_path)
    assert dump.framework == "mindspore"
    assert extra(dump) == {"layout": None}


NUMBERS = st.floats(width=32) | st.integers(-(2**60), 2**60) | st.booleans() | st.none()
LEAVES = (
    st.none()
    | st.just({})
    | st.builds(lambda v: {"type": "float", "value": v}, st.floats())
    | st.builds(lambda v: {"type": "str", "value": v}, st.text(max_size=6))
    | st.builds(
        lambda shape, numbers, more: {
            "type": "torch.Tensor",
            "dtype": "torch.bfloat16",
            "shape": shape,
            **dict(zip(("Max", "Min", "Mean", "Norm"), numbers)),
            "requires_grad": True,
            **more,
        },
        st.lists(st.integers(0, 9), max_size=3),
        st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS),
        st.sampled_from([{}, {"md5": "00ff00ff"}, {"data_name": "a.pt"}]),
    )
)
KEYS = st.text(alphabet="abXYZ_-中 ", min_size=1, max_size=4)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(KEYS, inner, min_size=1, max_size=3)
    ),
    max_leaves=10,
)
BODIES = st.fixed_dictionaries(
    {"input_args": st.lists(TREES, max_size=3), "input_kwargs": st.dictionaries(KEYS, TREES, max_size=2)},
    optional={"output": st.lists(TREES, max_size=2), "parameters": st.dictionaries(KEYS, LEAVES, max_size=2)},
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    bodies=st.lists(BODIES, max_size=4),
    indent=st.sampled_from([None, 1, 2]),
    block=st.sampled_from([50, 1 << 20]),
)
def test_random_bodies_round_trip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bodies: list[Any], indent: int | None, block: int
) -> None:
    monkeypatch.setattr(json_file, "BLOCK", block)
    data = {f"Functional.op{index % 2}.{index}.forward": body for index, body in enumerate(bodies)}
    dump = read_only_cell(write_dump(tmp_path, data, indent=indent))
    expected = expected_slots({"data": data})
    actual = actual_slots(dump)
    assert [item[:2] for item in actual] == [item[:2] for item in expected]
    for ours, theirs in zip(actual, expected):
        assert same(ours, theirs)
    assert set(codes(dump)) <= {"missing_tensor_files", "no_operators"}
