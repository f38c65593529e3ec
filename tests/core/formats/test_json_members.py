"""An object cut into members, in any layout, at any block size, and ending anywhere."""

from __future__ import annotations

import contextlib
import json
import math
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats import json_text
from core.formats.json_file import JsonFile
from core.formats.json_members import Ending, read_members
from core.formats.json_scan import scan

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(alphabet=st.sampled_from('ab{}[],:"\\\n\t 中\ud800NaN\uf8ff') | st.characters(), max_size=8)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, -0.0])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (",", ": "), (" ,", " : ")])


def members_of(path: Path, block: int) -> tuple[list[tuple[str, Any]], Ending]:
    """Read all members of the object in *path* with what :mod:`core.formats` offers."""
    ending = Ending()
    found = []
    with JsonFile(str(path), block) as file:
        file.skip_space()
        file.advance(1)
        for batch in read_members(file, ending):
            assert batch.broken == 0
            found += [(name, json_text.dumps(json_text.decode(raw))) for name, raw in batch.members]
    return found, ending


def canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@QUICK
@given(
    content=st.dictionaries(TEXTS, VALUES, max_size=6),
    indent=LAYOUTS,
    separators=SEPARATORS,
    ascii_only=st.booleans(),
    block=st.sampled_from([7, 64, 1 << 20]),
    windows=st.booleans(),
)
def test_members_are_those_that_python_reads(
    tmp_path: Path,
    content: dict[str, Any],
    indent: int | str | None,
    separators: tuple[str, str],
    ascii_only: bool,
    block: int,
    windows: bool,
) -> None:
    text = json.dumps(content, indent=indent, separators=separators, ensure_ascii=ascii_only)
    path = tmp_path / "x.json"
    path.write_bytes(text.replace("\n", "\r\n" if windows else "\n").encode("utf-8", "surrogatepass"))
    found, ending = members_of(path, block)
    assert ending.closed
    assert dict(found) == {name: canonical(value) for name, value in content.items()}
    assert len(found) == len(content)


@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_cut_anywhere_gives_its_whole_members(tmp_path: Path, indent: int | None) -> None:
    content = {"a": {"b": [1, {"c": '}, "x": {'}]}, "d": [math.nan, None], "é": "x\\", "f": {}, "g": None}
    raw = json.dumps(content, indent=indent, ensure_ascii=False).encode()
    path = tmp_path / "x.json"
    for cut in range(1, len(raw)):
        path.write_bytes(raw[:cut])
        for block in (5, 1 << 20):
            found, ending = members_of(path, block)
            assert not ending.closed
            assert found == [(name, canonical(value)) for name, value in content.items()][: len(found)]
            assert ending.position <= cut
            # Everything whose last byte is there was found.
            whole = sum(
                raw.index(json.dumps(name, ensure_ascii=False).encode() + b":") >= cut for name in content
            )
            assert len(found) >= len(content) - whole - 1


def test_a_repeated_name_is_given_each_time(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ('{"a": 1, "b": 2, "a": 3}', '{\n "a": 1,\n "b": 2,\n "a": 3\n}'):
        path.write_text(text)
        assert members_of(path, 0)[0] == [("a", "1"), ("b", "2"), ("a", "3")]


def test_one_damaged_member_costs_no_other(tmp_path: Path) -> None:
    content = {f"name{index}": {"value": index} for index in range(9)}
    raw = json.dumps(content, indent=1).encode()
    path = tmp_path / "x.json"
    for damage in (b'"value": }', b'"value"', b'"va', b"]", b"\x00\x00\x00"):
        path.write_bytes(raw.replace(b'"value": 4', damage))
        ending = Ending()
        good = []
        with JsonFile(str(path)) as file:
            file.advance(1)
            for batch in read_members(file, ending):
                for name, value in batch.members:
                    try:
                        good.append((name, json_text.decode(value)))
                    except ValueError:
                        assert name == "name4"
        assert good == [(name, value) for name, value in content.items() if name != "name4"], damage


@pytest.mark.parametrize("escape", [b"\\q", b"\\x41", b"\\u00g0"])
def test_a_name_with_a_wrong_escape_costs_its_member(tmp_path: Path, escape: bytes) -> None:
    raw = json.dumps({f"name{index}": index for index in range(9)}, indent=1).encode()
    path = tmp_path / "x.json"
    path.write_bytes(raw.replace(b'"name4"', b'"na' + escape + b'me4"'))
    with JsonFile(str(path)) as file:
        file.advance(1)
        batches = list(read_members(file, Ending()))
    names = [name for batch in batches for name, _ in batch.members]
    assert names == [f"name{index}" for index in range(9) if index != 4]
    assert sum(batch.broken for batch in batches) == 1


@QUICK
@given(text=st.binary(max_size=60) | st.text(string.punctuation + " \n1a", max_size=60).map(str.encode))
def test_garbage_never_raises(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with JsonFile(str(path), 16) as file:
        for batch in read_members(file, Ending()):
            for _, value in batch.members:
                with contextlib.suppress(ValueError):
                    json_text.decode(value)


def test_scan_knows_strings_and_depth() -> None:
    found = scan(rb'"a,\"{": [1, {"b": 2}], "c": "}" }, "d"')
    assert found.commas.tolist() == [22]
    assert found.end == 33
    assert scan(b'"a": [{').depth == 2
    assert scan(b'"a": "x').in_string


def test_loads_says_too_deep() -> None:
    with pytest.raises(json_text.TooDeep):
        json_text.loads("[" * 100_000)
