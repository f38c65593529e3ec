"""``ulpscope emulate`` and ``--profile``: what they print, write and return."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from builders.dumps import write_dump
from builders.emulated_chip import Ascend910A, Processor, network_calls, write_network

from core.cli.main import main
from core.messages import set_language
from core.report.emulation_report import COLUMNS
from core.store.emulations import add_emulation, load_emulation


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    target = write_network(tmp_path / "target", Ascend910A())
    return str(target), str(write_network(tmp_path / "golden", Processor()))


def emulate(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["emulate", *words, "--no-cache"])
    said = capsys.readouterr()
    return status, said.out, said.err


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status, said, _ = emulate(capsys, *words, "--json")
    return status, json.loads(said)


def test_a_pair_that_the_chip_explains(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    status, said, _ = emulate(capsys, *pair, "--profile", "910A")
    assert status == 0
    assert said.startswith("All 10 replayed calls are what Ascend 910A arithmetic gives")
    assert "It is not bit-exact with any NPU" in said
    assert "output of the matrix unit: overflow: Torch.matmul.2.forward" in said


def test_a_pair_that_it_does_not(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    status, found = as_json(capsys, *pair, "--profile", "A2")
    assert status == 1
    outside = [row for row in found["rows"] if row["verdict"] == "outside"]
    assert found["counts"] == {
        "inside_envelope": found["counts"]["inside_envelope"],
        "inside_bound": found["counts"]["inside_bound"],
        "outside": len(outside),
        "not_replayed": 0,
    }
    assert sum(found["counts"].values()) == len(found["rows"]) == 10
    first = outside[0]
    assert (first["operator"], first["golden_operator"]) == ("Functional.linear.0.forward",) * 2
    assert first["golden"] == "right"
    assert "does not give output.0 from its inputs" in first["sentence"]
    (slot,) = first["slots"]
    assert slot["elements"] == slot["inside"] + slot["bound"] + slot["outside"]
    assert set(slot["target"]) == {"reference", "profile", "control", "golden"}
    assert set(slot["golden"]) == {"reference", "control"}
    assert slot["target"]["reference"]["relative_l2"] > 1e-5 > slot["golden"]["reference"]["relative_l2"]
    assert {item["basis"] for item in found["profile"]["parameters"]} == {"documented", "inferred", "assumed"}
    assert found["not_replayed"] == {}


def test_options_change_the_profile(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "--overflow-mode",
        "saturate",
        "--float32-product",
        "float16",
        "--float32-convolution",
        "float16",
    )
    status, found = as_json(capsys, *pair, "--profile", "910B", *words)
    assert (status, found["counts"]["outside"]) == (0, 0)
    given = {item["name"] for item in found["profile"]["parameters"] if item["basis"] == "given"}
    assert given == {"overflow", "float32_product", "float32_convolution"}


def test_what_was_not_replayed_is_counted_by_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = network_calls(Processor())
    folder = tmp_path / "run" / "step0" / "rank0"
    write_dump(
        folder,
        {"Torch.rand.0.forward": {"output": [calls["Torch.add.0.forward"]["output"][0]]}, **calls},
        tensors=True,
    )
    (folder / "dump_tensor_data" / "Functional.gelu.0.forward.input.0.npy").unlink()
    status, found = as_json(capsys, str(tmp_path / "run"), "--profile", "910B")
    assert found["not_replayed"] == {"random": 1, "missing_tensor": 1}
    assert status == 1
    _, said, _ = emulate(capsys, str(tmp_path / "run"), "--profile", "910B")
    assert "random 1, a tensor is missing 1" in said


def test_statistics_alone_are_trouble(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_dump(tmp_path / "bare" / "step0" / "rank0", network_calls(Processor()))
    status, said, _ = emulate(capsys, str(tmp_path / "bare"), "--profile", "910B")
    assert status == 2
    assert "the dump holds no tensors" in said


def test_only_some_operators_and_the_closest_setting(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--operator", "Torch.matmul.*.forward", "--thorough")
    _, found = as_json(capsys, pair[0], "--profile", "910A", *words)
    assert [row["operator"] for row in found["rows"]] == [f"Torch.matmul.{n}.forward" for n in range(3)]
    assert all(slot["closest_equal"] == 1.0 for row in found["rows"] for slot in row["slots"])
    status, _, said = emulate(capsys, pair[0], "--profile", "910A", "--operator", "Nothing*")
    assert status == 2
    assert "Nothing*" in said


@pytest.mark.parametrize("variant", ["code", "document"])
def test_the_official_standards_beside(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    _, found = as_json(capsys, *pair, "--profile", "910B", "--standard", variant)
    said = {row["operator"]: row["slots"][0]["standard"] for row in found["rows"]}
    assert {item["variant"] for item in said.values()} == {variant}
    assert said["Torch.matmul.0.forward"]["standard"] == "ulp"
    assert said["Torch.matmul.0.forward"]["released_standard"] == "benchmark"
    assert said["Functional.conv2d.0.forward"]["standard"] == "thousandth"
    _, text, _ = emulate(capsys, *pair, "--profile", "910B", "--standard", variant)
    assert f"numbers of its {variant}" in text


def test_reports(pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, whole = tmp_path / "out.csv", tmp_path / "out.json"
    emulate(capsys, *pair, "--profile", "910B", "-o", str(table))
    with table.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 11  # one call has two outputs
    emulate(capsys, *pair, "--profile", "910B", "-o", str(whole))
    assert [row["operator"] for row in json.loads(whole.read_text())["rows"]] == list(
        dict.fromkeys(row["operator"] for row in rows)
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--profile is needed"),
        (("--profile", "911"), "no chip profile '911'"),
        (("--profile", "950", "--overflow-mode", "saturate"), "does not have the overflow mode saturate"),
        (("--profile", "Ascend910B"), "may mean two chips"),
        (("--profile", "910B", "-o", "out.xlsx"), ".csv"),
    ],
)
def test_wrong_words(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    status, _, found = emulate(capsys, pair[0], *words)
    assert status == 2
    assert said in found


def test_the_profile_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    status, said, _ = emulate(capsys, "--profile", "910A", "--show-profile")
    assert status == 0
    assert "Guard bits of the adder: exact  [assumed: published for no Ascend chip]" in said
    set_language("zh_CN")
    _, said, _ = emulate(capsys, "--profile", "910A", "--show-profile")
    assert "[假设: " in said


def test_a_result_file_holds_it(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = tmp_path / "result.h5"
    assert main(["diagnose", *pair, "--profile", "910A", "-o", str(result), "--no-cache"]) == 1
    assert "hardware, not a bug" in capsys.readouterr().out
    kept = load_emulation(result)
    assert kept is not None
    assert (kept.profile, kept.counts["outside"]) == ("910A", 0)
    status, found = as_json(capsys, str(result), "--profile", "910B")
    assert (status, len(found["rows"])) == (1, 10)
    status, found = as_json(capsys, str(result))
    assert found["profile"]["name"] == "910A"
    assert len(found["rows"]) == len(kept.calls)
    add_emulation(result, kept)
    assert repr(load_emulation(result)) == repr(kept)  # which holds NaN
    assert main(["diagnose", *pair, "-o", str(tmp_path / "plain.h5"), "--no-cache", "--quiet"]) == 1
    assert load_emulation(tmp_path / "plain.h5") is None
    add_emulation(tmp_path / "plain.h5", kept)
    assert repr(load_emulation(tmp_path / "plain.h5")) == repr(kept)


def test_a_profile_needs_a_file_that_holds_what_it_says(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["compare", *pair, "--profile", "910A", "-o", str(tmp_path / "out.csv"), "--no-cache"]) == 2
    assert "-o FILE.h5" in capsys.readouterr().err


def test_a_golden_of_another_model_is_told(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    calls = {f"Module.other.{name}": body for name, body in list(network_calls(Processor()).items())[:1]}
    write_dump(tmp_path / "other" / "step0" / "rank0", calls, tensors=True)
    _, said, _ = emulate(capsys, pair[0], str(tmp_path / "other"), "--profile", "910A")
    assert "No call has a partner in the golden" in said


def test_results_that_lost_their_dumps(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = tmp_path / "result.h5"
    assert main(["compare", *pair, "-o", str(result), "--no-cache", "--quiet"]) == 1
    capsys.readouterr()
    for folder in pair:
        Path(folder).rename(f"{folder}.moved")
    status, said, _ = emulate(capsys, str(result), "--profile", "910A")
    assert status == 2
    assert "cannot be read" in said


def test_the_profile_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = as_json(capsys, "--profile", "A3", "--show-profile")
    assert (status, found["name"]) == (0, "910B")
