"""Event files of TensorBoard, against an encoder of the test's own and a file of its real writer."""

from __future__ import annotations

import csv
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.crc32c import crc32c, crc32c_of
from core.formats.logs.reading import is_training_log, read_log
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import UNSAID, LogTable
from core.records.series import Series

NAME = "events.out.tfevents.1700000000.host.1.0"


def slow_crc(data: bytes) -> int:
    """CRC-32C, bit by bit, by its definition."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def frame(data: bytes) -> bytes:
    def masked(part: bytes) -> bytes:
        crc = slow_crc(part)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    made = b""
    while number > 127:
        made += bytes([number & 127 | 128])
        number >>= 7
    return made + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def scalar(tag: str, value: float, kind: str = "simple") -> bytes:
    """Return a ``Summary.Value``."""
    head = field(1, tag.encode())
    if kind == "simple":
        return head + b"\x15" + struct.pack("<f", value)
    if kind == "float_val":
        return head + field(8, b"\x08\x01" + field(2, b"") + field(5, struct.pack("<f", value)))
    if kind == "unpacked":
        return head + field(8, b"\x08\x01" + b"\x2d" + struct.pack("<f", value))
    if kind == "content":
        return (
            head
            + field(9, field(1, field(1, b"scalars")))
            + field(8, b"\x08\x01" + field(4, struct.pack("<f", value)))
        )
    return head + field(8, b"\x08\x02" + field(4, struct.pack("<d", value)))


def event(step: int, *values: bytes, time: float = 1.7e9) -> bytes:
    summary = field(5, b"".join(field(1, value) for value in values)) if values else b""
    return b"\x09" + struct.pack("<d", time) + (b"\x10" + varint(step) if step else b"") + summary


VERSION = b"\x09" + struct.pack("<d", 1.7e9) + field(3, b"brain.Event:2")


def write(path: Path, events: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(frame(data) for data in [VERSION, *events]))
    return path


def read(path: Path) -> LogTable:
    return run_to_end(read_table(str(path)))


def points(table: LogTable, name: str) -> list[tuple[int, float]]:
    column = table.columns[name]
    return list(zip(table.step[column.record].tolist(), column.value.tolist()))


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=5), st.binary(max_size=3000))
@settings(deadline=None)
def test_check_sums(rows: list[bytes], long: bytes) -> None:
    for row in rows:
        data = np.frombuffer(row, np.uint8)
        assert crc32c(data[np.newaxis])[0] == slow_crc(row)
    assert crc32c_of(np.frombuffer(long, np.uint8)) == slow_crc(long)
    assert slow_crc(b"123456789") == 0xE3069283  # the check value of the catalogues of CRCs


TAGS = ("lm loss", "train/loss", "grad-norm", "x/y", "中文")


@given(
    st.lists(
        st.tuples(
            st.integers(-2, 2**40), st.sampled_from(TAGS), st.floats(width=32),
            st.sampled_from(("simple", "float_val", "unpacked", "content", "double")),
        ), max_size=40,
    )
)  # fmt: skip
@settings(deadline=None)
def test_all_points_come_back(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, str, float, str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / NAME
    write(path, [event(step, scalar(tag, value, kind)) for step, tag, value, kind in drawn])
    if not drawn:
        with pytest.raises(InputError):
            read(path)
        return
    table = read(path)
    assert table.step.tolist() == [step if step >= 0 else UNSAID for step, *_ in drawn]
    names = {"lm loss": "loss", "train/loss": "loss", "grad-norm": "grad_norm"}
    tags = {tag for _, tag, *_ in drawn}
    if tags >= {"lm loss", "train/loss"}:
        names["train/loss"] = "train/loss"
    for tag in tags:
        column = table.columns[names.get(tag, tag)]
        expected = [(n, value) for n, (_, other, value, _) in enumerate(drawn) if other == tag]
        assert repr(list(zip(column.record.tolist(), column.value.tolist()))) == repr(expected)
    assert (table.lines, table.unread, table.problems) == (len(drawn) + 1, 0, ())
    assert table.read_bytes == path.stat().st_size


def test_tags_and_other_events(tmp_path: Path) -> None:
    image = field(1, b"picture") + field(4, b"\x08\x01" + field(4, b"\x89PNG" * 3000))
    text = field(1, b"text") + field(8, b"\x08\x07" + field(8, b"words"))
    several = event(
        2, scalar("loss-scale", 8.0), scalar("lm loss vs samples", 2.0), scalar("lm loss validation", 3.0)
    )
    path = write(
        tmp_path / NAME,
        [
            event(1, image),
            event(1, text),
            several,
            event(3, scalar("iteration-time", 0.5)),
            event(2**62, scalar("a", 1.0)),
        ],
    )
    table = read(path)
    assert {str(name): points(table, name) for name in table.columns} == {
        "loss_scale": [(2, 8.0)], "lm loss vs samples": [(2, 2.0)], "validation_loss": [(2, 3.0)],
        "step_time": [(3, 500.0)], "a": [(UNSAID, 1.0)],
    }  # fmt: skip
    assert dict(table.forms) == {"tensorboard": 3}
    assert is_training_log(str(path))


def test_damage_costs_what_it_touches(tmp_path: Path) -> None:
    path = write(tmp_path / NAME, [event(step, scalar("loss", step / 8)) for step in range(1, 101)])
    whole = path.read_bytes()
    size = len(frame(event(10, scalar("loss", 1.25))))
    start = whole.index(frame(event(10, scalar("loss", 1.25))))

    def damaged(at: int, end: int = len(whole)) -> LogTable:
        raw = bytearray(whole)
        raw[at] ^= 0x40
        path.write_bytes(raw[:end])
        return read(path)

    one = damaged(start + 20)
    assert one.step.tolist() == [step for step in range(1, 101) if step != 10]
    assert (one.unread, one.unread_lines[0].number) == (1, 11)
    assert [problem.code for problem in one.problems] == ["events_damaged"]
    rest = damaged(start + 1)
    assert rest.step.tolist() == list(range(1, 10))
    assert [problem.code for problem in rest.problems] == ["events_stopped"]
    cut = damaged(start + 21, start + 3 * size - 5)
    assert cut.step.tolist() == [*range(1, 10), 11]
    assert cut.unread == 2
    assert {problem.code for problem in cut.problems} == {"events_cut", "events_damaged"}
    assert all(str(path) in problem.sentence() for problem in [*cut.problems, *rest.problems])


@given(st.data())
@settings(deadline=None)
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / NAME
    write(path, [event(step, scalar("loss", step / 8)) for step in range(1, 20)])
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(40, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(raw[: data.draw(st.integers(60, len(raw)))]) + data.draw(st.binary(max_size=20)))
    try:
        table = read(path)
    except InputError as error:
        assert error.problem.code == "log_without_steps"  # noqa: PT017
    else:
        assert all(value == step / 8 for name in table.columns for step, value in points(table, name))


def test_records_that_are_no_events(tmp_path: Path) -> None:
    path = write(tmp_path / NAME, [b"\x07junk", event(1, scalar("loss", 2.0)), b"\x2a\x7f"])
    table = read(path)
    assert (table.step.tolist(), table.unread) == ([1], 2)
    assert [line.number for line in table.unread_lines] == [2, 4]


def test_files_of_a_folder_are_one_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write(
        run / "events.out.tfevents.1700000900.host.7.0", [event(s, scalar("loss", 20.0 + s)) for s in (3, 4)]
    )
    write(
        run / "events.out.tfevents.900000000.host.7.0",
        [event(s, scalar("loss", 10.0 + s)) for s in (1, 2, 3)],
    )
    (run / "hparams.yaml").touch()
    table = read(run)
    assert points(table, Series.LOSS) == [(1, 11.0), (2, 12.0), (3, 13.0), (3, 23.0), (4, 24.0)]
    assert (table.path, table.lines) == (str(run), 7)
    assert is_training_log(str(run))
    assert read(tmp_path).step.tolist() == table.step.tolist()
    assert not is_training_log(str(tmp_path))
    (run / "step0").mkdir()
    assert not is_training_log(str(run))
    assert [record.values["loss"] for record in read_log(str(run))][:2] == [11.0, 12.0]
    write(tmp_path / "other" / NAME, [event(1, scalar("loss", 1.0))])
    with pytest.raises(InputError):
        read(tmp_path)


def test_a_file_of_the_real_writer() -> None:
    folder = Path(__file__).parents[3] / "data" / "logs"
    with (folder / "loss.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    table = read(folder)
    names = {"loss": Series.LOSS, "lr": Series.LEARNING_RATE, "grad_norm": Series.GRAD_NORM}
    for title, name in names.items():
        expected = [(int(row["step"]), float(row[title])) for row in rows]
        for (step, value), (said, rounded) in zip(expected, points(table, name), strict=True):
            assert step == said
            assert math.isclose(value, rounded, rel_tol=2.0**-23)
    assert len(points(table, "lm loss vs samples")) == len(rows)
    assert (table.unread, table.problems) == (0, ())
