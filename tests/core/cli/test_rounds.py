"""``ulpscope rounds``: the sentence, JSON and exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.cli.main import main
from core.compare.one_golden import is_one_place
from core.store.moved import Moved


@pytest.fixture
def folders(demo_pair: tuple[Path, Path]) -> tuple[str, str]:
    """Return target and golden of the demo pair."""
    return str(demo_pair[0]), str(demo_pair[1])


def test_a_fix_from_targets(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    target, golden = folders
    assert main(["rounds", target, golden, golden]) == 0
    said = capsys.readouterr().out
    assert said.split("\n")[0].endswith("0 better, 0 unchanged, 0 worse, 0 new.")
    assert not said.startswith("0 fixed")
    assert "No longer introduces an error: `Functional.gelu.1.forward`" in said
    assert "fixed" in said.split("\n\n")[1]


def test_results_the_other_way_round(
    folders: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, golden = folders
    bad, good = str(tmp_path / "bad.h5"), str(tmp_path / "good.h5")
    assert main(["compare", target, golden, "-o", bad, "--quiet"]) == 1
    assert main(["compare", golden, golden, "-o", good, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["rounds", good, bad, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["counts"]["new"] > 0
    assert said["counts"]["fixed"] == said["counts"]["better"] == 0
    assert said["sentence"].startswith("0 fixed")
    assert {one["operator"] for one in said["origins"]["new"]} == {"Functional.gelu.1.forward"}
    assert said["origins"]["gone"] == []
    counts = dict.fromkeys(said["counts"], 0)
    for row in said["rows"]:
        counts[row["status"]] += 1
    assert counts == said["counts"]
    (gelu,) = [
        row for row in said["rows"] if row["operator"] == "Functional.gelu.1.forward" and row["step"] == 0
    ]
    assert gelu["status"] == "new"
    assert gelu["before"]["error_over_allowed"] == 0.0
    assert gelu["after"]["origin"] == "introduced"
    assert gelu["after"]["error_over_allowed"] > 1


def test_quiet_and_one_step(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    target, golden = folders
    assert main(["rounds", target, target, golden, "--step", "0", "--quiet"]) == 1
    lines = capsys.readouterr().out.strip().split("\n")
    assert lines[0].startswith("0 fixed, 0 better,")
    assert len(lines) <= 2


def test_trouble(tmp_path: Path, folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rounds", str(tmp_path / "no.h5"), str(tmp_path / "nor.h5")]) == 2
    assert main(["rounds", str(tmp_path / "no"), folders[0], folders[1]]) == 2
    assert "ulpscope:" in capsys.readouterr().err


def test_what_is_not_listed_is_counted(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    target, golden = folders
    assert main(["rounds", target, golden, golden]) == 0
    said = capsys.readouterr().out
    fixed = int(said.split(" ", 1)[0])
    listed = sum(line.startswith("fixed") for line in said.splitlines())
    assert listed == 10 < fixed
    assert f"and {fixed - listed} more: fixed" in said
    assert main(["rounds", golden, golden, golden]) == 0
    assert "more:" not in capsys.readouterr().out


def test_a_golden_that_was_copied_elsewhere_is_the_same_golden(
    folders: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, golden = folders
    shutil.copytree(golden, tmp_path / "moved")
    results = []
    for place in (golden, str(tmp_path / "moved"), target):
        results.append(str(tmp_path / f"{len(results)}.h5"))
        main(["compare", target, place, "-o", results[-1], "--quiet"])
    capsys.readouterr()
    main(["rounds", results[0], results[1], "--json"])
    assert json.loads(capsys.readouterr().out)["problems"] == []
    main(["rounds", results[0], results[2], "--json"])
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert "different goldens" in problem


def test_a_golden_that_was_located_is_the_same_golden(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    moved = [Moved("/gone/golden", str(there), True)]
    assert is_one_place("/gone/golden", str(there), moved)
    assert not is_one_place("/gone/golden", str(there), [])
    link = tmp_path / "link"
    link.symlink_to(there)
    assert is_one_place(str(link), str(there), [])
