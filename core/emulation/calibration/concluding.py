"""From what each group of probes allows to what is said of each parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from core.emulation.arithmetic.rounding import Overflow
from core.emulation.calibration.adders import ORDERS, Order
from core.emulation.calibration.findings import Calibration, Finding, GroupFit, State
from core.emulation.calibration.probes import TELLS, Group
from core.emulation.calibration.relations import Relation, components, disagreements, joined
from core.emulation.calibration.simulation import block_name, entering_format
from core.emulation.calibration.tried import TRIED
from core.emulation.chips.profile import Profile

_ORDER = ("splits", "reverse")
_Relations = Mapping[Group, Relation]
_Settings = list[dict[str, Any]]


def concluded(
    relations: _Relations,
    orders: Mapping[Group, Sequence[set[Order]]],
    groups: tuple[GroupFit, ...],
    base: Profile,
) -> Calibration:
    """Return what all groups say together.

    Parameters
    ----------
    relations : mapping of Group to Relation
        What each group allows.
    orders : mapping of Group to sequence of sets
        The orders over K that each long probe allows.
    groups : tuple of GroupFit
    base : Profile
        The setting that is chosen is the one nearest to it.
    """
    apart, parts = _together(relations)
    setting: dict[str, Any] = {}
    for part in parts:
        setting.update(min(part, key=partial(_distance, base)))
    found = [_finding(name, relations, apart, parts) for name in TRIED if name not in _ORDER]
    claimed = {item.parameter for item in found if item.state in (State.DETERMINED, State.NARROWED)}
    setting = {name: value for name, value in setting.items() if name in claimed}
    found = [_with_effect(item, {item.parameter: item for item in found}, base) for item in found]
    order, varies = _common_orders(orders)
    unexplained = any(group.group in orders and not group.fits for group in groups)
    found += [_of_order(name, place, order, unexplained) for place, name in enumerate(_ORDER)]
    if unexplained:
        return Calibration(tuple(found), groups, setting)
    return Calibration(tuple(found), groups, setting, order, varies)


def allowed_rows(group: Group, relations: _Relations) -> _Settings:
    """Return the settings of the parameters of *group* that it and all others allow."""
    relation = relations.get(group)
    if relation is None or not relation.rows:
        return []
    apart, parts = _together(relations)
    names = [name for name in relation.names if name not in apart]
    part: _Settings = next((part for part in parts if names and names[0] in part[0]), [{}])
    allowed = {tuple(one.get(name) for name in names) for one in part}
    rows = (dict(zip(relation.names, row)) for row in sorted(relation.rows, key=str))
    return [row for row in rows if tuple(row[name] for name in names) in allowed]


def _together(relations: _Relations) -> tuple[set[str], list[_Settings]]:
    """Return the parameters on which groups disagree, and by component the settings that all allow."""
    fitting = [relation for relation in relations.values() if relation.rows]
    apart = {name for part in components(fitting) for name in disagreements(part)}
    left = [relation.without(apart) for relation in fitting]
    return apart, [joined(part) for part in components(one for one in left if one.names)]


def _distance(base: Profile, setting: Mapping[str, Any]) -> tuple[int, str]:
    """Return by how many values *setting* differs from *base*."""
    return sum(value != of_base(base, name) for name, value in setting.items()), str(sorted(setting.items()))


def of_base(base: Profile, name: str) -> Any:
    """Return a parameter of *base*; of ``bf16_rounding`` that of layer norms."""
    if name == "bf16_rounding":
        return base[name].get("layer_norm", base["output_rounding"])
    return base[name]


def _finding(name: str, relations: _Relations, apart: set[str], parts: Sequence[_Settings]) -> Finding:
    tried = TRIED[name]
    telling = [relation for relation in relations.values() if name in relation.names]
    if any(not relation.rows and _is_for(relation.group, name) for relation in telling):
        return Finding(name, State.NOT_EXPLAINED, (), tried)
    if name in apart:
        by_group = {one.group: _ordered(one.values(name), tried) for one in telling if one.rows}
        return Finding(name, State.NOT_EXPLAINED, (), tried, by_group)
    values = {one[name] for part in parts if name in part[0] for one in part}
    if not values or len(values) == len(tried):
        return Finding(name, State.NOT_TOLD, tried, tried)
    state = State.DETERMINED if len(values) == 1 else State.NARROWED
    return Finding(name, state, _ordered(values, tried), tried)


def _is_for(group: Group, name: str) -> bool:
    """Whether *group* was made to tell the parameter, and so bars it from being claimed."""
    return name in TELLS[group] or name.startswith("block_")


def _ordered(values: Iterable[Any], tried: Sequence[Any]) -> tuple[Any, ...]:
    kept = set(values)
    return tuple(value for value in tried if value in kept)


def _with_effect(finding: Finding, found: Mapping[str, Finding], base: Profile) -> Finding:
    """Say of a parameter that is not determined whether it changes anything, the others being as found."""
    if finding.state not in (State.NOT_TOLD, State.NARROWED):
        return finding

    def only(name: str, value: Any) -> bool:
        return found[name].values == (value,)

    policies = [found[name] for name in ("float32_product", "float32_convolution")]
    known = all(policy.state is State.DETERMINED for policy in policies)
    entering = (
        {entering_format("float32", policy.values[0], "hf32") for policy in policies} if known else set()
    )
    match finding.parameter:
        case "nan_to_zero":
            idle = only("overflow", Overflow.INF_NAN.value)
        case "matrix_float32_saturates":  # products of float16 numbers never overflow float32
            halves = known and all(item.name == "float16" for item in entering)
            idle = halves or only("overflow", Overflow.INF_NAN.value)
        case "hf32_format":
            idle = known and not any(item.name == "hf32" for item in entering)
        case "operand_rounding":
            idle = known and all(item.name == "float32" for item in entering)
        case "block_float32" | "block_hf32":
            idle = known and finding.parameter not in {block_name(item) for item in entering}
        case "bf16_rounding":
            idle = "bfloat16" not in base["operand_formats"]
        case _:
            idle = False
    return replace(finding, state=State.NO_EFFECT) if idle else finding


def _common_orders(orders: Mapping[Group, Sequence[set[Order]]]) -> tuple[tuple[Order, ...], bool]:
    """Return the orders that remain, and whether no one of them explains all long probes of a group."""
    left: set[Order] = set()
    varies = False
    for sets in orders.values():
        common = set.intersection(*sets)
        varies |= not common
        left |= common or set.union(*sets)
    return tuple(order for order in ORDERS if order in left), varies


def _of_order(name: str, place: int, orders: Sequence[Order], unexplained: bool) -> Finding:
    tried = TRIED[name]
    if unexplained:
        return Finding(name, State.NOT_EXPLAINED, (), tried)
    values = _ordered((order[place] for order in orders), tried)
    if not values or len(orders) == len(ORDERS):
        return Finding(name, State.NOT_TOLD, tried, tried)
    return Finding(name, State.DETERMINED if len(values) == 1 else State.NARROWED, values, tried)
