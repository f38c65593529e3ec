"""Logs that are damaged, packed or in an odd encoding: what can be read is read, the rest is counted."""

from __future__ import annotations

import gzip
import io
import math
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs import packed
from core.formats.logs.lines import lines_of
from core.formats.logs.reading import is_training_log, read_log
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import LogTable

MEGATRON = " iteration {n:8}/ 200 | consumed samples: {n:12} | lm loss: {x:.6E} | grad norm: {x:.3f} |\n"
FORMS = (
    "step {n} loss {x:.4f}\n", MEGATRON, "第{n}步 损失：{x:.4f}\n",
    '{{"step": {n}, "loss": {x:.4f}}}\n', "{n}: step {n}, loss: {x:.4f}, lr: 0.1\n",
)  # fmt: skip


def text_of(form: str, count: int = 60) -> str:
    return "".join(form.format(n=n, x=n / 8) for n in range(count))


def read(folder: Path, content: bytes, name: str = "train.log", before: LogTable | None = None) -> LogTable:
    path = folder / name
    path.write_bytes(content)
    return run_to_end(read_table(str(path), None, before))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf_16_without_a_mark(form: str, encoding: str, tmp_path: Path) -> None:
    raw = text_of(form).encode(encoding)
    table = read(tmp_path, raw)
    assert is_training_log(str(tmp_path / "train.log"))
    assert table.step.tolist() == list(range(60))
    assert table.unread == 0
    assert len(list(read_log(str(tmp_path / "train.log")))) == 60
    grown = read(tmp_path, raw + form.format(n=60, x=1.0).encode(encoding.replace("-16", "-16-le", 1)[:9]
        if encoding == "utf-16" else encoding), before=table)  # fmt: skip
    assert grown.step.tolist() == list(range(61))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_tables_in_utf_16_without_a_mark(encoding: str, tmp_path: Path) -> None:
    table = read(tmp_path, "step,loss\r\n1,2.5\r\n2,2.25\r\n".encode(encoding), "loss.csv")
    assert table.columns["loss"].value.tolist() == [2.5, 2.25]
    assert is_training_log(str(tmp_path / "loss.csv"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("at", [0, 200, 700])
@pytest.mark.parametrize("count", [1, 4096, 3 << 20])
def test_nuls_are_skipped(form: str, at: int, count: int, tmp_path: Path) -> None:
    raw = text_of(form).encode()
    at = raw.rfind(b"\n", 0, at) + 1
    table = read(tmp_path, raw[:at] + bytes(count) + raw[at:])
    assert is_training_log(str(tmp_path / "train.log"))
    assert table.step.tolist() == list(range(60))
    assert table.lines == 60
    assert len(list(read_log(str(tmp_path / "train.log")))) == 60


def test_other_files_with_nuls_are_no_logs(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        info = tarfile.TarInfo("train.log")
        content = text_of(FORMS[0]).encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    for raw in (made.getvalue(), b"\x89PNG\0\0" + content, b"\x01\0\0\0" + content, bytes(100)):
        with pytest.raises(InputError) as caught:
            read(tmp_path, raw)
        assert caught.value.problem.code == "log_without_steps"
        assert not is_training_log(str(tmp_path / "train.log"))


@given(st.binary(max_size=200), st.integers(1, 40))
def test_nuls_never_reach_a_line(junk: bytes, size: int) -> None:
    blocks = [junk[at : at + size] for at in range(0, len(junk), size)]
    text = "".join(lines_of(blocks))
    assert "\0" not in text or junk[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in junk[:size]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.log.gz", text_of(MEGATRON)),
        ("loss.csv.gz", "step,loss\n" + "".join(f"{n},{n / 8}\n" for n in range(60))),
        ("log.json.gz", "[" + ",".join(f'{{"step":{n},"loss":{n / 8}}}' for n in range(60)) + "]"),
        ("trainer_state.json", '{"log_history": [' + ",".join(
            f'{{"step":{n},"loss":{n / 8}}}' for n in range(60)) + "]}"),
    ],
)  # fmt: skip
def test_packed_logs(name: str, content: str, tmp_path: Path) -> None:
    raw = gzip.compress(content.encode())
    table = read(tmp_path, raw, name)
    assert is_training_log(str(tmp_path / name))
    assert table.columns["loss"].value.tolist() == [n / 8 for n in range(60)]
    assert (table.step.tolist(), table.problems) == (list(range(60)), ())
    assert len(list(read_log(str(tmp_path / name)))) == 60
    again = read(tmp_path, raw, name, table)
    assert again.step.tolist() == list(range(60))


def test_packed_logs_that_are_cut_broken_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"step {n} loss {math.sin(n):.12f}\n" for n in range(20_000))
    raw = gzip.compress(text.encode())
    cut = read(tmp_path, raw[: len(raw) // 2])
    assert [problem.code for problem in cut.problems] == ["log_packed_cut"]
    assert "train.log" in cut.problems[0].sentence()
    assert cut.step.tolist() == list(range(len(cut.step)))
    assert 5000 < len(cut.step) < 15_000
    with pytest.raises(InputError) as caught:
        read(tmp_path, b"\x1f\x8b\x08" + bytes(100))
    assert caught.value.problem.code in ("log_without_steps", "log_unreadable")
    monkeypatch.setattr(packed, "_MOST", 100_000)
    bounded = read(tmp_path, raw)
    assert [problem.code for problem in bounded.problems] == ["log_packed_too_large"]
    assert 1000 < len(bounded.step) < 10_000


@pytest.mark.parametrize(
    ("lines", "end", "steps"),
    [
        (["step {n} loss {x:.4f}"], "step 9 loss 1.2", 0),
        (["step {n} loss {x:.4f}"], "step 9 loss 1.2500", 1),
        (["step {n} loss {x:.4f}"], "step 9 loss", 0),
        (["step: {n}, lr: 0.10, loss: {x:.3e}"], "step: 9, lr: 0.10, loss: 1.2", 0),
        (["step {n} loss {x:.4f} tok/s 1234"], "step 9 loss 1.2500 tok/s 12", 0),
        (["step {n} loss {x:.4f} tok/s 1234"], "step 9 loss 1.2500 tok/s 5678", 1),
        ([MEGATRON.strip()], MEGATRON.format(n=9, x=1.25)[:70], 0),
        ([MEGATRON.strip()], MEGATRON.format(n=9, x=1.25).rstrip(), 1),
        (['{{"step": {n}, "loss": {x:.4f}}}'], '{"step": 9, "loss": 1.2}', 1),
        (['{{"step": {n}, "loss": {x:.4f}}}'], '{"step": 9, "loss": 1.2', 0),
        (["第{n}步 损失: {x:.4f}"], "第9步 损失: 1.", 0),
    ],
)  # fmt: skip
def test_a_last_line_without_an_end(lines: list[str], end: str, steps: int, tmp_path: Path) -> None:
    before = "".join(f"{line}\n".format(n=n, x=n / 8 + 1) for n in range(1, 9) for line in lines)
    table = read(tmp_path, (before + end).encode())
    assert table.step.tolist() == list(range(1, 9 + steps))
    assert [(line.number, line.text) for line in table.unread_lines] == [(9, end.strip())] * (1 - steps)
    assert (table.lines, table.unread) == (9, 1 - steps)
    whole = f"{lines[0]}\n".format(n=9, x=2.125)
    grown = read(tmp_path, (before + whole).encode(), before=table)
    assert (grown.step.tolist(), grown.unread, grown.unread_lines) == (list(range(1, 10)), 0, ())


def test_a_last_line_that_is_no_record_is_not_counted(tmp_path: Path) -> None:
    table = read(tmp_path, b"step 1 loss 2.5\nsaving the che")
    assert (table.step.tolist(), table.unread, table.lines) == ([1], 0, 2)
    bars = "".join(f"\r{n}%|#| {n}/100 [00:01<, loss={n / 8:.3f}" for n in range(1, 9))
    cut = read(tmp_path, (bars[:-2]).encode())
    assert (cut.step.tolist(), cut.unread) == (list(range(1, 8)), 1)


@pytest.mark.parametrize(
    ("record", "torn"),
    [
        ("step {n} loss {x}", ["step 10 [rank1]: NCCL info", "loss 3.5"]),
        ("step {n} loss: {x}", ["step 10 [rank1]: NCCL info", "loss: 3.5"]),
        ("[INFO] step {n}, lr: 0.1, loss: {x}", ["[INFO] step 10, lr: 0.1, W0101 saved", "loss: 3.5"]),
        ("iter {n} | time 5 | loss {x} | norm {x}", ["iter 10 | time 5 | hello", "", "loss 3.5 | norm 1.0"]),
    ],
)
def test_halves_of_two_writers_are_counted(record: str, torn: list[str], tmp_path: Path) -> None:
    lines = [record.format(n=n, x=n / 8) for n in range(1, 10)]
    after = [record.format(n=n, x=n / 8) for n in range(11, 20)]
    table = read(tmp_path, "\n".join([*lines, *torn, *after, ""]).encode())
    assert table.step.tolist() == [n for n in range(1, 20) if n != 10]
    assert table.columns["loss"].value.tolist() == [n / 8 for n in range(1, 20) if n != 10]
    assert [(line.number, line.text) for line in table.unread_lines] == [(10, torn[0])]
    alone = read(tmp_path, "\n".join([*lines, torn[-1], *after, ""]).encode())
    assert [(line.number, line.text) for line in alone.unread_lines] == [(10, torn[-1])]


def test_what_is_no_half_is_not_counted(tmp_path: Path) -> None:
    text = "step 1 loss: 2.5\nstep 10: saving checkpoint\nstep 2 loss: 2.25\nbest loss\n"
    assert read(tmp_path, text.encode()).unread == 0
    bare = read(tmp_path, b"loss: 2.5\nloss: 2.25\nloss: 2.0\n")
    assert (len(bare.step), bare.unread) == (3, 0)
