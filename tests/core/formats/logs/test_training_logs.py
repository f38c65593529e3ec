"""Lines of training logs: each form, and what surrounds them in real files."""

from __future__ import annotations

import codecs
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.lines import lines_of
from core.formats.logs.numbers import read_number
from core.formats.logs.reading import is_training_log, read_line, read_log
from core.formats.logs.record import LogRecord
from core.records.series import Series

MEGATRON = (
    " iteration       12/     200 | consumed samples:           24 | elapsed time per iteration (ms): 6.5 |"
    " learning rate: 1.500000E-04 | global batch size:     2 | lm loss: 1.083118E+01 | loss scale: 65536.0 |"
    " grad norm: 3.417 | number of skipped iterations:   1 | number of nan iterations:   0 |"
)


def only(line: str) -> LogRecord:
    record = read_line(line)
    assert record is not None, line
    return record


def test_a_line_of_megatron() -> None:
    record = only(MEGATRON)
    assert (record.step, record.form, record.event) == (12, "megatron", False)
    assert record.values == {
        Series.CONSUMED_SAMPLES: 24.0, Series.STEP_TIME: 6.5, Series.LEARNING_RATE: 1.5e-4,
        Series.GLOBAL_BATCH: 2.0, Series.LOSS: 10.83118, Series.LOSS_SCALE: 65536.0, Series.GRAD_NORM: 3.417,
        Series.SKIPPED: 1.0, Series.NAN_STEPS: 0.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "step", "values"),
    [
        (
            "[2024-05-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] "
            "step=100, skipped=3, lr=[0.001],"
            " mom=[[0.9, 0.95]]",
            100,
            {Series.SKIPPED_TOTAL: 3.0, Series.LEARNING_RATE: 0.001},
        ),
        ("steps: 10 loss: 1.2345 iter time (s): 0.512 samples/sec: 31.2", 10,
         {Series.LOSS: 1.2345, Series.STEP_TIME: 512.0, Series.THROUGHPUT: 31.2}),
        ("steps: 11 loss: nan iter time (s): 0.5 samples/sec: 3", 11,
         {Series.LOSS: math.nan, Series.STEP_TIME: 500.0, Series.THROUGHPUT: 3.0}),
        (
            "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
            None,
            {Series.OVERFLOW: 1.0, Series.ATTEMPTED_SCALE: 65536.0, Series.LOSS_SCALE: 32768.0},
        ),
        (
            "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, but hysteresis is 2."
            " Reducing hysteresis to 1",
            None,
            {Series.OVERFLOW: 1.0, Series.ATTEMPTED_SCALE: 65536.0, Series.LOSS_SCALE: 65536.0},
        ),
        (
            "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0",
            None,
            {Series.OVERFLOW: 1.0, Series.LOSS_SCALE: 16384.0},
        ),
        ("Gradient overflow. Skipping step", None, {Series.OVERFLOW: 1.0}),
        ("Loss scaler reducing loss scale to 1.52587890625e-05", None, {Series.LOSS_SCALE: 2.0**-16}),
        (
            "2024-03-01 10:00:00,1 - mindformers - INFO - "
            "{ Epoch:[  2/  3], step:[    5/  100], loss: 10.700,"
            " per_step_time: 12ms, lr: 1e-5, overflow cond: True, loss_scale: 65536.0, global_norm: [1.2]}",
            105,
            {Series.LOSS: 10.7, Series.LEARNING_RATE: 1e-5, Series.OVERFLOW: 1.0, Series.LOSS_SCALE: 65536.0,
             Series.GRAD_NORM: 1.2, Series.STEP_TIME: 12.0, Series.EPOCH: 2.0},
        ),
        (
            "{'loss': 3.2363, 'grad_norm': nan, 'learning_rate': 0.0002, 'epoch': 0.01}",
            None,
            {Series.LOSS: 3.2363, Series.GRAD_NORM: math.nan, Series.LEARNING_RATE: 0.0002,
             Series.EPOCH: 0.01},
        ),
        (
            "{'loss': '3.2', 'grad_norm': np.float64(1.5), 'learning_rate': '2e-4', 'step': 7}",
            7,
            {Series.LOSS: 3.2, Series.GRAD_NORM: 1.5, Series.LEARNING_RATE: 0.0002},
        ),
        (
            '{"current_steps": 10, "all": 100, "loss": 1.2, "lr": 1e-5, "epoch": 0.1, "loss_scale": 8}',
            10,
            {"all": 100.0, Series.LOSS: 1.2, Series.LEARNING_RATE: 1e-5, Series.LOSS_SCALE: 8.0,
             Series.EPOCH: 0.1},
        ),
    ],
)  # fmt: skip
def test_each_form(line: str, step: int | None, values: dict[str, float]) -> None:
    for around in ("", "[default3]:", "\x1b[32m", "2024-05-01 10:00:00 ", "[rank3]: "):
        record = only(next(lines_of([(around + line).encode()])))
        assert record.step == step
        assert {str(name): repr(value) for name, value in record.values.items()} == {
            str(name): repr(value) for name, value in values.items()
        }
        assert record.event == (step is None and Series.LOSS not in values)


@pytest.mark.parametrize(
    "line",
    [
        "", "loss", "iteration 5 of 10", "  train_loss = 2.0", "  eval_loss = 2.0", "loss scale 4 at step 3",
        "Using loss: CrossEntropyLoss", "best loss: 2.3 so far",
        "{'loss': None}", "{'train_runtime': 3.0, 'train_loss': 2.0, 'epoch': 1.0}",
        '"loss": {"type": "torch.Tensor"}', "iteration 3/ 10 | broken", "loss scaler is dynamic",
        '{"loss": {"a": 1}}', "OVERFLOW", "def loss(x): return {'loss': x}",
    ],
)  # fmt: skip
def test_other_lines_say_nothing(line: str) -> None:
    assert read_line(line) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5), ("-2E+3", -2000.0), (".5", 0.5), ("7.", 7.0), ("'3'", 3.0), ("np.float64(0.1)", 0.1),
        ("tensor(2.1, device='npu:0')", 2.1), ("NaN", math.nan), ("-nan", math.nan), ("1.#QNAN", math.nan),
        ("-1.#IND", math.nan), ("inf", math.inf), ("-Infinity", -math.inf), ("1.#INF", math.inf),
        ("tensor(nan)", math.nan), ("None", None), ("N/A", None), ("", None), ("1.2.3", None), ("0x10", None),
        ("1_000", None), ("٣", None), ("f(" + " " * 100_000, None),
    ],
)  # fmt: skip
def test_numbers_as_logs_spell_them(text: str, number: float | None) -> None:
    assert repr(read_number(text)) == repr(number)


@given(st.floats(), st.sampled_from(["{!r}", "{:e}", "{:.17g}", " {!r} ", "np.float32({!r})", '"{!r}"']))
def test_numbers_come_back(value: float, form: str) -> None:
    text = form.format(value)
    expected = float(form.strip(' "').removeprefix("np.float32(").removesuffix(")").format(value))
    assert repr(read_number(text)) == repr(expected)


@given(
    st.lists(st.text(st.characters(exclude_characters="\0\r\n\x1b", exclude_categories=["Cs"])), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(1, 50),
)
def test_lines_come_back_in_any_encoding_and_blocks(
    lines: list[str], end: str, encoding: str, size: int
) -> None:
    raw = end.join(lines).encode(encoding)
    blocks = [raw[:3], *(raw[at : at + size] for at in range(3, len(raw), size))]
    if encoding == "utf-8" and raw.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return  # not told from a mark
    assert list(lines_of(blocks)) == [line.strip() for line in lines if line.strip()]


def test_chinese_logs_of_windows_are_read() -> None:
    raw = ("训练开始\r\n第一步" + MEGATRON + "\r\n").encode("gbk")
    lines = list(lines_of([raw]))
    assert lines[0] == "训练开始"
    assert only(lines[1]).step == 12


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(junk: bytes) -> None:
    for line in lines_of([junk, MEGATRON.encode(), b"\n", junk]):
        read_line(line)


@given(st.text(max_size=60), st.sampled_from([MEGATRON, "{'loss': 3.2, 'grad_norm': inf, 'epoch': 0.5}"]),
       st.integers(0, 200))  # fmt: skip
def test_a_line_cut_anywhere_is_read_or_left_out(before: str, line: str, cut: int) -> None:
    record = read_line(before + line[:cut])
    assert record is None or record.step in (None, 12, 1) or before.strip()


def test_a_progress_bar_does_not_hide_records(tmp_path: Path) -> None:
    log = tmp_path / "out.log"
    log.write_bytes(b"\r 10%|#  | 1/10 [00:01<00:10]\r{'loss': 1.0, 'learning_rate': 1e-3}\r 20%|## | 2/10\n")
    assert [record.values[Series.LOSS] for record in read_log(str(log))] == [1.0]


def test_ranks_are_told_apart() -> None:
    assert only("[default3]:" + MEGATRON).rank == 3
    assert only("Gradient overflow. Skipping step").rank == -1
    assert (
        only("[deepspeed] OVERFLOW! Rank 5 Skipping step. Attempted loss scale: 2, reducing to 1").rank == 5
    )


def test_a_trainer_state(tmp_path: Path) -> None:
    history = [
        {"loss": 4.0, "grad_norm": math.nan, "step": 1, "epoch": 0.1},
        "odd",
        {"eval_loss": 3.0, "step": 1},
        {"loss": None, "grad_norm": math.inf, "step": 2, "epoch": 0.2},
    ]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"best_metric": None, "log_history": history}, indent=2), "utf-8")
    assert is_training_log(str(path))
    assert [record.step for record in read_log(str(path))] == [1, 2]
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError) as caught:
        list(read_log(str(path)))
    assert caught.value.problem.code == "log_state_broken"
    assert str(path) in caught.value.problem.sentence()


def test_what_is_a_training_log(tmp_path: Path, dumps: Path) -> None:
    def is_log(content: bytes, name: str = "x") -> bool:
        (tmp_path / name).write_bytes(content)
        return is_training_log(str(tmp_path / name))

    assert is_log(MEGATRON.encode())
    assert is_log(b"noise\n" * 300_000 + MEGATRON.encode())
    assert is_log(codecs.BOM_UTF16_LE + MEGATRON.encode("utf-16-le"))
    assert not is_log(b"")
    assert not is_log(b"\x89PNG\0\0\0\0" + MEGATRON.encode())
    assert is_log(b"step,loss\n1,2.0\n")
    assert is_log("步数;训练损失\n1;2.0\n".encode("gbk"), "x.csv")
    assert not is_log(b"NPU Name,Bench Name,Cosine,MaxAbsErr\na,b,1.0,0.0\n", "compare.csv")
    assert not is_log(b"vpp_stage,name,step,norm,loss\n0,w,5,0.1,1\n", "actv_0-99.csv")
    assert not is_log(b"Op Type,Op Name,Max Value,Min Value\nAdd,a,1.0,0.0\n", "statistic.csv")
    assert not is_log(b"step,time\n1,2.0\n", "x.csv")
    assert is_log(b"Wall time,Step,Value\n1.7e9,1,2.0\n", "x.csv")
    assert is_log(b"epoch 0 loss 3.42\n")
    assert not is_log(b"loss: 0.5\nlr: 0.1\n")
    assert is_log(b"loss: 0.5\nloss: 0.4\nloss: 0.3\n")
    assert not is_training_log(str(tmp_path))
    assert not is_training_log(str(tmp_path / "absent"))
    assert not any(is_training_log(str(path)) for path in dumps.rglob("*") if path.is_file())


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        list(read_log(str(tmp_path / "absent.log")))
    assert caught.value.problem.code == "log_unreadable"
