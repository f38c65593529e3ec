"""What monitors write is read back to the last bit, and the last word counts."""

from __future__ import annotations

import math
import struct
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from builders.monitors import Row, cut, write_database, write_probe, write_v1, write_v2
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.monitors.reading import is_monitor, read_trends
from core.progress import run_to_end
from core.records.trends import TrendTable

Key = tuple[str, str, int, int, int]
"""Metric, label of the layer, step, rank and micro-step."""


def read(path: Path) -> TrendTable:
    return run_to_end(read_trends(str(path)))


def numbers(table: TrendTable) -> dict[Key, float]:
    return {
        (table.metrics[metric], table.labels[layer], step, rank, micro): value
        for metric, layer, step, rank, micro, value in zip(
            table.metric.tolist(),
            table.layer.tolist(),
            table.step.tolist(),
            table.rank.tolist(),
            table.micro_step.tolist(),
            table.value.tolist(),
        )
    }


def same(found: dict[Key, float], wanted: dict[Key, float]) -> bool:
    def bits(table: dict[Key, float]) -> dict[Key, bytes]:
        return {key: b"nan" if math.isnan(value) else struct.pack("d", value) for key, value in table.items()}

    return bits(found) == bits(wanted)


def wanted_of(rows: Iterable[Row]) -> dict[Key, float]:
    made = {}
    for row in rows:
        layer = f"{row.stage}:{row.layer}" if row.stage else row.layer
        for statistic, value in row.values.items():
            made[f"{row.kind}.{statistic}", layer, row.step, row.rank, row.micro] = value
    return made


NAMES = st.sampled_from(
    ["layers.0.weight", "layers.10.weight", "头.权重", "=a", "a,b", 'say "hi"', "NA", "00012", "1e5", "x y"]
)
VALUES = st.floats(width=64)


def rows(kinds: list[str], *, micro: bool = False, stages: bool = True) -> st.SearchStrategy[list[Row]]:
    statistics = st.tuples(VALUES, VALUES).map(lambda values: dict(zip(("norm", "max"), values)))
    row = st.builds(
        Row,
        kind=st.sampled_from(kinds),
        layer=NAMES,
        step=st.integers(0, 250),
        values=statistics,
        rank=st.integers(0, 3),
        stage=st.integers(0, 2) if stages else st.just(0),
        micro=st.integers(0, 3) if micro else st.just(-1),
    )
    return st.lists(row, min_size=1, max_size=40)


@settings(max_examples=30)
@given(recorded=rows(["grad_reduced", "param_origin", "exp_avg"]))
def test_first_monitor_is_read_back(recorded: list[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = read(write_v1(Path(folder), recorded))
    assert same(numbers(table), wanted_of(recorded))
    assert table.rows == len(recorded)
    assert table.forms == {"monitor": len(recorded)}
    assert table.replaced == 2 * len(recorded) - len(table)
    assert not table.unread
    assert not table.problems


@settings(max_examples=30)
@given(recorded=rows(["actv_whole", "grad_unreduced"], micro=True))
def test_micro_steps_are_read_back(recorded: list[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = read(write_v1(Path(folder), recorded))
    assert same(numbers(table), wanted_of(recorded))


@settings(max_examples=30)
@given(recorded=rows(["param.param_origin", "weight_grad.reduced", "optimizer.exp_avg"], micro=True))
def test_second_monitor_is_read_back(recorded: list[Row]) -> None:
    # A step whose rows are all NaN in one statistic is that monitor's word for "not recorded".
    finite = [
        row._replace(values={name: 1.0 if math.isnan(value) else value for name, value in row.values.items()})
        for row in recorded
    ]
    with tempfile.TemporaryDirectory() as folder:
        table = read(write_v2(Path(folder), finite))
    assert same(numbers(table), wanted_of(finite))
    assert table.forms == {"monitor_v2": len(recorded)}


@settings(max_examples=30)
@given(recorded=rows(["grad_probe"], stages=False))
def test_grad_probe_is_read_back(recorded: list[Row]) -> None:
    shares = [row._replace(values={**row.values, "(-inf, 0.01]": 0.25, "=0": 0.5}) for row in recorded]
    with tempfile.TemporaryDirectory() as folder:
        table = read(write_probe(Path(folder), shares))
    assert same(numbers(table), wanted_of(shares))
    assert not any("shape" in metric or "MD5" in metric for metric in table.metrics)


@settings(max_examples=30)
@given(recorded=rows(["grad_reduced", "param_updated"], micro=True))
def test_database_is_read_back(recorded: list[Row]) -> None:
    wanted = {}
    counted = any(row.micro for row in recorded)
    for key, value in wanted_of(recorded).items():
        stored = cut(value)
        back = (
            math.nan
            if stored is None
            else math.copysign(math.inf, stored)
            if math.isinf(value)
            else stored + 0.0
        )
        wanted[(*key[:4], key[4] if counted else -1)] = back
    with tempfile.TemporaryDirectory() as folder:
        table = read(write_database(Path(folder) / "monitor_data.trend.db", recorded))
    found = numbers(table)
    # A NaN beside a finite number is no NaN: its tensor does not have the statistic.
    absent = {key for key in wanted if key not in found}
    assert same(found, {key: value for key, value in wanted.items() if key not in absent})
    for key in absent:
        beside = (key[0].replace("norm", "MAX").replace("max", "norm").replace("MAX", "max"), *key[1:])
        assert math.isnan(wanted[key])
        assert math.isfinite(wanted[beside])
    large = np.abs(table.value) >= 1e9
    assert (table.clipped == (large & np.isfinite(table.value))).all()


def test_slots_of_modules_become_part_of_the_metric(tmp_path: Path) -> None:
    recorded = [
        Row("actv", "net.fc1.input", 0, {"norm": 1.0}, micro=0),
        Row("actv", "net.fc1.output_1", 0, {"norm": 2.0}, micro=0),
        Row("actv", "net.output.output", 0, {"norm": 3.0}, micro=0),
        Row("param_origin", "net.output", 0, {"norm": 4.0}),
    ]
    found = numbers(read(write_v1(tmp_path / "v1", recorded)))
    assert set(found) == {
        ("actv.input.norm", "net.fc1", 0, 0, 0),
        ("actv.output.1.norm", "net.fc1", 0, 0, 0),
        ("actv.output.norm", "net.output", 0, 0, 0),
        ("param_origin.norm", "net.output", 0, 0, -1),
    }
    second = [Row("module.forward", "net.fc1.output.0", 0, {"max": 1.0})]
    table = read(write_v2(tmp_path / "v2", second))
    assert table.metrics == ("module.forward.output.max",)
    assert table.kinds == ("module.forward.output",)


def test_a_later_run_of_a_step_counts(tmp_path: Path) -> None:
    def run(value: float, steps: range) -> list[Row]:
        return [Row("grad_reduced", "a", step, {"norm": value}) for step in steps]

    write_v1(tmp_path, run(1.0, range(6)), began="Dec31_23-50-00")
    write_v1(tmp_path, run(2.0, range(4, 8)), began="Jan01_00-10-00")
    table = read(tmp_path)
    assert table.value.tolist() == [1.0] * 4 + [2.0] * 4
    assert table.replaced == 2


def test_windows_of_many_steps_are_one_run(tmp_path: Path) -> None:
    recorded = [Row("grad_reduced", "a", step, {"norm": float(step)}) for step in range(0, 1100, 50)]
    table = read(write_v1(tmp_path, recorded, window=100))
    assert table.step.tolist() == list(range(0, 1100, 50))
    assert table.value.tolist() == table.step.astype(float).tolist()


@pytest.mark.parametrize("part", ["", "Dec03_21-34-40-rank3-1a2b3c4d", "grad_reduced_0-99.csv"])
def test_any_part_of_the_output_can_be_opened(tmp_path: Path, part: str) -> None:
    write_v1(tmp_path, [Row("grad_reduced", "a", 1, {"norm": 2.0}, rank=3)])
    path = next(tmp_path.rglob(part)) if part else tmp_path
    assert is_monitor(str(path))
    assert read(path).ranks == (3,)


def test_a_statistic_that_one_row_lacks_is_not_nan_in_all(tmp_path: Path) -> None:
    recorded = [
        Row("module.forward", f"fc{number}.output.0", step, {"norm": math.nan, "max": float(number)})
        for number in range(3)
        for step in range(2)
    ]
    recorded += [
        Row("module.forward", f"fc{n}.output.0", 5, {"norm": math.nan, "max": math.nan}) for n in (0, 1)
    ]
    found = numbers(read(write_v2(tmp_path, recorded)))
    assert {key[2] for key in found if key[0].endswith("norm")} == {5}
    assert len([key for key in found if key[0].endswith("max")]) == 8


def write_mixed(folder: Path) -> Path:
    write_v1(folder, [Row("grad_reduced", "a", 1, {"norm": 2.0})])
    write_database(folder / "monitor_data.trend.db", [Row("grad_reduced", "a", 7, {"norm": 3.0})])
    return folder


def test_csv_files_are_preferred_to_databases_beside_them(tmp_path: Path) -> None:
    table = read(write_mixed(tmp_path))
    assert table.step.tolist() == [1]
    assert [problem.code for problem in table.problems] == ["trend_database_beside"]
    assert read(tmp_path / "monitor_data.trend.db").step.tolist() == [7]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "not_there"),
        (lambda path: path.mkdir(), "no_monitor_files"),
        (lambda path: path.write_text("a,b\n1,2\n"), "not_a_monitor"),
        (lambda path: path.write_text(""), "not_a_monitor"),
        (lambda path: path.write_text("vpp_stage,name,step,norm\n"), "monitor_empty"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 500), "trend_database_broken"),
        (lambda path: path.write_text("param_name,max\na,1\n"), "grad_probe_step"),
    ],
)
def test_what_is_no_monitor_is_refused(tmp_path: Path, make: Callable[[Path], None], code: str) -> None:
    path = tmp_path / "thing.csv"
    make(path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.problem.code == code
    assert caught.value.problem.sentence()
    if code not in ("monitor_empty", "grad_probe_step"):
        assert not is_monitor(str(path))
