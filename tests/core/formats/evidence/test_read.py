"""The door: what a path is, by its content; folders, packed files, kinds that are said."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from core.formats.evidence.read import evidence_beside, read_evidence
from core.progress import run_to_end
from core.records.evidence import Evidence, EvidenceKind, Given

DUMP = Path(__file__).resolve().parents[3] / "data" / "msprobe" / "statistics_mix" / "golden"
SCRIPT = (
    "#!/bin/bash\nset -e\ntorchrun --nproc_per_node 8 pretrain_gpt.py --lr 2.0e-3 --num-layers 2 --fp16\n"
)
ENVIRONMENT = "PATH=/bin\nHCCL_DETERMINISTIC=true\n"
PACKAGES = "torch==2.1.0\nnumpy==1.26.4\n"
CONFIG = "per_device_train_batch_size: 2\nlearning_rate: 1.0e-5\nnum_train_epochs: 3\n"
CHECKSUMS = "d41d8cd98f00b204e9800998ecf8427e  data/a.bin\n"
LOG = "".join(
    f" iteration {step:8d}/     100 | consumed samples: {step * 8} | learning rate: 1.0E-04 |"
    f" lm loss: {9 - step / 10:.6E} | grad norm: 1.000 |\n"
    for step in range(1, 30)
)
CONTENTS: dict[str, tuple[str, EvidenceKind]] = {
    "script": (SCRIPT, EvidenceKind.SCRIPT),
    "environment": (ENVIRONMENT, EvidenceKind.ENVIRONMENT),
    "packages": (PACKAGES, EvidenceKind.PACKAGES),
    "config": (CONFIG, EvidenceKind.CONFIG),
    "checksums": (CHECKSUMS, EvidenceKind.CHECKSUMS),
    "log": (LOG, EvidenceKind.LOG),
    "files": (json.dumps({"files": ["a.bin", "b.bin"]}), EvidenceKind.FILES),
    "listed": ("data/a.bin\ndata/b.bin\n", EvidenceKind.FILES),
    "shards": (json.dumps({"node0": ["a"], "node1": ["b"]}), EvidenceKind.SHARDS),
    "random": (json.dumps({"torch.rand": [{"count": 1, "stack": ["a"]}]}), EvidenceKind.RANDOM_CALLS),
    "settings": (json.dumps({"world_size": 16, "tp": 2, "micro_batch": 2}), EvidenceKind.CONFIG),
}


def read(path: Path | str, kind: EvidenceKind | None = None) -> tuple[Evidence, ...]:
    return run_to_end(read_evidence(Given(str(path), kind)))


def kinds(path: Path | str, kind: EvidenceKind | None = None) -> list[EvidenceKind]:
    return [kind for item in read(path, kind) for kind in item.kinds]


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("ending", [".txt", ""])
def test_content_tells_what_a_file_is(tmp_path: Path, name: str, ending: str) -> None:
    text, kind = CONTENTS[name]
    (tmp_path / f"file{ending}").write_text(text)
    assert kinds(tmp_path / f"file{ending}") == [kind]


@pytest.mark.parametrize(
    ("name", "ending"), [("script", ".sh"), ("config", ".yaml"), ("log", ".log"), ("settings", ".json")]
)
def test_the_usual_endings(tmp_path: Path, name: str, ending: str) -> None:
    text, kind = CONTENTS[name]
    (tmp_path / f"file{ending}").write_text(text)
    assert kinds(tmp_path / f"file{ending}") == [kind]


@pytest.mark.parametrize("name", CONTENTS)
def test_what_gzip_packed_reads_the_same(tmp_path: Path, name: str) -> None:
    text, kind = CONTENTS[name]
    (tmp_path / "file.gz").write_bytes(gzip.compress(text.encode()))
    assert kinds(tmp_path / "file.gz") == [kind]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "env.txt").write_bytes((ENVIRONMENT + "NAME=数据\n").encode(encoding))
    (found,) = read(tmp_path / "env.txt")
    assert {item.name: item.value for item in found.environment}["NAME"] == "数据"


def test_a_log_tells_more_than_curves(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("[pip3] torch==2.1.0\nGPU 0: NVIDIA A100 (UUID: GPU-1)\n" + LOG)
    (found,) = read(tmp_path / "train.log")
    assert found.kinds == (EvidenceKind.LOG, EvidenceKind.PACKAGES, EvidenceKind.DEVICES)
    assert found.log is None
    assert found.versions[0][:2] == ("torch", "2.1.0")


def test_of_a_further_run_only_the_curves_count(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("[pip3] torch==2.1.0\n" + LOG)
    for kind in (EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG):
        (found,) = read(tmp_path / "train.log", kind)
        assert found.kinds == (kind,)
        assert found.versions == ()


def test_a_kind_that_is_said_goes_before_what_is_found(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("just\nsome\nwords\n")
    (found,) = read(tmp_path / "list", EvidenceKind.FILES)
    assert found.files is not None
    assert found.files.names == ("just", "some", "words")
    (missed,) = read(tmp_path / "list", EvidenceKind.CHECKSUMS)
    assert [problem.code for problem in missed.problems] == ["evidence_not_kind"]
    assert "checksums" in missed.problems[0].sentence("en")


def test_only_the_kind_that_is_said_is_kept(tmp_path: Path) -> None:
    (tmp_path / "facts.txt").write_text("torch==2.1.0\nPATH=/bin\nHCCL_DETERMINISTIC=true\n")
    assert set(kinds(tmp_path / "facts.txt")) == {EvidenceKind.PACKAGES, EvidenceKind.ENVIRONMENT}
    (found,) = read(tmp_path / "facts.txt", EvidenceKind.PACKAGES)
    assert found.kinds == (EvidenceKind.PACKAGES,)
    assert found.environment == ()


def test_places(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n\n\ndef main():\n    print(torch)\n\n\nmain()\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text("{}\n")
    assert kinds(tmp_path / "train.py") == [EvidenceKind.SOURCE]
    assert kinds(tmp_path, EvidenceKind.SOURCE) == [EvidenceKind.SOURCE]
    assert kinds(tmp_path / "data", EvidenceKind.DATA) == [EvidenceKind.DATA]
    assert kinds(tmp_path / "data") == [EvidenceKind.DATA]


def test_a_dump_is_a_folder_or_its_file() -> None:
    assert kinds(DUMP) == [EvidenceKind.DUMP]
    assert kinds(DUMP, EvidenceKind.DUMP) == [EvidenceKind.DUMP]
    assert kinds(next(DUMP.rglob("dump.json"))) == [EvidenceKind.DUMP]


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT)
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "env.txt").write_text(ENVIRONMENT)
    (tmp_path / "sub" / "deep" / "pip.txt").write_text(PACKAGES)
    (tmp_path / "README.md").write_text("# words\n")
    (tmp_path / "notes.txt").write_text("what I did today, in words\n")
    found = read(tmp_path)
    assert [item.kinds for item in found] == [
        (EvidenceKind.SCRIPT,), (EvidenceKind.PACKAGES,), (EvidenceKind.ENVIRONMENT,),
    ]  # fmt: skip
    assert not [problem for item in found for problem in item.problems]
    assert kinds(tmp_path, EvidenceKind.PACKAGES) == [EvidenceKind.PACKAGES]


def test_source_beside_evidence_counts_too(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT)
    (tmp_path / "pretrain_gpt.py").write_text("import torch\n\n\ndef main():\n    print(torch)\n")
    assert set(kinds(tmp_path)) == {EvidenceKind.SCRIPT, EvidenceKind.SOURCE}


def test_constants_of_a_module_are_no_settings(tmp_path: Path) -> None:
    for name in ("colours.py", "train_config.py", "README"):
        (tmp_path / name).write_text("lr = 0.1\nhidden_size = 128\nseed = 1\n")
    found = {Path(item.path).name: item.kinds for item in read(tmp_path)}
    assert found == {
        tmp_path.name: (EvidenceKind.SOURCE,), "train_config.py": (EvidenceKind.CONFIG, EvidenceKind.SOURCE),
    }  # fmt: skip


def test_the_scripts_of_a_project_are_examples(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\n\nsetup()\n")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "run.sh").write_text(SCRIPT)
    assert kinds(tmp_path) == [EvidenceKind.SOURCE]


def test_a_checkpoint_in_a_folder_of_evidence(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT)
    (tmp_path / "model").mkdir()
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "model" / "model.safetensors")
    (tmp_path / "model" / "config.json").write_text('{"model_type": "llama", "hidden_size": 8}')
    assert set(kinds(tmp_path)) >= {EvidenceKind.SCRIPT, EvidenceKind.WEIGHTS}


def test_what_lies_beside_a_dump(tmp_path: Path) -> None:
    shutil.copytree(DUMP, tmp_path / "run" / "dump")
    (tmp_path / "run" / "train.sh").write_text(SCRIPT)
    (tmp_path / "run" / "dump" / "pip.txt").write_text(PACKAGES)
    (tmp_path / "run" / "notes.txt").write_text("what I did today, in words\n")
    (tmp_path / "run" / "train.py").write_text("import torch\nprint(torch)\n")
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "run" / "model.safetensors")
    found = run_to_end(evidence_beside(str(tmp_path / "run" / "dump")))
    assert [Path(file).name for file in found] == ["train.sh", "pip.txt"]
    cell = next((tmp_path / "run" / "dump").rglob("dump.json")).parent
    assert run_to_end(evidence_beside(str(cell))) == found
    assert run_to_end(evidence_beside(str(tmp_path / "nowhere" / "x"))) == ()


def test_the_cases(cases: Path) -> None:
    for name, kind in (
        ("C67_file_order", EvidenceKind.FILES),
        ("C70_eff_gbs", EvidenceKind.CONFIG),
        ("C73_shards", EvidenceKind.SHARDS),
    ):
        for side in ("tgt", "gold"):
            assert kinds(cases / "precheck" / name / f"{side}.json") == [kind]
    for name in ("train_target.sh", "train_bench.sh"):
        (found,) = read(cases / "precheck" / "launch_scripts" / name)
        assert EvidenceKind.SCRIPT in found.kinds
        assert "lr" in {item.name for item in found.settings}
