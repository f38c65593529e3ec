"""Lines read by learned layouts say exactly what their forms say."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.logs.columns import Collected, Columns
from core.formats.logs.forms import read_line
from core.formats.logs.learning import learned
from core.formats.logs.line_log import LineReader
from core.formats.logs.lines import text_blocks
from core.formats.logs.record import LogRecord
from core.formats.logs.table import read_table
from core.progress import run_to_end

TEMPLATES = (
    " [2024-08-0{d} 09:44:{d}] iteration {i:>8}/  {i} | consumed samples: {i:>12} |"
    " elapsed time per iteration (ms): {f} | learning rate: {f} | global batch size: {i:>5} | lm loss: {f} |"
    " mtp_1 loss: {f} | loss scale: {f} | grad norm: {f} | number of skipped iterations: {i:>3} |"
    " number of nan iterations:   {d} |",
    "[default{d}]: iteration {i}/ {i} | elapsed time per iteration (ms): {f} | loss scale: {f} |",
    "[rank {d}] iteration {i}/ {i} | lm loss: {f} |",
    "{d}: iteration {i}/ {i} | lm loss: {f} | num tokens: {i} |",
    " validation loss at iteration {i} | lm loss value: {f} | lm loss PPL: {f} |",
    "steps: {i} loss: {f} iter time (s): {f} samples/sec: {f}",
    "[2024-05-01 10:00:00,{i}] [INFO] [logging.py:96:log_dist] [Rank {d}] step={i}, skipped={d}, lr=[{f}],"
    " mom=[[{f}, 0.95]]",
    "[deepspeed] OVERFLOW! Rank {d} Skipping step. Attempted loss scale: {i}, reducing to {f}",
    "Gradient overflow.  Skipping step, loss scaler {d} reducing loss scale to {f}",
    "{{'loss': {f}, 'grad_norm': {f}, 'learning_rate': {f}, 'epoch': {f}}}",
    "{{'loss': '{f}', 'grad_norm': np.float64({f}), 'learning_rate': {f}, 'step': {i}}}",
    "{{'eval_loss': {f}, 'eval_runtime': {f}, 'epoch': {f}}}",
    '{{"current_steps": {i}, "total_steps": {i}, "loss": {f}, "lr": {f}, "elapsed_time": "0:{d}"}}',
    '{{"step": {i}, "train": {{"loss": {f}}}, "eval": {{"loss": {f}}}}}',
    '{{"loss": {f}}}',
    "INFO - {{ Epoch:[{d:>3}/ {d}], step:[{i:>5}/ {i}], loss: {f}, per_step_time: {i}ms, lr: {f},"
    " overflow cond: False, loss_scale: {f}, global_norm: [{f}]}}",
    "INFO - {{step:[{i:>5}/ {i}], loss:[{f}/{f}], overflow cond: True, loss_scale: {i}}}",
    "step:{i} - actor/pg_loss:{f} - actor/grad_norm:np.float64({f}) - timing_s/step:{f} - training/epoch:{d}",
    "epoch {d} loss {f}",
    "Epoch {d}/{d} - {i}s - loss={f} val_loss={f}",
    "Epoch: [{d}][{i:>4}/{i}]\tTime  {f} ( {f})\tLoss {f} ({f})",
    "step {i}: train loss {f}, val loss {f}",
    "[{i}/{i}] loss: {f}",
    " {d}%|##   | {i}/{i} [00:{d}<00:{d},  {f}s/it, loss={f}]",
    "Epoch {d}:  10%|# | {i}/{i} [00:01<00:10, {f}it/s, loss={f}, v_num={d}]",
    "mmengine - INFO - Iter(train) [{i:>5}/{i}]  lr: {f}  eta: 0:{d}:00  time: {f}  memory: {i}  loss: {f}",
    "mmengine - INFO - Epoch(train)  [{d}][{i:>4}/{i}]  lr: {f}  loss: {f}",
    "mmengine - INFO - Epoch(val)  [{d}][{i:>4}/{i}]  loss: {f}  time: {f}",
    "loss: {f}, learning_rate: {f}, global_step: {i}, progress_or_epoch: {f}",
    "Epoch {f} | [{i}/{i}] loss: {f}",
    "iter {i}: loss {f}, time {f}ms, mfu {f}%",
    "Train Epoch: {d} [{i}/{i} ({d}%)]\tLoss: {f}",
    "INFO:root:train step {i} loss = tensor({f}, device='npu:{d}')",
    "2024-01-01 10:00:0{d} loss: {f}",
    "epoch: {d} step: {i}, loss is {f}",
    "epoch: {d} step: {i}, loss is [{f}], per step time: {f} ms",
    "第{i}步 损失: {f} 学习率: {f}",
    "步数：{i}，损失：{f}，学习率：{f}",
    "Rank {d}: step {i} loss {f} lr=[{f}, {f}]",
    "step {i} loss {f},lr {f},acc: {i},{i}",
    "Step {i}/3,000 | Loss: {f} | rank={d}",
    "Train: {d} [{i:>4}/{i} ({d}%)]  Loss: {f} ({f})  LR: {f}",
    "[{d}/{d}][{i}/{i}] train_loss: {f} lr: {f}",
    "epoch 001: {i} / {i} loss={f}, nll_loss={f}, num_updates={i}, lr={f}",
    " iteration {i:>8}/ {i} | learning rate {f} | lm loss {f} | loss scale {f} |",
    "step {i} mlm_loss: {f} perplexity: {f}",
    "RuntimeError: step {i} loss: {f}",
    "saving checkpoint at iteration {i} to /data/{i}",
    "step {i} loss: broken{f}",
    "",
)
WHOLE = (
    "0",
    "1",
    "7",
    "1,234",
    "12,34",
    "00012",
    "65536",
    "123456789",
    "123456789012345",
    "1234567890123456",
    "-3",
    "٣",
)
FRACTIONS = (
    "1.5", "2.", ".5", "0", "17", "-0.25", "+3.0", "1.083118E+01", "1e-5", "2E5", "nan", "NaN", "-nan", "inf",
    "-inf", "Infinity", "1.#QNAN", "None", "null", "1e400", "0.1234567890123456789", "1.2.3", "x", "1_0",
    "99999999999999999999", "10,923.00", "1,5", "0,123", "1.5,2", "−2.5",
)  # fmt: skip


def drawn(template: str, draw: random.Random, odd: float) -> str:
    """Return *template* with numbers in its fields, of an odd spelling with probability *odd*."""
    pieces = []
    for piece in template.replace("{{", "\0").replace("}}", "\1").split("{"):
        field, close, rest = piece.partition("}")
        if not close:
            pieces.append(piece)
            continue
        kind, _, align = field.partition(":")
        chance = odd / 4 if kind == "d" else odd
        if draw.random() < chance:
            number = draw.choice(FRACTIONS if kind == "f" else WHOLE)
        elif kind == "f":
            number = repr(round(draw.uniform(-9, 9), draw.randrange(1, 9)))
        else:
            number = str(draw.randrange(10 if kind == "d" else 10 ** draw.randrange(1, 7)))
        pieces += [format(number, align), rest]
    return "".join(pieces).replace("\0", "{").replace("\1", "}")


def said(record: LogRecord | None) -> object:
    return record and (
        record.form, record.step, record.rank, record.event,
        {str(name): repr(value) for name, value in record.values.items()},
    )  # fmt: skip


def collected(reader: LineReader, path: Path) -> tuple[Collected, list[tuple[int, str]]]:
    columns = Columns()
    unread = []
    with path.open("rb") as stream:
        for block in text_blocks(stream):
            found = reader.read(block)
            columns.add(found.parts)
            unread += [tuple(line) for line in found.unread]
    return columns.collected(), unread


def assert_equal(one: Collected, other: Collected) -> None:
    assert one.forms == other.forms
    for name in ("step", "rank", "event"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.columns.keys() == other.columns.keys()
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column.record, other.columns[name].record)
        assert column.value.tobytes() == other.columns[name].value.tobytes() or np.array_equal(
            column.value, other.columns[name].value, equal_nan=True
        )


@given(
    st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=4),
    st.integers(0, 2**32),
    st.sampled_from((0.0, 0.02, 0.3)),
    st.integers(1, 150),
)
@settings(max_examples=150, deadline=None)
def test_the_short_way_says_what_the_long_way_says(
    tmp_path_factory: pytest.TempPathFactory, templates: list[str], seed: int, odd: float, lines: int
) -> None:
    draw = random.Random(seed)
    path = tmp_path_factory.getbasetemp() / f"mixed{seed % 8}.log"
    text = [drawn(draw.choice(templates), draw, odd) for _ in range(lines)]
    text = [line.replace(" ", "  ", 1) if draw.random() < odd / 5 else line for line in text]
    path.write_text("\n".join(text) + "\n", "utf-8")
    slow, unread = collected(LineReader(learns=False), path)
    reader = LineReader()
    collected(reader, path)  # once to learn all that is to be learned
    quick, same_unread = collected(reader, path)
    assert_equal(quick, slow)
    assert unread == same_unread
    records = [read_line(line.strip()) for line in text]
    assert len(slow.step) == sum(record is not None for record in records)


@pytest.mark.parametrize("template", [t for t in TEMPLATES if t], ids=lambda t: t[:30])
def test_most_lines_are_learned(template: str) -> None:
    draw = random.Random(1)
    line, another = (drawn(template, draw, 0.0).strip() for _ in range(2))
    record = read_line(line)
    grouped = "3,000" in template or "{i},{i}" in template
    slow = record is None or record.form in ("json", "bare") or grouped
    layout = None if record is None else learned(line, record, read_line)
    assert (layout is None) == slow, line
    over_epochs = "poch" in template or template.startswith(("Train:", "[{d}/{d}]"))
    counted = over_epochs and "poch {d}/{d}" not in template and "/" in template
    if layout is not None and not counted and "default" not in template:
        groups = layout.match(another)
        assert groups is not None
        assert said(layout.record(groups)) == said(read_line(another))


def test_a_long_log_of_many_epochs(tmp_path: Path) -> None:
    line = (
        "{{ Epoch:[{:3}/ 50], step:[{:5}/  300], loss: {:.3f}, overflow cond: False, loss_scale: 65536.0}}\n"
    )
    path = tmp_path / "epochs.log"
    path.write_text("".join(line.format(e, s, e + s / 1000) for e in range(1, 51) for s in range(1, 301)))
    table = run_to_end(read_table(str(path)))
    assert table.step.tolist() == list(range(1, 15_001))
    np.testing.assert_array_equal(
        table.columns["loss"].value,
        [float(f"{e + s / 1000:.3f}") for e in range(1, 51) for s in range(1, 301)],
    )
