"""What printed lines of trainers say: numbers with commas, other languages, ranks, evaluations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.logs.forms import begins_like_record
from core.formats.logs.reading import is_training_log, read_line, read_log
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import LogTable


def read(folder: Path, text: str) -> LogTable:
    path = folder / "train.log"
    path.write_text(text, "utf-8")
    return run_to_end(read_table(str(path)))


@pytest.mark.parametrize(
    ("line", "step", "values"),
    [
        # MindSpore, old Megatron
        ("epoch: 1 step: 5, loss is 2.5", 5, {"loss": 2.5, "epoch": 1.0}),
        ("epoch: 1 step: 5, loss is [2.5]", 5, {"loss": 2.5}),
        ("epoch: 3, loss is 2.5, per step time: 12 ms", None, {"loss": 2.5, "epoch": 3.0, "step_time": 12.0}),
        ("epoch: 1 step: 5, loss is nan", 5, {"loss": float("nan")}),
        (" iteration   12/ 500000 | elapsed time per iteration (ms): 612.3 | learning rate 1.500E-04 |"
         " lm loss 2.5E+00 | loss scale 65536.0 |", 12,
         {"loss": 2.5, "learning_rate": 1.5e-4, "loss_scale": 65536.0, "step_time": 612.3}),
        # Chinese
        ("第5步 损失: 2.5", 5, {"loss": 2.5}),
        ("训练 第 5 步 损失: 2.5 学习率: 1e-05", 5, {"loss": 2.5, "learning_rate": 1e-5}),
        ("步数：5，损失：2.5，学习率：1e-05", 5, {"loss": 2.5, "learning_rate": 1e-5}),
        ("[信息] 迭代 5/1000 损失值 = 2.5", 5, {"loss": 2.5}),
        ("步骤 5 损失值为：2.5", 5, {"loss": 2.5}),
        ("第 5 次迭代，损失为2.5", 5, {"loss": 2.5}),
        ("迭代次数＝5，损失＝2.5", 5, {"loss": 2.5}),
        ("step 5 loss：2.5", 5, {"loss": 2.5}),
        ("step 5 loss −2.5", 5, {"loss": -2.5}),
        ("step 5 loss: −2.5e−1", 5, {"loss": -0.25}),
        # progress bars and other trainers
        ("Steps:  2%|# | 5/1000 [00:02<1:01:00, 1.00it/s, lr=1e-5, step_loss=2.5]", 5, {"loss": 2.5}),
        ("Train epoch [1/1]:   1%|▏  | 5/1000 [00:10<16:00,  1.0it/s, gpt_loss=2.5, loss_mean=2.25, lr=1e-5]",
         5, {"loss": 2.5, "loss_mean": 2.25}),
        ("2024-01-01 10:00:00 | INFO | train_inner | epoch 001:     20 / 1000 loss=2.5, nll_loss=1.5,"
         " num_updates=120, lr=1e-05, gnorm=1.23", 120, {"loss": 2.5, "nll_loss": 1.5, "grad_norm": 1.23}),
        ("[step=5] loss -> 2.5", 5, {"loss": 2.5}),
        # groups of parameters
        ("step 5 loss 2.5 lr=[0.001, 0.0005]", 5,
         {"loss": 2.5, "learning_rate": 0.001, "learning_rate[1]": 0.0005}),
        ("step 5 loss: 2.5 lr: (0.001,0.0005,0.1)", 5,
         {"learning_rate": 0.001, "learning_rate[1]": 0.0005, "learning_rate[2]": 0.1}),
        ('{"step": 5, "loss": 2.5, "lr": [0.001, 0.0005]}', 5,
         {"loss": 2.5, "learning_rate": 0.001, "learning_rate[1]": 0.0005}),
        ("[Rank 0] step=5, skipped=0, lr=[0.0006, 0.0003], mom=[[0.9, 0.95]]", 5,
         {"learning_rate": 0.0006, "learning_rate[1]": 0.0003}),
        # thousands
        ("Step 1,234/3,000 | Loss: 2.5", 1234, {"loss": 2.5}),
        ("step 1,234,567 loss 10,923.00 lr 1e-5", 1234567, {"loss": 10923.0, "learning_rate": 1e-5}),
        ("step 7, loss: 1,234, time: 5", 7, {"loss": 1234.0}),
        ("[1,234/3,000] loss: 2.5", 1234, {"loss": 2.5}),
        ("step 5,loss 2.5,lr 0.1", 5, {"loss": 2.5, "learning_rate": 0.1}),
        ("step 5 loss 2.5, tokens/s 1,234.5", 5, {"loss": 2.5}),
        ("{'step': '1,234', 'loss': '10,923.5'}", 1234, {"loss": 10923.5}),
        (" iteration 3/ 9 | consumed samples: 1,234 | lm loss: 10,923.5 |", 3,
         {"loss": 10923.5, "consumed_samples": 1234.0}),
    ],
)  # fmt: skip
def test_a_line(line: str, step: int | None, values: dict[str, float], tmp_path: Path) -> None:
    record = read_line(line)
    assert record is not None
    said = {str(name): repr(value) for name, value in record.values.items()}
    assert (record.step, {**said, **{name: repr(value) for name, value in values.items()}}) == (step, said)
    table = read(tmp_path, f"{line}\n" * 40)  # learned, or not
    assert (len(table.step), table.unread) == (40, 0)
    assert {name: set(map(repr, column.value.tolist())) for name, column in table.columns.items()} == {
        name: {value} for name, value in said.items()
    }


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: step 4: loss: 77 ERR99999", "ValueError: loss 3 at step 4, loss: 3.5",
        "Traceback (most recent call last): step 4 loss: 5.0", "torch.Exception: step 4 loss 5",
        "foo.py:12: UserWarning: step 3 loss 99 is deprecated", "RuntimeError: step 4 loss: ***",
        '{"step": true, "loss": false}', "{'step': True, 'loss': True, 'lr': 0.1}",
        "{'train_runtime': 3.0, 'train_loss': 2.0, 'epoch': 1.0}",
        "Train epoch time: 1234.5 ms, per step time: 12 ms", "step 5k loss 2.5",
    ],
)  # fmt: skip
def test_what_is_no_record_and_no_damage(line: str) -> None:
    assert read_line(line) is None
    assert not begins_like_record(line)


def test_an_error_after_the_numbers_is_part_of_the_record() -> None:
    record = read_line("step 4 loss 2.5 (AssertionError ignored)")
    assert record is not None
    assert record.step == 4


@pytest.mark.parametrize(
    "line",
    [
        "step 5 loss 1234,567", "step 5 loss 0,123", "step 5 loss 2,31", "step 5 loss: 1.234,567",
        "step 12,34 loss 2.5", "step 5 loss=10,92.5", "step 1234,567 loss: 2.5", "[12,34/100] loss: 2.5",
        "step 5 loss 2.5,200",
    ],
)  # fmt: skip
def test_numbers_that_may_be_two_are_unread(line: str, tmp_path: Path) -> None:
    assert read_line(line) is None
    table = read(tmp_path, f"step 1 loss 2.5\n{line}\n")
    assert (table.step.tolist(), [unread.text for unread in table.unread_lines]) == ([1], [line])


@given(st.integers(0, 10**9), st.floats(0, 1e9), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_thousands_come_back(step: int, loss: float, digits: int) -> None:
    record = read_line(f"Step {step:,}/2,000,000,000 | loss: {loss:,.{digits}f} | lr: 0.1")
    assert record is not None
    assert record.step == step
    assert record.values["loss"] == float(f"{loss:.{digits}f}")


@given(st.lists(st.tuples(st.integers(900, 1100), st.floats(900, 1100)), min_size=2, max_size=60))
@settings(max_examples=40, deadline=None)
def test_thousands_are_read_alike_in_learned_lines(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[int, float]]
) -> None:
    text = "".join(f"step {step:,} loss {loss:,.2f} lr 1e-5\n" for step, loss in pairs)
    table = read(tmp_path_factory.getbasetemp(), text)
    assert table.step.tolist() == [step for step, _ in pairs]
    assert table.columns["loss"].value.tolist() == [float(f"{loss:.2f}") for _, loss in pairs]


@pytest.mark.parametrize(
    ("before", "rank"),
    [
        ("Rank 3: ", 3), ("[Rank 3] ", 3), ("[RANK 3][INFO] ", 3), ("rank=3 ", 3), ("rank: 3, ", 3),
        ("[rank3]: ", 3), ("[default3]:", 3), ("3: ", 3), ("(rank 3) ", 3), ("lora_rank=8 ", -1),
        ("local_rank=3 ", -1), ("lora rank 8 ", -1), ("ranks ", -1), ("", -1),
    ],
)  # fmt: skip
def test_ranks(before: str, rank: int, tmp_path: Path) -> None:
    for line in ("step 5 loss 2.5", "iteration 5/ 10 | lm loss: 2.5 |", "{'step': 5, 'loss': 2.5}"):
        record = read_line(before + line)
        assert record is not None
        assert (record.rank, record.step, record.values["loss"]) == (rank, 5, 2.5)
        assert "rank" not in record.values
    table = read(tmp_path, f"{before}step 5 loss 2.5\n" * 30)
    assert table.rank.tolist() == [rank] * 30


def test_an_object_that_names_its_rank() -> None:
    record = read_line('{"rank": 3, "step": 5, "loss": 2.5}')
    assert record is not None
    assert (record.rank, dict(record.values)) == (3, {"loss": 2.5})


def test_the_loss_of_an_evaluation_is_not_that_of_a_step(tmp_path: Path) -> None:
    evaluated = "step {0}: train loss 3.5, val loss 3.75\n"
    both = "".join(f"iter {n}: loss {n / 8}, time 1.5ms\n" for n in range(1, 11)) + evaluated.format(10)
    table = read(tmp_path, both)
    assert table.columns["loss"].value.tolist() == [n / 8 for n in range(1, 11)]
    assert table.columns["train_loss_evaluated"].value.tolist() == [3.5]
    assert table.columns["validation_loss"].value.tolist() == [3.75]
    alone = read(tmp_path, evaluated.format(10) + evaluated.format(20))
    assert alone.columns["loss"].value.tolist() == [3.5, 3.5]
    assert "train_loss_evaluated" not in alone.columns
    assert [record.values["loss"] for record in read_log(str(tmp_path / "train.log"))] == [3.5, 3.5]


def test_a_loss_under_another_name(tmp_path: Path) -> None:
    table = read(tmp_path, "step 1 mlm_loss: 2.5 acc: 0.5\nstep 2 mlm_loss: 2.25 acc: 0.5\n")
    assert table.columns["loss"].value.tolist() == [2.5, 2.25]
    several = read(tmp_path, "step 1 loss_G: 2.5 loss_D: 0.5\n")
    assert set(several.columns) == {"loss_G", "loss_D"}
    named = read(tmp_path, "step 1 loss_G: 2.5 loss: 0.5\n")
    assert set(named.columns) == {"loss_G", "loss"}
    likelihood = read(tmp_path, "step 1 nll: 2.5\nstep 2 nll: 2.25\n")
    assert likelihood.columns["loss"].value.tolist() == [2.5, 2.25]


def test_evaluations_of_the_trainer_and_its_summary(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n{'eval_loss': 2.75, 'epoch': 1.0}\n"
        "{'train_runtime': 123.4, 'train_samples_per_second': 12.3, 'train_loss': 2.51, 'epoch': 1.0}\n",
    )
    assert table.columns["loss"].record.tolist() == [0]
    assert table.columns["validation_loss"].record.tolist() == [1]
    assert (len(table.step), table.unread) == (2, 0)


@pytest.mark.parametrize(
    "lines",
    [
        ["Epoch {e}/3", "100/100 - 1s - loss: {x} - val_loss: {v}"],
        ["Epoch {e}/3", "4/4 [====] - 1s 10ms/step - loss: {x} - val_loss: {v}"],
        ["Epoch {e}/3", "2/4 [==>.] - ETA: 1s - loss: 9.0\r4/4 [====] - 1s - loss: {x} - val_loss: {v}"],
        ["Epoch {e}/3", "\x1b[1m4/4\x1b[0m \x1b[32m━━\x1b[0m 1s 10ms/step - loss: {x} - val_loss: {v}"],
        ["Epoch {e}/2", "----------", "train Loss: {x} Acc: 0.5", "val Loss: {v} Acc: 0.5"],
        ["=== Epoch {e} ===", "loss: {x}, val_loss: {v}"],
    ],
)
def test_epochs_in_lines_of_their_own(lines: list[str], tmp_path: Path) -> None:
    text = "".join(f"{line}\n".format(e=e, x=e / 8, v=e / 4) for e in range(1, 4) for line in lines)
    table = read(tmp_path, text)
    loss, validated = table.columns["loss"], table.columns["validation_loss"]
    epoch = dict(zip(table.columns["epoch"].record.tolist(), table.columns["epoch"].value.tolist()))
    assert loss.value.tolist() == [1 / 8, 2 / 8, 3 / 8]
    assert validated.value.tolist() == [1 / 4, 2 / 4, 3 / 4]
    assert [epoch[n] for n in loss.record.tolist()] == [1.0, 2.0, 3.0]
    assert table.unread == 0
    assert len(list(read_log(str(tmp_path / "train.log")))) == 3
    assert is_training_log(str(tmp_path / "train.log"))


def test_bars_below_an_epoch_are_counted_on(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}/2\n" + "".join(f"[{n}/10] loss: {e + n / 16}\n" for n in range(1, 11)) for e in (1, 2)
    )
    assert read(tmp_path, text).step.tolist() == list(range(1, 21))
    assert read(tmp_path, "Epoch 1/2\nbest loss: 2.5 so far\nstep 4 loss: 2.0\n").step.tolist() == [4]
