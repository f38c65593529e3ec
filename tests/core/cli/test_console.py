"""What dumps say must not steer the terminal; what ``info`` says of a result."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.cli.console import escaped, table
from core.progress import run_to_end
from core.report.csv_report import write_csv
from core.store.results import load_cells
from tests.builders.dumps import call, write_dump

X = np.arange(12, dtype=np.float32).reshape(3, 4) + 1
EVIL = "Torch.\x1b[31mred\x07\u202egnp\u2066\x9b2J\x00.0.forward"
STACK = ["File /a\x1b]0;t\x07.py, line 3, in f, \n g()"]
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for side, factor in (("t", 1.5), ("g", 1.0)):
        calls = {EVIL: call([X, "\x1b[2J"], [X * np.float32(factor)]), "Torch.last.0.forward": call([X], [X])}
        if side == "g":
            calls["Torch.only.0.forward"] = call([X], [X])
        write_dump(tmp_path / side, calls, stacks={EVIL: STACK})
    return tmp_path / "t", tmp_path / "g"


def test_escapes() -> None:
    assert escaped("a\x1b\x9b\u202e\u2069\n\ud800é中") == "a\\x1b\\x9b\\u202e\\u2069\\n\\ud800é中"
    assert escaped("a\x1b\nb", lines=True) == "a\\x1b\nb"
    assert table([("a\nb", "中"), ("x", "y")]) == "a\\nb  中\nx     y"


@pytest.mark.parametrize(
    "words", [("compare", "t", "g"), ("diagnose", "t", "g"), ("info", "t", "--operator", "*")]
)
def test_no_command_prints_controls(run: Run, pair: tuple[Path, Path], words: tuple[str, ...]) -> None:
    sides = dict(zip("tg", pair))
    _, out, err = run(*(sides.get(word, word) for word in words))
    assert "\\x1b[31mred\\x07\\u202egnp\\u2066\\x9b2J\\x00" in out
    assert not UNSAFE.search(out + err)


def test_nul_in_a_csv_cell_is_an_escape(run: Run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    run("compare", *pair, "-o", tmp_path / "r.h5")
    run_to_end(write_csv(tmp_path / "r.csv", load_cells(tmp_path / "r.h5")))
    raw = (tmp_path / "r.csv").read_bytes()
    assert b"\0" not in raw
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as stream:
        names = [row[0] for row in csv.reader(stream)]
    assert any(name.startswith(EVIL.replace("\0", "\\x00")) for name in names)


def test_info_of_a_result_says_framework_and_evidence(
    run: Run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    run("compare", *pair, "-o", tmp_path / "r.h5")
    facts = json.loads(run("info", tmp_path / "r.h5", "--json")[1])
    assert (facts["framework"], facts["evidence"]) == ("pytorch", "statistics")
    changed = (pair[0] / "dump.json").read_text().replace('"pytorch"', '"mindspore"')
    (pair[0] / "dump.json").write_text(changed)
    run("compare", *pair, "-o", tmp_path / "r2.h5", "--no-cache")
    assert json.loads(run("info", tmp_path / "r2.h5", "--json")[1])["framework"] == "mindspore, pytorch"
    assert "mindspore, pytorch" in run("info", tmp_path / "r2.h5")[1]


def test_info_of_a_result_shows_an_operator_of_both_sides(
    run: Run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    run("compare", *pair, "-o", tmp_path / "r.h5")
    status, out, _ = run("info", tmp_path / "r.h5", "--operator", "*red*", "--json")
    (found,) = json.loads(out)
    assert status == 0
    assert found["target"]["operator"] == found["golden"]["operator"] == EVIL
    outputs = [found[side]["slots"][2]["max"] for side in ("target", "golden")]
    assert outputs == [18.0, 12.0]
    assert found["target"]["stack"][0]["line"] == 3
    _, out, _ = run("info", tmp_path / "r.h5", "--operator", "*red*")
    assert out.count("\\x1b[31mred") == 2
    assert not UNSAFE.search(out)
    (alone,) = json.loads(run("info", tmp_path / "r.h5", "--operator", "Torch.only.0.forward", "--json")[1])
    assert alone["target"] is None
    assert alone["golden"]["operator"] == "Torch.only.0.forward"
    status, _, err = run("info", tmp_path / "r.h5", "--operator", "nothing*")
    assert status == 2
    assert "nothing*" in err
