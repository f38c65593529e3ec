"""Overflow over a training: shares, starts, collapses and fixed scales, in the logs of each trainer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.logs.reading import read_line
from core.messages import LANGUAGES, render
from core.overflow.training.history import overflow_history
from core.overflow.training.limits import OverflowLimits, load_limits, shipped_limits
from core.overflow.training.steps import sequence_of
from core.records.training import Judgement, TrainingOverflow, Weight


def megatron(step: int, scale: float = 65536.0, skipped: int = 0, norm: str = "1.0", batch: int = 64) -> str:
    """Return a line of Megatron."""
    return (
        f" iteration {step:8}/    2000 | global batch size: {batch:5} | loss scale: {scale:.1f} |"
        f" grad norm: {norm} | number of skipped iterations: {skipped:3} | number of nan iterations:   0 |"
    )


def history(folder: Path, lines: Sequence[str], limits: OverflowLimits | None = None) -> TrainingOverflow:
    """Return what a log of *lines* says."""
    path = folder / "train.log"
    path.write_text("\n".join(lines), "utf-8")
    return overflow_history(str(path), limits)


def said(found: TrainingOverflow) -> dict[str, Mapping[str, object]]:
    """Return the parameters of the findings by code; all of them must be sayable in both languages."""
    for finding in found.findings:
        for language in LANGUAGES:
            assert finding.message.code not in render(finding.message, language)
    return {finding.message.code: finding.message.parameters for finding in found.findings}


def test_eight_of_a_thousand_are_over_both_limits(tmp_path: Path) -> None:
    bad = {100, 201, 302, 403, 504, 605, 706, 807}
    found = history(tmp_path, [megatron(step, skipped=int(step in bad)) for step in range(1, 1001)])
    assert (found.steps, found.overflowed, found.rate) == (1000, 8, 0.008)
    assert found.overflow_steps.tolist() == sorted(bad)
    assert (found.limit, found.judgement) == (0.005, Judgement.FAIL)
    assert said(found)["training.over_limit"]["rate"] == 0.008
    large = history(tmp_path, [megatron(s, skipped=int(s in bad), batch=1024) for s in range(1, 1001)])
    assert (large.limit, large.judgement) == (0.001, Judgement.FAIL)


def test_a_large_batch_has_a_tighter_limit(tmp_path: Path) -> None:
    lines = [megatron(step, skipped=int(step in (300, 600)), batch=64) for step in range(1, 1001)]
    assert history(tmp_path, lines).judgement is Judgement.PASS
    lines = [line.replace("    64 |", "  2048 |") for line in lines]
    assert history(tmp_path, lines).judgement is Judgement.FAIL
    unknown = history(tmp_path, [line.replace("global batch size", "other") for line in lines])
    assert unknown.judgement is Judgement.PASS
    assert unknown.global_batch is None
    assert "training.batch_unknown" in said(unknown)


def test_the_share_must_be_below_its_limit(tmp_path: Path) -> None:
    lines = [megatron(step, skipped=int(step in (300, 350))) for step in range(1, 401)]
    found = history(tmp_path, lines)
    assert (found.rate, found.limit, found.judgement) == (0.005, 0.005, Judgement.FAIL)


def test_counts_of_a_logging_interval_are_counts_of_steps(tmp_path: Path) -> None:
    lines = [megatron(step, skipped=3 if step == 50 else 0) for step in range(10, 1001, 10)]
    found = history(tmp_path, lines)
    assert (found.steps, found.interval, found.overflowed) == (1000, 10, 3)


def test_a_resumed_log_counts_its_own_steps(tmp_path: Path) -> None:
    found = history(tmp_path, [megatron(step) for step in range(410, 511, 10)])
    assert (found.steps, found.interval) == (110, 10)


def test_steps_that_are_run_again_count_once_and_the_last_counts(tmp_path: Path) -> None:
    first = [megatron(step, skipped=1) for step in range(1, 121)]
    again = [megatron(step) for step in range(101, 201)]
    found = history(tmp_path, first + again)
    assert (found.steps, found.repeated, found.overflowed) == (200, 20, 100)
    assert said(found)["training.repeated"] == {"count": 20}


def test_the_start_of_a_dynamic_scale_is_told_apart(tmp_path: Path) -> None:
    start = [megatron(n + 1, 2.0 ** (32 - n), skipped=1, norm="inf") for n in range(16)]
    found = history(tmp_path, [*start, *(megatron(step, 2.0**16) for step in range(17, 10_001))])
    assert (found.at_start, found.first_good, found.overflowed) == (16, 17, 16)
    assert found.judgement is Judgement.PASS
    assert found.collapse_step is None
    assert found.static is False
    assert said(found)["training.start"] == {"count": 16, "step": 17, "rate": 0.0}
    assert said(found)["training.start_scale"] == {"first": 2.0**32, "last": 2.0**16}


def test_halving_every_few_steps_is_a_collapse(tmp_path: Path) -> None:
    scale, lines = 65536.0, []
    for step in range(1, 401):
        skipped = int(step >= 300 and step % 5 == 0)
        lines.append(megatron(step, scale, skipped))
        scale /= 2 if skipped else 1
    found = history(tmp_path, lines)
    assert found.collapse_step == 301
    assert found.longest_fall >= 16
    assert "training.collapse_below" in said(found)
    assert found.findings[0].weight is Weight.FAULT


def test_straight_falls_are_a_collapse_above_one_too(tmp_path: Path) -> None:
    def fall(times: int) -> TrainingOverflow:
        scales = [65536.0] * 100 + [65536.0 / 2 ** min(n, times) for n in range(1, 900)]
        return history(tmp_path, [megatron(step, scale) for step, scale in enumerate(scales, 1)])

    assert fall(4).collapse_step is None
    assert fall(5).collapse_step == 101
    assert said(fall(5))["training.collapse_falls"]["count"] == 5


def test_falls_with_rises_between_are_none(tmp_path: Path) -> None:
    scales = [65536.0 / 2 ** (step // 100 % 2) for step in range(2000)]
    found = history(tmp_path, [megatron(step, scale) for step, scale in enumerate(scales, 1)])
    assert (found.longest_fall, found.collapse_step) == (1, None)


def test_a_scale_that_stays_through_overflows_is_fixed(tmp_path: Path) -> None:
    found = history(tmp_path, [megatron(s, 1024.0, int(s in (10, 20, 30))) for s in range(1, 2001)])
    assert found.static is True
    assert said(found)["training.static_overflows"] == {"count": 3, "scale": 1024.0}
    assert history(tmp_path, [megatron(step) for step in range(1, 1000)]).static is None
    assert "training.static" in said(history(tmp_path, [megatron(step) for step in range(1, 4100)]))
    assert "training.no_scaling" in said(history(tmp_path, [megatron(s, 1.0) for s in range(1, 4100)]))


def test_nan_at_every_step(tmp_path: Path) -> None:
    found = history(tmp_path, [megatron(step, 1.0, norm="nan") for step in range(1, 50)])
    assert (found.overflowed, found.first_good) == (49, None)
    assert "training.every_step" in said(found)


def test_deepspeed_counts_from_the_beginning(tmp_path: Path) -> None:
    lines = []
    for step in range(1, 1001):
        if step in (1, 2, 500):
            lines.append(
                f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2.0**-step * 2.0**17},"
                f" reducing to {2.0**-step * 2.0**16}"
            )
        if step % 10 == 0:
            skipped = 2 + (step >= 500)
            lines.append(f"steps: {step} loss: 1.2 iter time (s): 0.5 samples/sec: 31.2")
            lines.append(f"[INFO] [Rank 0] step={step}, skipped={skipped}, lr=[0.001], mom=[[0.9, 0.95]]")
    found = history(tmp_path, lines)
    assert (found.steps, found.overflowed, found.interval) == (1000, 3, 10)
    assert found.forms == ("deepspeed",)
    resumed = history(tmp_path, [line for line in lines[30:] if "OVERFLOW" not in line])
    assert resumed.overflowed == 1


def test_all_ranks_tell_of_one_overflow(tmp_path: Path) -> None:
    overflow = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0"
    lines = [f"[default{rank}]:{overflow}" for rank in range(8)] + [megatron(1)]
    assert history(tmp_path, lines).overflowed == 1
    alone = history(tmp_path, [overflow, overflow.replace("32768", "16384")])
    assert (alone.overflowed, alone.steps, alone.judgement) == (2, 0, Judgement.NOT_JUDGED)
    assert alone.scales.tolist() == [32768.0, 16384.0]
    assert "training.not_counted" in said(alone)


def test_torch_npu_tells_of_one_overflow_in_two_lines(tmp_path: Path) -> None:
    lines = ["Gradient overflow. Skipping step", "Loss scaler reducing loss scale to 32768.0"] * 2
    assert history(tmp_path, lines).overflowed == 2


def test_mindformers_and_the_trainer(tmp_path: Path) -> None:
    lines = [
        f"INFO - {{ Epoch:[  1/  1], step:[{step:5}/ 1000], loss: 2.5, overflow cond: {step < 4}, "
        f"loss_scale: {65536.0 / 2 ** min(step, 4)}, global_norm: 1.0}}"
        for step in range(1, 1001)
    ]
    found = history(tmp_path, lines)
    assert (found.steps, found.overflowed, found.first_good) == (1000, 3, 4)
    lines = [
        f"{{'loss': 2.5, 'grad_norm': {'nan' if step == 5 else 1.0}, 'learning_rate': 1e-4, 'epoch': 0.1}}"
        for step in range(1, 301)
    ]
    found = history(tmp_path, lines)
    assert (found.steps, found.numbered, found.overflow_steps.tolist()) == (300, False, [5])
    assert "training.unnumbered" in said(found)
    mixed = ["step=1, skipped=0, lr=[1]", lines[4], "step=2, skipped=0, lr=[1]"]
    assert history(tmp_path, mixed).overflow_steps.tolist() == [1]


def test_a_log_without_losses_or_scales_is_not_judged(tmp_path: Path) -> None:
    found = history(tmp_path, ["iteration 1/ 5 | elapsed time per iteration (ms): 2.0 |"])
    assert found.judgement is Judgement.NOT_JUDGED
    assert "training.nothing_told" in said(found)
    with pytest.raises(InputError) as caught:
        history(tmp_path, ["nothing here"])
    assert caught.value.problem.code == "log_without_steps"


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 3), st.floats(allow_nan=False)), max_size=40))
def test_counts_always_make_sense(tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple]) -> None:
    lines = [megatron(step, scale, skipped) for step, skipped, scale in drawn]
    records = [record for line in lines if (record := read_line(line)) is not None]
    sequence = sequence_of(records)
    steps = [record.step for record in sequence.records]
    assert steps == sorted(set(steps))
    if drawn:
        found = history(tmp_path_factory.getbasetemp(), lines)
        assert 0 <= found.at_start <= found.overflowed <= found.steps
        assert found.steps >= len(steps)
        said(found)


def test_limits_of_ones_own(tmp_path: Path) -> None:
    lines = [megatron(step, skipped=int(step == 500)) for step in range(1, 1001)]
    table = tmp_path / "mine.toml"
    table.write_text("[training]\nlimit = 0.001\n", "utf-8")
    limits = load_limits(table)
    assert limits.growth_interval == shipped_limits().growth_interval
    assert history(tmp_path, lines).judgement is Judgement.PASS
    assert history(tmp_path, lines, limits).judgement is Judgement.FAIL
    table.write_text(limits.to_toml(), "utf-8")
    assert load_limits(table) == limits


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [
        ("[training\n", "limits_syntax", "TOML"),
        ("[other]\nlimit = 1\n", "limits_unknown", "other"),
        ("training = 1\n", "limits_unknown", "training"),
        ("[training]\nlimits = 1\n", "limits_unknown", "training.limits"),
        ("[training]\nlimit = 0\n", "limits_bad_number", "0"),
        ("[training]\nlimit = nan\n", "limits_bad_number", "nan"),
        ("[training]\nlimit = true\n", "limits_bad_number", "True"),
    ],
)
def test_a_wrong_table_is_refused_whole(text: str, code: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_limits(path)
    assert caught.value.problem.code == code
    assert word in str(caught.value)
    with pytest.raises(InputError, match="absent"):
        load_limits(tmp_path / "absent.toml")


def test_the_case_with_skips_at_the_start(cases: Path) -> None:
    expected = json.loads((cases / "logs" / "expected.json").read_text("utf-8"))["fp16_scaler"]["findings"]
    assert expected == ["skipped steps at the start", "loss scale falls from 4194304"]
    for name in ("megatron.log", "megatron_ts.log", "hf_stdout.log", "trainer_state.json"):
        found = overflow_history(str(cases / "logs" / "fp16_scaler" / name))
        assert (found.steps, found.overflowed, found.at_start, found.first_good) == (200, 8, 5, 6), name
        assert said(found)["training.start"]["count"] == 5
        if name.startswith("megatron"):
            assert said(found)["training.start_scale"]["first"] == 4194304.0
        assert found.collapse_step is None


def test_the_cases_that_collapse_or_do_not(cases: Path) -> None:
    found = overflow_history(str(cases / "curves" / "C45_scale_collapse" / "tgt.log"))
    assert 300 <= (found.collapse_step or 0) <= 305
    assert found.judgement is Judgement.FAIL
    good = overflow_history(str(cases / "curves" / "C45_scale_collapse" / "gold.log"))
    assert (good.collapse_step, good.overflowed) == (None, 0)
    for name in ("bench", "rerun", "bf16", "gelu_tanh", "late_drift", "resume100"):
        found = overflow_history(str(cases / "logs" / name / "megatron.log"))
        assert (found.steps, found.overflowed, found.judgement) == (200, 0, Judgement.PASS), name
    assert "training.every_step" in said(overflow_history(str(cases / "logs" / "overflow" / "megatron.log")))
