"""What the released monitors' own writers write is read whole, and what makes trend databases of it."""

from __future__ import annotations

import importlib
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders.monitors import Row, write_v1

from core.formats.monitors.reading import read_trends
from core.progress import run_to_end
from core.records.trends import TrendTable

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def msprobe() -> Iterator[Any]:
    """Return what imports a module of msprobe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pytest.importorskip("torch")
            pytest.importorskip("msprobe.core.monitor_v2.writer", exc_type=ImportError)
        except pytest.skip.Exception:
            if os.environ.get("CI"):
                pytest.fail("CI must install the extra `integration`")
            raise
        yield lambda name: importlib.import_module(f"msprobe.{name}")


def read(path: Path) -> TrendTable:
    table = run_to_end(read_trends(str(path)))
    assert not table.unread
    assert not table.problems
    return table


def test_first_monitor_with_colons_in_names(msprobe: Any, tmp_path: Path) -> None:
    writers = msprobe("pytorch.monitor.data_writers")
    folder = tmp_path / "Dec03_21-34-40-rank2-1a2b3c4d"
    folder.mkdir()
    writer = writers.CSVWriterWithAD(
        writers.WriterInput(path=str(folder), ad_rules=[], job_id="", ndigits=6, step_count_per_record=2)
    )
    names = {"0:net:block.w": "net:block.w", "1:fc.w": "1:fc.w", "0:a,b": "a,b"}
    for step in range(4):
        writer.header = ["vpp_stage", "name", "step", "norm", "max", "shape", "dtype"]
        for number, name in enumerate(names):
            values = [step + number / 2, math.nan if step == 2 else math.inf]
            writer.context_dict[name] = [*values, [16, 32], "torch.bfloat16"]
        writer.write_csv("grad_reduced", step)
    table = read(tmp_path)
    assert table.ranks == (2,)
    assert table.metrics == ("grad_reduced.norm", "grad_reduced.max")
    assert set(table.labels) == set(names.values())
    wanted = {
        (label, step): step + number / 2 for step in range(4) for number, label in enumerate(names.values())
    }
    rows = range(*table.rows_of("grad_reduced.norm").indices(len(table)))
    assert {
        (table.labels[table.layer[row]], int(table.step[row])): table.value[row] for row in rows
    } == wanted
    largest = table.value[table.rows_of("grad_reduced.max")]
    assert (sum(map(math.isnan, largest)), sum(map(math.isinf, largest))) == (3, 9)


def test_second_monitor(msprobe: Any, tmp_path: Path) -> None:
    torch = importlib.import_module("torch")
    writer = msprobe("core.monitor_v2.writer").CSVWriterV2(str(tmp_path), rank=3)
    for step in range(3):
        rows = [
            {
                "vpp_stage": 0,
                "module_name": f"net.fc{number}.{slot}.0",
                "scope": "forward",
                "stats": {"norm": torch.tensor(step + number / 4), "max": torch.tensor(math.nan)},
            }
            for number in range(3)
            for slot in ("input", "output")
        ]
        facts = {"monitor": "module", "slug": "module", "step": step, "step_count_per_record": 2}
        writer.write_monitor_data({**facts, "start_step": 0, "rows": rows})
    table = read(tmp_path)
    assert table.ranks == (3,)
    assert table.layers == ("net.fc0", "net.fc1", "net.fc2")
    assert table.metrics == ("module.forward.input.norm", "module.forward.output.norm")
    assert table.value.tolist() == [step + number / 4 for step in range(3) for number in range(3)] * 2


@pytest.mark.parametrize("micro", ["true", "false"])
def test_database_holds_what_the_files_hold(msprobe: Any, tmp_path: Path, micro: str) -> None:
    recorded = [
        Row(kind, f"layers.{layer}.weight", step, {"norm": layer + step / 8, "max": value}, rank=rank)
        for kind in ("grad_reduced", "param_origin")
        for step, value in enumerate((1.5, math.inf, -math.inf, 3e12))
        for layer in range(3)
        for rank in range(2)
    ]
    files = read(write_v1(tmp_path / "files", recorded))
    (tmp_path / "made").mkdir()
    importer = msprobe("core.compare.data2db").DBImporter(
        str(tmp_path / "made"), str(tmp_path / "files"), "monitor", None, micro, 1
    )
    importer.import_data()
    database = read(tmp_path / "made")
    assert database.metrics == (
        "grad_reduced.norm",
        "param_origin.norm",
        "grad_reduced.max",
        "param_origin.max",
    )
    assert database.layers == files.layers

    def numbers(table: TrendTable) -> dict[tuple[str, int, int, int, int], float]:
        columns = (table.layer, table.step, table.rank, table.micro_step)
        keys = zip(table.metric.tolist(), *(column.tolist() for column in columns))
        return {(table.metrics[key[0]], *key[1:]): value for key, value in zip(keys, table.value.tolist())}

    cut = {key: 1e9 if value == 3e12 else value for key, value in numbers(files).items()}
    assert numbers(database) == cut
    assert database.clipped.sum() == 12
