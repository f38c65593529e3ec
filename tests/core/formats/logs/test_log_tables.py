"""Logs of each form as columns: a real line of each, and what surrounds them."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.reading import is_training_log, read_log
from core.formats.logs.table import read_table
from core.progress import Progress, run_to_end
from core.records.log_table import UNSAID, LogTable
from core.records.series import Series

MEGATRON = (
    " [2024-08-01 09:44:55] iteration {0:8}/     200 | consumed samples: {1:12} |"
    " elapsed time per iteration (ms): 22904.2 | learning rate: 1.000E-04 |"
    " global batch size:    16 | lm loss: {2} | loss scale: 1.0 |"
    " grad norm: 3.417 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)


def table_of(folder: Path, content: str | bytes, name: str = "train.log") -> LogTable:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return run_to_end(read_table(str(path)))


def column(table: LogTable, name: str) -> dict[int, float]:
    """Return the values of a column by record."""
    found = table.columns[name]
    return dict(zip(found.record.tolist(), found.value.tolist()))


LINES = [
    ("epoch 0 loss 3.42", UNSAID, {"loss": 3.42, "epoch": 0.0}),
    ("Epoch: [3] eta: 0:00:10 lr: 0.1 loss: 1.2", UNSAID, {"loss": 1.2, "learning_rate": 0.1, "epoch": 3.0}),
    ("Epoch 3/10 - 12s - loss=0.52 - val_loss=0.7 - val_acc=0.9", UNSAID,
     {"loss": 0.52, "validation_loss": 0.7, "validation_accuracy": 0.9, "epoch": 3.0}),
    ("step 10: train loss 2.3, val loss 2.4", 10, {"loss": 2.3, "validation_loss": 2.4}),
    ("iter 100: loss 1.2345, time 250.12ms, mfu 30.10%", 100, {"loss": 1.2345}),
    ("[10/1000] loss: 2.3", 10, {"loss": 2.3}),
    (" 10%|█         | 1/10 [00:01<00:10,  1.02s/it, loss=2.3]", 1, {"loss": 2.3}),
    ("Epoch 2:  10%|█ | 10/100 [00:01<00:10, 9.0it/s, loss=2.3, v_num=0]", 210,
     {"loss": 2.3, "v_num": 0.0, "epoch": 2.0}),
    ("06/01 10:00:00 - mmengine - INFO - Iter(train) [  50/1000]  lr: 1.0e-02  eta: 0:01:00  loss: 2.3", 50,
     {"loss": 2.3, "learning_rate": 0.01}),
    ("2023/06/01 10:00:00 - mmengine - INFO - Epoch(train)  [2][  50/1000]  lr: 1.0e-02  loss: 2.3", 1050,
     {"loss": 2.3, "learning_rate": 0.01, "epoch": 2.0}),
    ("2023/06/01 10:00:00 - mmengine - INFO - Epoch(val)  [2][10/10]  loss: 0.5", UNSAID,
     {"validation_loss": 0.5, "epoch": 2.0}),
    ("[2024-01-01 10:00:00,123] [    INFO] - loss: 10.9, learning_rate: 3e-05, global_step: 1,"
     " interval_samples_per_second: 6.5, progress_or_epoch: 0.25", 1,
     {"loss": 10.9, "learning_rate": 3e-5, "throughput": 6.5, "epoch": 0.25}),
    ("| epoch   1 |   200/ 2928 batches | lr 20.00 | ms/batch 15.5 | loss  7.63 | ppl  2057.0", 3128,
     {"loss": 7.63, "learning_rate": 20.0, "epoch": 1.0}),
    ("step:7 - actor/pg_loss:0.018 - actor/grad_norm:np.float64(1.5) - perf/throughput:100.0"
     " - timing_s/step:2.0", 7, {"loss": 0.018, "grad_norm": 1.5, "throughput": 100.0, "step_time": 2000.0}),
    (" validation loss at iteration 1000 | lm loss value: 2.125000E+00 | lm loss PPL: 8.372897E+00 | ", 1000,
     {"validation_loss": 2.125, "lm loss ppl": 8.372897}),
    ('{"current_steps": 10, "total_steps": 100, "loss": 1.2, "lr": 1e-05, "epoch": 0.1, "elapsed_time": "1"}',
     10, {"total_steps": 100.0, "loss": 1.2, "learning_rate": 1e-5, "epoch": 0.1}),
    ('{"current_steps": 10, "total_steps": 100, "eval_loss": 1.5, "epoch": 0.1}', 10,
     {"total_steps": 100.0, "validation_loss": 1.5, "epoch": 0.1}),
    ("{'eval_loss': 1.5, 'eval_accuracy': 0.5, 'eval_runtime': 2.0, 'epoch': 1.0}", UNSAID,
     {"validation_loss": 1.5, "validation_accuracy": 0.5, "eval_runtime": 2.0, "epoch": 1.0}),
    ('{"iter": 5, "train": {"loss": 2.0, "tokens/s": 10}, "ok": true}', 5,
     {"loss": 2.0, "train/tokens/s": 10.0, "ok": 1.0}),
    ('{"train_loss": 2.0}', UNSAID, {"loss": 2.0}),
    ("训练步数: 5, 损失: 2.3", 5, {"loss": 2.3}),
    ("INFO:root:train step 7 loss = tensor(2.5, device='npu:0')", 7, {"loss": 2.5}),
    ("[default3]:steps: 10 loss: 1.25 iter time (s): 0.5 samples/sec: 31.25", 10,
     {"loss": 1.25, "step_time": 500.0, "throughput": 31.25}),
    ("{ Epoch:[  1/  2], step:[    2/  100], loss: 10.7, per_step_time: 12ms, lr: 1e-5, global_norm: 1.2}", 2,
     {"loss": 10.7, "step_time": 12.0, "learning_rate": 1e-5, "grad_norm": 1.2, "epoch": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "step", "values"), LINES, ids=[line[:40] for line, *_ in LINES])
def test_a_line_of_each_form(line: str, step: int, values: dict[str, float], tmp_path: Path) -> None:
    table = table_of(tmp_path, f"start\n{line}\n")
    assert is_training_log(str(tmp_path / "train.log"))
    assert table.step.tolist() == [step]
    said = {str(name): found.value[0] for name, found in table.columns.items()}
    assert said == {**said, **values}
    assert {name for name in values if name not in said} == set()
    assert (table.lines, table.unread, table.event.any()) == (2, 0, False)
    assert [list(found.record) for found in table.columns.values()] == [[0]] * len(said)


def test_a_log_of_megatron(tmp_path: Path) -> None:
    lines = [MEGATRON.format(step, step * 16, f"{8 / step:.6E}") for step in range(1, 101)]
    lines[49] = lines[49].replace(" lm loss: 1.600000E-01 |", "")
    lines.insert(50, " validation loss at iteration 50 | lm loss value: 2.0E+00 | lm loss PPL: 7.4E+00 | \n")
    lines.insert(20, "saving checkpoint at iteration 20 to /data\n")
    lines.insert(80, "[default7]: iteration 79/ 200 | grad norm: nan |\n")
    table = table_of(tmp_path, "".join(lines))
    assert table.step.tolist() == [*range(1, 51), 50, *range(51, 79), 79, *range(79, 101)]
    assert np.flatnonzero(table.rank == 7).tolist() == [79]
    loss = column(table, Series.LOSS)
    assert set(range(102)) - set(loss) == {49, 50, 79}
    assert loss[0] == 8.0
    assert column(table, Series.VALIDATION_LOSS) == {50: 2.0}
    assert math.isnan(column(table, Series.GRAD_NORM)[79])
    assert column(table, Series.CONSUMED_SAMPLES)[99] == float(98 * 16)
    assert table.columns[Series.STEP_TIME].value.tolist() == [22904.2] * 100
    assert (dict(table.forms), table.lines, table.unread) == ({"megatron": 102}, 103, 0)


def test_lines_that_begin_like_records_are_counted(tmp_path: Path) -> None:
    broken = [
        "{'loss': 3.2, 'grad_norm': 1.", " iteration 3/ 10 | lm loss", "step 4 loss: *** overflow ***",
        "step:5 - ", "loss: 2.3.4", "{ step:[    2/  100], loss: abc", " validation loss at iteration 10",
    ]  # fmt: skip
    fine = [
        "loss: CrossEntropyLoss",
        "Namespace(steps=100, loss='mse')",
        "# loss:",
        "step 4 loss: None",
        "saved at iteration 4",
        "{'loss': None}",
    ]
    table = table_of(tmp_path, "\n".join(["step 1 loss: 2.0", *broken, *fine, ""]))
    assert [(line.number, line.text) for line in table.unread_lines] == [
        (number, line.strip()) for number, line in enumerate(broken, 2)
    ]
    assert (table.unread, len(table.step)) == (len(broken), 1)
    many = table_of(tmp_path, "step 1 loss: 2.0\n" + "step 2 loss: <" + "x" * 500 + ">\n")
    assert len(many.unread_lines[0].text) == 200
    many = table_of(tmp_path, "step 1 loss: 2.0\n" + "step 2 loss: ?\n" * 50)
    assert (many.unread, len(many.unread_lines)) == (50, 20)


def test_spellings_of_values_that_are_not_finite(tmp_path: Path) -> None:
    spelled = ["nan", "NaN", "-inf", "1.#QNAN", "None", "inf", "Infinity", "2.0"]
    text = "".join(f"step {n}, loss: {word}, lr: 0.1, grad_norm: 1.0\n" for n, word in enumerate(spelled))
    loss = column(table_of(tmp_path, text), Series.LOSS)
    assert 4 not in loss
    expected = {0: math.nan, 1: math.nan, 2: -math.inf, 3: math.nan, 5: math.inf, 6: math.inf, 7: 2.0}
    assert repr(loss) == repr(expected)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings_and_line_ends(encoding: str, end: str, tmp_path: Path) -> None:
    lines = (
        ["训练开始"]
        + [MEGATRON.strip().format(n, n, "1.5E+00") for n in range(1, 9000)]
        + ["step 9 loss: 坏"]
    )
    table = table_of(tmp_path, (end.join(lines) + end).encode(encoding))
    assert table.step.tolist() == list(range(1, 9000))
    assert (table.lines, table.unread_lines[0].number, table.unread) == (9001, 9001, 1)
    assert table.unread_lines[0].text.endswith("坏")
    assert table.read_bytes == (tmp_path / "train.log").stat().st_size


def test_colours_and_progress_bars(tmp_path: Path) -> None:
    bars = "".join(
        f"\r{n}%|#  | {n}/100 [00:01<00:10, 1.0it/s, loss=\x1b[32m{n / 8}\x1b[0m]" for n in range(1, 60)
    )
    table = table_of(tmp_path, f"start\n{bars}\n{{'loss': 1.0, 'learning_rate': 1e-3}}\n")
    assert table.step.tolist() == [*range(1, 60), UNSAID]
    assert table.columns[Series.LOSS].value.tolist() == [*(n / 8 for n in range(1, 60)), 1.0]
    assert table.lines == 3
    assert len(table_of(tmp_path, bars).step) == 59
    long = table_of(tmp_path, "".join(f"\r{n}%|#| {n}/90000 [00:01<, loss={n / 8}]" for n in range(90_000)))
    np.testing.assert_array_equal(long.columns[Series.LOSS].value, np.arange(90_000) / 8)
    assert long.unread == 0


def test_a_trainer_state(tmp_path: Path) -> None:
    history = [
        {"loss": 4.0, "grad_norm": math.nan, "step": 1, "epoch": 0.1},
        {"eval_loss": 3.0, "eval_runtime": 1.0, "step": 1, "epoch": 0.1},
        {"loss": 3.5, "grad_norm": math.inf, "step": 2, "epoch": 0.2},
        {"train_loss": 3.7, "train_runtime": 5.0, "step": 2, "epoch": 0.2},
    ]
    text = json.dumps({"log_history": history}, indent=2)
    table = table_of(tmp_path, text, "trainer_state.json")
    assert table.step.tolist() == [1, 1, 2]
    assert column(table, Series.LOSS) == {0: 4.0, 2: 3.5}
    assert column(table, Series.VALIDATION_LOSS) == {1: 3.0}
    assert column(table, Series.EPOCH) == {0: 0.1, 1: 0.1, 2: 0.2}
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, text[:-30])
    assert caught.value.problem.code == "log_state_broken"


def test_records_of_validation_are_none_of_training(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("{'loss': 2.0, 'epoch': 1.0}\n{'eval_loss': 2.1, 'eval_runtime': 1.0, 'epoch': 1.0}\n")
    assert [record.values for record in read_log(str(path))] == [{"loss": 2.0, "epoch": 1.0}]
    path.write_text("step,loss,rank\n1,2.0,0\n2,,1\n")
    records = list(read_log(str(path)))
    assert [(record.step, record.rank, dict(record.values)) for record in records] == [
        (1, 0, {"loss": 2.0}), (2, 1, {}),
    ]  # fmt: skip


@pytest.mark.parametrize("content", [b"", b"nothing here\n", b"\x89PNG\0\0\0\0", b"a,b\n1,2\n"])
def test_what_is_no_log_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, content)
    assert caught.value.problem.code == "log_without_steps"
    with pytest.raises(InputError) as caught:
        run_to_end(read_table(str(tmp_path / "absent")))
    assert caught.value.problem.code == "log_unreadable"
    with pytest.raises(InputError):
        run_to_end(read_table(str(tmp_path)))


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(MEGATRON.format(1, 1, "1.0") * 9000)
    told: list[Progress] = []
    run_to_end(read_table(str(path)), told.append)
    size = path.stat().st_size
    assert len(told) > 1
    assert [step.done for step in told] == sorted(step.done for step in told)
    assert (told[-1].done, {step.total for step in told}) == (size, {size})


@given(st.binary(max_size=400), st.sampled_from(["train.log", "x.csv", "trainer_state.json"]), st.booleans())
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, name: str, framed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    begin = (
        b'{"log_history": [' if name.endswith(".json") else b"step,loss\n" if name.endswith("csv") else b""
    )
    path.write_bytes(begin + junk + MEGATRON.format(1, 1, "1").encode() + junk if framed else junk)
    is_training_log(str(path))
    with contextlib.suppress(InputError):
        table = run_to_end(read_table(str(path)))
        assert all(len(found.record) == len(found.value) for found in table.columns.values())
