"""Headroom, loss scale and training as JSON and text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.reading import read_only_cell

from core.messages import set_language
from core.overflow.headroom.loss_scale import suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom, tightest
from core.overflow.training.history import overflow_history
from core.progress import run_to_end
from core.records.dump import Dump
from core.records.headroom import Headroom
from core.report.headroom_report import (
    headroom_as_json,
    headroom_as_text,
    loss_scale_as_json,
    loss_scale_as_text,
)
from core.report.training_report import training_as_json, training_as_text


def measured(folder: Path, *, tensors: bool) -> tuple[Dump, Headroom]:
    large = np.array([[1e5, -2.0], [1e-9, 0.0]], np.float32)
    calls = {
        "Torch.mul.0.forward": call([], [large, np.array([np.nan, 1], np.float32)]),
        "Torch.mul.0.backward": {"input": [np.ones((), np.float32)], "output": [large * np.float32(1e-4)]},
    }
    write_dump(folder, calls, tensors=tensors)
    dump = read_only_cell(folder)
    return dump, run_to_end(measure_headroom(dump))


@pytest.mark.parametrize("tensors", [True, False])
def test_headroom_is_told_as_far_as_it_is_known(tmp_path: Path, tensors: bool) -> None:
    dump, headroom = measured(tmp_path, tensors=tensors)
    told = json.loads(json.dumps(headroom_as_json(headroom, dump, tightest(headroom, 1)), allow_nan=False))
    assert (told["counts"]["slots"], told["counts"]["overflow"]) == (4, 1)
    (row,) = told["rows"]
    assert (row["operator"], row["slot"], row["largest"]) == ("Torch.mul.0.forward", "output.0", 1e5)
    assert row["headroom_bits"] == pytest.approx(np.log2(65504 / 1e5))
    assert row["overflow"] == "some"
    assert row["overflow_share"] == (0.25 if tensors else None)
    assert row["vanishing_share"] == (0.25 if tensors else None)
    assert row["overflow_at_most"] == pytest.approx(0.25 if tensors else (1e5 / 65520) ** 2 / 4, rel=1e-3)
    assert len(json.loads(json.dumps(headroom_as_json(headroom, dump), allow_nan=False))["rows"]) == 4
    lines = "\n".join(headroom_as_text(headroom, dump))
    assert "1 of 4 slots would overflow in float16" in lines
    assert ("25.000%" in lines) == tensors
    assert ("cannot tell" in lines) == (not tensors)
    assert ("≤ 58.238%" in lines) == (not tensors)
    set_language("zh_CN")
    assert "溢出" in "\n".join(headroom_as_text(headroom, dump))


@pytest.mark.parametrize("tensors", [True, False])
def test_a_loss_scale_names_the_gradient_that_bounds_it(tmp_path: Path, tensors: bool) -> None:
    _, headroom = measured(tmp_path, tensors=tensors)
    scale = suggest_loss_scale([headroom])
    told = json.loads(json.dumps(loss_scale_as_json(scale), allow_nan=False))
    assert told["largest_gradient"]["operator"] == "Torch.mul.0.backward"
    assert told["scale"] == 2048.0
    assert (told["at_scale"] is not None) == tensors
    assert ("33.333%" in "\n".join(loss_scale_as_text(scale))) == tensors
    empty = suggest_loss_scale([])
    assert loss_scale_as_json(empty)["scale"] is None
    assert len(loss_scale_as_text(empty)) == 1


def test_a_training_is_told(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "\n".join(
            f"iteration {step}/ 9 | loss scale: {8.0 if step < 5 else 4.0} | grad norm: 1.0 |"
            f" number of skipped iterations: {int(step == 4)} |"
            for step in range(1, 10)
        ),
        "utf-8",
    )
    history = overflow_history(str(log))
    told = json.loads(json.dumps(training_as_json(history), allow_nan=False))
    assert told["judgement"] == "fail"
    assert told["overflow_steps"] == [{"step": 4, "count": 1}]
    assert told["loss_scale"]["changes"] == [{"step": 1, "scale": 8.0}, {"step": 5, "scale": 4.0}]
    first, *findings = training_as_text(history)
    assert first == f"{log}: failed"
    assert "1 of 9 steps overflowed: 11.111%" in findings[0]
    set_language("zh_CN")
    assert training_as_text(history)[0].endswith("不通过")
