"""What a call depends on beside its recorded inputs, and what error that may carry in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.diagnosis.calls import Bool, Calls, Rows, enclosing_calls, forward_calls
from core.diagnosis.tuning import CONTEXT_ROUNDOFFS
from core.dtypes import DTYPES, Kind, dtype_named
from core.records.columns import Float64
from core.records.dump import Dump, SlotKind
from core.records.names import OperatorKind
from core.records.result import CellResult, Verdict

_SCOPES = ("optimizer", "clip_grad")
"""Parents that the official dumper gives to calls which no module makes."""
_STACK_MARKS = ("torch/optim/", "/optimizer/", "clip_grad")


@dataclass(frozen=True)
class Context:
    """For each call, what went into it in every way."""

    forward: Rows
    """The call that a backward call depends on, -1 for none."""
    module: Rows
    """The call of the module around it, -1 for none."""
    composite: Bool
    """A module with dumped calls inside: those are judged, it is not."""
    dirty: Bool
    """Something that goes in differs: an input, what its forward call had, what a call inside it made."""
    unknown: Bool
    """Something that goes in could not be compared, in any of these ways."""
    blind: Bool
    """Nothing that goes in was compared, in any of these ways: a value that was saved alone."""
    special: Bool
    """NaN or Inf goes in where the golden has none."""
    error: Float64
    """Largest relative error that goes in."""
    floor: Float64
    """Error that statistics may fail to show, from the coarsest format used so far."""
    optimizer: Bool
    """Part of gradient clipping or the optimizer's step, which divide gradients by their own size: any error
    grows, and what they take was made by the backward pass."""
    derived: Bool
    """Gradients of parameters, which the backward calls have made."""
    rebuilt: Bool
    """A module that has a call inside on one side only."""
    exact: Bool
    """Everything that was compared before this call is equal, to the bit where the evidence tells."""
    before: Float64
    """Largest finite relative error of any value of the calls before; what comes out of a module comes out
    of the calls inside it, which its record precedes."""


def call_context(cell: CellResult, calls: Calls) -> Context:
    """Return the context of all *calls*."""
    forward, module = forward_calls(cell, calls), enclosing_calls(cell, calls)
    composite = np.zeros(len(calls), bool)
    composite[module[module >= 0]] = True
    dirty, special, error = calls.inputs_bad.copy(), calls.inputs_special.copy(), calls.input_error.copy()
    unknown, known = calls.inputs_unknown.copy(), calls.inputs_known.copy()
    behind = np.flatnonzero(forward >= 0)
    ahead = forward[behind]
    dirty[behind] |= calls.inputs_bad[ahead] | calls.outputs_bad[ahead] | calls.arguments_bad[ahead]
    unknown[behind] |= calls.inputs_unknown[ahead] | calls.outputs_unknown[ahead]
    known[behind] |= calls.inputs_known[ahead]
    special[behind] |= calls.inputs_special[ahead] | calls.outputs_special[ahead]
    np.maximum.at(error, behind, np.maximum(calls.input_error, calls.output_error)[ahead])
    inner = np.flatnonzero(module >= 0)
    outer = module[inner]
    np.logical_or.at(dirty, outer, calls.outputs_bad[inner])
    np.logical_or.at(unknown, outer, calls.inputs_unknown[inner] | calls.outputs_unknown[inner])
    np.logical_or.at(known, outer, calls.inputs_known[inner])
    np.logical_or.at(special, outer, calls.outputs_special[inner])
    np.maximum.at(error, outer, calls.output_error[inner])
    rebuilt = np.zeros(len(calls), bool)
    rebuilt[module[(module >= 0) & ~calls.matched]] = True
    kinds = np.append(cell.target.operators.kind, 255)[calls.target]
    return Context(
        forward=forward,
        module=module,
        composite=composite,
        dirty=dirty,
        unknown=unknown,
        blind=calls.matched & ~known,
        special=special,
        error=error,
        floor=CONTEXT_ROUNDOFFS
        * np.maximum(_coarsest(cell.target, calls.target), _coarsest(cell.golden, calls.golden)),
        optimizer=_in_optimizer(cell.target, calls.target) | _in_optimizer(cell.golden, calls.golden),
        derived=kinds == OperatorKind.PARAMETERS_GRAD,
        rebuilt=rebuilt,
        exact=_exact_before(cell, calls),
        before=_worst_before(calls, composite),
    )


def _exact_before(cell: CellResult, calls: Calls) -> Bool:
    unequal = ~np.isin(cell.rows.verdict, (Verdict.EQUAL, Verdict.NOT_COMPARED)) & calls.rows.tensor
    unequal |= calls.rows.unknown
    first = calls.rows.call[unequal].min(initial=len(calls))
    found: Bool = np.arange(len(calls)) <= first
    return found


def _worst_before(calls: Calls, composite: Bool) -> Float64:
    own = np.maximum(calls.input_error, np.where(composite, 0.0, calls.output_error))
    own[~np.isfinite(own)] = 0.0
    return np.maximum.accumulate(np.r_[0.0, own])[: len(calls)]


def _coarsest(dump: Dump, operators: Rows | np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> Float64:
    """Return the unit roundoff of the coarsest format that any call up to each one has touched; 0 if fine."""
    roundoffs = np.zeros(len(dump.strings) + 1)
    for name in np.unique(dump.slots.dtype[dump.slots.dtype >= 0]).tolist():
        dtype = dtype_named(dump.strings[name])
        if dtype is not None and dtype.kind is Kind.FLOAT and dtype.precision < DTYPES["float32"].precision:
            roundoffs[name] = dtype.unit_roundoff
    of_slot = roundoffs[dump.slots.dtype]
    of_slot[dump.slots.kind != SlotKind.TENSOR] = 0.0
    of_operator = np.zeros(len(dump.operators) + 1)
    np.maximum.at(of_operator, dump.slots.operator, of_slot)
    of_operator[:-1] = np.maximum.accumulate(of_operator[:-1])
    return of_operator[operators]


def _in_optimizer(dump: Dump, operators: Rows | np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> Bool:
    """Return which calls are made by an optimizer, by the scope around them or their stack."""
    scopes = np.array([text in _SCOPES for text in dump.strings] + [False])
    stacks = np.array([any(mark in text for mark in _STACK_MARKS) for text in dump.stacks] + [False])
    found = scopes[dump.operators.parent] | stacks[dump.operators.stack]
    return np.append(found, False)[operators]
