"""Tables as they are on show: read back by other readers, whatever stands in the cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.progress import run_to_end
from core.report.markdown import markdown_rows, markdown_rule
from core.report.shown_report import write_shown

HEADS, NUMBERS = ["Operator", "Error"], [False, True]
CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def blocks() -> Iterator[list[list[str]]]:
    yield [["Tensor.__add__.0", 'a "b", c'], ["1e-05", ""]]
    yield [["=cmd()", "x|y"], ["0.25", "nan"]]


@pytest.mark.parametrize(("ending", "dialect"), [("csv", "excel"), ("tsv", "excel-tab"), ("", "excel")])
def test_a_spreadsheet_reads_it(tmp_path: Path, ending: str, dialect: str) -> None:
    place = tmp_path / "new" / f"rows.{ending}"
    assert run_to_end(write_shown(place, HEADS, NUMBERS, blocks(), 4)) == str(place)
    with place.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, dialect))
    first = 'a "b", c'
    assert rows == [HEADS, ["Tensor.__add__.0", "1e-05"], [first, ""], ["'=cmd()", "0.25"], ["x|y", "nan"]]


def test_markdown_escapes_what_would_be_read(tmp_path: Path) -> None:
    place = tmp_path / "rows.MD"
    run_to_end(write_shown(place, HEADS, NUMBERS, blocks(), 4))
    assert place.read_text("utf-8").splitlines() == [
        "| Operator | Error |",
        "| --- | ---: |",
        "| Tensor.\\_\\_add\\_\\_.0 | 1e-05 |",
        '| a "b", c |  |',
        "| =cmd() | 0.25 |",
        "| x\\|y | nan |",
    ]


def test_progress_tells_how_far_it_is_and_a_stop_leaves_nothing(tmp_path: Path) -> None:
    work = write_shown(tmp_path / "rows.csv", HEADS, NUMBERS, blocks(), 4)
    assert [next(work).done, next(work).done] == [0, 2]
    work.close()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="rows") as caught:
        run_to_end(write_shown(tmp_path / "file" / "rows.csv", HEADS, NUMBERS, blocks(), 4))
    assert caught.value.filename == str(tmp_path / "file" / "rows.csv")


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_a_markdown_row_has_its_cells_and_one_line(rows: list[tuple[str, str]]) -> None:
    lines = markdown_rows([list(column) for column in zip(*rows)]).split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(rows)
    for line, cells in zip(lines, rows):
        parts = re.split(r"(?<!\\)(?:\\\\)*\|", line)
        assert len(parts) == 4
        assert line.isprintable()
        for part, cell in zip(parts[1:3], cells):
            read = re.sub(r"\\([\\|<_*`\[\]])", r"\1", part)
            plain = "".join(sign if sign.isprintable() else " " for sign in cell)
            assert read.split() == plain.split()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_csv_gives_texts_back(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    place = tmp_path / "rows.csv"
    columns = [list(column) for column in zip(*rows)]
    run_to_end(write_shown(place, ["a", "b"], [True, True], iter([columns]), len(rows)))
    with place.open(encoding="utf-8-sig", newline="") as stream:
        read = list(csv.reader(stream))[1:]
    assert read == [[cell.replace("\0", "\\x00") for cell in row] for row in rows]


def test_the_rule_says_how_columns_are_aligned() -> None:
    assert markdown_rule([True, False]) == "| ---: | --- |\n"
