"""``ulpscope curves`` as a script or a person uses it."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump, write_losses
from builders.logged_runs import another_device, falling_loss
from builders.monitors import Row, write_v1
from builders.training_logs import write_megatron, write_table

from core.curves.dump_loss import loss_of_dump
from core.progress import run_to_end

Run = Callable[..., tuple[int, str, str]]

GOLDEN = falling_loss(400)
TARGET = another_device(GOLDEN)


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return write_megatron(tmp_path / "gpu.log", GOLDEN)


def test_json_holds_what_scripts_rely_on(run: Run, tmp_path: Path, golden: Path) -> None:
    bad = TARGET.copy()
    bad[199] += 6
    status, out, err = run("curves", write_megatron(tmp_path / "npu.log", bad), golden, "--json")
    assert (status, err) == (1, "")
    said = json.loads(out)
    assert {name: said[name] for name in ("verdict", "steps", "first_bad_step")} == {
        "verdict": "fail", "steps": 400, "first_bad_step": 200
    }  # fmt: skip
    first = said["findings"][0]
    assert (first["name"], first["step"], first["weight"]) == ("spike", 200, "fault")
    assert "spike of loss at step 200" in first["sentence"]
    assert said["dump_next"] == [
        {"step": 199, "dump_step": 198, "directions": ["backward"]},
        {"step": 200, "dump_step": 199, "directions": ["forward"]},
    ]
    assert said["series"]["loss"]["phases"]["first"]["judgement"] == "pass"


def test_curves_that_agree(run: Run, tmp_path: Path, golden: Path) -> None:
    target = write_megatron(tmp_path / "npu.log", TARGET, restart=50)
    status, out, _ = run("curves", target, golden)
    assert status == 0
    assert out.startswith("passed: The curves of loss agree")
    assert "resumed 1 time (at step 151); 50 steps appear twice" in out


def test_an_offset_by_one_passes_and_is_told(run: Run, tmp_path: Path, golden: Path) -> None:
    target = write_megatron(tmp_path / "npu.log", TARGET, 0)
    status, out, _ = run("curves", target, golden, "--json")
    said = json.loads(out)
    assert (status, said["verdict"], said["alignment"]["shift"]) == (0, "pass", 1)
    assert any(found["name"] == "offset" for found in said["findings"])
    assert run("curves", target, golden, "--shift", "0")[0] == 1


def test_different_forms_of_log_are_compared(run: Run, tmp_path: Path, golden: Path) -> None:
    lines = [
        f"{{'loss': {loss:.4f}, 'learning_rate': 0.0001, 'epoch': {n / 40:.2f}}}"
        for n, loss in enumerate(TARGET)
    ]
    printed = tmp_path / "hf.log"
    printed.write_text("\n".join(lines))
    table = write_table(tmp_path / "loss.csv", step=np.arange(1, 401), loss=TARGET)
    for target in (printed, table):
        status, out, _ = run("curves", target, golden, "--json")
        assert (status, json.loads(out)["steps"]) == (0, 400), out


def test_lines_that_could_not_be_read_are_shown(run: Run, tmp_path: Path, golden: Path) -> None:
    target = write_megatron(tmp_path / "npu.log", TARGET)
    lines = target.read_text().splitlines()
    lines[9] = lines[9][:60]
    target.write_text("\n".join(lines))
    status, out, err = run("curves", target, golden)
    assert status == 0
    assert "1 line of the target's log could not be read (line 10)" in out
    assert "line 10 could not be read" in err


def test_outputs(run: Run, tmp_path: Path, golden: Path) -> None:
    target = write_megatron(tmp_path / "npu.log", TARGET)
    for name in ("out.csv", "out.json"):
        assert run("curves", target, golden, "-o", tmp_path / name)[0] == 0
    rows = list(csv.reader((tmp_path / "out.csv").read_text("utf-8-sig").splitlines()))
    assert rows[0] == [
        "Series",
        "Step",
        "Target",
        "Golden",
        "Target − golden",
        "(Target − golden) / abs(golden)",
    ]
    losses = [row for row in rows if row[0] == "loss"]
    assert len(losses) == 400
    assert float(losses[0][2]) == pytest.approx(TARGET[0], rel=1e-6)
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "pass"
    assert run("curves", target, golden, "-o", tmp_path / "out.txt")[0] == 2


def test_repeated_runs_of_the_golden_make_a_band(run: Run, tmp_path: Path) -> None:
    logs = [write_megatron(tmp_path / f"{n}.log", another_device(GOLDEN, n, 0.02)) for n in range(4)]
    assert run("curves", *logs[:2])[0] == 1
    status, out, _ = run("curves", *logs[:2], "--golden-repeat", *logs[2:], "--json")
    said = json.loads(out)
    assert (status, said["series"]["loss"]["noise_band_runs"]) == (0, 3)


def test_limits_and_patterns_of_ones_own(run: Run, tmp_path: Path, golden: Path) -> None:
    strict = tmp_path / "strict.toml"
    strict.write_text("[curves]\nlimit = 1e-6\n")
    target = tmp_path / "odd.log"
    target.write_text("\n".join(f"<{n}> verlust {loss:.6f}" for n, loss in enumerate(TARGET, 1)))
    pattern = r"<(?P<step>\d+)> verlust (?P<loss>\S+)"
    assert run("curves", target, golden, "--pattern", r"(?P<loss>verlust .*)\n")[0] == 2
    plain = write_megatron(tmp_path / "npu.log", TARGET)
    assert run("curves", plain, golden, "--limits", strict)[0] == 1
    assert run("curves", target, target, "--pattern", pattern)[0] == 0


def test_the_table_of_limits_is_printed_and_can_be_used(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("thresholds", "--table", "curves")
    assert status == 0
    assert "limit = 0.01" in out
    own = tmp_path / "own.toml"
    own.write_text(out)
    assert (
        run("thresholds", own, "--table", "curves", "--json")[1]
        == run("thresholds", "--table", "curves", "--json")[1]
    )


def test_a_dump_shows_the_loss_of_its_loss_operator(run: Run, tmp_path: Path) -> None:
    target = write_losses(tmp_path / "npu", [4.0, 3.9, 3.5])
    golden = write_losses(tmp_path / "gpu", [4.0, 3.9, 3.0])
    status, out, err = run("curves", target, golden, "--json")
    assert err == ""
    said = json.loads(out)
    assert (status, said["steps"], said["first_bad_step"]) == (1, 3, 2)
    run_of_target = run_to_end(loss_of_dump(str(target)))
    assert run_of_target.curves["loss"].values.tolist() == pytest.approx([4.0, 3.9, 3.5])
    assert run_of_target.source.parameters["operator"] == "Functional.cross_entropy.0.forward"


def test_a_dump_without_a_loss_says_so(run: Run, tmp_path: Path, golden: Path) -> None:
    dump = write_dump(tmp_path / "dump", {"Functional.linear.0.forward": call([GOLDEN[:4]], [GOLDEN[:4]])})
    status, out, err = run("curves", dump, golden)
    assert (status, out) == (2, "")
    assert "no scalar output" in err


def monitored(folder: Path, factor: float) -> Path:
    """Write what a monitor sees of three layers; from step 2 on the second is off by *factor*."""
    rows = []
    for step, layer in product(range(4), range(3)):
        norm = (layer + 1) * (factor if layer == 1 and step > 1 else 1.0)
        rows.append(Row("grad_reduced", f"layers.{layer}.weight", step, {"norm": norm}))
    return write_v1(folder, rows)


def test_monitors_are_compared_layer_by_layer(run: Run, tmp_path: Path, golden: Path) -> None:
    same, off = monitored(tmp_path / "gpu", 1.0), monitored(tmp_path / "npu", 1.5)
    assert run("curves", same, same)[0] == 0
    status, out, _ = run("curves", off, same, "--json")
    said = json.loads(out)
    assert (status, said["verdict"], said["first_bad_step"]) == (1, "fail", 2)
    assert said["first_bad"]["layer"] == "layers.1.weight"
    assert run("curves", off, same, "-o", tmp_path / "layers.csv")[0] == 1
    assert (tmp_path / "layers.csv").is_file()
    assert "layers.1.weight" in run("curves", off, same)[1]
    for words in ((off, golden), (off, same, "--axis", "count")):
        status, out, err = run("curves", *words)
        assert (status, out) == (2, "")
        assert "npu" in err


def test_info_says_what_a_log_or_a_monitor_holds(run: Run, tmp_path: Path, golden: Path) -> None:
    said = json.loads(run("info", golden, "--json")[1])
    assert (said["format"], said["records"], said["first_step"], said["last_step"]) == ("log", 400, 1, 400)
    assert {"loss", "grad_norm", "learning_rate"} <= set(said["series"])
    assert "loss" in run("info", golden)[1]
    said = json.loads(run("info", monitored(tmp_path / "gpu", 1.0), "--json")[1])
    assert (said["format"], said["layers"], said["steps"]) == ("monitor", 3, [0, 1, 2, 3])


def test_what_cannot_be_done_is_said_and_nothing_hangs(run: Run, tmp_path: Path, golden: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    status, _, err = run("curves", pipe, golden)
    assert (status, "neither a file nor a folder" in err) == (2, True)
    for output in (tmp_path, tmp_path / "answer", "."):
        assert run("curves", golden, golden, "-o", output)[0] == 2
    status, _, err = run("curves", golden, golden, "--metric", "nosuch")
    assert (status, "loss" in err) == (2, True)
    status, _, err = run("curves", golden, golden, "--axis", "tokens")
    assert (status, "tokens" in err) == (2, True)


def test_a_pattern_that_takes_for_ever_is_stopped(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.cli.curves._PATIENCE", 1)
    log = tmp_path / "evil.log"
    log.write_text("a" * 40 + "!\n")
    status, _, err = run("curves", log, log, "--pattern", r"(?P<loss>(a+)+)(?P<step>(a|aa)+)$")
    assert (status, "in 1 seconds" in err) == (2, True)


def test_a_pattern_is_for_the_log_that_needs_it(run: Run, tmp_path: Path, golden: Path) -> None:
    target = tmp_path / "odd.log"
    target.write_text("\n".join(f"<{n}> verlust {loss:.6f}" for n, loss in enumerate(TARGET, 1)))
    pattern = r"<(?P<step>\d+)> verlust (?P<loss>\S+)"
    assert run("curves", target, golden, "--pattern", pattern)[0] == 0


@pytest.mark.parametrize("content", [b"", b"nothing of a training\n", b"\0" * 3000])
def test_what_is_no_log_is_refused_by_name(run: Run, tmp_path: Path, golden: Path, content: bytes) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(content)
    status, out, err = run("curves", other, golden)
    assert (status, out) == (2, "")
    assert "other.bin" in err
    assert run("curves", tmp_path / "absent", golden)[0] == 2


def test_a_link_to_itself_stands_in_nobodys_way(run: Run, tmp_path: Path, golden: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert run("curves", golden, golden)[0] == 0
    for command in (("curves", tmp_path / "other.json", golden), ("info", tmp_path / "other.json")):
        status, _, err = run(*command)
        assert status == 2
        assert "loop" not in err
    monitor = monitored(tmp_path / "gpu", 1.0)
    (monitor / "loop").symlink_to(monitor / "loop")
    assert run("curves", monitor, monitor)[0] == 0
