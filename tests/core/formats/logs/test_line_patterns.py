"""Patterns of the user's own: what they read, what is refused, and how they are kept."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.patterns import (
    LinePattern,
    load_patterns,
    patterns_file,
    remove_pattern,
    save_pattern,
    try_pattern,
)
from core.formats.logs.table import read_table
from core.progress import run_to_end

MINE = LinePattern(
    "mine", r"^#(?P<step>\d+) L=(?P<loss>\S+)(?: G=(?P<grad_norm>\S+))?(?: r(?P<rank>\d+))?(?: w=(?P<w>.*))?$"
)


def test_a_pattern_alone_decides(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "step 1 loss: 9.0\n#1 L=2.5 G=nan r3 w=7\n#2 L=None\n#3 L=1e-3 w=x\nother\n#4 L=tensor(0.5)\n"
    )
    table = run_to_end(read_table(str(path), MINE))
    assert table.step.tolist() == [1, 3, 4]
    assert table.rank.tolist() == [3, -1, -1]
    assert table.columns["loss"].value.tolist() == [2.5, 1e-3, 0.5]
    assert np.isnan(table.columns["grad_norm"].value).tolist() == [True]
    assert table.columns["w"].record.tolist() == [0]
    assert dict(table.forms) == {"pattern": 3}
    assert [(line.number, line.text) for line in table.unread_lines] == [(3, "#2 L=None")]


def test_a_pattern_is_tried_on_the_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"\xef\xbb\xbfstart\n\n#1 L=2.5 r0\n" + b"#2 L=x\n" * 300)
    tried = try_pattern(MINE, str(path), lines=4)
    assert tried[:2] == [(1, "start", None), (3, "#1 L=2.5 r0", {"loss": 2.5, "step": 1.0, "rank": 0.0})]
    assert [line.number for line in tried] == [1, 3, 4, 5]
    assert len(try_pattern(MINE, str(path))) == 200
    with pytest.raises(InputError, match="absent"):
        try_pattern(MINE, str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        (r"(?P<loss>", "pattern_broken"), ("[", "pattern_broken"), ("loss: (.*)", "pattern_no_groups"),
        (r"(?P<step>\d+) (?P<rank>\d+)", "pattern_no_groups"), ("", "pattern_no_groups"),
    ],
)  # fmt: skip
def test_what_is_no_pattern_is_refused(expression: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("step 1 loss: 2\n")
    for refused in (try_pattern, lambda pattern, path: run_to_end(read_table(path, pattern))):
        with pytest.raises(InputError) as caught:
            refused(LinePattern("p", expression), str(tmp_path / "x.log"))
        assert caught.value.problem.code == code


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_expression_is_used_or_refused(
    tmp_path_factory: pytest.TempPathFactory, expression: str, line: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "pattern.log"
    path.write_text(line + "\n", "utf-8", "surrogatepass")
    for pattern in (LinePattern("p", expression), LinePattern("q", f"(?P<loss>{re.escape(expression)})")):
        try:
            tried = try_pattern(pattern, str(path))
        except InputError as error:
            assert error.problem.code in ("pattern_broken", "pattern_no_groups")  # noqa: PT017
        else:
            assert len(tried) <= len(line) + 1


def test_patterns_are_kept_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ULPSCOPE_PATTERNS", str(tmp_path / "new" / "folder"))
    assert load_patterns() == ((), None)
    save_pattern(LinePattern("甲", "(?P<loss>.)"))
    save_pattern(MINE)
    save_pattern(LinePattern("甲", "(?P<loss>..)"))
    assert load_patterns().patterns == (MINE, LinePattern("甲", "(?P<loss>..)"))
    remove_pattern("mine")
    remove_pattern("unknown")
    assert load_patterns().patterns == (LinePattern("甲", "(?P<loss>..)"),)
    assert [file.name for file in patterns_file().parent.iterdir()] == ["log_patterns.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": 1}', b"\xff\xfe"])
def test_a_broken_file_is_a_problem_and_no_crash(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "patterns.json"
    file.write_bytes(content)
    found = load_patterns(file)
    assert found.patterns == ()
    assert found.problem is not None
    assert str(file) in found.problem.sentence()
    save_pattern(MINE, file)
    assert load_patterns(file) == ((MINE,), None)
    assert (tmp_path / "patterns.json.broken").read_bytes() == content


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as caught:
        save_pattern(MINE, tmp_path / "file" / "patterns.json")
    assert caught.value.problem.code == "patterns_unwritable"
