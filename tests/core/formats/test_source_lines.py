"""The source around a line, of files as they come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.formats.source_lines import MOST_BYTES, SourceState, source_around

LINES = [f"line_{number}()" for number in range(1, 41)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "model.py"
    made.write_text("\n".join(LINES) + "\n")
    return made


def test_some_lines_before_and_after_are_shown(file: Path) -> None:
    found = source_around(file, 20, "line_20()")
    assert (found.state, found.path, found.first, found.marked) == (SourceState.FOUND, str(file), 14, 20)
    assert found.lines == tuple(LINES[13:26])


@pytest.mark.parametrize(("line", "first", "count"), [(1, 1, 7), (40, 34, 7)])
def test_at_the_ends_there_are_fewer(file: Path, line: int, first: int, count: int) -> None:
    found = source_around(file, line, "")
    assert (found.first, len(found.lines), found.marked) == (first, count, line)


def test_spaces_do_not_make_a_change_and_one_line_of_a_statement_is_enough(file: Path) -> None:
    file.write_text("    x = f(a,\n          b)\n")
    assert source_around(file, 1, "x  = f(a,").state is SourceState.FOUND
    assert source_around(file, 2, "x = f(a,\nb)").state is SourceState.FOUND


def test_a_line_that_moved_is_found_nearest_to_where_it_was(file: Path) -> None:
    found = source_around(file, 10, "line_13()")
    assert (found.state, found.marked) == (SourceState.MOVED, 13)
    assert LINES[12] in found.lines


@pytest.mark.parametrize(("line", "marked"), [(10, 10), (400, 0), (0, 0)])
def test_a_file_that_has_no_such_line_any_more_has_changed(file: Path, line: int, marked: int) -> None:
    found = source_around(file, line, "gone()")
    assert (found.state, found.marked) == (SourceState.CHANGED, marked)


def test_an_empty_file_has_no_lines(file: Path) -> None:
    file.write_text("")
    found = source_around(file, 3, "gone()")
    assert (found.state, found.lines) == (SourceState.CHANGED, ())


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("x = '模型'\n".encode(), "x = '模型'"),
        ("x = '模型'\n".encode("gb18030"), "x = '模型'"),
        ("\ufeffx = 1\r\ny = 2\r\n".encode(), "x = 1"),
        (b"\xff\xfe\x00\x80x\n", None),
    ],
)
def test_any_encoding_is_read(file: Path, data: bytes, line: str | None) -> None:
    file.write_bytes(data)
    found = source_around(file, 1, "")
    assert found.state is SourceState.FOUND
    assert line is None or found.lines[0] == line


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    assert source_around(None, 1, "").state is SourceState.MISSING
    assert source_around(tmp_path / "gone.py", 1, "").state is SourceState.MISSING
    assert source_around(tmp_path, 1, "").state is SourceState.NOT_A_FILE
    large = tmp_path / "large.py"
    large.write_bytes(b"x\n" * (MOST_BYTES // 2 + 1))
    assert source_around(large, 1, "").state is SourceState.TOO_LARGE
    assert source_around(Path("/a\0b"), 1, "").state is SourceState.UNREADABLE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_does_not_keep_the_reader_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    assert source_around(pipe, 1, "").state is SourceState.NOT_A_FILE
