"""stack.json, construct.json and the dumper's log beside a dump.json, in all their forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders.reading import codes, read_only_cell, write_dump

from core.formats.msprobe.stacks import parse_frame
from core.records.dump import Dump
from core.records.stacks import Frame, decode_stack

LEAF = {"type": "int", "value": 1}
FRAMES = [
    "File /a b/net.py, line 505, in _run, \n output = f(x, in, \n y)",
    "File /a/t.py, line 7, in <module>, \n ",
]
READ = [Frame("/a b/net.py", 505, "_run", "output = f(x, in, \n y)"), Frame("/a/t.py", 7, "<module>", "")]


def read(folder: Path, names: list[str], *, header: dict[str, Any] | None = None, **side: Any) -> Dump:
    write_dump(folder, {name: {"output": [LEAF]} for name in names}, **(header or {}))
    for stem, content in side.items():
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        (folder / f"{stem}.json").write_text(text, encoding="utf-8")
    return read_only_cell(folder)


def stack_of(dump: Dump, name: str) -> list[Frame]:
    rows = {dump.operator_name(row): row for row in range(len(dump.operators))}
    return decode_stack(dump.stacks[int(dump.operators.stack[rows[name]])])


def parents(dump: Dump) -> dict[str, str]:
    return {
        dump.operator_name(row): dump.strings[int(parent)] for row, parent in enumerate(dump.operators.parent)
    }


def scopes(dump: Dump) -> dict[str, str]:
    return {
        dump.strings[int(name)]: dump.strings[int(parent)]
        for name, parent in zip(dump.scopes.name, dump.scopes.parent)
    }


def test_both_forms_of_stacks(tmp_path: Path) -> None:
    names = ["Torch.add.0.forward", "Torch.add.1.forward", "Torch.add.0.backward", "Torch.mul.0.forward"]
    new = {"0": [names[:2], FRAMES], "1": [["gone.0.forward"], FRAMES[:1]], "2": ["x"], "3": [[1], [2]]}
    old = {names[0]: FRAMES, names[1]: FRAMES, "gone.0.forward": FRAMES[:1], "bad": {"x": 1}}
    for number, content in enumerate((new, old)):
        dump = read(tmp_path / str(number), names, stack=content)
        for name in names[:3]:  # a backward call has the stack of its forward call
            assert stack_of(dump, name) == READ
        assert stack_of(dump, names[3]) == []
        assert sum(text == dump.stacks[int(dump.operators.stack[0])] for text in dump.stacks) == 1
        (odd,) = dump.problems
        assert odd.code == "odd_values"
        assert odd.parameters == [{"count": 1, "name": "3"}, {"count": 1, "name": "bad"}][number]


def test_a_stack_that_the_dumper_could_not_get(tmp_path: Path) -> None:
    failure = "The call stack retrieval failed."
    for number, content in enumerate(
        ({"a.0.forward": failure}, {"0": [["a.0.forward"], failure]}, {"a.0.forward": [failure]})
    ):
        assert stack_of(read(tmp_path / str(number), ["a.0.forward"], stack=content), "a.0.forward") == [
            Frame("", 0, "", failure)
        ]
    assert stack_of(read(tmp_path / "none", ["a.0.forward"], stack={"a.0.forward": []}), "a.0.forward") == []


def test_frame_of_a_path_with_commas() -> None:
    assert parse_frame("File /x, y/in.py, line 3, in f, \n a, b") == Frame("/x, y/in.py", 3, "f", "a, b")


@pytest.mark.parametrize("text", ["", "{}", " \n"])
def test_nothing_flushed_is_no_problem(tmp_path: Path, text: str) -> None:
    dump = read(tmp_path, ["a.0.forward"], stack=text, construct=text)
    assert codes(dump) == []


def test_side_files_that_are_cut_or_no_json(tmp_path: Path) -> None:
    stack = json.dumps({"0": [["a.0.forward"], FRAMES], "1": [["b.0.forward"], FRAMES]}, indent=1)
    construct = json.dumps({"a.0.forward": "m", "b.0.forward": "m"}, indent=1)
    dump = read(tmp_path / "a", ["a.0.forward", "b.0.forward"], stack=stack[:-80], construct=construct[:-4])
    assert codes(dump) == ["side_file_truncated", "side_file_truncated"]
    assert stack_of(dump, "a.0.forward") == READ
    assert parents(dump) == {"a.0.forward": "m", "b.0.forward": ""}
    assert codes(read(tmp_path / "b", ["a.0.forward"], stack="<html>", construct="[]")) == [
        "not_json",
        "not_json",
    ]


def test_parents_micro_steps_and_scopes(tmp_path: Path) -> None:
    content = {
        "Torch.stack.0.forward": "clip_grad",
        "clip_grad": None,
        "a.0.forward": "",
        "b.0.forward": ["Module.left.Out.forward.0", 2],
        "Module.left.Out.forward.0": ["Module.top.Net.forward.0", 2],
        "c.0.forward": [None, 1],
        "d.0.forward": ["x", 1, 2],
        "e.0.forward": 7,
        "megatron_micro_step_number": 4,
    }
    names = [f"{letter}.0.forward" for letter in "abcde"] + ["Torch.stack.0.forward", "f.0.forward"]
    dump = read(tmp_path, names, construct=content)
    assert parents(dump) == {
        "a.0.forward": "",
        "b.0.forward": "Module.left.Out.forward.0",
        "c.0.forward": "",
        "d.0.forward": "x",
        "e.0.forward": "",
        "Torch.stack.0.forward": "clip_grad",
        "f.0.forward": "",
    }
    assert dump.operators.micro_step.tolist() == [-1, 2, 1, 1, -1, -1, -1]
    assert scopes(dump) == {
        "clip_grad": "",
        "x": "",
        "Module.left.Out.forward.0": "Module.top.Net.forward.0",
        "Module.top.Net.forward.0": "",
    }
    assert dump.header["megatron_micro_step_number"] == "4"
    (odd,) = dump.problems
    assert (odd.code, odd.parameters) == ("odd_values", {"count": 2, "name": "d.0.forward"})


def test_cycles_are_broken_and_said(tmp_path: Path) -> None:
    content = {
        "a": "b",
        "b": "c",
        "c": "a",
        "d": "a",
        "self": "self",
        "e": "s1",
        "s1": "s2",
        "s2": "s1",
        "f": None,
    }
    names = ["a", "b", "c", "d", "e", "f", "self"]
    dump = read(tmp_path, names, construct=content)
    assert codes(dump) == ["parent_cycles"]
    assert dump.problems[0].parameters["count"] == 3
    up = parents(dump) | scopes(dump)
    for name in names:
        seen = set()
        while name:
            assert name not in seen
            seen.add(name)
            name = up[name]
    assert up["d"] == "a"


def test_a_long_chain_of_parents(tmp_path: Path) -> None:
    names = [f"n{index}" for index in range(3000)]
    dump = read(tmp_path, names, construct=dict(zip(names[1:], names)) | {"n0": None})
    assert codes(dump) == []
    assert parents(dump)["n2999"] == "n2998"


def test_gradients_go_under_the_last_call_of_their_module(tmp_path: Path) -> None:
    names = [
        "Module.a.b.Linear.forward.0",
        "Module.a.b.Linear.backward.0",
        "Module.a.b.Linear.backward.1",
        "Module.a.b.Linear.parameters_grad",
        "Module.c.Linear.forward.0",
        "Module.c.Linear.parameters_grad.0",
        "Module.d.Linear.parameters_grad.0",
    ]
    dump = read(tmp_path, names, construct={names[0]: None})
    assert [parents(dump)[name] for name in (names[3], names[5], names[6])] == [names[2], names[4], ""]


def test_structure_comes_from_the_side_files(tmp_path: Path) -> None:
    dump = read(
        tmp_path,
        [],
        header={"task": "structure"},
        construct={
            "a.0.forward": "Module.x.X.forward.0",
            "Module.x.X.forward.0": "optimizer",
            "optimizer": None,
        },
        stack={"0": [["a.0.forward", "custom"], FRAMES]},
    )
    assert parents(dump) == {
        "a.0.forward": "Module.x.X.forward.0",
        "Module.x.X.forward.0": "optimizer",
        "custom": "",
    }
    assert scopes(dump) == {"optimizer": ""}
    assert stack_of(dump, "custom") == READ
    assert (len(dump.slots), codes(dump)) == (0, [])


def test_names_that_only_the_side_files_have_make_no_operators(tmp_path: Path) -> None:
    dump = read(tmp_path, ["a.0.forward"], construct={"b.0.forward": None}, stack={"b.0.forward": FRAMES})
    assert len(dump.operators) == 1


def test_the_dumpers_own_log_is_shown(tmp_path: Path) -> None:
    (tmp_path / "dump_error_info.log").write_text(
        "[2026-02-03 10:11:12 +0800] 出错了\nTraceback\n", encoding="utf-8"
    )
    dump = read(tmp_path, ["a.0.forward"])
    assert codes(dump) == ["dumper_reported_errors"]
    assert "出错了" in dump.problems[0].sentence("zh_CN")
    assert "Traceback" not in dump.problems[0].sentence("en")
