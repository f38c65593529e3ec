"""``--json`` for a million rows: rows are made and written a block at a time, as one document."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.cli.console import print_json
from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.progress import run_to_end
from core.records.result import CellResult, Verdict
from core.report import json_report
from core.report.json_report import json_rows, record
from tests.builders.dumps import call, write_dump

X = np.arange(6, dtype=np.float32)


class Written(io.StringIO):
    """Counts what went out."""

    characters = 0

    def write(self, text: str) -> int:
        self.characters += len(text)
        return super().write(text)


def test_an_iterator_is_written_as_it_comes() -> None:
    stream = Written()
    seen: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(5000):
            seen.append(stream.characters)
            yield {"name": "é\ud800", "value": number / 3}

    print_json({"counts": {"equal": 1}, "rows": rows(), "none": iter(()), "problems": ["a"]}, stream)
    assert stream.getvalue().isascii()
    assert stream.getvalue().count("\n") == 1
    found = json.loads(stream.getvalue())
    assert list(found) == ["counts", "rows", "none", "problems"]
    assert found["rows"] == [{"name": "é\ud800", "value": number / 3} for number in range(5000)]
    assert (found["none"], found["problems"]) == ([], ["a"])
    assert seen[-1] > 50_000, "rows were kept back until all were there"


@pytest.mark.parametrize("value", [[], {}, [1, {"a": None}], {"a": []}, "x"])
def test_any_other_value_is_what_json_says(value: Any) -> None:
    stream = io.StringIO()
    print_json(value, stream)
    assert json.loads(stream.getvalue()) == value


def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {
        f"Torch.f.{index}.forward": call([X * index, None, "a", {"k": [X]}], [X - index])
        for index in range(4)
    }
    others = dict(calls)
    others["Torch.f.1.forward"] = call([X, 5, "b"], [np.array([np.nan, np.inf], np.float32)])
    others["Torch.g.0.forward"] = call([X], [])
    write_dump(tmp_path / "t", calls, tensors=True)
    write_dump(tmp_path / "g", others, tensors=True)
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False, processes=1)
    run_to_end(compare_runs(str(tmp_path / "t"), str(tmp_path / "g"), options, take=cells.append))
    whole = list(json_rows(cells[0]))
    assert len(whole) == len(cells[0].rows)
    for index, row in enumerate(whole):
        slot = int(cells[0].rows.target_slot[index])
        assert row["target"] == record(cells[0].target, slot)
        assert row["verdict"] == Verdict(int(cells[0].rows.verdict[index])).name.lower()
    monkeypatch.setattr(json_report, "_BLOCK", 3)
    assert list(json_rows(cells[0])) == whole
    assert whole[0]["target"]["shape"] == [6]
    assert whole[0]["metrics"]["count"] == 6
