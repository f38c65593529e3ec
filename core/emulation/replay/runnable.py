"""A call whose arguments are settled, ready to run in any arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.dtypes import DType
from core.emulation.operators.table import Operator, Outputs
from core.emulation.replay.sampling import Sample
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.computing import computing
from core.emulation.terms.outcome import NotReplayable, NotReplayed


@dataclass(frozen=True)
class Result:
    """One dumped output of a call: where it stands and what it holds.

    ``place`` is its position among what the reference makes; ``format`` the coarsest format that it passed
    through: the dumped one, or a coarser one before it.
    """

    slot: int
    dumped: Tensor
    place: int
    format: DType


@dataclass(frozen=True)
class Runnable:
    """Operator, arguments and results of one call; ``gradients`` are those that arrive, if it is backward."""

    operator: Operator
    call: Call
    gradients: tuple[Tensor | None, ...] | None = None
    results: tuple[Result, ...] = ()
    reference: tuple[Bounded, ...] = ()
    """What it gives in float64, one a result, where that was computed already."""
    sample: Sample | None = None
    """The rows that operands and results are cut to; ``None``: all."""

    def make(self) -> list[Bounded | None]:
        """Return all that the reference makes, in the arithmetic of this context."""
        if self.gradients is None:
            return _flat(self.operator.forward(self.call))
        if self.operator.backward is None:
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"{self.operator.name}.backward")
        arriving = [
            None if grad is None else Bounded(computing().entered(grad.array)) for grad in self.gradients
        ]
        return list(self.operator.backward(self.call, arriving))

    def outputs(self) -> list[Bounded]:
        """Return what belongs to each of ``results``, with the dumped shape.

        Raises
        ------
        NotReplayable
            Whatever the reference finds, or SHAPE_MISMATCH.
        """
        made = self.make()
        found = []
        for result in self.results:
            value = made[result.place]
            if value is None:
                raise NotReplayable(NotReplayed.SHAPE_MISMATCH, self.operator.name)
            found.append(value.reshape(*result.dumped.shape))
        return found


def _flat(outputs: Outputs) -> list[Bounded | None]:
    return [outputs] if isinstance(outputs, Bounded) else list(outputs)


def results_in_order(
    slots: Sequence[int], dumped: Sequence[Tensor | None], formats: Sequence[DType]
) -> tuple[Result, ...]:
    """Return the results of a forward call, whose outputs stand in the reference's order."""
    return tuple(
        Result(slot, tensor, place, format_)
        for place, (slot, tensor, format_) in enumerate(zip(slots, dumped, formats))
        if tensor is not None
    )
