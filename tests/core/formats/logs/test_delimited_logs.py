"""Tables of text: any delimiter, any names, exact numbers, and rows that are broken."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.delimited import head_of
from core.formats.logs.delimited_rows import clean_table
from core.formats.logs.reading import is_training_log
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import UNSAID, LogTable
from core.records.series import Series


def table_of(folder: Path, content: str | bytes, name: str = "loss.csv") -> LogTable:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return run_to_end(read_table(str(path)))


def columns(table: LogTable) -> dict[str, dict[int, float]]:
    return {
        str(name): dict(zip(found.record.tolist(), found.value.tolist()))
        for name, found in table.columns.items()
    }


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk"])
def test_delimiters_and_encodings(delimiter: str, encoding: str, tmp_path: Path) -> None:
    rows = [
        ["迭代", "训练损失", "lr", "grad norm", "备注"],
        ["1", "2.5", "1e-3", "nan", "好"],
        ["2", "", "", "inf", ""],
    ]
    text = "\r\n".join(delimiter.join(row) for row in rows) + "\r\n"
    table = table_of(tmp_path, text.encode(encoding))
    assert is_training_log(str(tmp_path / "loss.csv"))
    assert table.step.tolist() == [1, 2]
    assert repr(columns(table)) == repr(
        {"loss": {0: 2.5}, "learning_rate": {0: 1e-3}, "grad_norm": {0: math.nan, 1: math.inf}}
    )
    assert (table.lines, table.unread, dict(table.forms)) == (3, 0, {"table": 2})


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("step,loss,lr,grad_norm", ["loss", "learning_rate", "grad_norm"]),
        (
            "global_step,train/loss,train/learning_rate,train/grad_norm",
            ["loss", "learning_rate", "grad_norm"],
        ),
        ("Step,loss,train_loss,epoch", ["loss", "train_loss", "epoch"]),
        ("iteration,train_loss,val_loss,val_acc", ["loss", "validation_loss", "validation_accuracy"]),
        ('"Step","run - train/loss","run - train/loss__MIN","x"', ["loss", "run - train/loss__MIN", "x"]),
        ("# iter,lm loss,LM Loss,lm loss", ["loss", "LM Loss", "lm loss.3"]),
        ("epoch,consumed_samples,loss,tokens/s", ["epoch", "consumed_samples", "loss", "throughput"]),
        ("step,iteration,loss,elapsed time per iteration (s)", ["iteration", "loss", "step_time"]),
    ],
)
def test_names_of_columns(head: str, names: list[str], tmp_path: Path) -> None:
    table = table_of(tmp_path, f"{head}\n1,2,3,4\n")
    assert [str(name) for name in table.columns] == names
    assert table.step.tolist() == ([UNSAID] if head.startswith("epoch") else [1])
    if "step_time" in names:
        assert table.columns[Series.STEP_TIME].value.tolist() == [4000.0]


def test_the_export_of_tensorboard(tmp_path: Path) -> None:
    text = "Wall time,Step,Value\n1700000000.5,1,2.5\n1700000001.5,2,2.25\n"
    named = table_of(tmp_path, text, "run_x-tag-train_grad_norm.csv")
    assert columns(named)["grad_norm"] == {0: 2.5, 1: 2.25}
    plain = table_of(tmp_path, text)
    assert columns(plain) == {"Wall time": {0: 1700000000.5, 1: 1700000001.5}, "loss": {0: 2.5, 1: 2.25}}


def test_broken_rows_are_counted_and_others_read(tmp_path: Path) -> None:
    rows = [
        "step,loss,note",
        "1,2.0,a",
        "2,x,b",
        "3,1.0",
        "4,1.0,c,d",
        "step,loss,note",
        "",
        "5,None,e",
        ",,",
        "6,0.5,f,",
    ]
    table = table_of(tmp_path, "\n".join([*rows, "y,0.5,g", "7,nan,NaN", ""]))
    assert table.step.tolist() == [1, 4, 5, 6, 7]
    assert repr(columns(table)["loss"]) == repr({0: 2.0, 1: 1.0, 3: 0.5, 4: math.nan})
    assert [(line.number, line.text) for line in table.unread_lines] == [
        (3, "2,x,b"), (4, "3,1.0"), (11, "y,0.5,g"),
    ]  # fmt: skip
    assert (table.unread, table.lines) == (3, 12)


@pytest.mark.parametrize("head", ["NPU Name,Bench Name,Cosine", "a,b,c", "Op Name,Max,Min"])
def test_other_tables_are_no_logs(head: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, f"{head}\n1,2,3\n")
    assert caught.value.problem.code == "log_without_steps"
    assert not is_training_log(str(tmp_path / "loss.csv"))


@pytest.mark.parametrize("rows", ["", "\n\n", "|---|---|\n"])
def test_a_table_that_has_no_rows_is_refused(rows: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, f"step{'|' if rows[:1] == '|' else ','}loss\n{rows}")
    assert caught.value.problem.code == "log_without_steps"
    assert is_training_log(str(tmp_path / "loss.csv"))


@pytest.mark.parametrize("columns_more", [5000, 20_000])
def test_any_number_of_columns(columns_more: int, tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(columns_more))
    row = ",".join("1" * columns_more)
    table = table_of(tmp_path, f"step,loss,{names}\n" + "".join(f"{n},{n / 8},{row}\n" for n in range(4)))
    assert is_training_log(str(tmp_path / "loss.csv"))
    assert table.step.tolist() == [0, 1, 2, 3]
    assert columns(table)["loss"] == {n: n / 8 for n in range(4)}


def test_surplus_cells_are_left_out_unless_they_may_belong_to_a_number(tmp_path: Path) -> None:
    rows = ["step,loss", "1,2.5,x", "2,2.25,7,8", "3,4,526", "4,nan,,y", "5,None,1"]
    table = table_of(tmp_path, "\n".join([*rows, ""]))
    assert repr(columns(table)["loss"]) == repr({0: 2.5, 1: 2.25, 2: math.nan})
    assert [line.text for line in table.unread_lines] == ["3,4,526"]
    whole = table_of(tmp_path, "step,loss\n" + "".join(f"{n},{n}.5,z\n" for n in range(9)))
    assert whole.columns["loss"].value.tolist() == [n + 0.5 for n in range(9)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_first_line_may_tell_a_spreadsheet_the_delimiter(delimiter: str, tmp_path: Path) -> None:
    text = f"sep={delimiter}\r\nstep{delimiter}loss\r\n1{delimiter}2.5\r\n"
    table = table_of(tmp_path, text)
    assert is_training_log(str(tmp_path / "loss.csv"))
    assert (table.step.tolist(), columns(table)) == ([1], {"loss": {0: 2.5}})


@pytest.mark.parametrize(
    ("text", "losses", "validation"),
    [
        ("Step  Training Loss  Validation Loss\n500   2.5   2.75\n1000   No log   2.5\n", {0: 2.5},
         {0: 2.75, 1: 2.5}),
        ("step loss lr\n    1  2.5  1e-5\n   20  2.25  1e-5\n", {0: 2.5, 1: 2.25}, None),
        ("Step\tTraining Loss\n500\t2.5\n1,000\t2.25\n1,50\t2.0\n", {0: 2.5, 1: 2.25}, None),
        ("| step | loss |\n|---|:--|\n| 1 | 2.5 |\n| 2 | 2.0 |\n", {0: 2.5, 1: 2.0}, None),
        ("Iteration    mlm_loss\n1    2.5\n2    2.0\n", {0: 2.5, 1: 2.0}, None),
    ],
)  # fmt: skip
def test_tables_aligned_with_blanks_and_rules(
    text: str, losses: dict[int, float], validation: dict[int, float] | None, tmp_path: Path
) -> None:
    table = table_of(tmp_path, text, "table.txt")
    assert is_training_log(str(tmp_path / "table.txt"))
    found = columns(table)
    assert (found["loss"], found.get("validation_loss")) == (losses, validation)
    assert [line.text for line in table.unread_lines] == (["1,50\t2.0"] if "1,50" in text else [])


@pytest.mark.parametrize(
    ("names", "loss"),
    [
        ("mlm_loss", "mlm_loss"), ("x,gpt_loss", "gpt_loss"), ("loss_G", "loss_G"), ("nll", "nll"),
        ("cross_entropy,lr", "cross_entropy"), ("mse", "mse"), ("perplexity,eval_loss", "perplexity"),
        ("perplexity,d_loss", "d_loss"), ("loss_G,loss_D", None), ("loss_scale,loss,loss_G", "loss"),
        ("lm-loss-training/lm loss,lm-loss-training/lm loss vs samples", "lm-loss-training/lm loss"),
        ("lm loss ppl,psnr", None), ("val_nll_loss", None),
    ],
)  # fmt: skip
def test_what_is_a_loss_by_its_name(names: str, loss: str | None, tmp_path: Path) -> None:
    cells = names.split(",")
    table = table_of(tmp_path, f"step,{names}\n1,{','.join(str(n + 0.5) for n in range(len(cells)))}\n")
    found = columns(table)
    assert found.get("loss") == (None if loss is None else {0: cells.index(loss) + 0.5})
    assert loss in (None, "loss") or loss not in found


def test_a_large_table_is_exact(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    bits = draw.integers(0, 2**64, 100_000, np.uint64, endpoint=False).view(np.float64)
    values = np.where(np.isinf(bits), 0.1, bits)
    text = "step,loss\n" + "".join(f"{n},{value!r}\n" for n, value in enumerate(values.tolist()))
    path = tmp_path / "loss.csv"
    path.write_text(text)
    head = head_of(text[:1000], str(path))
    assert head is not None
    part = clean_table(str(path), head, "utf-8")
    assert part is not None
    found = part.columns["loss"][1]
    np.testing.assert_array_equal(found, values)
    large = text + "".join(f"{n},0.1\n" for n in range(100_000, 400_000))
    table = table_of(tmp_path, large)
    assert len(large) > 4 << 20
    assert table.step.tolist() == list(range(400_000))
    np.testing.assert_array_equal(table.columns[Series.LOSS].value[:100_000], values)
    broken = table_of(tmp_path, large + "400000,\n400001,x\n400002,-nan\n400003,1")
    assert broken.step[400_000:].tolist() == [400_000, 400_002, 400_003]
    assert (broken.unread, broken.lines) == (1, 400_005)
    np.testing.assert_array_equal(broken.columns[Series.LOSS].value[:100_000], values)


CELLS = st.sampled_from(
    ["1", "2.5", "-1e-3", "nan", "-inf", "", " 7 ", "None", "x", "1_0", "٣", '"3"', "0x1", "1.#INF"]
)


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=12),
    st.sampled_from([",", ";", "\t"]),
)
@settings(deadline=None)
def test_rows_are_read_one_by_one_or_together_alike(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], delimiter: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.csv"
    text = "\n".join(delimiter.join(row) for row in [["step", "loss", "z"], *rows]) + "\n"
    path.write_text(text, "utf-8")
    head = head_of(text, str(path))
    if head is None:
        return
    try:
        table = run_to_end(read_table(str(path)))
    except InputError as error:
        assert error.problem.code == "log_without_steps"  # noqa: PT017 - it need not be refused
        return
    part = clean_table(str(path), head, "utf-8")
    if part is not None:
        assert table.step.tolist() == part.step.tolist()
        for name, (at, values) in part.columns.items():
            assert at is None
            np.testing.assert_array_equal(table.columns[name].value, values)
    rest = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row][1:]
    assert len(table.step) <= sum(len(row) >= 3 for row in rest)
