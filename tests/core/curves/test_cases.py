"""Curves of known answer: verdict, first bad step and finding as wanted, in every form of log."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from core.curves.jobs import judge, read_run
from core.progress import run_to_end
from core.records.curves import CurvesReport, FindingName

_FORMS = (
    "megatron.log", "megatron_ts.log", "hf_stdout.log", "trainer_state.json", "loss.csv", "tb_hf",
    "tb_megatron",
)  # fmt: skip
_WANTED = {
    "C43_resume_dup": FindingName.RESUMED,
    "C44_step_offset": FindingName.OFFSET,
    "C45_scale_collapse": FindingName.SCALE_COLLAPSE,
    "C47_loss0_gradnan": FindingName.ZERO_LOSS,
    "C48_gradnorm_const": FindingName.CONSTANT,
    "C49_one_spike": FindingName.SPIKE,
    "C51_late_drift": FindingName.DRIFT,
    "C52_bf16_slow": FindingName.SLOW_CONVERGENCE,
}


def answer(target: Path, golden: Path) -> CurvesReport:
    runs = [run_to_end(read_run(str(path))).run for path in (target, golden)]
    return run_to_end(judge(*runs))


def test_planted_curves(cases: Path) -> None:
    folders = sorted((cases / "curves").iterdir())
    assert len(folders) >= 8
    for folder in folders:
        expected = json.loads((folder / "expect.json").read_text())
        report = answer(folder / "tgt.log", folder / "gold.log")
        assert report.verdict.value == expected["verdict"], folder.name
        if "first_bad_step" in expected:
            assert report.first_bad_step == expected["first_bad_step"], folder.name
        if "first_bad_step_about" in expected:
            assert report.first_bad_step == pytest.approx(expected["first_bad_step_about"], abs=10)
        if "steps" in expected:
            assert report.steps == expected["steps"]
        if "best_shift" in expected:
            assert report.alignment.shift == expected["best_shift"]
        assert _WANTED[folder.name] in [finding.name for finding in report.findings], folder.name


def test_trainings_in_every_form_of_log(cases: Path) -> None:
    logs = cases / "logs"
    expected = json.loads((logs / "expected.json").read_text())
    for name, wanted in expected.items():
        for form, other in product(_FORMS, _FORMS):
            if form != other and other != "loss.csv":
                continue  # the same form, and each against the csv
            report = answer(logs / name / form, logs / wanted.get("against", "bench") / other)
            told = (name, form, other)
            assert report.verdict.value == wanted["verdict"], told
            first = wanted.get("first_bad_step")
            # Megatron prints no loss for skipped steps, and the fifth is one
            unprinted = name == "fp16_scaler" and form.startswith("megatron")
            assert first is None or report.first_bad_step == first + unprinted, told
