"""Configurations that are broken, hostile, or no configurations."""

from __future__ import annotations

import tomllib
import tracemalloc
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.documents.reading import read_document
from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Evidence, Value


def read(name: str, text: str | bytes) -> Evidence | None:
    content = text if isinstance(text, bytes) else dedent(text).encode("utf-8", "surrogatepass")
    return read_document(EvidenceFile("/jobs/" + name, content=content))


def values(found: Evidence | None) -> dict[str, Value]:
    assert found is not None
    return {item.name: item.value for item in found.settings}


def codes(found: Evidence | None) -> list[str]:
    assert found is not None
    return [problem.code for problem in found.problems]


def test_what_is_cut_is_not_known() -> None:
    """A difference behind the cut must not look like equality."""
    found = read("a.json", f'{{"lr": 1, "name": "{"x" * 5000}", "many": {list(range(1001))}, "few": [1, 2]}}')
    assert found is not None
    assert {item.name: item.known for item in found.settings} == {
        "lr": True, "name": False, "many": False, "few": True,
    }  # fmt: skip


def test_all_documents_of_a_file_count() -> None:
    found = read("a.yaml", "lr: 0.1\nseed: 1\n---\nlr: 0.2\nbeta: 3\n")
    assert values(found) == {"seed": 1, "lr": 0.2, "beta": 3}
    assert codes(found) == ["settings_twice"]


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("a.json", '{"a": 1,\n "b" 2}', "settings_broken", 2),
        ("a.json", '{"a": [1, 2', "settings_broken", 1),
        ("a.yaml", "a: [1\nb: 2", "settings_broken", 2),
        ("a.yaml", "a: *gone\n", "settings_broken", 1),
        ("a.toml", "[a\nb = 1", "settings_broken", 1),
        ("a.ini", "[a]\nwhat\n", "settings_broken", 2),
        ("a.json", '{"a": ' + "[" * 100_000, "settings_deep", 1),
        ("a.yaml", "a: " + "[" * 5000, "settings_deep", 1),
        ("a.yaml", "\n".join("  " * n + f"k{n}:" for n in range(300)), "settings_deep", 61),
        ("a.yaml", "a: &a\n  b: *a\n", "settings_deep", 2),
        ("a.toml", "x = 1\n" + ".".join(["a"] * 50_000) + " = 1", "settings_deep", 2),
        ("a.toml", "[" + " . ".join(["'a'"] * 50_000) + "]\nx = 1", "settings_deep", 1),
        ("a.yaml", 'x: 1\na: !!python/object/apply:os.system ["touch x"]\n', "settings_tag", 2),
        ("a.yaml", "a: !mine 3\n", "settings_tag", 1),
    ],
)
def test_what_cannot_be_read_is_a_problem(name: str, text: str, code: str, line: int) -> None:
    found = read(name, text)
    assert found is not None
    assert (found.kinds, codes(found), found.problems[0].parameters["line"]) == ((), [code], line)
    assert found.problems[0].sentence("en") != found.problems[0].sentence("zh_CN")


def test_aliases_that_unfold_without_end_are_refused() -> None:
    letters = "abcdefghi"
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"{new}: &{new} [{','.join(['*' + old] * 9)}]" for old, new in pairwise(letters)]
    found = read("bomb.yaml", "\n".join(lines))
    assert codes(found) == ["evidence_bomb"]
    merges = "\n".join(
        ["m0: &m0 {a: 1}"] + [f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}], k{n}: 1}}" for n in range(1, 50)]
    )
    assert codes(read("merge.yaml", merges)) == []


def test_a_name_said_twice_is_a_problem_and_the_last_one_holds() -> None:
    for name, text in (("a.yaml", "lr: 1\nb: 2\nlr: 3\n"), ("a.json", '{"lr": 1,\n"b": 2,\n"lr": 3}')):
        found = read(name, text)
        assert values(found) == {"b": 2, "lr": 3}
        assert codes(found) == ["settings_twice"]
        assert found is not None
        assert found.problems[0].parameters == {"name": "lr", "line": 3}


@pytest.mark.parametrize("name", ["a.yaml", "a.toml", "a.ini", "a.json"])
def test_a_gigabyte_is_not_read(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    with file.open("wb") as stream:
        stream.write(b"[a]\n" if name == "a.ini" else b"{" if name == "a.json" else b"a: 1")
        stream.truncate(1 << 30)
    tracemalloc.start()
    try:
        assert codes(read_document(EvidenceFile(str(file)))) == ["settings_too_large"]
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_a_large_document_is_a_problem() -> None:
    assert codes(read("a.yaml", b"a: 1\n" * 1_000_000)) == ["settings_too_large"]


@given(st.binary(max_size=200), st.sampled_from(["a.json", "a.yaml", "a.toml", "a.ini", "a", "a.cfg"]))
def test_no_bytes_raise(content: bytes, name: str) -> None:
    read(name, content)


@given(
    st.text(st.sampled_from(list("{}[]:,\"'#/*\\n -&*!|>=\t ab1\n")), max_size=60),
    st.sampled_from(["a.json", "a.yaml", "a.toml", "a.ini"]),
)
def test_no_text_raises(text: str, name: str) -> None:
    found = read(name, text.encode())
    if name == "a.toml" and found is not None and not found.problems:
        tomllib.loads(text)
