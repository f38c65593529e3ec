"""Archives of the official config check, real ones, and what they hold of each subject."""

from __future__ import annotations

import importlib.util
import json
import sys
import zipfile
from pathlib import Path

import pytest

from core.formats.evidence.read import read_evidence
from core.progress import run_to_end
from core.records.evidence import Dialect, Evidence, EvidenceKind, Given

DATA = Path(__file__).resolve().parents[3] / "data" / "precheck"
BUILDER = Path(__file__).resolve().parents[3] / "builders" / "make_config_checks.py"


def read(path: Path, kind: EvidenceKind | None = None) -> tuple[Evidence, ...]:
    return run_to_end(read_evidence(Given(str(path), kind)))


@pytest.fixture(scope="module")
def target() -> tuple[Evidence, ...]:
    return read(DATA / "target.zip")


def of_kind(found: tuple[Evidence, ...], kind: EvidenceKind) -> list[Evidence]:
    return [item for item in found if kind in item.kinds]


def test_every_subject_is_there_without_a_problem(target: tuple[Evidence, ...]) -> None:
    kinds = [kind for item in target for kind in item.kinds]
    assert kinds == [
        EvidenceKind.ENVIRONMENT, EvidenceKind.PACKAGES, EvidenceKind.CONFIG, EvidenceKind.SAMPLES,
        EvidenceKind.WEIGHTS, EvidenceKind.RANDOM_CALLS, EvidenceKind.SAMPLES, EvidenceKind.WEIGHTS,
    ]  # fmt: skip
    assert not [problem for item in target for problem in item.problems]
    assert {item.path for item in target} == {str(DATA / "target.zip")}


def test_environment(target: tuple[Evidence, ...]) -> None:
    (found,) = of_kind(target, EvidenceKind.ENVIRONMENT)
    values = {item.name: item.value for item in found.environment}
    assert values["INF_NAN_MODE_ENABLE"] == "0"
    assert values["https_proxy"] == "http://masked@proxy:8080"
    assert found.environment[0].place.member == "env"
    (golden,) = of_kind(read(DATA / "golden.zip"), EvidenceKind.ENVIRONMENT)
    assert {item.name: item.value for item in golden.environment}["WANDB_API_KEY"].startswith("masked:")


def test_packages(target: tuple[Evidence, ...]) -> None:
    (found,) = of_kind(target, EvidenceKind.PACKAGES)
    with zipfile.ZipFile(DATA / "target.zip") as archive:
        lines = archive.read("pip").decode().splitlines()
    assert [f"{item.name}={item.version}" for item in found.versions] == lines
    assert found.versions[0].place.line == 1


def test_hyper_parameters(target: tuple[Evidence, ...]) -> None:
    (found,) = of_kind(target, EvidenceKind.CONFIG)
    values = {item.name: item.value for item in found.settings}
    assert values["num-layers"] == "2"
    assert values["lr"] == "2.0e-3"
    assert values["fp16"] is True
    dialects = {item.name: item.dialect for item in found.settings}
    assert dialects["lr"] is Dialect.MEGATRON
    assert dialects["nproc_per_node"] is Dialect.LAUNCHER
    # Behind `--fp16` the packer lost what `--use-flash-attn` said.
    assert [item.known for item in found.settings if item.name == "use-flash-attn"] == [False]


def test_batches(target: tuple[Evidence, ...]) -> None:
    first, second = of_kind(target, EvidenceKind.SAMPLES)
    with zipfile.ZipFile(DATA / "target.zip") as archive:
        told = json.loads(archive.read("dataset/step1/rank0/dataset.json"))["args"]["0"]
    (sample,) = second.samples
    assert (sample.step, sample.rank, sample.name) == (1, 0, "args.0")
    assert sample[3:] == (told["max"], told["min"], told["mean"], told["norm"])
    assert first.samples[0].step == 0


def test_weights(target: tuple[Evidence, ...]) -> None:
    tables = [item.weights for item in of_kind(target, EvidenceKind.WEIGHTS)]
    assert [table.step for table in tables if table is not None] == [0, 1]
    assert tables[0] is not None
    assert tables[0].keys == ("0.weight", "0.bias", "1.weight", "1.bias")
    assert tables[0].digests == ("",) * 4
    assert tables[0].statistics.shape == (4, 4)


def test_random_calls(target: tuple[Evidence, ...]) -> None:
    (found,) = of_kind(target, EvidenceKind.RANDOM_CALLS)
    assert {(call.function, call.count) for call in found.random_calls} == {
        ("torch.manual_seed", 1),
        ("torch.randn", 1),
    }
    assert "/workspace/train/pretrain.py" in found.random_calls[0].stack


def test_one_subject_can_be_asked_for() -> None:
    found = read(DATA / "target.zip", EvidenceKind.PACKAGES)
    assert [item.kinds for item in found] == [(EvidenceKind.PACKAGES,)]


def test_values_of_two_files_are_both_told(tmp_path: Path) -> None:
    joined = {"lr": {"description": "duplicate_value", "values": ["1e-5", "2e-5"]}, "betas": [0.9, 0.95]}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("hyperparameters/hyperparameters_dynamic.json", json.dumps(joined))
    (found,) = read(tmp_path / "a.zip")
    assert found.kinds == (EvidenceKind.ARGUMENTS,)
    assert [(item.name, item.value) for item in found.settings] == [
        ("lr", "1e-5"), ("lr", "2e-5"), ("betas", (0.9, 0.95)),
    ]  # fmt: skip


def test_a_folder_that_was_unpacked_reads_the_same(tmp_path: Path, target: tuple[Evidence, ...]) -> None:
    with zipfile.ZipFile(DATA / "target.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    for step in (0, 1):
        (found,) = read(tmp_path / "unpacked" / "dataset" / f"step{step}" / "rank0" / "dataset.json")
        assert found.samples == of_kind(target, EvidenceKind.SAMPLES)[step].samples
    (packages,) = read(tmp_path / "unpacked" / "pip")
    assert [item[:2] for item in packages.versions] == [
        item[:2] for item in of_kind(target, EvidenceKind.PACKAGES)[0].versions
    ]


@pytest.mark.integration
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("msprobe") is None,
    reason="needs the official tool",
)
def test_the_archives_can_be_made_anew(tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location("make_config_checks", BUILDER)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    module.pack("target", tmp_path / "target.zip")
    assert len(read(tmp_path / "target.zip")) == 8
