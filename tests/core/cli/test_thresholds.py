"""``ulpscope thresholds``: the table as text that can be changed and used."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from core.cli.main import main
from core.metrics.noise import load_noise, shipped_noise


def test_the_table_is_printed_with_its_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["thresholds"]) == 0
    said = capsys.readouterr().out
    assert tomllib.loads(said) == shipped_noise().as_mapping()
    assert "Higham" in said


def test_a_written_table_is_the_same_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "噪声 noise.toml"
    assert main(["thresholds", "-o", str(place)]) == 0
    assert str(place) in capsys.readouterr().out
    assert load_noise(place) == shipped_noise()


def test_a_file_of_ones_own_is_completed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[float16]\nmean_factor = 3.0\n")
    assert main(["thresholds", str(own), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    wanted = shipped_noise().as_mapping()
    wanted["float16"]["mean_factor"] = 3.0
    assert said == wanted


@pytest.mark.parametrize(
    "words", [["own.toml"], ["-o", "x.csv"], ["-o", ""], ["-o", "no/such/folder/x.toml"]]
)
def test_what_cannot_be_read_or_written_is_said(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["thresholds", *words]) == 2
    assert capsys.readouterr().err.startswith("ulpscope: ")
    assert list(tmp_path.iterdir()) == []


def test_a_file_does_not_overwrite_itself(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[float16]\nmean_factor = 3.0\n")
    assert main(["thresholds", str(own), "-o", str(own)]) == 2
    assert own.read_text() == "[float16]\nmean_factor = 3.0\n"
