"""What to run for a call: the operator, and how to bind arguments to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.emulation.operators import OPERATORS
from core.emulation.operators.table import Operator
from core.emulation.replay.modules import MODULES
from core.emulation.replay.names import resolve
from core.emulation.terms.arguments import Bound, Given, bind
from core.emulation.terms.call import Call
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.records.dump import Dump
from core.records.names import OperatorKind, OperatorName


@dataclass(frozen=True)
class Plan:
    """What to run: the operator, and how to bind arguments to it.

    ``complete`` says whether the dump has all arguments that were passed; ``guesses`` yields values for
    those it may lack, all there are if ``exhaustive``; ``otherwise`` is the reason when none explains
    the outputs.
    """

    operator: Operator
    in_place: bool = False
    complete: bool = True
    guesses: Callable[[Call], Iterator[dict[str, object]]] | None = None
    exhaustive: bool = False
    otherwise: NotReplayed = NotReplayed.AMBIGUOUS_ARGUMENTS
    module: bool = False


def plan_call(dump: Dump, operator: int, name: OperatorName, *, torch: bool = False) -> Plan:
    """Return what to run for row *operator*, with what *torch* adds to the table if so asked.

    Raises
    ------
    NotReplayable
        UNSUPPORTED_OPERATOR, RANDOM, COMMUNICATION or COMPOSITE_MODULE.
    """
    if name.kind is OperatorKind.MODULE:
        return _module_plan(dump, operator, name)
    if name.kind is not OperatorKind.API:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, name.kind.name.lower())
    api = resolve(name.stem, torch=torch)
    complete = dump.format != "ptdbg" or api.dunder
    guesses = None if complete else api.operator.options
    return Plan(api.operator, api.in_place, complete, guesses, api.operator.exhaustive)


def _module_plan(dump: Dump, operator: int, name: OperatorName) -> Plan:
    class_name = name.stem.rsplit(".", 1)[-1]
    module = MODULES.get(class_name)
    if module is None or _has_modules_inside(dump, operator):
        raise NotReplayable(NotReplayed.COMPOSITE_MODULE, class_name)
    exhaustive = module.exhaustive or module.guess is None
    return Plan(OPERATORS[module.operator], False, True, module.guess, exhaustive, module.otherwise, True)


def _has_modules_inside(dump: Dump, operator: int) -> bool:
    operators = dump.operators
    inside = operators.parent == operators.name[operator]
    return bool((operators.kind[inside] == OperatorKind.MODULE).any())


def bind_module(given: Given, plan: Plan) -> Bound:
    """Bind a module's inputs by position, its parameters by name; the rest has defaults or is guessed."""
    form = plan.operator.signature
    unknown = set(given.parameters) - set(form.names)
    if unknown:
        raise NotReplayable(NotReplayed.COMPOSITE_MODULE, ", ".join(sorted(unknown)))
    open_form = replace(form, defaults=dict.fromkeys(form.names) | dict(form.defaults))
    inputs = bind(Given(given.positional, given.keywords, {}), open_form)
    values = {**inputs.values, **given.parameters}
    if values.get("input") is None:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, "input")
    return Bound(values)
