"""Which calls the gradients of a module's parameters come from."""

from __future__ import annotations

from dataclasses import dataclass

from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.records.dump import Dump
from core.records.names import OperatorName, parse_operator_name


@dataclass(frozen=True)
class GradientCalls:
    """The only forward call of a module, by row and name, and the row of its backward call."""

    forward: int
    name: OperatorName
    backward: int


def gradient_calls(dump: Dump, gradients: OperatorName) -> GradientCalls:
    """Return the calls that *gradients*, a call of kind PARAMETERS_GRAD, come from.

    Raises
    ------
    NotReplayable
        ACCUMULATED if the module was called more than once, MISSING_TENSOR if a call was not dumped.
    """
    forwards = _calls(dump, f"{gradients.stem}.forward.")
    backwards = _calls(dump, f"{gradients.stem}.backward.")
    if len(forwards) > 1 or len(backwards) > 1:
        raise NotReplayable(NotReplayed.ACCUMULATED, gradients.stem)
    if not forwards or not backwards:
        raise NotReplayable(NotReplayed.MISSING_TENSOR, gradients.stem)
    name = parse_operator_name(dump.operator_name(forwards[0]))
    return GradientCalls(forwards[0], name, backwards[0])


def _calls(dump: Dump, prefix: str) -> list[int]:
    names = (dump.operator_name(row) for row in range(len(dump.operators)))
    return [row for row, name in enumerate(names) if name.startswith(prefix)]
