"""Files that are cut, odd, or no dump at all: every whole operator is read, and what is wrong is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders.dump_oracle import actual_slots, expected_slots, read_json, same
from builders.reading import codes, read_only_cell, write_dump
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import Problem
from core.formats import json_file
from core.formats.registry import read_cell
from core.progress import run_to_end
from core.records.dump import Dump
from core.records.run import CellKey, CellSource

DATA = Path(__file__).resolve().parents[2] / "data" / "msprobe"
LEAF = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0}


def small_real_dump(calls: int = 4) -> dict[str, Any]:
    """Return the first *calls* of a real dump."""
    path = next((DATA / "statistics_mix" / "golden").rglob("dump.json"))
    content: dict[str, Any] = read_json(path)
    content["data"] = dict(list(content["data"].items())[:calls])
    return content


def read_text(folder: Path, raw: bytes) -> Dump:
    path = folder / "dump.json"
    path.write_bytes(raw)
    return run_to_end(read_cell(CellSource(CellKey("", 0, 0), "msprobe", {"dump": str(path)})))


def names(dump: Dump) -> list[str]:
    return [dump.operator_name(row) for row in range(len(dump.operators))]


def problem(dump: Dump, code: str) -> Problem:
    (found,) = [item for item in dump.problems if item.code == code]
    assert found.sentence("en") != found.sentence("zh_CN")
    assert found.path in found.sentence("en")
    return found


@pytest.mark.parametrize(("indent", "block"), [(1, 1 << 20), (1, 300), (None, 1 << 20)])
def test_cut_at_every_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, block: int
) -> None:
    monkeypatch.setattr(json_file, "BLOCK", block)
    content = small_real_dump(2)
    raw = json.dumps(content, indent=indent).encode()
    all_names = list(content["data"])
    starts = [raw.index(json.dumps(name).encode() + b":") for name in all_names]
    ends = [raw.rindex(b"}", 0, start) + 1 for start in starts[1:]] + [
        raw.rindex(b"}", 0, raw.rindex(b"}", 0, -1)) + 1
    ]
    for cut in range(1, len(raw)):
        dump = read_text(tmp_path, raw[:cut])
        whole = sum(end <= cut for end in ends)
        assert names(dump) == all_names[:whole], cut
        (found,) = dump.problems
        assert found.code == "truncated", cut
        said = found.parameters
        assert said["count"] == whole
        assert said["size"] == cut
        assert int(said["position"]) <= cut
    problem(dump, "truncated")
    expected = expected_slots(content)
    actual = actual_slots(read_text(tmp_path, raw))
    assert all(same(ours, theirs) for ours, theirs in zip(actual, expected, strict=True))


def test_a_writer_that_failed_in_the_middle(tmp_path: Path) -> None:
    raw = json.dumps({"task": "statistics", "data": {"a.0.forward": {"output": [LEAF]}}}, indent=1)
    begun = raw.removesuffix("\n }\n}") + ',\n  "b.0.forward": {\n   "input_args": [\n    {\n     "value": '
    dump = read_text(tmp_path, begun.encode())
    assert names(dump) == ["a.0.forward"]
    assert codes(dump) == ["truncated"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "empty_file"),
        (b"\0" * 5000, "empty_file"),
        (b" \n", "empty_file"),
        (b"{}", "no_operators"),
        (b'{"data": {}}', "no_operators"),
        (b'{"data": null}', "no_operators"),
        (b"[1, 2]", "not_json"),
        (b"\x80\x04\x95", "not_json"),
        (b"{", "truncated"),
        (b'{"data"', "truncated"),
        (b"{]", "truncated"),
        (b'{"data": {}} more', "trailing_text"),
    ],
)
def test_nothing_in_it(tmp_path: Path, raw: bytes, code: str) -> None:
    dump = read_text(tmp_path, raw)
    assert len(dump.operators) == 0
    assert code in codes(dump)
    problem(dump, code)


@pytest.mark.parametrize("block", [64, 1 << 20])
@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4])
def test_other_spellings_of_the_same_dump(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None, block: int
) -> None:
    monkeypatch.setattr(json_file, "BLOCK", block)
    content = small_real_dump()
    expected = expected_slots(content)
    backwards = dict(reversed(content.items()))
    tail = {
        "data": content["data"],
        "configs": {"a": {"b": {"c": 1}}, "d": [1, {"e": 2}]},
        "task": "statistics",
    }
    for variant, bare in ((content, False), (backwards, False), (tail, False), (content["data"], True)):
        raw = json.dumps(variant, indent=indent).encode()
        for text in (raw, b"\xef\xbb\xbf" + raw, raw.replace(b"\n", b"\r\n"), raw + b"\n" + b"\0" * 999):
            dump = read_text(tmp_path, text)
            assert codes(dump) == []
            actual = actual_slots(dump)
            assert all(same(ours, theirs) for ours, theirs in zip(actual, expected, strict=True))
            assert bare or dump.task == "statistics"
    assert json.loads(dump.header.get("configs", "{}")) == {}
    dump = read_text(tmp_path, json.dumps(tail, indent=indent).encode())
    assert json.loads(dump.header["configs"]) == tail["configs"]


def test_repeated_names_and_keys_keep_the_last_and_are_counted(tmp_path: Path) -> None:
    first, last = json.dumps({"output": [LEAF]}), json.dumps({"output": [LEAF, LEAF]})
    for line in ("", "\n  "):
        twice = '{"1": null, "1": {"type": "int", "value": 5}}'
        dump = read_text(
            tmp_path,
            f'{{"data": {{{line}"a": {first},{line}"b": {{"input_kwargs": {twice}}},'
            f'{line}"a": {last}}}}}'.encode(),
        )
        assert names(dump) == ["b", "a"]
        assert dump.operators.slot_count.tolist() == [1, 2]
        assert dump.slots.operator.tolist() == [0, 1, 1]
        assert dump.strings[int(dump.slots.value[0])] == "5"
        assert problem(dump, "repeated_names").parameters["count"] == 1
        assert problem(dump, "repeated_keys").parameters["count"] == 1


def test_strings_that_look_like_structure_do_no_harm(tmp_path: Path) -> None:
    evil = ['},\n  "x": {', '"data": {', "NaN,\n", "\\", '":":', "\uf8ffNaN", "{[", "中\ud800"]
    data = {
        f"a{index}.0.forward": {
            "input_args": [{"type": "str", "value": text}, {**LEAF, "Mean": float("nan")}]
        }
        for index, text in enumerate(evil)
    }
    for indent in (1, None):
        dump = read_only_cell(write_dump(tmp_path, data, indent=indent))
        values = [dump.strings[int(text)] for text in dump.slots.value if text >= 0]
        assert [json.loads(text) for text in values] == evil
        assert codes(dump) == []
        assert (dump.slots.known[dump.slots.kind == 0] == 7).all()


def test_one_damaged_operator_costs_no_other(tmp_path: Path) -> None:
    data = {f"Functional.relu.{index}.forward": {"output": [LEAF]} for index in range(50)}
    raw = json.dumps({"data": data}, indent=1).encode()
    place = raw.index(b'"Functional.relu.20.forward"') + 60
    for damage in (b"\0" * 10, b'"', b"}", b"{", b"[[", b"\\", b"!"):
        dump = read_text(tmp_path, raw[:place] + damage + raw[place + len(damage) :])
        lost = set(data) - set(names(dump))
        assert len(lost) <= 1, damage
        if lost:
            assert problem(dump, "broken_operators").parameters["count"] == 1


def test_a_damaged_header_name_costs_no_operator(tmp_path: Path) -> None:
    content = small_real_dump()
    raw = json.dumps(content, indent=1).encode()
    read = read_text(tmp_path, raw.replace(b'"level"', b'"l\\qvel"'))
    assert names(read) == list(content["data"])
    assert not read.level


def test_depth_400_works_and_more_is_a_problem(tmp_path: Path) -> None:
    def nested(depth: int) -> str:
        return "[" * depth + '{"type": "int", "value": 1}' + "]" * depth

    for depth, fine in ((400, True), (100_000, False)):
        for line in ("", "\n  "):
            first, last = f'{{"input_args": {nested(depth)}}}', '{"output": [null]}'
            text = f'{{"data": {{{line}"a": {first},{line}"b": {last}}}}}'
            dump = read_text(tmp_path, text.encode())
            assert "b" in names(dump)
            if fine:
                assert codes(dump) == []
                assert dump.slot_name(0) == "input" + ".0" * depth
            else:
                assert problem(dump, "too_deep").parameters == {"count": 1, "name": "a"}


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    text=st.text('{}[]",:\\ \n0aeE.-+tfn', max_size=80).map(lambda tail: '{"data": {"a": ' + tail)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "data",
                        "type",
                        "dtype",
                        "shape",
                        "Max",
                        "value",
                        "input_args",
                        "output",
                        "class_type",
                        "md5",
                        "data_name",
                        "max",
                        "tensor",
                        "",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    ).map(json.dumps)
)
def test_garbage_never_raises(tmp_path: Path, text: str) -> None:
    dump = read_text(tmp_path, text.encode())
    assert len(dump.slots) == int(dump.operators.slot_count.sum())
    for item in dump.problems:
        assert item.sentence("en")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    source = CellSource(
        CellKey("", 0, 0), "msprobe", {"dump": str(tmp_path / "dump.json"), "stack": str(tmp_path / "s")}
    )
    dump = run_to_end(read_cell(source))
    assert codes(dump) == ["not_readable", "not_readable"]


def test_a_file_that_is_written_while_it_is_read(tmp_path: Path) -> None:
    folder = write_dump(tmp_path, {f"a.{index}.forward": {"output": [LEAF]} for index in range(9)})
    work = read_cell(CellSource(CellKey("", 0, 0), "msprobe", {"dump": str(folder / "dump.json")}))
    next(work)
    with (folder / "dump.json").open("a") as stream:
        stream.write(" ")
    dump = run_to_end(work)
    assert codes(dump) == ["changed_while_reading"]
    assert len(dump.operators) == 9


@pytest.mark.parametrize("indent", [None, 1])
def test_an_open_quote_does_not_swallow_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indent: int | None
) -> None:
    monkeypatch.setattr(json_file, "BLOCK", 1 << 10)
    monkeypatch.setattr(json_file, "LONGEST", 1 << 14)
    data = {f"a.{index}.forward": {"output": [LEAF]} for index in range(1000)}
    raw = json.dumps({"data": data}, indent=indent).encode()
    place = raw.index(b'"a.500.forward"') + 30
    dump = read_text(tmp_path, raw[:place] + b'"' + raw[place:])
    assert len(dump.operators) == 999 if indent else len(dump.operators) >= 499
    assert codes(dump) == (["broken_operators"] if indent else ["truncated"])
