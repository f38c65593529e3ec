"""``ulpscope precheck`` as a script or a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli.precheck import given_from
from core.messages import set_language, text
from core.records.evidence import EvidenceKind, Given
from core.store.notes import DIRECTORY_VARIABLE

Run = Callable[..., tuple[int, str, str]]
SCRIPT = """export HCCL_DETERMINISTIC=true NCCL_DETERMINISTIC=1 CUBLAS_WORKSPACE_CONFIG=:4096:8
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 16 --num-attention-heads 2 \\
    --lr {lr} --micro-batch-size 2 --global-batch-size 16 --seq-length 12 --seed 1234 --bf16 \\
    --hidden-dropout 0 --attention-dropout 0 --deterministic-mode --no-shuffle
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep everything in the test's own folder, which is the one that commands run in."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    yield
    set_language("en")


@pytest.fixture
def scripts(tmp_path: Path) -> tuple[str, str]:
    """Return two launch scripts that differ in the learning rate."""
    (tmp_path / "npu.sh").write_text(SCRIPT.format(lr="2.0e-3"))
    (tmp_path / "gpu.sh").write_text(SCRIPT.format(lr="0.001"))
    return "npu.sh", "gpu.sh"


@pytest.fixture
def alike(tmp_path: Path) -> tuple[str, str]:
    """Return two launch scripts that say the same."""
    for name in ("npu.sh", "gpu.sh"):
        (tmp_path / name).write_text(SCRIPT.format(lr="0.001"))
    return "npu.sh", "gpu.sh"


def examined(run: Run, target: Any, golden: Any, *options: Any) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit status, and the rows by their ids."""
    status, out, _ = run("precheck", "--target", target, "--golden", golden, "--json", *options)
    return status, {check["id"]: check for check in json.loads(out)["checks"]}


def test_the_likeliest_cause_comes_first(run: Run, scripts: tuple[str, str]) -> None:
    status, out, err = run("precheck", "--target", scripts[0], "--golden", scripts[1])
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert "NOT DONE" in lines[0]
    assert lines[1].startswith(f"Most likely cause: {text('precheck.check.hyper_parameters.learning_rate')}")
    assert "npu.sh:3" in out
    assert "gpu.sh:3" in out
    assert "0.002" in out
    assert "0.001" in out


def test_json_holds_what_scripts_rely_on(run: Run, scripts: tuple[str, str]) -> None:
    status, out, _ = run("precheck", "--target", scripts[0], "--golden", scripts[1], "--json")
    said = json.loads(out)
    assert status == 1
    results = [check["result"] for check in said["checks"]]
    assert said["counts"] == {name: results.count(name) for name in ("pass", "fail", "not_done")}
    (rate,) = (check for check in said["checks"] if check["id"] == "hyper_parameters.learning_rate")
    assert (rate["group"], rate["result"]) == ("hyper_parameters", "fail")
    (item,) = (item for item in rate["items"] if item["standing"] == "differs")
    assert (float(item["target"]), float(item["golden"])) == (0.002, 0.001)
    assert item["target_place"]["line"] == 3
    (evidence,) = said["target_evidence"]
    assert evidence["path"].endswith("npu.sh")
    assert "script" in evidence["kinds"]
    assert len(evidence["sha256"]) == 64


def test_a_run_beside_its_like_fails_nothing(run: Run, alike: tuple[str, str]) -> None:
    status, checks = examined(run, *alike)
    assert status == 0
    assert not [id for id, check in checks.items() if check["result"] == "fail"]
    assert checks["hyper_parameters.learning_rate"]["result"] == "pass"
    assert checks["versions.packages"]["result"] == "not_done"


def test_one_side_alone_passes_nothing(run: Run, scripts: tuple[str, str]) -> None:
    status, out, _ = run("precheck", "--target", scripts[0], "--json")
    assert status == 2
    assert json.loads(out)["counts"]["pass"] == 0
    for side, other in (("target", "golden"), ("golden", "target")):
        out = run("precheck", f"--{side}", scripts[0])[1]
        assert out.splitlines()[1] == text(f"precheck.{other}_lacks")
        assert "--all" not in out


def test_nothing_to_examine_is_trouble(run: Run) -> None:
    status, out, err = run("precheck")
    assert (status, out) == (2, "")
    assert "--target" in err
    assert run("precheck", "--target", "none.sh", "--golden", "neither.sh")[0] == 2


def test_a_broken_file_costs_itself(run: Run, scripts: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    status, out, err = run(
        "precheck", "--target", scripts[0], "broken.json", "gone.yaml", "--golden", scripts[1], "--json"
    )
    said = json.loads(out)
    assert (status, err) == (1, "")
    assert [
        check["result"] for check in said["checks"] if check["id"] == "hyper_parameters.learning_rate"
    ] == ["fail"]
    for name in ("broken.json", "gone.yaml"):
        assert any(name in sentence for sentence in said["problems"]), said["problems"]
    err = run("precheck", "--target", scripts[0], "gone.yaml", "--golden", scripts[1])[2]
    assert "gone.yaml" in err


def test_kinds_stand_before_paths(tmp_path: Path) -> None:
    assert given_from("repeat_log=a=b.log") == Given("a=b.log", EvidenceKind.REPEAT_LOG)
    assert given_from("lr=1/train.sh") == Given("lr=1/train.sh")
    (tmp_path / "log=x").write_text("")
    assert given_from("log=x") == Given("log=x")


# ---- tables


def test_entries_are_kept_signed_and_verified(run: Run, scripts: tuple[str, str], tmp_path: Path) -> None:
    sides = ("--target", scripts[0], "--golden", scripts[1])
    words = (
        "--table",
        "check.json",
        "--mark",
        "flow.launch=pass",
        "--remark",
        "same file",
        "--name",
        "Li Lei",
    )
    assert run("precheck", *sides, *words)[0] == 1
    assert run("precheck", "--verify", "check.json")[0] == 2  # nobody signed
    status, out, _ = run("precheck", "--table", "check.json", "--sign", "Han Meimei", "--json")
    said = json.loads(out)
    assert status == 1
    assert said["signature"]["name"] == "Han Meimei"
    (launch,) = (check for check in said["checks"] if check["id"] == "flow.launch")
    assert (launch["result"], launch["entry"]["remark"], launch["entry"]["name"]) == (
        "pass",
        "same file",
        "Li Lei",
    )
    status, out, _ = run("precheck", "--verify", "check.json")
    assert status == 0
    assert "Han Meimei" in out
    table = tmp_path / "check.json"
    table.write_text(table.read_text().replace('"0.002"', '"0.001"'))
    status, out, _ = run("precheck", "--verify", "check.json", "--json")
    assert (status, json.loads(out)["verification"]) == (1, "changed")


def test_another_answer_drops_the_signature(
    run: Run, scripts: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = ("--target", scripts[0], "--golden", scripts[1])
    run("precheck", *sides, "--table", "check.json", "--sign", "Han Meimei")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("precheck", "--table", "../check.json")[2] == ""
    monkeypatch.chdir(tmp_path)
    assert run("precheck", "--verify", "check.json")[0] == 0
    (tmp_path / scripts[0]).write_text(SCRIPT.format(lr="0.001"))
    status, _, err = run("precheck", "--table", "check.json")
    assert status == 0
    assert "Han Meimei" in err
    assert run("precheck", "--verify", "check.json")[0] == 2


def test_an_entry_can_be_taken_back(run: Run, alike: tuple[str, str]) -> None:
    sides = ("--target", alike[0], "--golden", alike[1])
    run("precheck", *sides, "--table", "check.json", "--mark", "flow.launch=fail", "--remark", "other image")
    status, out, _ = run("precheck", "--table", "check.json")
    assert status == 1
    assert "other image" in out
    assert run("precheck", "--table", "check.json", "--mark", "flow.launch=found")[0] == 0


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("flow.launch", "not_done"),
        ("flow.launch=good", "not_done"),
        ("flow.lunch=pass", "flow.launch"),
        ("flow.zzzzzzzzzzzz=pass", "flow.launch"),
        ("zzz=pass", "hyper_parameters.…"),
        ("", "hyper_parameters.…"),
    ],
)
def test_marks_that_say_nothing(run: Run, scripts: tuple[str, str], mark: str, told: str) -> None:
    status, _, err = run("precheck", "--target", scripts[0], "--golden", scripts[1], "--mark", mark)
    assert status == 2
    assert told in err  # what may have been meant
    assert err.count(", ") < 20


def test_a_kind_that_there_is_not(run: Run, scripts: tuple[str, str]) -> None:
    status, _, err = run("precheck", "--target", f"foo={scripts[0]}", "--golden", scripts[1])
    assert status == 2
    assert "“foo”" in err
    assert "repeat_log" in err
    assert given_from("foo=gone.sh") == Given("foo=gone.sh")


def test_what_a_pre_check_wrote_is_no_evidence(run: Run, scripts: tuple[str, str]) -> None:
    sides = ("--target", scripts[0], "--golden", scripts[1])
    run("precheck", *sides, "--table", "table.json", "-o", "report.json")
    for own in ("table.json", "report.json"):
        status, out, _ = run("precheck", "--target", own, "--golden", own, "--json")
        said = json.loads(out)
        assert status == 2
        assert said["counts"]["pass"] == said["counts"]["fail"] == 0
        assert own in said["problems"][0]
        assert "pre-check" in said["problems"][0]


def pass_rate(run: Run, sides: list[str]) -> None:
    run("precheck", *sides, "--table", "check.json", "--mark", "hyper_parameters.learning_rate=pass")


def test_an_entry_holds_only_for_the_runs_it_was_made_for(
    run: Run, scripts: tuple[str, str], tmp_path: Path
) -> None:
    for name, rate in (("c.sh", "0.005"), ("d.sh", "0.007"), ("pip.txt", "")):
        (tmp_path / name).write_text(SCRIPT.format(lr=rate) if rate else "torch==2.1.0\nnumpy==1.26.4\n")
    pair = ["--target", "pip.txt", scripts[0], "--golden", scripts[1]]
    pass_rate(run, pair)
    more = ["--target", "pip.txt", scripts[0], "--golden", scripts[1], "pip.txt"]
    for same in ([], pair, more):
        _, out, err = run("precheck", *same, "--table", "check.json", "--json")
        assert err == ""
        (rate,) = (
            check for check in json.loads(out)["checks"] if check["id"] == "hyper_parameters.learning_rate"
        )
        assert (rate["found"], rate["result"]) == ("fail", "pass")
    for others in (
        ["--target", "c.sh", "--golden", "d.sh"],
        ["--target", "pip.txt", "c.sh", "--golden", scripts[1]],
        ["--golden", "d.sh"],
    ):
        (tmp_path / "check.json").unlink()
        pass_rate(run, pair)
        _, out, err = run("precheck", *others, "--table", "check.json", "--json")
        (rate,) = (
            check for check in json.loads(out)["checks"] if check["id"] == "hyper_parameters.learning_rate"
        )
        assert rate["result"] == "fail"
        assert "1 entry" in err
        assert not json.loads((tmp_path / "check.json").read_text())["table"]["entries"]


def test_a_file_that_is_no_table(run: Run, scripts: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"lr": 1}')
    assert run("precheck", "--table", "other.json", "--target", scripts[0])[0] == 2
    assert (tmp_path / "other.json").read_text() == '{"lr": 1}'
    assert run("precheck", "--verify", "other.json")[0] == 2


# ---- reports


def test_reports_are_written(run: Run, scripts: tuple[str, str], tmp_path: Path) -> None:
    sides = ("--target", scripts[0], "--golden", scripts[1])
    for suffix in (".xlsx", ".html", ".md", ".json"):
        status, out, _ = run("precheck", *sides, "-o", f"report{suffix}", "--sign", "Han Meimei")
        assert status == 1
        assert f"report{suffix}" in out
        assert (tmp_path / f"report{suffix}").stat().st_size > 1000
    for output in ("npu.sh", "report.csv", "."):
        assert run("precheck", *sides, "-o", output)[0] == 2
    assert (tmp_path / "npu.sh").read_text() == SCRIPT.format(lr="2.0e-3")


def test_every_row_is_shown_on_request(run: Run, scripts: tuple[str, str]) -> None:
    sides = ("--target", scripts[0], "--golden", scripts[1])
    assert text("precheck.bring.versions.packages") not in run("precheck", *sides)[1]
    assert text("precheck.bring.versions.packages") in run("precheck", *sides, "--all")[1]


def test_chinese(run: Run, scripts: tuple[str, str]) -> None:
    out = run("precheck", "--language", "zh_CN", "--target", scripts[0], "--golden", scripts[1], "--all")[1]
    assert "不通过" in out.splitlines()[0]
    assert "未进行" in out.splitlines()[0]
    assert not [word for word in (" fail ", " pass ", "NOT DONE") if word in out]


def test_the_diagnosis_quotes_it_first(run: Run, scripts: tuple[str, str], dumps: Path) -> None:
    run("precheck", "--target", scripts[0], "--golden", scripts[1], "--table", "check.json")
    pair = sorted(path for path in dumps.iterdir() if path.is_dir())[:1] * 2
    _, out, _ = run("diagnose", *pair, "--precheck", "check.json", "--quiet")
    assert out.startswith("Before any operator: ")
    said = json.loads(run("diagnose", *pair, "--precheck", "check.json", "--json", "--quiet")[1])
    assert len(said["precheck"]) >= 1
    assert run("diagnose", *pair, "--precheck", "npu.sh")[0] == 2


def test_secrets_go_nowhere(run: Run, tmp_path: Path) -> None:
    secrets = (
        "hf_abcdefghijklmnopqrstuvwxyz0123456789",
        "0123456789abcdef0123456789abcdef01234567",
        "pass4word",
    )
    for side in ("npu", "gpu"):
        (tmp_path / side).mkdir()
        script = SCRIPT.format(lr="0.001") + f"# {secrets[1]}\n"
        (tmp_path / side / "train.sh").write_text(f"export WANDB_API_KEY={secrets[1]}\n{script}")
        (tmp_path / side / "env.txt").write_text(
            f"PATH=/usr/bin\nHF_TOKEN={secrets[0]}\nHTTP_PROXY=http://me:{secrets[2]}@proxy:80\nSHLVL={len(side)}\n"
        )
        (tmp_path / side / "conf.yaml").write_text(f"learning_rate: 0.1\nwandb_api_key: {secrets[1]}\n")
    sides = ("--target", "npu", "--golden", "gpu")
    said = [*run("precheck", *sides, "--all")[1:], *run("precheck", *sides, "--json")[1:]]
    for suffix in (".html", ".md", ".json"):
        run("precheck", *sides, "-o", f"report{suffix}", "--table", "check.json")
        said += [
            (tmp_path / f"report{suffix}").read_text("utf-8"),
            (tmp_path / "check.json").read_text("utf-8"),
        ]
    assert any("HF_TOKEN" in words for words in said)
    assert not [secret for secret in secrets for words in said if secret in words]


def test_a_result_tells_what_its_dumps_told(run: Run, dumps: Path, tmp_path: Path) -> None:
    folder = sorted(path for path in dumps.iterdir() if path.is_dir())[0]
    run("compare", folder, folder, "-o", "result.h5", "--quiet")
    for words in (("--result", "result.h5"), ("--target", "result.h5"), ("--golden", "result.h5")):
        said = json.loads(run("precheck", *words, "--json")[1])
        results = {check["id"]: check["result"] for check in said["checks"]}
        assert results["flow.two_runs"] == "fail"  # it is one run opened twice
        assert [evidence["kinds"] for evidence in said["target_evidence"]] == [["dump"]]


# ---- the shared cases


def test_order_of_files(run: Run, cases: Path) -> None:
    place = cases / "precheck" / "C67_file_order"
    status, checks = examined(run, f"files={place / 'tgt.json'}", place / "gold.json")
    assert (status, checks["dataset.order"]["result"]) == (1, "fail")
    assert checks["dataset.files"]["result"] == "pass"


def test_effective_batch(run: Run, cases: Path) -> None:
    place = cases / "precheck" / "C70_eff_gbs"
    status, checks = examined(run, place / "tgt.json", place / "gold.json")
    batch = checks["hyper_parameters.batch"]
    assert (status, batch["result"]) == (1, "fail")
    assert ("32", "64") in {(item["target"], item["golden"]) for item in batch["items"]}


def test_shards(run: Run, cases: Path) -> None:
    place = cases / "precheck" / "C73_shards"
    status, checks = examined(run, place / "tgt.json", place / "gold.json")
    shards = checks["dataset.shards"]
    assert (status, shards["result"]) == (1, "fail")
    differing = {item["name"] for item in shards["items"] if item["standing"] != "equal"}
    assert {"b", "c"} <= differing
    assert not {"a", "d"} & differing


def test_launch_scripts(run: Run, cases: Path) -> None:
    place = cases / "precheck" / "launch_scripts"
    status, checks = examined(run, place / "train_target.sh", place / "train_bench.sh")
    assert status == 1
    failing = [id for id, check in checks.items() if check["result"] == "fail"]
    assert {"hyper_parameters.learning_rate", "mixed_precision.same_kind"} <= set(failing)
