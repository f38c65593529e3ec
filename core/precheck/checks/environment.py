"""Whether variables that change numbers are set alike on both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from core.messages import Message
from core.precheck.checks.missing import without
from core.precheck.checks.phrases import first_ones
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.machine import maker_of
from core.precheck.software.variables import Maker, Switch, VariableClass, acts_as, is_open, variable_table
from core.records.evidence import EvidenceKind, Variable
from core.records.precheck import Item, Outcome, Standing

_ORDER = (
    VariableClass.NUMERIC,
    VariableClass.COMMUNICATION,
    VariableClass.DEVICE,
    VariableClass.OTHER,
    VariableClass.NOISE,
)
_BESIDE = " ↔ "
"""Between the names of two machines for one thing."""
_COUNTS = (VariableClass.NUMERIC, VariableClass.COMMUNICATION)

_FAILS = (Standing.DIFFERS, Standing.TARGET_ONLY, Standing.GOLDEN_ONLY)


class EnvironmentSide(NamedTuple):
    """What the environment of one side is."""

    maker: Maker | None
    variables: Mapping[str, Variable]
    whole: bool
    """All its variables are known, not only those that a script sets."""


def environment_of(side: Side) -> EnvironmentSide:
    """Return the variables of *side*; what the launch script sets holds before what was set around it."""
    scripts = side.of_kind(EvidenceKind.SCRIPT)
    around = [item for item in side.evidence if EvidenceKind.SCRIPT not in item.kinds]
    whole = any(EvidenceKind.ENVIRONMENT in item.kinds for item in around)
    found = {variable.name: variable for item in (*around, *scripts) for variable in item.environment}
    return EnvironmentSide(maker_of(side), found, whole)


def environment(pair: Pair) -> Finding:
    """Check that no variable that ``resources/tables/environment.toml`` calls numeric acts differently.

    All variables that a side sets are listed, those of an NPU beside their counterparts of a GPU. One that is
    not set acts as its default; where scripts set none that counts, what was set around them is open.
    """
    target, golden = environment_of(pair.target), environment_of(pair.golden)
    if not (target.variables and golden.variables):
        return without("environment", target=bool(target.variables), golden=bool(golden.variables))
    items = [item for switch in _switches(target, golden) for item in _items(switch, target, golden)]
    failed = [item for item in items if item.standing in _FAILS]
    if failed:
        told = first_ones([f"{item.name} {item.target or '—'} / {item.golden or '—'}" for item in failed])
        message = Message("precheck.versions.environment.fail", {"count": len(failed), "variables": told})
        return Finding(Outcome.FAIL, message, items)
    unknown = [item.name for item in items if item.standing is Standing.UNKNOWN]
    if unknown:
        message = Message("precheck.versions.environment.unknown", {"names": first_ones(unknown)})
        return Finding(Outcome.NOT_DONE, message, items)
    counting = any(item.standing is Standing.EQUAL and _counts(item) for item in items)
    if not counting and not (target.whole and golden.whole):
        return Finding(Outcome.NOT_DONE, Message("precheck.versions.environment.partial"), items)
    message = Message("precheck.versions.environment.pass", {"count": len(items)})
    return Finding(Outcome.PASS, message, items)


def _counts(item: Item) -> bool:
    return any(variable_table().switch_of(name).kind in _COUNTS for name in item.name.split(_BESIDE))


def _switches(target: EnvironmentSide, golden: EnvironmentSide) -> list[Switch]:
    """Return the switches that any variable sets, what matters most first."""
    table = variable_table()
    found: dict[tuple[str, ...], Switch] = {}
    for name in sorted({*target.variables, *golden.variables}):
        switch = table.switch_of(name)
        found.setdefault(tuple(switch.names), switch)
    return sorted(found.values(), key=lambda switch: (_ORDER.index(switch.kind), next(iter(switch.names))))


def _items(switch: Switch, target: EnvironmentSide, golden: EnvironmentSide) -> Iterator[Item]:
    """Yield the rows of *switch*: names that both sides set, then what is left beside each other."""
    mine = [name for name in switch.names if name in target.variables]
    theirs = [name for name in switch.names if name in golden.variables]
    shared = [name for name in mine if name in theirs]
    for name in shared:
        yield _both(switch, target.variables[name], golden.variables[name])
    left = [target.variables[name] for name in mine if name not in shared]
    others = [golden.variables[name] for name in theirs if name not in shared]
    for one, other in zip_longest(left, others):
        if one and other:
            yield _both(switch, one, other)
        elif shared:
            yield _item(one, other, Standing.REMARK, Message("precheck.versions.environment.also"))
        elif found := one or other:
            yield _alone(switch, found, target, golden)


def _item(
    target: Variable | None, golden: Variable | None, standing: Standing, remark: Message | None
) -> Item:
    names = dict.fromkeys(found.name for found in (target, golden) if found)
    return Item(
        _BESIDE.join(names),
        target.value if target else "",
        golden.value if golden else "",
        standing,
        target.place if target else None,
        golden.place if golden else None,
        remark,
    )


def _both(switch: Switch, target: Variable, golden: Variable) -> Item:
    remark = None
    if acts_as(target.value) == acts_as(golden.value):
        standing = Standing.EQUAL
    elif switch.kind is VariableClass.COMMUNICATION and target.name != golden.name:
        standing, remark = Standing.REMARK, Message("precheck.versions.environment.other_maker")
    elif switch.kind in _COUNTS and (is_open(target.value) or is_open(golden.value)):
        standing, remark = Standing.UNKNOWN, Message("precheck.versions.environment.open")
    elif switch.kind in _COUNTS:
        standing = Standing.DIFFERS
    else:
        standing, remark = Standing.REMARK, _why_not(switch)
    return _item(target, golden, standing, remark)


def _alone(switch: Switch, found: Variable, target: EnvironmentSide, golden: EnvironmentSide) -> Item:
    """Return the row of a variable that one side alone sets: the other acts as its default."""
    on_target = target.variables.get(found.name) is found
    here, there = (target, golden) if on_target else (golden, target)
    acting = switch.unset(there.maker)
    foreign = here.maker is not there.maker and there.maker is not None and not switch.read_by(there.maker)
    shown = ""
    if switch.kind not in _COUNTS:
        standing, remark = Standing.REMARK, _why_not(switch)
    elif is_open(found.value):
        standing, remark = Standing.UNKNOWN, Message("precheck.versions.environment.open")
    elif foreign and acting is None:
        standing, remark = Standing.REMARK, Message("precheck.versions.environment.foreign")
    elif acting is None:
        standing, remark = Standing.TARGET_ONLY if on_target else Standing.GOLDEN_ONLY, None
    else:
        standing = Standing.EQUAL if acts_as(acting) == acts_as(found.value) else Standing.DIFFERS
        shown, remark = acting, Message("precheck.versions.environment.default", {"value": acting})
    if on_target:
        return replace(_item(found, None, standing, remark), golden=shown)
    return replace(_item(None, found, standing, remark), target=shown)


def _why_not(switch: Switch) -> Message:
    return Message(f"precheck.versions.environment.{switch.kind}")
