"""Overflow over a training as JSON and as lines of text."""

from __future__ import annotations

from typing import Any

from core.messages import render, text
from core.records.training import TrainingOverflow
from core.report.json_report import json_safe


def training_as_json(history: TrainingOverflow) -> dict[str, Any]:
    """Return *history* as plain values; what is not known is null. Scales are given where they change."""
    return {
        "path": history.path,
        "forms": list(history.forms),
        "judgement": history.judgement.value,
        "steps": history.steps,
        "numbered": history.numbered,
        "logging_interval": history.interval,
        "repeated_steps": history.repeated,
        "overflowed": history.overflowed,
        "rate": _known(history.rate),
        "limit": history.limit,
        "global_batch_size": history.global_batch,
        "overflowed_at_start": history.at_start,
        "first_good_step": history.first_good,
        "rate_after_start": _known(history.rate_after_start),
        "overflow_steps": [
            {"step": step, "count": count}
            for step, count in zip(history.overflow_steps.tolist(), history.overflow_counts.tolist())
        ],
        "loss_scale": {
            "static": history.static,
            "changes": [{"step": step, "scale": json_safe(scale)} for step, scale in _changes(history)],
            "longest_fall": history.longest_fall,
            "collapse_step": history.collapse_step,
        },
        "findings": [
            {
                "weight": finding.weight.value,
                "code": finding.message.code,
                "text": render(finding.message),
            }
            for finding in history.findings
        ],
    }


def training_as_text(history: TrainingOverflow) -> list[str]:
    """Return *history* as lines for the console: the judgement, then what is to be known."""
    judged = text(f"training.judgement.{history.judgement.value}")
    lines = [f"{history.path}: {judged}"]
    for finding in history.findings:
        weight = text(f"training.weight.{finding.weight.value}")
        lines.append(f"  {weight}: {render(finding.message)}")
    return lines


def _changes(history: TrainingOverflow) -> list[tuple[int, float]]:
    changes: list[tuple[int, float]] = []
    for step, scale in zip(history.scale_steps.tolist(), history.scales.tolist()):
        if not changes or changes[-1][1] != scale:
            changes.append((step, scale))
    return changes


def _known(value: float) -> float | None:
    return None if value != value else value
