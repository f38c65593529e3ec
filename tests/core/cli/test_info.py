"""``ulpscope info``: what a dump is called by what was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli.main import main

DATA = Path(__file__).parents[2] / "data" / "msprobe"


@pytest.mark.parametrize(
    ("case", "task", "evidence"),
    [
        ("md5_mix", "statistics + checksums", "statistics"),
        ("xor_L1", "checksums", "checksum"),
        ("statistics_mix", "statistics", "statistics"),
        ("tensor_L1", "tensor", "full"),
    ],
)
def test_checksums_are_named(case: str, task: str, evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["info", str(DATA / case / "golden"), "--json", "--no-cache"])
    said = json.loads(capsys.readouterr().out)
    assert (said["task"], said["evidence"]) == (task, evidence)
