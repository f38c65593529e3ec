"""``ulpscope overflow`` as a script or a person uses it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.builders.dumps import call, write_dump

Run = Callable[..., tuple[int, str, str]]

GOOD = np.arange(12, dtype=np.float16).reshape(3, 4) + 1
BAD = np.where(GOOD > 6, np.float16(np.nan), GOOD)


def write_birth(folder: Path, name: str = "Torch.exp.0.forward") -> Path:
    return write_dump(folder, {name: call([GOOD], [BAD]), "Torch.neg.0.forward": call([BAD], [BAD])})


def test_json_holds_what_scripts_rely_on(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps / "four_ranks" / "overflow", "--json")
    assert status == 1
    said = json.loads(out)
    first = said["origins"][0]
    assert {name: first[name] for name in ("operator", "slot", "step", "rank", "kind")} == {
        "operator": "Torch.matmul.0.forward",
        "slot": "output.0",
        "step": 0,
        "rank": 2,
        "kind": "output",
    }
    assert first["level"] == "critical"
    assert first["values"] == ["+inf", "-inf"]
    assert said["spread"][0]["origin"] == 0
    assert [cell["births"] for cell in said["matrix"]] == [0, 0, 1, 0]
    assert said["matrix"][2]["first"] == "Torch.matmul.0.forward"


def test_a_clean_run_gives_status_0_and_says_what_was_looked_at(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps / "four_ranks" / "golden")
    assert status == 0
    assert "52 calls" in out
    assert "NaN or Inf that is meant: 4 calls" in out


def test_a_dump_that_tells_nothing_is_trouble(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps / "xor_L1" / "golden")
    assert status == 2
    assert out.startswith("Nothing can be said")


def test_the_terminal_shows_sentence_place_stack_and_way(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps / "four_ranks" / "overflow", dumps / "four_ranks" / "golden")
    assert status == 1
    lines = out.splitlines()
    assert lines[0].startswith("Torch.matmul.0.forward makes +Inf, −Inf")
    assert "  step0/rank2, critical in the words of the official analyser" in lines
    assert any("/workspace/train/train.py" in line for line in lines)
    assert "  The golden is finite there." in lines
    assert any(line.startswith("  step0/rank2 (born): Torch.matmul.0.forward → ") for line in lines)


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_births_are_written_to_a_file(run: Run, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"births{suffix}"
    status, _, _ = run("overflow", write_birth(tmp_path / "run"), "-o", output)
    assert status == 1
    if suffix == ".json":
        assert json.loads(output.read_text())["origins"][0]["operator"] == "Torch.exp.0.forward"
        return
    rows = list(csv.DictReader(output.read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["operator"], row["values"], row["level"]) for row in rows] == [
        ("Torch.exp.0.forward", "nan", "critical")
    ]


def test_names_that_a_spreadsheet_would_run_are_harmless(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "births.csv"
    run("overflow", write_birth(tmp_path / "run", "=cmd.exp.0.forward"), "-o", output)
    assert "'=cmd.exp.0.forward" in output.read_text(encoding="utf-8-sig")


def test_first_limits_the_births_and_their_spread(run: Run, tmp_path: Path) -> None:
    for rank in range(3):
        write_birth(tmp_path / "run" / "step0" / f"rank{rank}")
    _, out, _ = run("overflow", tmp_path / "run", "--json", "--first", 2)
    said = json.loads(out)
    assert len(said["origins"]) == 2
    assert {spread["origin"] for spread in said["spread"]} == {0, 1}
    _, out, _ = run("overflow", tmp_path / "run", "--first", 1)
    assert "… and 2 more" in out


@pytest.mark.parametrize("words", [["--first", "-1"], ["--first", "many"]])
def test_an_impossible_number_of_births_is_refused(
    run: Run, dumps: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("overflow", dumps / "four_ranks" / "overflow", *words)
    assert ended.value.code == 2
    assert "--first" in capsys.readouterr().err


def test_the_official_answer_is_input(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps.parent / "anomaly_analyze.json")
    assert status == 1
    assert "The official analyser names Tensor.masked_fill.0.forward." in out


def test_a_cut_official_answer_is_refused(run: Run, dumps: Path, tmp_path: Path) -> None:
    cut = tmp_path / "anomaly_analyze_1.json"
    cut.write_bytes((dumps.parent / "anomaly_analyze.json").read_bytes()[:1500])
    status, _, error = run("overflow", cut)
    assert status == 2
    assert str(cut) in error


def test_a_packed_run_and_a_result_are_input(run: Run, dumps: Path, tmp_path: Path) -> None:
    packed, result = tmp_path / "run.h5", tmp_path / "pair.h5"
    run("pack", dumps / "four_ranks_tensor" / "overflow", "-o", packed)
    pair = dumps / "four_ranks" / "overflow", dumps / "four_ranks" / "golden"
    run("diagnose", *pair, "-o", result)
    for path in (packed, result):
        status, out, _ = run("overflow", path, "--json")
        assert status == 1
        assert [item["operator"] for item in json.loads(out)["origins"]] == ["Torch.matmul.0.forward"]


def test_a_result_may_not_have_a_golden_beside_it(run: Run, dumps: Path, tmp_path: Path) -> None:
    result = tmp_path / "pair.h5"
    run("compare", dumps / "four_ranks" / "golden", dumps / "four_ranks" / "golden", "-o", result)
    status, _, error = run("overflow", result, dumps / "four_ranks" / "golden")
    assert status == 2
    assert str(result) in error


def test_the_answer_speaks_chinese(run: Run, dumps: Path) -> None:
    _, out, _ = run("overflow", dumps / "four_ranks" / "overflow", "--language", "zh_CN")
    assert out.startswith("Torch.matmul.0.forward 产生 +Inf, −Inf")


def test_a_log_that_cannot_be_read_costs_its_own_judgement(run: Run, dumps: Path, tmp_path: Path) -> None:
    missing = tmp_path / "train.log"
    status, out, error = run("overflow", dumps / "four_ranks" / "overflow", "--log", missing)
    assert status == 1
    assert out.startswith("Torch.matmul.0.forward")
    assert str(missing) in error


def test_a_log_is_not_written_over(run: Run, dumps: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text('{"loss": 1.0, "step": 1}\n')
    status, _, error = run("overflow", dumps / "four_ranks" / "golden", "--log", log, "-o", log)
    assert status == 2
    assert str(log) in error
    assert log.read_text() == '{"loss": 1.0, "step": 1}\n'


def test_a_script_learns_why_nothing_can_be_said(run: Run, dumps: Path) -> None:
    status, out, _ = run("overflow", dumps / "structure_mix" / "golden", "--json")
    assert status == 2
    assert json.loads(out)["remarks"]
