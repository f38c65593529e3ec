"""Findings as records: one way to write them down."""

from __future__ import annotations

from core.messages import Message, Parameter
from core.records.curves import CurveFinding, FindingName
from core.records.training import Weight


def told(
    code: str,
    name: FindingName,
    weight: Weight,
    *,
    step: int | None = None,
    series: str = "loss",
    last_step: int | None = None,
    **facts: Parameter,
) -> CurveFinding:
    """Return a finding; its sentence may use *step*, *last_step*, *series* and *facts*."""
    parameters: dict[str, Parameter] = {"series": str(series), **facts}
    if step is not None:
        parameters["step"] = step
    if last_step is not None:
        parameters["last_step"] = last_step
    return CurveFinding(name, weight, Message(code, parameters), series, step, last_step, facts)
