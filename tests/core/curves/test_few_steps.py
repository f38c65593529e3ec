"""An agreement over few steps is no proof of a training, and says so."""

from __future__ import annotations

import pytest
from builders.logged_runs import falling_loss, logged

from core.curves.engine import judge_curves
from core.messages import LANGUAGES, render
from core.records.training import Judgement


@pytest.mark.parametrize(("steps", "told"), [(1, "over 1 step only"), (2, "over 2 steps only")])
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_the_sentence_says_how_few(steps: int, told: str, noise: float) -> None:
    golden = falling_loss(steps, 3)
    report = judge_curves(logged(golden * (1 + noise)), logged(golden))
    assert report.verdict is Judgement.PASS
    assert told in render(report.sentence, "en")
    for language in LANGUAGES:
        assert f"{steps}" in render(report.sentence, language)
