"""Legacy dumps: lines of JSON arrays in a ``.pkl``, with or without tensors beside."""

from __future__ import annotations

import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.dump_oracle import same
from builders.reading import codes, read_only_cell
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.ptdbg.lines import split_prefix
from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import Direction
from core.records.run import CellKey, CellSource
from core.records.stacks import Frame, decode_stack

FRAME = ["/a/train.py", "57", "forward", "x = torch.relu(x)"]


def write(folder: Path, lines: list[Any], name: str = "dump.pkl", tensors: list[str] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    if tensors is not None:
        path.with_suffix("").mkdir(exist_ok=True)
        for tensor in tensors:
            np.save(path.with_suffix("") / f"{tensor}.npy", np.zeros(2, np.float32))
    return path


def tensor(prefix: str, *numbers: Any, md5: Any = (), shape: Any = (2, 3), step: int = 0) -> list[Any]:
    md5 = md5 if isinstance(md5, str) else []
    return [prefix, step, md5, "torch.float32", list(shape), list(numbers)]


def read(path: Path) -> Dump:
    return run_to_end(
        read_cell(
            CellSource(CellKey("", 0, 0), "ptdbg", {"dump": str(path), "data": str(path.with_suffix(""))})
        )
    )


def rows(dump: Dump) -> list[tuple[str, str]]:
    return [
        (dump.operator_name(int(row)), dump.slot_name(slot)) for slot, row in enumerate(dump.slots.operator)
    ]


def statistics(dump: Dump, slot: int) -> list[float | None]:
    slots = dump.slots
    return [
        float(getattr(slots, name)[slot]) if int(slots.known[slot]) >> bit & 1 else None
        for bit, name in enumerate(("max", "min", "mean", "norm"))
    ]


@pytest.mark.parametrize("run", ["bench", "bf16", "noscale", "sdpa"])
def test_shared_dumps(cases: Path, run: str) -> None:
    found = find_run(cases / "legacy" / run)
    assert found.format == "ptdbg"
    for source in found.cells.values():
        dump = run_to_end(read_cell(source))
        assert dump.problems == ()
        lines = [json.loads(line) for line in Path(source.files["dump"]).read_text().splitlines()]
        data = [line for line in lines if len(line) == 6]
        assert len(dump.slots) == len(data)
        for slot, (prefix, _, _, dtype, shape, summary) in enumerate(data):
            operator = dump.operator_name(int(dump.slots.operator[slot]))
            separator = "_" if "_" in prefix[len(operator) :] else "."
            name = dump.slot_name(slot)
            assert f"{operator}{separator}{name}" == prefix
            assert dump.strings[int(dump.slots.file[slot])] == prefix + ".npy"
            assert dump.slots.file_size[slot] > 0
            if dtype.startswith("<class"):
                assert json.loads(dump.strings[int(dump.slots.value[slot])]) == summary[0]
            else:
                assert (dump.dtype(slot), dump.shape(slot)) == (dtype, tuple(shape))
                numbers = [None if number in ("Nan", []) else number for number in summary]
                assert same(statistics(dump, slot), numbers + [None] * (4 - len(numbers)))
        with_stack = {line[0].removesuffix("_stack_info"): line[1] for line in lines if len(line) == 2}
        for row in range(len(dump.operators)):
            frames = decode_stack(dump.stacks[int(dump.operators.stack[row])])
            name = dump.operator_name(row).replace("backward", "forward")
            assert [[f.path, str(f.line), f.function, f.code] for f in frames] == with_stack.get(name, [])


@pytest.mark.parametrize(
    ("prefix", "operator", "group", "path"),
    [
        ("Torch_conv2d_0_forward_input.0", "Torch_conv2d_0_forward", SlotGroup.INPUT, "0"),
        ("Functional_linear_0_forward_output", "Functional_linear_0_forward", SlotGroup.OUTPUT, ""),
        ("Torch_cat_0_forward_input.0.1", "Torch_cat_0_forward", SlotGroup.INPUT, "0.1"),
        ("Tensor.__mul__.1.forward.output", "Tensor.__mul__.1.forward", SlotGroup.OUTPUT, ""),
        ("Torch.input_output.0.backward.input.2", "Torch.input_output.0.backward", SlotGroup.INPUT, "2"),
        (
            "net.blk.0.Linear.abnormal.backward.output.0",
            "net.blk.0.Linear.abnormal.backward",
            SlotGroup.OUTPUT,
            "0",
        ),
        (
            "Distributed_all_reduce_0_pre_forward_input.0",
            "Distributed_all_reduce_0_pre_forward",
            SlotGroup.INPUT,
            "0",
        ),
        ("something else", "something else", SlotGroup.VALUE, ""),
    ],
)
def test_names_are_split_from_the_right(prefix: str, operator: str, group: SlotGroup, path: str) -> None:
    assert split_prefix(prefix) == (operator, group, path)


def test_lines_of_all_kinds(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        [
            tensor("Torch.relu.0.forward.input.0", 1.5, -2.5, 0.5, 3.0),
            tensor("Torch.relu.0.forward.output", 1.5, -2.5, 0.5),
            ["Torch.relu.0.forward.stack_info", [FRAME, "", ["/b.py", "x", "g", None]]],
            ["Torch.add.0.forward.input.0", 0, [], "<class 'int'>", "[]", [3, 3, 3, "Nan"]],
            ["Torch.add.0.forward.input.1", 0, [], "<class 'bool'>", "[]", [True, True, True, True]],
            ["Torch.add.0.forward.input.2", 0, [], "torch.bool", [4], [[], [], [], "Nan"]],
            tensor("Torch.add.0.forward.input.3", math.nan, -math.inf, math.inf, "Nan"),
            tensor("Torch.add.0.forward.output", md5="9f2b00aa"),
            tensor("Torch.relu.0.backward.input.0", 2**60, 0, 1, 2),
        ],
    )
    dump = read(path)
    assert (dump.format, dump.framework, codes(dump)) == ("ptdbg", "pytorch", [])
    assert [dump.operator_name(row) for row in range(3)] == [
        "Torch.relu.0.forward",
        "Torch.add.0.forward",
        "Torch.relu.0.backward",
    ]
    assert [SlotKind(int(kind)).name[0] for kind in dump.slots.kind] == list("TTAATTTT")
    assert statistics(dump, 0) == [1.5, -2.5, 0.5, 3.0]
    assert statistics(dump, 1) == [1.5, -2.5, 0.5, None]
    assert [dump.strings[int(text)] for text in dump.slots.value[2:4]] == ["3", "true"]
    assert statistics(dump, 4) == [None] * 4
    assert same(statistics(dump, 5), [math.nan, -math.inf, math.inf, None])
    assert dump.strings[int(dump.slots.checksum[6])] == "9f2b00aa"
    assert json.loads(dump.strings[int(dump.slots.extra[7])]) == {"max": 2**60}
    stack = [Frame("/a/train.py", 57, "forward", "x = torch.relu(x)"), Frame("/b.py", 0, "g", "")]
    for row in (0, 2):
        assert decode_stack(dump.stacks[int(dump.operators.stack[row])]) == stack
    assert dump.operators.direction.tolist() == [Direction.FORWARD, Direction.FORWARD, Direction.BACKWARD]


def test_duplicates_keep_the_first(tmp_path: Path) -> None:
    first = [tensor("T_a_0_forward_input.0", 1.0, 1.0, 1.0), tensor("T_a_0_forward_output", 2.0, 2.0, 2.0)]
    dump = read(write(tmp_path, first * 2))
    assert (len(dump.slots), codes(dump)) == (2, [])
    dump = read(
        write(
            tmp_path,
            [*first, tensor("T_a_0_forward_output", 9.0, 2.0, 2.0), tensor("T_b_0_forward_output", 0)],
        )
    )
    assert statistics(dump, 1)[0] == 2.0
    assert len(dump.slots) == 3
    assert dump.problems[0].code == "differing_duplicates"
    assert dump.problems[0].parameters == {"count": 1, "name": "T_a_0_forward_output"}


def test_an_operator_that_is_returned_to_keeps_its_slots_together(tmp_path: Path) -> None:
    prefixes = ["a_0_forward_input.0", "b_0_forward_input.0", "a_0_forward_output", "b_0_forward_output"]
    dump = read(write(tmp_path, [tensor(prefix, index) for index, prefix in enumerate(prefixes)]))
    assert rows(dump) == [
        ("a_0_forward", "input.0"),
        ("a_0_forward", "output"),
        ("b_0_forward", "input.0"),
        ("b_0_forward", "output"),
    ]
    assert dump.slots.max.tolist() == [0.0, 2.0, 1.0, 3.0]
    assert (dump.operators.first_slot.tolist(), dump.operators.slot_count.tolist()) == ([0, 2], [2, 2])


def test_missing_and_orphan_tensors(tmp_path: Path) -> None:
    lines = [tensor("a_0_forward_input.0", 1.0), tensor("a_0_forward_output", 1.0)]
    lines.append(["a_0_forward_input.1", 0, [], "<class 'int'>", "[]", [1, 1, 1]])
    dump = read(
        write(tmp_path, lines, "api_stack_dump.pkl", ["a_0_forward_output", "stale_0_forward_output"])
    )
    assert codes(dump) == ["missing_tensor_files", "orphan_tensor_files"]
    assert [dump.strings[int(file)] for file in dump.slots.file] == [
        "a_0_forward_input.0.npy",
        "a_0_forward_output.npy",
        "",
    ]
    assert (dump.slots.file_size > 0).tolist() == [False, True, False]
    # Summary, md5 and stack modes have no tensors at all: nothing is missing then.
    assert codes(read(write(tmp_path / "summary", lines))) == []


def test_the_last_line_is_cut(tmp_path: Path) -> None:
    lines = [tensor(f"a_{index}_forward_output", float(index)) for index in range(4)]
    path = write(tmp_path, lines)
    raw = path.read_bytes()
    ends = [index + 1 for index, byte in enumerate(raw) if byte == ord("\n")]
    for cut in range(1, len(raw) + 1):
        path.write_bytes(raw[:cut])
        dump = read(path)
        # A line without its line end may still be whole.
        assert len(dump.slots) == sum(end - 1 <= cut for end in ends)
        whole = cut in ends or cut + 1 in ends
        assert codes(dump) == ([] if whole else ["lines_truncated"]), cut
    path.write_bytes(raw + b"\0" * 100)
    assert (len(read(path).slots), codes(read(path))) == (4, [])


def test_broken_lines_cost_no_other(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        [tensor("a_0_forward_output", 1.0), [1, 2, 3], {"a": 1}, "text", tensor("b_0_forward_output", 1.0)],
    )
    dump = read(path)
    assert len(dump.slots) == 2
    assert codes(dump) == ["broken_lines"]
    assert dump.problems[0].parameters["count"] == 3


def test_a_real_pickle_is_refused_by_name_and_never_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "ran"),)

    path = tmp_path / "dump.pkl"
    path.write_bytes(pickle.dumps(Evil()))
    for place in (path, tmp_path):
        with pytest.raises(InputError) as caught:
            find_run(place)
        assert caught.value.problem.code == "legacy_pickle_refused"
        assert caught.value.problem.path == str(path)
    assert codes(read(path)) == ["legacy_pickle_refused"]
    assert not (tmp_path / "ran").exists()


def test_one_refused_pickle_does_not_hide_the_dumps_beside(tmp_path: Path) -> None:
    write(tmp_path / "rank0", [tensor("a_0_forward_output", 1.0)])
    (tmp_path / "optimizer.pkl").write_bytes(b"\x80\x04")
    run = find_run(tmp_path)
    assert [problem.code for problem in run.problems] == ["legacy_pickle_refused"]
    assert list(run.cells) == [CellKey("", 0, 0)]


@pytest.mark.parametrize(
    "layout",
    [
        "ptdbg_dump_v1.0/rank0/myDump.pkl",
        "ptdbg_dump_v2.0/rank0/dump.pkl",
        "step0/ptdbg_dump_v/rank0/api_list_dump.pkl",
        "tag_v4.0/step0/rank0/range_dump.pkl",
        "npu_dump.pkl",
        "v/step0/rank0/scope_dump_api_stack_x_20240101.pkl",
    ],
)
def test_layouts_and_mode_prefixes(tmp_path: Path, layout: str) -> None:
    path = tmp_path / layout
    write(path.parent, [tensor("a_0_forward_output", 1.0)], path.name, ["a_0_forward_output"])
    (path.parent / "compare_data.py").write_text("x = 1\n")
    run = find_run(tmp_path)
    assert list(run.cells) == [CellKey("", 0, 0)]
    dump = read_only_cell(tmp_path)
    assert dump.slots.file_size[0] > 0
    assert rows(read_only_cell(path)) == rows(dump)


def test_two_modes_in_one_folder_are_two_phases(tmp_path: Path) -> None:
    for name in ("dump.pkl", "api_stack_dump.pkl"):
        write(tmp_path / "step0" / "rank0", [tensor("a_0_forward_output", 1.0)], name)
    run = find_run(tmp_path)
    assert list(run.cells) == [CellKey("api_stack_dump", 0, 0), CellKey("dump", 0, 0)]
    assert run.problems == ()


def test_overflow_files_are_one_dump(tmp_path: Path) -> None:
    folder = tmp_path / "step0" / "rank0"
    for index in (0, 10, 2):
        operator = f"Tensor.add.{index}.forward"
        lines = [
            [f"{operator}.stack_info", [FRAME]],
            tensor(f"{operator}.input.0", math.inf, 0, 0, 0, step=101),
        ]
        write(folder, lines, f"Tensor_add_{index}_forward_1.pkl", [f"{operator}.input.0"])
    dump = read_only_cell(tmp_path)
    assert [dump.operator_name(row) for row in range(3)] == [
        f"Tensor.add.{index}.forward" for index in (0, 2, 10)
    ]
    assert dump.header["dump_step"] == "[101]"
    assert (dump.slots.file_size > 0).all()
    assert dump.strings[int(dump.slots.file[0])] == "Tensor_add_0_forward_1/Tensor.add.0.forward.input.0.npy"
    assert codes(dump) == []


def test_tensors_without_lines(tmp_path: Path) -> None:
    folder = tmp_path / "ptdbg_dump_v3.4" / "rank2" / "api_stack_dump"
    folder.mkdir(parents=True)
    names = ["Torch_add_0_forward_input.0", "Torch_add_0_forward_output", "Torch_add_0_backward_output.1"]
    for order, name in enumerate(names):
        np.save(folder / f"{name}.npy", np.zeros(1))
        os.utime(folder / f"{name}.npy", (1e9 + order, 1e9 + order))
    for place in (tmp_path, folder):
        assert list(find_run(place).cells) == [CellKey("", 0, 2)]
        dump = read_only_cell(place)
        assert rows(dump) == [
            ("Torch_add_0_forward", "input.0"),
            ("Torch_add_0_forward", "output"),
            ("Torch_add_0_backward", "output.1"),
        ]
        assert codes(dump) == ["only_tensor_files"]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    lines=st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
            lambda inner: st.lists(inner, min_size=0, max_size=6),
            max_leaves=12,
        ),
        max_size=5,
    )
)
def test_odd_lines_never_raise(tmp_path: Path, lines: list[Any]) -> None:
    dump = read(write(tmp_path, [["a_0_forward_output", 0, [], "torch.float32", [1], [1.0]], *lines]))
    assert len(dump.slots) >= 1
    for problem in dump.problems:
        assert problem.sentence("en")
