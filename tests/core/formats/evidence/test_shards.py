"""Which files each node reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shards import read_shards, shards_of
from core.formats.evidence.text_kinds import read_json


def shards(text: str) -> dict[str, tuple[str, ...]]:
    found = read_shards(EvidenceFile("/x/shards.txt", content=text.encode()))
    return {} if found is None else {shard.node: shard.files for shard in found.shards}


def test_json() -> None:
    value = {"node0": ["a", "b"], "node1": ["c", "d"]}
    for form in (value, {"shards": value}):
        found = read_json(EvidenceFile("/x/shards.json", content=json.dumps(form).encode()))
        assert found is not None
        assert [(shard.node, shard.files) for shard in found.shards] == [
            ("node0", ("a", "b")),
            ("node1", ("c", "d")),
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node0: a b c\nnode1: d e\n", {"node0": ("a", "b", "c"), "node1": ("d", "e")}),
        ("rank 0: ['a', 'b']\nrank 1: ['c']\n", {"rank0": ("a", "b"), "rank1": ("c",)}),
        ("node0: a, b\nnode0: c\n", {"node0": ("a", "b", "c")}),
        (
            "2024-01-01 10:00:00 INFO [rank0] files: ['data/a.bin', 'data/b.bin']\nloading\nstep 1\n"
            "2024-01-01 10:00:00 INFO [rank1] files: ['data/c.bin']\nstep 2\nrank 0: x y\n",
            {"rank0": ("data/a.bin", "data/b.bin"), "rank1": ("data/c.bin",)},
        ),
        ('node_3 = ["C:\\\\data\\\\a.bin"]\n', {"node_3": ("C:/data/a.bin",)}),
        ("10.0.0.1: a b\n10.0.0.2: c\n", {"10.0.0.1": ("a", "b"), "10.0.0.2": ("c",)}),
    ],
)
def test_printed(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert shards(text) == expected


@pytest.mark.parametrize("text", ["", "hello\n", "step 1 loss 2\nstep 2 loss 1\n", "lr: 1\nbatch: 2\n"])
def test_others_are_none(text: str) -> None:
    assert shards(text) == {}


@pytest.mark.parametrize(
    "value", [{"files": ["a"]}, {"node0": "a"}, {"node0": [1]}, {}, [], {"world_size": 16, "tp": 2}]
)
def test_other_json_is_none(value: object) -> None:
    assert shards_of(value, EvidenceFile("/x/a.json")) is None


NAME = st.from_regex(r"[\w./\-]{1,20}", fullmatch=True)


@given(st.dictionaries(st.integers(0, 99), st.lists(NAME, min_size=1, max_size=5), min_size=1, max_size=5))
def test_what_python_prints_comes_back(files: dict[int, list[str]]) -> None:
    text = "".join(f"node{node}: {names!r}\n" for node, names in files.items())
    assert shards(text) == {f"node{node}": tuple(names) for node, names in files.items()}


@given(st.binary(max_size=300))
def test_random_bytes_never_raise(raw: bytes) -> None:
    read_shards(EvidenceFile("/x/a.txt", content=raw))
