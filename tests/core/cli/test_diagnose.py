"""``ulpscope diagnose``: the calling line of each suspect, and the diagnosis that a result file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.messages import text
from tests.builders.dumps import call, write_dump

X = np.random.default_rng(2).standard_normal((4, 8)).astype(np.float32)
OWN = "File /train/model.py, line 12, in forward, \n return F.relu(x)"
FRAMEWORK = "File /usr/lib/python3.11/site-packages/torch/nn/functional.py, line 7, in relu, \n return f(x)"

Run = Callable[..., tuple[int, str, str]]


def calls(first: float = 1.0, second: float = 1.0) -> dict[str, Any]:
    one, two = np.maximum(X, 0) * np.float32(first), np.tanh(X) * np.float32(second)
    return {
        "Functional.relu.0.forward": call([X], [one]),
        "Torch.tanh.0.forward": call([X], [two]),
    }


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of two steps; in both two calls of the target are broken, of which the first has a stack."""
    stacks = {"Functional.relu.0.forward": [FRAMEWORK, OWN]}
    for step in (0, 1):
        for name, factors in (("target", (1.5, 1.5)), ("golden", (1.0, 1.0))):
            place = tmp_path / name / f"step{step}" / "rank0"
            write_dump(place, calls(*factors), tensors=True, stacks=stacks)
    return tmp_path / "target", tmp_path / "golden"


def test_the_users_line_stands_beside_its_suspect(run: Run, pair: tuple[Path, Path]) -> None:
    status, out, _ = run("diagnose", *pair, "--no-cache")
    assert status == 1
    lines = [line.strip() for line in out.splitlines()]
    at = lines.index("called from /train/model.py:12 in forward")
    assert lines[at + 1] == "return F.relu(x)"
    assert out.count("called from") == 1
    assert lines.index("Next, should this one be excused:") > at
    _, out, _ = run("diagnose", *pair, "--no-cache", "--json")
    first, second = json.loads(out)["suspects"]
    assert first["operator"] == "Functional.relu.0.forward"
    assert first["called_from"] == {
        "path": "/train/model.py", "line": 12, "function": "forward", "code": "return F.relu(x)",
    }  # fmt: skip
    assert second["called_from"] is None


def test_a_later_suspect_has_its_line_too(run: Run, tmp_path: Path) -> None:
    for name, factors in (("t", (1.5, 1.5)), ("g", (1.0, 1.0))):
        write_dump(tmp_path / name, calls(*factors), tensors=True, stacks={"Torch.tanh.0.forward": [OWN]})
    _, out, _ = run("diagnose", tmp_path / "t", tmp_path / "g", "--no-cache")
    _, others = out.split("Next, should this one be excused:")
    assert "called from /train/model.py:12 in forward" in others


def test_a_backward_call_is_told_by_the_line_of_its_forward_call(run: Run, tmp_path: Path) -> None:
    for name, factor in (("t", 1.5), ("g", 1.0)):
        backward = {"input": [X], "output": [X * np.float32(factor)]}
        every = {**calls(), "Functional.relu.0.backward": backward}
        write_dump(tmp_path / name, every, stacks={"Functional.relu.0.forward": [OWN]})
    _, out, _ = run("diagnose", tmp_path / "t", tmp_path / "g", "--no-cache", "--json")
    (suspect,) = json.loads(out)["suspects"]
    assert suspect["operator"] == "Functional.relu.0.backward"
    assert suspect["called_from"]["line"] == 12


def test_the_demo_names_its_line(run: Run) -> None:
    status, out, _ = run("demo", "--text")
    assert status == 0
    assert "called from" in out


@pytest.mark.parametrize("writer", ["compare", "diagnose"])
def test_a_result_file_tells_its_diagnosis_again(run: Run, pair: tuple[Path, Path], writer: str) -> None:
    path = pair[0].parent / "result.h5"
    run(writer, *pair, "--no-cache", "-o", path)
    made = run("diagnose", *pair, "--no-cache")
    told = run("diagnose", path)
    assert told[:2] == made[:2]
    assert run("diagnose", "-tp", path, "--json")[1] == run("diagnose", *pair, "--no-cache", "--json")[1]


def test_only_the_cells_that_are_asked_for_are_told(run: Run, tmp_path: Path) -> None:
    for step, factor in ((0, 1.0), (1, 1.5)):
        for name, first in (("target", factor), ("golden", 1.0)):
            write_dump(tmp_path / name / f"step{step}" / "rank0", calls(first), tensors=True)
    path = tmp_path / "result.h5"
    run("compare", tmp_path / "target", tmp_path / "golden", "--no-cache", "-o", path)
    assert run("diagnose", path, "--step", "0")[0] == 0
    assert run("diagnose", path, "--step", "1")[0] == 1
    status, _, err = run("diagnose", path, "--step", "7")
    assert status == 2
    assert "step1/rank0" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--profile", "910B"), "--profile"),
        (("--reference", "somewhere"), "--reference"),
        (("-o", "other.h5"), "--output"),
        (("golden",), "has its golden in it already"),
    ],
)
def test_a_result_file_is_not_compared_anew(
    run: Run, pair: tuple[Path, Path], words: tuple[str, ...], said: str
) -> None:
    path = pair[0].parent / "result.h5"
    run("compare", *pair, "--no-cache", "-o", path)
    status, _, err = run("diagnose", path, *words)
    assert status == 2
    assert said in err
    assert not Path("other.h5").exists()


def test_nothing_compared_is_trouble_and_no_pass(run: Run, tmp_path: Path) -> None:
    for name in "tg":
        write_dump(tmp_path / name, calls(), statistics=False)
    status, out, _ = run("diagnose", tmp_path / "t", tmp_path / "g", "--no-cache")
    assert status == 2
    assert out.startswith("Nothing could be compared: neither side holds values")
    assert text("cli.diagnose.nothing") not in out
    assert out.count("Nothing could be compared") == 1


def test_rows_that_nobody_is_blamed_for_are_told_as_the_window_tells_them(run: Run, tmp_path: Path) -> None:
    values = [X, X * np.float32(1.5)]
    for name, value in zip("tg", values):
        write_dump(tmp_path / name, {"Torch.tanh.0.forward": call([], [value])})
    status, out, _ = run("diagnose", tmp_path / "t", tmp_path / "g", "--no-cache")
    assert status == 1
    assert text("cli.diagnose.unknown_origin", count=1) in out.splitlines()
    assert text("cli.diagnose.unknown_origin", count=2) == text(
        "gui.diagnosis.unknown_origin", count=2, rows="2"
    )
