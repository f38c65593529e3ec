"""Steps that begin again with each epoch are counted on; restarts stay restarts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import LogTable

FORMS: dict[str, Callable[[int, int, int, float], str]] = {
    "plain": lambda e, s, n, x: f"epoch {e} step {s} loss {x}",
    "named": lambda e, s, n, x: f"epoch: {e}, step: {s}, loss: {x}, lr: 0.1",
    "dict": lambda e, s, n, x: f"{{'epoch': {e}, 'step': {s}, 'loss': {x}}}",
    "mindspore": lambda e, s, n, x: f"epoch: {e} step: {s}, loss is {x}",
    "chinese": lambda e, s, n, x: f"第{e}轮 第{s}步 损失：{x}",
    "timm": lambda e, s, n, x: f"Train: {e} [{s:>4}/{n} ({s * 100 // n:3}%)]  Loss: {x} (2.0)  LR: 1.0e-04",
    "mnist": lambda e, s, n, x: f"Train Epoch: {e} [{s}/{n} ({s * 100 // n}%)]\tLoss: {x}",
    "modelarts": lambda e, s, n, x: f"[INFO] [{e}/9][{s}/{n}] train_loss: {x} lr: 0.001",
    "imagenet": lambda e, s, n, x: f"Epoch: [{e}][{s}/{n}]\tLoss {x} ({x})",
    "lightning": lambda e, s, n, x: f"Epoch {e}:  10%|# | {s}/{n} [00:01<00:10, 9.0it/s, loss={x}]",
    "mindformers": lambda e, s, n, x: f"{{ Epoch:[{e:3}/ 9], step:[{s:5}/{n:5}], loss: {x}, lr: 0.1 }}",
}


def read(folder: Path, lines: list[str], name: str = "train.log") -> LogTable:
    path = folder / name
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return run_to_end(read_table(str(path)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [0, 1])
def test_each_form_counts_on(form: str, first: int, tmp_path: Path) -> None:
    epochs = range(1 if form in ("mnist", "modelarts", "mindformers") else first, 4)
    lines = [FORMS[form](e, s, 20, round(e + s / 32, 4)) for e in epochs for s in range(first, 20 + first)]
    table = read(tmp_path, lines)
    start = int(table.step[0])
    assert table.step.tolist() == list(range(start, start + len(lines)))
    assert start in (first, 20 + first), form
    assert table.columns["loss"].value.tolist() == [
        round(e + s / 32, 4) for e in epochs for s in range(first, 20 + first)
    ]
    assert table.unread == 0


@given(
    st.integers(1, 40),
    st.integers(1, 7),
    st.integers(2, 5),
    st.sampled_from([0, 1]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_the_length_of_an_epoch_is_learned(
    tmp_path_factory: pytest.TempPathFactory, length: int, every: int, epochs: int, first: int, last_too: bool
) -> None:
    """Batches from *first* on, a line every few and perhaps for the last one too."""
    batches = range(first, length + first)
    logged = [b for b in batches if b % every == 0]
    if last_too and batches[-1] not in logged:
        logged.append(batches[-1])
    shown = (length - 1 + first) % every if last_too else not length % every
    if len(logged) < 4 or not (shown or every == 1):
        return  # nothing shows how long it is
    steps = [epoch * length + batch for epoch in range(epochs) for batch in logged]
    lines = [f"epoch {e} step {b} loss 2.5" for e in range(epochs) for b in logged]
    assert read(tmp_path_factory.getbasetemp(), lines, "learned.log").step.tolist() == steps


def test_restarts_keep_their_place(tmp_path: Path) -> None:
    def lines(*places: tuple[int, int, int]) -> list[str]:
        return [f"epoch {e} step {s} loss 2.5" for e, begin, end in places for s in range(begin, end)]

    def steps(*spans: tuple[int, int]) -> list[int]:
        return [step for begin, end in spans for step in range(begin, end)]

    stays = read(tmp_path, lines((0, 0, 10), (1, 0, 7), (1, 4, 10), (2, 0, 10)))
    assert stays.step.tolist() == steps((0, 10), (10, 17), (14, 20), (20, 30))
    back = read(tmp_path, lines((0, 0, 10), (1, 0, 10), (2, 0, 3), (1, 5, 10), (2, 0, 10), (3, 0, 2)))
    assert back.step.tolist() == steps((0, 10), (10, 20), (20, 23), (15, 20), (20, 30), (30, 32))
    counted = read(tmp_path, lines((0, 0, 10), (1, 10, 20), (1, 15, 20), (2, 20, 30)))
    assert counted.step.tolist() == steps((0, 10), (10, 20), (15, 20), (20, 30))
    once = read(tmp_path, [f"epoch {e} step 50 loss 2.5" for e in range(3)])
    assert once.step.tolist() == [50, 100, 150]


def test_ranks_are_counted_apart(tmp_path: Path) -> None:
    lines = [
        f"[rank{rank}]: epoch {e} step {s} loss 2.5"
        for e in range(3)
        for pair in ((0, 1), (2, 3), (4, 5))
        for rank in (0, 1)
        for s in pair
    ]
    table = read(tmp_path, lines)
    for rank in (0, 1):
        assert table.step[table.rank == rank].tolist() == list(range(18))


def test_tables_count_on_and_validation_does_not_disturb(tmp_path: Path) -> None:
    rows = [f"{e},{s},2.5," for e in range(3) for s in range(5)]
    rows.insert(5, "0,2,,3.5")
    table = read(tmp_path, ["epoch,step,loss,val_loss", *rows], "loss.csv")
    assert table.step[table.columns["loss"].record].tolist() == list(range(15))
    assert table.step[table.columns["validation_loss"].record].tolist() == [2]


def test_epochs_that_are_no_whole_numbers_change_nothing(tmp_path: Path) -> None:
    lines = [f"{{'loss': 2.5, 'step': {s}, 'epoch': {e}}}" for s, e in ((1, 0.1), (2, 0.2), (1, 0.3))]
    assert read(tmp_path, lines).step.tolist() == [1, 2, 1]


def test_reading_on_counts_on(tmp_path: Path) -> None:
    lines = [f"epoch {e} step {s} loss 2.5\n" for e in range(4) for s in range(6)]
    path = tmp_path / "train.log"
    table = None
    for end in (3, 8, 15, 24):
        path.write_text("".join(lines[:end]))
        table = run_to_end(read_table(str(path), None, table))
        assert table.step.tolist() == list(range(end))
