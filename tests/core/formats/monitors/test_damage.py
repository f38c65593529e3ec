"""Dirty files: what can be read is read, what cannot is counted and shown, and nothing is made up."""

from __future__ import annotations

import math
import random
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest
from builders.monitors import Row, write_database, write_v1
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.monitors import clean_rows
from core.formats.monitors.layout import layout_of
from core.formats.monitors.reading import is_monitor, read_trends
from core.formats.monitors.rows import RowReader
from core.progress import run_to_end
from core.records.trends import TrendTable

HEADER = "vpp_stage,name,step,norm,min\n"


def read_text(folder: Path, text: str | bytes, name: str = "grad_reduced_0-99.csv") -> TrendTable:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run_to_end(read_trends(str(path)))


def read_if_possible(path: str) -> TrendTable | None:
    try:
        return run_to_end(read_trends(path))
    except InputError:
        return None


def test_bad_rows_are_counted_and_kept(tmp_path: Path) -> None:
    bad = [
        "0,a,five,1.0,2.0",
        "0,a,5,one,2.0",
        "0,a,5,1.0",
        "0,a,5.5,1.0,2.0",
        "x,a,5,1.0,2.0",
        'a,"b',
        "0,a,6,1.0,-0",
    ]
    table = read_text(tmp_path, HEADER + "0,good,5,1.5,-2.5\n\n" + "\n".join(bad))
    assert table.value.tolist() == [1.5, -2.5]
    assert table.unread == len(bad)  # the last one has no line end: it may be cut within a number
    assert [row.text for row in table.unread_rows] == bad
    assert [row.number for row in table.unread_rows] == list(range(4, 4 + len(bad)))


def test_only_the_first_bad_rows_are_kept(tmp_path: Path) -> None:
    table = read_text(tmp_path, HEADER + "0,a,1,1,1\n" + "bad\n" * 100)
    assert table.unread == 100
    assert len(table.unread_rows) == 20


def test_an_empty_cell_is_no_number(tmp_path: Path) -> None:
    table = read_text(tmp_path, HEADER + "0,a,1,,2.0\n,b,1.0,nan,\n")
    found = [(table.metrics[m], table.layers[i]) for m, i in zip(table.metric, table.layer)]
    assert found == [("grad_reduced.norm", "b"), ("grad_reduced.min", "a")]
    assert math.isnan(table.value[0])
    assert not table.unread


@pytest.mark.parametrize(
    ("row", "name", "step", "micro"),
    [
        ("0,net,5,block,0.5,-1.0", "net:block", 5, None),
        ("1,net,5,block,sub.w,0.5,-1.0", "net:block:sub.w", 5, None),
        ("0,net,block,5,0.5,-1.0", "net:block", 5, None),
        ("0,net,5,block,3,0.5,-1.0", "net:block", 5, 3),
    ],
)
def test_names_with_colons_are_put_together(
    tmp_path: Path, row: str, name: str, step: int, micro: int | None
) -> None:
    header = HEADER if micro is None else "vpp_stage,name,step,micro_step,norm,min\n"
    table = read_text(tmp_path, header + row + "\n")
    assert table.layers == (name,)
    assert table.step.tolist() == [step, step]
    assert table.micro_step.tolist() == [-1 if micro is None else micro] * 2
    assert table.value.tolist() == [0.5, -1.0]


@pytest.mark.parametrize(
    "row",
    [
        "0,net,5,3,0.5,-1.0",
        "0,net,5,0.1,0.5,-1.0",
        "0,net,5,nan,0.5,-1.0",
        "0,net,5,3,0.5,nan",
        "0,3,x,5,0.5,nan",
    ],
)
def test_a_name_that_may_be_a_value_is_not_guessed(tmp_path: Path, row: str) -> None:
    table = read_text(tmp_path, HEADER + "0,a,1,1,1\n" + row + "\n")
    assert (len(table), table.unread) == (2, 1)


def test_rows_filled_up_beside_names_with_colons(tmp_path: Path) -> None:
    # As msprobe 26.2 writes a step in which one name has a colon.
    text = """vpp_stage,name,step,norm,max,shape,dtype,id
0,net,0,block.w,0.25,inf,"[16, 32]",torch.bfloat16,140234.0
1,fc.w,0,0.5,nan,"[16, 32]",torch.bfloat16,140234,nan
0,"a,b",0,0.75,2.0,"[16, 32]",torch.bfloat16,140234,nan
"""
    table = read_text(tmp_path, text)
    assert table.labels == ("net:block.w", "a,b", "1:fc.w")
    assert table.value.tolist()[:4] == [0.25, 0.75, 0.5, math.inf]
    assert math.isnan(table.value[5])
    assert not table.unread
    micro = (
        "vpp_stage,name,step,micro_step,norm,max\n0,fc.output,0,1,0.5,2.0,nan\n0,m,0,x.output,1,0.25,2.0\n"
    )
    table = read_text(tmp_path, micro, "actv_0-1.csv")
    assert table.layers == ("fc", "m:x")
    assert table.micro_step.tolist() == [1] * 4
    assert table.value.tolist() == [0.5, 0.25, 2.0, 2.0]


def test_colons_written_by_the_monitor_come_back(tmp_path: Path) -> None:
    recorded = [Row("grad_reduced", "net:block.w", 3, {"norm": 1.0, "max": 2.0}, stage=1)]
    table = run_to_end(read_trends(str(write_v1(tmp_path, recorded))))
    assert table.labels == ("1:net:block.w",)
    assert table.vpp_stage.tolist() == [1, 1]


def test_a_header_within_the_file_begins_anew(tmp_path: Path) -> None:
    text = HEADER + "0,a,1,1,2\n" + HEADER + "0,a,2,3,4\n" + "vpp_stage,name,step,max\n0,a,3,5\n"
    table = read_text(tmp_path, text)
    assert table.metrics == ("grad_reduced.norm", "grad_reduced.min", "grad_reduced.max")
    assert table.value.tolist() == [1, 3, 2, 4, 5]
    assert not table.unread


def test_columns_without_numbers_are_left_out(tmp_path: Path) -> None:
    text = 'vpp_stage,name,step,norm,shape,id,dtype,note\n0,a,1,2.0,"[2, 3]",77,float32,fine\n'
    assert read_text(tmp_path, text).metrics == ("grad_reduced.norm",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gbk"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_files_that_went_through_a_spreadsheet(tmp_path: Path, encoding: str, newline: str) -> None:
    text = (HEADER + "0.0,层.权重,1.0,2.5,inf\n").replace("\n", newline)
    table = read_text(tmp_path, text.encode(encoding))
    assert table.layers == ("层.权重",)
    assert table.value.tolist() == [2.5, math.inf]


CELLS = st.sampled_from([
    "1.5", "-0.0", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "5e-324", "0.1", "1.", ".5",
    "+3", "", " 2", "x", "1_0", "True", "0x1", "9007199254740993", '"7"', '"a,b"', "1e5", "5.0",
])  # fmt: skip
LINES = st.lists(
    st.tuples(
        st.sampled_from(["0", "1", "", "0.0", "x", "-1", "00"]),
        st.sampled_from(["a", "NA", "nan", "00012", "1e5", "", '"a,b"', "头"]),
        st.sampled_from(
            ["1", "2", "5.0", "5.5", "1e1", "nan", "99999999999999999999", " 7", "9223372036854775807"]
        ),
        CELLS,
        CELLS,
    ),
    min_size=1,
    max_size=3,
)


GENERATOR = random.Random(1)
CLEAN = "".join(
    f"{i % 2},layer{i % 7},{i},{GENERATOR.random()!r},{-GENERATOR.random():.6f}\n" for i in range(4000)
).encode()


@settings(max_examples=60)
@given(odd=LINES)
@example(odd=[("0", "a", "1", "1.5", "True")])
@example(odd=[("0", "00012", "5.5", "1.5", "1")])
def test_all_at_once_gives_what_one_by_one_gives(odd: list[tuple[str, ...]]) -> None:
    layout = layout_of(HEADER.strip().split(","))
    assert layout is not None
    block = CLEAN + "".join(",".join(cells) + "\n" for cells in odd).encode() + CLEAN
    quick = clean_rows.read(block, layout)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grad_reduced_0-99.csv"
        path.write_bytes(HEADER.encode() + block)
        reader = RowReader(str(path), 5, quick=False)
        [slow] = list(reader.blocks())
    if quick is None:
        return
    assert not reader.unread
    assert [quick.keys[key] for key in quick.key] == [slow.keys[key] for key in slow.key]
    for mine, theirs in ((quick.step, slow.step), (quick.micro, slow.micro)):
        assert mine.tolist() == theirs.tolist()
    for (name, values, present), (other, others, there) in zip(quick.statistics, slow.statistics):
        assert (name, present) == (other, there)
        assert np.array_equal(values, others, equal_nan=True)
        assert np.array_equal(np.signbit(values), np.signbit(others))


def test_clean_blocks_are_read_at_once() -> None:
    layout = layout_of([*HEADER.strip().split(","), "shape"])
    assert layout is not None
    for line in (b'0,a,1,nan,-inf,"[1024, 1024]"\n', b"1,a.b,1,0.25,1,x\r\n"):
        block = clean_rows.read(line * 20_000, layout)
        assert block is not None
        assert len(block.step) == 20_000


@settings(max_examples=60)
@given(data=st.data())
def test_garbage_never_raises_anything_else(data: st.DataObject) -> None:
    start = data.draw(st.sampled_from([b"", HEADER.encode(), b"vpp_stage,step,module_name,scope,norm\n"]))
    line = data.draw(st.sampled_from([b"0,a,1,1.5,2\n", b"0,1,a,forward,1.5\n"]))
    noise = data.draw(st.lists(st.one_of(st.just(line), st.binary(max_size=30)), max_size=12))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grad_reduced_0-99.csv"
        path.write_bytes(start + b"".join(noise))
        is_monitor(str(path))
        table = read_if_possible(folder)
        assert table is None or table.rows


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_databases_never_raise_anything_else(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.trend.db"
        recorded = [
            Row("grad_reduced", f"l.{i}", step, {"norm": 1.0}) for i in range(20) for step in range(20)
        ]
        raw = bytearray(write_database(path, recorded).read_bytes())
        for _ in range(data.draw(st.integers(1, 20))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(raw[: data.draw(st.integers(100, len(raw)))])
        is_monitor(str(path))
        table = read_if_possible(str(path))
        assert table is None or table.rows <= 400


def test_rows_of_a_database_that_make_no_sense_are_counted(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.trend.db", [Row("grad_reduced", "a", 1, {"norm": 1.0})])
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO trend_data VALUES (0, 2, 99, 1, 1.0)")
    connection.execute("INSERT INTO trend_data VALUES (0, 3, 1, 1, 'text')")
    connection.commit()
    connection.close()
    table = run_to_end(read_trends(str(path)))
    assert (len(table), table.unread) == (1, 2)
    assert [row.text for row in table.unread_rows] == ["0, 2, 99, 1, 1.0", "0, 3, 1, 1, text"]


def test_a_journal_beside_a_database_is_told_of(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.trend.db", [Row("grad_reduced", "a", 1, {"norm": 1.0})])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("INSERT INTO trend_data VALUES (0, 2, 1, 1, 2.0)")
    connection.commit()
    try:
        table = run_to_end(read_trends(str(path)))
    finally:
        connection.close()
    assert table.step.tolist() == [1]
    assert [problem.code for problem in table.problems] == ["trend_journal"]


def test_a_view_is_no_table(tmp_path: Path) -> None:
    path = write_database(tmp_path / "a.trend.db", [Row("grad_reduced", "a", 1, {"norm": 1.0})])
    connection = sqlite3.connect(path)
    connection.executescript("ALTER TABLE trend_data RENAME TO t; CREATE VIEW trend_data AS SELECT * FROM t;")
    connection.close()
    assert not is_monitor(str(path))
    with pytest.raises(InputError):
        run_to_end(read_trends(str(path)))
