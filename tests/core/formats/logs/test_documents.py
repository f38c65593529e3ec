"""Logs that are one document of JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.formats.logs import state
from core.formats.logs.reading import is_training_log, read_log
from core.formats.logs.table import read_table
from core.progress import run_to_end
from core.records.log_table import UNSAID, LogTable

LOSSES = [2.5, math.nan, 2.0, math.inf]
RECORDS = [{"step": n, "loss": loss, "lr": 0.1} for n, loss in enumerate(LOSSES, 1)]
COLUMNS = {"step": [1, 2, 3, 4], "loss": LOSSES, "lr": [0.1] * 4}
TRIPLES = [[1.7e9 + n, n, loss] for n, loss in enumerate(LOSSES, 1)]


def read(folder: Path, text: str, name: str = "log.json") -> LogTable:
    path = folder / name
    path.write_text(text, "utf-8")
    return run_to_end(read_table(str(path)))


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize(
    "document",
    [RECORDS, COLUMNS, TRIPLES, {"name": "a", "history": RECORDS}, {"seed": [1, 2], "train": COLUMNS}],
    ids=["array", "columns", "triples", "array inside", "columns inside"],
)
def test_documents_are_read_whole(document: Any, indent: int | None, tmp_path: Path) -> None:
    table = read(tmp_path, json.dumps(document, indent=indent))
    assert is_training_log(str(tmp_path / "log.json"))
    assert table.step.tolist() == [1, 2, 3, 4]
    assert repr(table.columns["loss"].value.tolist()) == repr(LOSSES)
    assert table.unread == 0
    assert [record.step for record in read_log(str(tmp_path / "log.json"))] == [1, 2, 3, 4]


def test_columns_without_steps_and_of_unlike_lengths(tmp_path: Path) -> None:
    table = read(tmp_path, json.dumps({"loss": [3.0, 2.0, None], "val_loss": [2.5]}))
    assert table.step.tolist() == [UNSAID] * 2
    assert table.columns["loss"].value.tolist() == [3.0, 2.0]
    assert table.columns["validation_loss"].value.tolist() == [2.5]


def test_all_parts_of_a_document_and_words_for_what_is_not_finite(tmp_path: Path) -> None:
    parts = {"train": [{"step": 1, "loss": 2.5}], "val": {"step": [1, 2], "val_loss": [3.0, 2.0]}}
    table = read(tmp_path, json.dumps(parts))
    assert (table.step.tolist(), table.columns["loss"].value.tolist()) == ([1, 1, 2], [2.5])
    assert table.columns["validation_loss"].value.tolist() == [3.0, 2.0]
    words = read(tmp_path, '[[1.0, 1, "NaN"], [2.0, 2, "Infinity"], [3.0, 3, "x"], [4.0, 4, 2]]')
    assert words.step.tolist() == [1, 2, 4]
    assert repr(words.columns["loss"].value.tolist()) == "[nan, inf, 2.0]"


def test_the_name_of_a_file_tells_the_tag(tmp_path: Path) -> None:
    table = read(tmp_path, json.dumps(TRIPLES), "run_1-tag-train_grad_norm.json")
    assert set(table.columns) == {"grad_norm"}


def test_odd_entries_are_left_out(tmp_path: Path) -> None:
    odd = [{"step": 1, "loss": 2.0}, "x", None, [1, 2], {"step": 2}, {"step": True, "loss": False}, 7,
           {"train_runtime": 5.0, "train_loss": 2.0, "step": 2}, {"step": 3, "loss": "1.5"}]  # fmt: skip
    table = read(tmp_path, json.dumps(odd))
    assert (table.step.tolist(), table.columns["loss"].value.tolist()) == ([1, 3], [2.0, 1.5])


def test_large_documents_are_known_by_their_beginning(tmp_path: Path) -> None:
    records = [{"step": n, "loss": n / 8} for n in range(60_000)]
    for name, document in (("a.json", records), ("b.json", {"loss": [n / 8 for n in range(200_000)]})):
        table = read(tmp_path, json.dumps(document), name)
        assert is_training_log(str(tmp_path / name))
        assert len(table.columns["loss"].value) in (60_000, 200_000)
        assert table.columns["loss"].value[-1] * 8 + 1 == len(table.step)


def test_lines_of_objects_and_other_documents_are_none(tmp_path: Path) -> None:
    lines = read(tmp_path, '{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.5}\n')
    assert lines.step.tolist() == [1, 2]
    arrays = read(tmp_path, '[{"step": 1, "loss": 2.0}]\n[{"step": 2, "loss": 1.5}]\n')
    assert arrays.step.tolist() == [1, 2]
    for other in ("[]", "[1, 2]", '{"a": [1]}', '{"data": {"x": {"shape": [1, 2]}}}', "[[1, 2, 3, 4]]"):
        with pytest.raises(InputError) as caught:
            read(tmp_path, other)
        assert caught.value.problem.code == "log_without_steps"
        assert not is_training_log(str(tmp_path / "log.json"))


def test_cut_and_huge_documents_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(RECORDS * 30_000)
    with pytest.raises(InputError) as caught:
        read(tmp_path, text[:-9])
    assert caught.value.problem.code == "log_document_cut"
    assert str(tmp_path) in caught.value.problem.sentence()
    monkeypatch.setattr(state, "_LARGEST", 1 << 20)
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.problem.code == "log_document_too_large"
