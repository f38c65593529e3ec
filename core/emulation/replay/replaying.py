"""Replay of one operator call: float64 on the inputs it had, against the outputs it gave.

A call that is right on its own inputs is innocent however red its output looks beside the other run's;
one that is wrong on its own inputs is guilty however small the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

import numpy as np

from core.emulation.operators.table import Operator
from core.emulation.replay.parameter_gradients import gradient_calls
from core.emulation.replay.plan import Plan, bind_module, plan_call
from core.emulation.replay.reading import output_slots, read_tensor
from core.emulation.replay.runnable import Result, Runnable, results_in_order
from core.emulation.replay.sampling import Sample, sample_rows
from core.emulation.terms.allowance import judge, passed_through
from core.emulation.terms.arguments import Given, Tensor, bind, read_given
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call, storage_format, tensors_in
from core.emulation.terms.formats import FLOAT64, coarsest
from core.emulation.terms.outcome import NotReplayable, NotReplayed, Replay, ReplayVerdict, SlotReplay
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind, forward_name, parse_operator_name
from core.store.tensor_bytes import place_of

MEMORY_LIMIT = 2 * 1024**3
"""Bytes of float64 temporaries that one call may take."""

_BENIGN = frozenset({"out", "dtype", "inplace", "_stacklevel", "device", "non_blocking", "copy"})
"""Arguments that change no value beyond the format of the output, which is known."""

ODD = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError, RecursionError,
    TypeError, ValueError,
)  # fmt: skip
"""What a reference may raise on arguments that no real call has."""


def complaint(error: Exception) -> str:
    """Return what an error of :data:`ODD` says, for the detail of NotReplayed.FAILED."""
    return f"{type(error).__name__}: {error}"[:_LONGEST_COMPLAINT]


_LONGEST_COMPLAINT = 200


@dataclass(frozen=True)
class _Trial:
    """One set of arguments and how well it explains the outputs."""

    slots: tuple[SlotReplay, ...]
    runnable: Runnable
    assumed: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return all(slot.verdict is ReplayVerdict.RIGHT for slot in self.slots)

    @property
    def error(self) -> float:
        return max((slot.error for slot in self.slots), default=inf)


def replay_call(
    dump: Dump, operator: int, *, forward: int | None = None, memory_limit: int = MEMORY_LIMIT
) -> Replay:
    """Replay row *operator* of the dump's operator table and judge its outputs.

    Parameters
    ----------
    forward
        For a backward call, the row of its forward call; found by name if not given.
    memory_limit
        Bytes of float64 temporaries; a call that would take more is not replayed.

    Returns
    -------
    Replay
        Never raises for what a dump holds: what cannot be replayed has a reason.
    """
    return prepare_call(dump, operator, forward=forward, memory_limit=memory_limit)[0]


def prepare_call(
    dump: Dump,
    operator: int,
    *,
    forward: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    torch: bool = False,
    sample: bool = False,
) -> tuple[Replay, Runnable | None]:
    """Replay a call as :func:`replay_call` does, and return what runs it in another arithmetic too.

    The second part is ``None`` if it was not replayed, or only moves its input. With *torch*, operators
    that the table of references lacks are taken from there, which imports it. With *sample*, of a call that
    is too large some rows are replayed where they can be (:mod:`core.emulation.replay.sampling`).
    """
    replayer = _Replayer(dump, operator, forward, memory_limit, torch, sample)
    replay = _guarded(replayer)
    return replay, None if replay.verdict is ReplayVerdict.NOT_REPLAYED else replayer.runnable


def _guarded(replayer: _Replayer) -> Replay:
    operator = replayer.operator
    try:
        with np.errstate(all="ignore"):
            return replayer.run()
    except NotReplayable as found:
        return Replay(operator, ReplayVerdict.NOT_REPLAYED, found.reason, found.detail)
    except MemoryError:
        return Replay(operator, ReplayVerdict.NOT_REPLAYED, NotReplayed.TOO_LARGE)
    except ODD as error:
        return Replay(operator, ReplayVerdict.NOT_REPLAYED, NotReplayed.FAILED, complaint(error))


class _Replayer:
    """The replay of one call, step by step."""

    def __init__(
        self,
        dump: Dump,
        operator: int,
        forward: int | None,
        limit: int,
        torch: bool = False,
        sample: bool = False,
    ) -> None:
        self.dump = dump
        self.may_sample = sample
        self.sample: Sample | None = None
        self.torch = torch
        self.operator = operator
        self.limit = limit
        self.name = parse_operator_name(dump.operator_name(operator))
        self.outputs = output_slots(dump, operator)
        self.forward = forward
        self.runnable: Runnable | None = None

    def run(self) -> Replay:
        if self.name.kind is OperatorKind.PARAMETERS_GRAD:
            return self._run_parameter_gradients()
        plan = plan_call(self.dump, self.operator, self.name, torch=self.torch)
        self._require_outputs()
        if self.name.direction is Direction.BACKWARD:
            return self._run_backward(plan, self.operator)
        return self._run_forward(plan)

    def _require_outputs(self) -> None:
        if not self.outputs:
            raise NotReplayable(NotReplayed.NOTHING_TO_COMPARE)
        if not any(place_of(self.dump, slot) for slot in self.outputs if self._is_tensor(slot)):
            raise NotReplayable(NotReplayed.MISSING_TENSOR, self.dump.slot_name(self.outputs[0]))

    # ---- forward

    def _run_forward(self, plan: Plan) -> Replay:
        try:
            self._require_room(plan.operator, [self.operator])
        except NotReplayable:
            if self.may_sample:
                self.sample = sample_rows(self.dump, plan.operator, self.operator, self.outputs, self.limit)
            if self.sample is None:
                raise
        given = read_given(self.dump, self.operator, self._open)
        dumped = [self._output(slot) for slot in self.outputs]
        call = self._call(plan, given, dumped)
        best = self._try_all(plan, call, lambda trial: self._forward_trial(plan, trial, dumped))
        return self._conclude(plan, best, call, dumped)

    def _forward_trial(self, plan: Plan, call: Call, dumped: Sequence[Tensor | None]) -> _Trial:
        if plan.operator.matrix is not None:
            target = coarsest([tensor.dtype for tensor in dumped if tensor is not None])
            call = call.cast(target) if target is not None else call
        made = Runnable(plan.operator, call).make()
        formats = [passed_through(tensor.dtype, None) if tensor else FLOAT64 for tensor in dumped]
        results = tuple(
            result
            for result in results_in_order(self.outputs, dumped, formats)
            if result.place < len(made) and made[result.place] is not None
        )
        values = [value for result in results if (value := made[result.place]) is not None]
        slots = tuple(
            judge(result.slot, result.dumped, value, result.format) for result, value in zip(results, values)
        )
        runnable = Runnable(plan.operator, call, None, results, tuple(values), self.sample)
        return _Trial(slots, runnable)

    # ---- backward

    def _run_parameter_gradients(self) -> Replay:
        """Replay the gradients of a module's parameters from its input and the gradient that arrives.

        They are sums where a parameter is used more than once, in other modules too, or where steps
        accumulate; only if the gradient of another parameter of the module fits is one wrong for sure.
        """
        self._require_outputs()
        call = gradient_calls(self.dump, self.name)
        self.forward = call.forward
        plan = plan_call(self.dump, call.forward, call.name, torch=self.torch)
        found = self._run_backward(plan, call.backward)
        fits = [slot.verdict is ReplayVerdict.RIGHT for slot in found.slots]
        if not all(fits) and not any(fits):
            raise NotReplayable(NotReplayed.ACCUMULATED, self.name.stem)
        return found

    def _run_backward(self, plan: Plan, arriving: int) -> Replay:
        """Replay gradients; those that arrive are the inputs of row *arriving*."""
        if plan.operator.backward is None and not plan.operator.ends_in_view:
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"{plan.operator.name}.backward")
        self._require_room(plan.operator, [self.operator, arriving])
        incoming = [slot for slot in self.dump.slots_of(arriving) if self._is_input(slot)]
        grads = [self._open(slot) if self._is_tensor(slot) else None for slot in incoming]
        dumped = [self._output(slot) for slot in self.outputs]
        if plan.operator.ends_in_view and (seen := self._as_view(grads, dumped)):
            return Replay(self.operator, ReplayVerdict.RIGHT, slots=seen)
        if plan.operator.backward is None:
            raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, f"{plan.operator.name}.backward")
        forward = self._forward_row()
        self._require_room(plan.operator, [self.operator, forward])
        given = read_given(self.dump, forward, self._open)
        call = self._call(plan, given, [*grads], [*dumped])
        best = self._try_all(plan, call, lambda trial: self._backward_trial(plan, trial, grads, dumped))
        return self._conclude(plan, best, call, dumped)

    def _as_view(
        self, grads: Sequence[Tensor | None], dumped: Sequence[Tensor | None]
    ) -> tuple[SlotReplay, ...]:
        """Return the judgement of a gradient that was only reshaped, if that is what it was."""
        present = [(slot, tensor) for slot, tensor in zip(self.outputs, dumped) if tensor is not None]
        if len(present) != 1 or len(grads) != 1 or grads[0] is None:
            return ()
        slot, tensor = present[0]
        grad = grads[0].array
        if tensor.shape == grad.shape or tensor.array.size != grad.size:
            return ()
        found = judge(slot, tensor, Bounded(grad.reshape(tensor.shape)), tensor.dtype)
        return (found,) if found.verdict is ReplayVerdict.RIGHT else ()

    def _backward_trial(
        self,
        plan: Plan,
        call: Call,
        grads: Sequence[Tensor | None],
        dumped: Sequence[Tensor | None],
    ) -> _Trial:
        arriving = coarsest([grad.dtype for grad in grads if grad is not None])
        if plan.operator.matrix is not None and arriving is not None:
            call = call.cast(arriving)
        runnable = Runnable(plan.operator, call, tuple(grads))
        free = dict(enumerate(runnable.make()))
        found: list[SlotReplay] = []
        results: list[Result] = []
        values: list[Bounded] = []
        for index, (slot, tensor) in enumerate(zip(self.outputs, dumped)):
            if tensor is None:
                continue
            format_ = passed_through(tensor.dtype, arriving)
            order = [index, *(other for other in free if other != index)]
            trials = {
                place: judge(slot, tensor, candidate, format_)
                for place in order
                if (candidate := free.get(place)) is not None and candidate.shape == tensor.shape
            }
            if not trials:
                raise NotReplayable(NotReplayed.SHAPE_MISMATCH, self.dump.slot_name(slot))
            in_place = trials.get(index)
            if in_place is not None and in_place.verdict is ReplayVerdict.RIGHT:
                place = index
            else:
                place = min(trials, key=lambda key: trials[key].error)
            found.append(trials[place])
            results.append(Result(slot, tensor, place, format_))
            value = free.pop(place)
            values += [value] if value is not None else []
        return _Trial(tuple(found), replace(runnable, results=tuple(results), reference=tuple(values)))

    def _forward_row(self) -> int:
        if self.forward is not None:
            return self.forward
        name = forward_name(self.dump.operator_name(self.operator))
        identity = self.dump.strings.find(name) if name else -1
        rows = np.flatnonzero(self.dump.operators.name == identity)
        if identity < 0 or not rows.size:
            raise NotReplayable(NotReplayed.MISSING_TENSOR, name or "")
        return int(rows[0])

    # ---- arguments

    def _call(
        self,
        plan: Plan,
        given: Given,
        dumped: Sequence[Tensor | None],
        others: Sequence[Tensor | None] = (),
    ) -> Call:
        given = replace(given, complete=plan.complete)
        bound = bind_module(given, plan) if plan.module else bind(given, plan.operator.signature)
        values = bound.values
        storage = storage_format(values, [*dumped, *others])
        call = Call(values, storage, tuple(dumped))
        self._assumed = tuple(sorted(bound.assumed - _BENIGN))
        if plan.operator.workspace is not None and 8 * plan.operator.workspace(call) > self.limit:
            raise NotReplayable(NotReplayed.TOO_LARGE, plan.operator.name)
        return call

    def _try_all(self, plan: Plan, call: Call, attempt: Callable[[Call], _Trial]) -> _Trial:
        """Try the recorded arguments, and where the dump does not tell them, the ones there may be."""
        best: _Trial | None = None
        refused: NotReplayable | None = None
        for changed in self._guesses(plan, call):
            try:
                trial = attempt(call.with_arguments(**changed))
            except NotReplayable as found:
                refused = refused or found
                continue
            except ODD as error:
                if isinstance(error, MemoryError):
                    raise
                refused = refused or NotReplayable(NotReplayed.FAILED, complaint(error))
                continue
            trial = replace(trial, assumed=tuple(f"{name}={value}" for name, value in changed.items()))
            if best is None or trial.error < best.error:
                best = trial
            if trial.right:
                return trial
        if best is None:
            raise refused or NotReplayable(plan.otherwise)
        return best

    def _guesses(self, plan: Plan, call: Call) -> Iterator[dict[str, object]]:
        if plan.guesses is None:
            yield {}
            return
        if not plan.module and not self._assumed:
            yield {}
            return
        for guess in plan.guesses(call):
            kept = guess
            if not plan.module:  # what the dump does tell is not guessed
                kept = {name: value for name, value in guess.items() if name in self._assumed}
            yield kept

    def _conclude(self, plan: Plan, best: _Trial, call: Call, dumped: Sequence[Tensor | None]) -> Replay:
        if not best.slots:
            raise NotReplayable(NotReplayed.NOTHING_TO_COMPARE)
        self.runnable = best.runnable
        if best.right:
            return Replay(self.operator, ReplayVerdict.RIGHT, slots=best.slots, assumed=best.assumed)
        if self._was_overwritten(plan, call, dumped):
            raise NotReplayable(NotReplayed.IN_PLACE_OVERWRITTEN, "input.0")
        told = {guess.split("=", 1)[0] for guess in best.assumed}
        open_question = (plan.guesses is not None and best.assumed and not plan.exhaustive) or (
            not plan.module and bool(set(self._assumed) - told)
        )
        if open_question:
            raise NotReplayable(plan.otherwise, ", ".join(best.assumed or self._assumed))
        return Replay(self.operator, ReplayVerdict.WRONG, slots=best.slots, assumed=best.assumed)

    def _was_overwritten(self, plan: Plan, call: Call, dumped: Sequence[Tensor | None]) -> bool:
        """Whether an operand of an in-place call holds what the call left there."""
        if self.name.direction is Direction.BACKWARD:
            return False
        if not (plan.in_place or call.arguments.get("inplace") is True or call.has_out):
            return False
        left = [tensor.array for tensor in dumped if tensor is not None]
        return any(
            operand.array.shape == array.shape and np.array_equal(operand.array, array, equal_nan=True)
            for operand in tensors_in(call.arguments)
            for array in left
            if array.dtype == operand.array.dtype
        )

    # ---- tensors

    def _is_tensor(self, slot: int) -> bool:
        return bool(self.dump.slots.kind[slot] == SlotKind.TENSOR)

    def _is_input(self, slot: int) -> bool:
        return bool(self.dump.slots.group[slot] == SlotGroup.INPUT)

    def _open(self, slot: int) -> Tensor:
        return read_tensor(self.dump, slot, () if self.sample is None else self.sample.index(slot))

    def _output(self, slot: int) -> Tensor | None:
        if not self._is_tensor(slot) or place_of(self.dump, slot) is None:
            return None
        return self._open(slot)

    def _require_room(self, operator: Operator, rows: list[int]) -> None:
        elements = sum(
            prod(self.dump.shape(slot) or ())
            for row in rows
            for slot in self.dump.slots_of(row)
            if self._is_tensor(slot)
        )
        if elements * 8 * operator.temporaries > self.limit:
            raise NotReplayable(NotReplayed.TOO_LARGE, operator.name)
