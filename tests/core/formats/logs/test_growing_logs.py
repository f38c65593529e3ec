"""Logs that are read on as they grow say what they say when they are read anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.logs.file_table import FileTable
from core.formats.logs.patterns import LinePattern
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import LogTable

LINES = (
    " iteration {n:8}/ 200 | consumed samples: {n:12} | lm loss: {x:.6E} | grad norm: {x:.3f} |",
    "{{'loss': {x:.4f}, 'learning_rate': 0.1, 'epoch': {n}}}",
    "step {n} loss: {x:.3f}", "saving checkpoint", "step {n} loss: broken",
    " 10%|#| {n}/200 [00:01<, loss={x:.3f}]\r",
)  # fmt: skip


def assert_same(one: LogTable, other: LogTable) -> None:
    for name in ("path", "forms", "lines", "unread", "unread_lines", "read_bytes", "problems"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("step", "rank", "event"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert set(one.columns) == set(other.columns)
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column.record, other.columns[name].record)
        np.testing.assert_array_equal(column.value, other.columns[name].value)


def read(path: Path, before: LogTable | None = None, pattern: LinePattern | None = None) -> LogTable:
    return run_to_end(read_table(str(path), pattern, before))


@given(
    st.lists(st.sampled_from(LINES), min_size=3, max_size=40),
    st.lists(st.floats(0.1, 1.0), max_size=4),
    st.sampled_from(("utf-8", "utf-16", "gbk")),
)
@settings(max_examples=60, deadline=None)
def test_reading_on_is_reading_anew(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], cuts: list[float], encoding: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"growing-{encoding}.log"
    text = "训练 step 0 loss: 2.0\n" + "".join(
        f"{line.format(n=n, x=n / 7)}\n" for n, line in enumerate(lines, 1)
    )
    raw = text.encode(encoding)
    path.write_bytes(raw[: raw.index(b"\n") + 2])
    table = read(path)
    for cut in sorted(cuts):
        path.write_bytes(raw[: max(int(len(raw) * cut), raw.index(b"\n") + 2)])
        table = read(path, table)
        assert_same(table, read(path))
    path.write_bytes(raw)
    assert_same(read(path, table), read(path))
    assert read(path, table).read_bytes == len(raw)


def test_only_what_was_added_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"step {n} loss: {n / 8}\n" for n in range(100_000)))
    table = read(path)
    with path.open("a") as stream:
        stream.write("step 100000 loss: 1.5\n")
    told = [progress.done for progress in read_table(str(path), None, table)]
    assert len(told) == 1
    longer = read(path, table)
    assert longer.step[-1] == 100_000
    assert longer.columns["loss"].value[-1] == 1.5
    assert longer.lines == 100_001


def test_half_a_line_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    line = " iteration {}/ 200 | consumed samples: 12 | lm loss: 1.083118E+01 | grad norm: 3.417 |\n"
    path.write_text(line.format(1) + line.format(2)[:-30])
    table = read(path)
    assert (table.step.tolist(), table.read_bytes) == ([1], len(line.format(1)))
    path.write_text(line.format(1) + line.format(2)[:-1])
    whole = read(path, table)
    assert (whole.step.tolist(), whole.read_bytes) == ([1, 2], len(line.format(1)))
    path.write_text(line.format(1) + line.format(2) + line.format(3))
    assert read(path, whole).step.tolist() == [1, 2, 3]


def test_a_file_that_is_another_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"step {n} loss: 2.0\n" for n in range(1, 50)))
    table = read(path)
    path.write_text("step 1 loss: 3.0\n")
    assert read(path, table).step.tolist() == [1]
    path.write_text("".join(f"step {n} loss: 4.0\n" for n in range(1, 60)))
    anew = read(path, table)
    assert anew.columns["loss"].value.tolist() == [4.0] * 59
    pattern = LinePattern("p", r"step (?P<step>\d+) loss: (?P<mine>\S+)")
    assert set(read(path, anew, pattern).columns) == {"mine"}
    assert isinstance(anew, FileTable)


def test_tables_grow_too(tmp_path: Path) -> None:
    path = tmp_path / "loss.csv"
    path.write_text("step,loss\n1,2.0\n2,1.5")
    table = read(path)
    assert table.columns["loss"].value.tolist() == [2.0, 1.5]
    path.write_text("step,loss\n1,2.0\n2,1.55\n3,x\n4,1.0\n")
    grown = read(path, table)
    assert_same(grown, read(path))
    assert grown.columns["loss"].value.tolist() == [2.0, 1.55, 1.0]
    assert (grown.unread, grown.lines) == (1, 5)


def test_what_the_whole_log_tells_is_told_anew_as_it_grows(tmp_path: Path) -> None:
    """Headings of epochs, steps that begin again, which value is the loss, and torn lines."""
    parts = (
        "Epoch 1/9\n[1/3] mlm_loss: 2.5\n[2/3] mlm_loss: 2.25\n", "[3/3] mlm_loss: 2.0\nEpoch 2/9\n",
        "[1/3] mlm_loss: 1.5\n[2/3] mlm_l", "oss: 1.25\n[3/3] mlm_loss: 1.125\n[2/3] mlm_loss: 1",
        ".5\nepoch 7 step 1 loss 2.5\n", "epoch 7 step 2 loss 2.5\nepoch 8 step 1 loss 2.5\n",
    )  # fmt: skip
    path = tmp_path / "train.log"
    path.write_text("")
    table, text = None, ""
    for part in parts:
        text += part
        path.write_text(text)
        table = read(path, table)
        assert_same(table, read(path))
    assert table is not None
    assert table.step.tolist() == [1, 2, 3, 4, 5, 6, 5, 7, 8, 9]
    assert "mlm_loss" in table.columns
    assert table.columns["loss"].record.tolist() == [7, 8, 9]
