"""Which adders give all bits of sums of products, and in which order of K.

The adder is the chip's; the order is a library's choice and may change with the shape. So an adder explains
a group if it gives all bits of each probe in *some* order; what orders remain is asked of longer probes, once
the adders that remain are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from core.emulation.arithmetic.rounding import Array
from core.emulation.calibration.probes import Group, Probe
from core.emulation.calibration.relations import Relation, Row, equal_elements
from core.emulation.calibration.simulation import (
    Setting,
    block_name,
    delivered_product,
    entered_operands,
    entering_format,
    policy_of,
    summed,
)
from core.emulation.calibration.tried import TRIED

ADDER = ("guard_bits", "accumulate_rounding", "accumulator")
Order = tuple[int, bool]
"""Parts of K, and whether its blocks are added from the last to the first."""
ORDERS: tuple[Order, ...] = ((1, False), (1, True), (2, False), (4, False), (8, False))
"""Orders that are tried: those of the envelope."""
_FINALISTS = 8
"""Adders that are run on all probes to find the closest, where none gives all bits."""


@dataclass(frozen=True)
class Operands:
    """One way in which the operands of a group may enter the matrix unit.

    ``rows`` are the values of *names* that come to the same: a rounding that rounds nothing has no effect.
    """

    setting: Setting
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    block: str
    """The parameter for the products a step of such operands."""


def ways_of(probe: Probe, relation: Relation | None) -> list[Operands]:
    """Return the ways in which the operands of *probe* may enter, as *relation* allows them.

    Empty if it is not known how many products a step such operands would make, or nothing of them is known.
    """
    if probe.dtype != "float32":
        return [Operands({}, (), ((),), "block_half")]
    if relation is None or not relation.rows:
        return []
    policy = policy_of(probe)
    names = (policy, "hf32_format", "operand_rounding")
    places = [relation.names.index(name) for name in names]
    by_effect: dict[tuple[str, str], dict[Row, None]] = {}
    for row in sorted(relation.rows, key=str):
        values = tuple(row[place] for place in places)
        entering = entering_format("float32", values[0], values[1])
        rounding = "" if entering.name == "float32" else values[2]
        by_effect.setdefault((entering.name, rounding), {})[values] = None
    ways = []
    for rows in by_effect.values():
        first = next(iter(rows))
        block = block_name(entering_format("float32", first[0], first[1]))
        ways.append(Operands(dict(zip(names, first)), names, tuple(rows), block))
    return ways if len({way.block for way in ways}) == 1 else []


def related_adders(
    group: Group,
    probes: Sequence[Probe],
    results: Mapping[str, Array],
    ways: Sequence[Operands],
    output_roundings: Iterable[str],
) -> Relation:
    """Try all adders on *probes*, the first of which should be a quick one, and return those that fit."""
    block = ways[0].block
    names = (*ways[0].names, block, *ADDER, "output_rounding")
    choices = product(TRIED[block], *(TRIED[name] for name in ADDER))
    adders = [dict(zip((block, *ADDER), values)) for values in choices]
    rows: set[Row] = set()
    ranked: list[tuple[int, Setting, Setting]] = []
    for way in ways:
        entered = {probe.name: entered_operands(probe, way.setting) for probe in probes}
        for adder in adders:
            setting = {**way.setting, **adder}
            for rounding in output_roundings:
                full = {**setting, "output_rounding": rounding}
                quick = 0
                for number, probe in enumerate(probes):
                    equal = _most_equal(probe, entered[probe.name], full, results[probe.name])
                    quick = equal if number == 0 else quick
                    if equal < results[probe.name].size:
                        break
                else:
                    rows |= {(*row, *adder.values(), rounding) for row in way.rows}
                ranked.append((quick, full, way.setting))
    if rows:
        return Relation(group, names, frozenset(rows), dict(zip(names, min(rows, key=str))), 1.0)
    return _closest(group, names, probes, results, ranked)


def _closest(
    group: Group,
    names: tuple[str, ...],
    probes: Sequence[Probe],
    results: Mapping[str, Array],
    ranked: list[tuple[int, Setting, Setting]],
) -> Relation:
    """Return a relation without rows, with the adder that gives the most elements."""
    total = sum(results[probe.name].size for probe in probes)
    best: Setting = {}
    most = -1
    for _, full, way in sorted(ranked, key=lambda item: -item[0])[:_FINALISTS]:
        equal = sum(
            _most_equal(probe, entered_operands(probe, way), full, results[probe.name]) for probe in probes
        )
        if equal > most:
            best, most = full, equal
    return Relation(group, names, frozenset(), best, most / total)


def _most_equal(probe: Probe, operands: tuple[Array, Array], setting: Setting, measured: Array) -> int:
    """Return how many elements of *probe* a setting gives in the order that gives most."""
    most = -1
    seen: set[tuple[int, bool]] = set()
    for order in ORDERS:
        effect = _effect(operands[0].shape[1], setting, probe, order)
        if effect in seen:
            continue
        seen.add(effect)
        most = max(most, equal_elements(_in_order(probe, operands, setting, order), measured))
        if most == measured.size:
            break
    return most


def _effect(length: int, setting: Setting, probe: Probe, order: Order) -> tuple[int, bool]:
    """Return what tells apart orders of K: the blocks of a part, and whether reversing changes anything."""
    policy = setting.get(policy_of(probe), "float32")
    block = setting[block_name(entering_format(probe.dtype, policy, setting.get("hf32_format", "hf32")))]
    blocks = -(-length // block)
    share = -(-blocks // order[0])
    return share, order[1] and blocks > 1


def _in_order(probe: Probe, operands: tuple[Array, Array], setting: Setting, order: Order) -> Array:
    chosen = {**setting, "splits": order[0], "reverse": order[1]}
    return delivered_product(probe, summed(probe, operands, chosen), chosen)


def orders_of(probe: Probe, measured: Array, settings: Iterable[Mapping[str, Any]]) -> set[Order]:
    """Return the orders of K in which one of *settings*, with an adder in it, gives all bits of *probe*."""
    found: set[Order] = set()
    for setting in settings:
        operands = entered_operands(probe, setting)
        for order in ORDERS:
            if order not in found:
                made = _in_order(probe, operands, setting, order)
                if equal_elements(made, measured) == measured.size:
                    found.add(order)
    return found
