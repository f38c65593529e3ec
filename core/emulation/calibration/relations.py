"""Which settings give all bits of a group of probes, and what groups say together.

Each group leaves a set of rows, values of the parameters that its results depend on. What all groups allow is
the join of these sets, as of tables in a database: groups that share a parameter must agree on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from core.emulation.arithmetic.rounding import Array
from core.emulation.calibration.probes import Group, Probe
from core.emulation.calibration.simulation import Setting, simulated

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Relation:
    """What the results of one group allow.

    Attributes
    ----------
    group : Group
    names : tuple of str
        The parameters that its results depend on.
    rows : frozenset of tuple
        Their values that give all bits; empty if none does.
    best : Mapping
        The setting with the largest share of equal elements.
    share : float
        That share, 1.0 where *rows* is not empty.
    """

    group: Group
    names: tuple[str, ...]
    rows: frozenset[Row]
    best: Setting
    share: float

    def values(self, name: str) -> set[Any]:
        """Return what remains of one parameter."""
        place = self.names.index(name)
        return {row[place] for row in self.rows}

    def without(self, dropped: set[str]) -> Relation:
        """Return the relation between the other parameters."""
        places = [place for place, name in enumerate(self.names) if name not in dropped]
        rows = frozenset(tuple(row[place] for place in places) for row in self.rows)
        return Relation(self.group, tuple(self.names[place] for place in places), rows, self.best, self.share)


def equal_elements(made: Array, measured: Array) -> int:
    """Count equal elements; NaN equals NaN, and +0 equals −0."""
    return int(np.count_nonzero((made == measured) | (np.isnan(made) & np.isnan(measured))))


def related(
    group: Group,
    probes: Sequence[Probe],
    results: Mapping[str, Array],
    tried: Mapping[str, Sequence[Any]],
    simulate: Callable[[Probe, Setting], Array] = simulated,
) -> Relation:
    """Try all combinations of the values *tried* on *probes*, and return what gives all bits."""
    names = tuple(tried)
    total = sum(results[probe.name].size for probe in probes)
    rows, best, most = set(), {}, -1
    for row in product(*tried.values()):
        setting = dict(zip(names, row))
        equal = sum(equal_elements(simulate(probe, setting), results[probe.name]) for probe in probes)
        if equal == total:
            rows.add(row)
        if equal > most:
            best, most = setting, equal
    return Relation(group, names, frozenset(rows), best, most / total if total else 1.0)


def components(relations: Iterable[Relation]) -> Iterator[list[Relation]]:
    """Yield relations in groups that share no parameter with each other."""
    left = list(relations)
    while left:
        together, names = [left.pop(0)], set()
        while True:
            names = {name for relation in together for name in relation.names}
            more = [relation for relation in left if names & set(relation.names)]
            if not more:
                break
            together += more
            left = [relation for relation in left if relation not in more]
        yield together


def joined(relations: Sequence[Relation]) -> list[dict[str, Any]]:
    """Return the settings of all parameters of *relations* that every one of them allows."""
    settings: list[dict[str, Any]] = [{}]
    # Few rows first; the next one always shares a parameter if any does.
    left = sorted(relations, key=lambda relation: len(relation.rows))
    known: set[str] = set()
    while left and settings:
        relation = next((item for item in left if known & set(item.names)), left[0])
        left.remove(relation)
        shared = [name for name in relation.names if name in known]
        by_shared: dict[Row, list[dict[str, Any]]] = {}
        for row in relation.rows:
            setting = dict(zip(relation.names, row))
            by_shared.setdefault(tuple(setting[name] for name in shared), []).append(setting)
        settings = [
            {**setting, **other}
            for setting in settings
            for other in by_shared.get(tuple(setting[name] for name in shared), ())
        ]
        known |= set(relation.names)
    return settings


def disagreements(relations: Sequence[Relation]) -> set[str]:
    """Return the parameters on which *relations* of one component, each allowing something, do not agree."""
    found: set[str] = set()
    while not joined(left := [relation.without(found) for relation in relations]):
        shared = {
            name: [relation.values(name) for relation in left if name in relation.names]
            for relation in left
            for name in relation.names
        }
        shared = {name: sets for name, sets in shared.items() if len(sets) > 1}
        apart = {name for name, sets in shared.items() if not set.intersection(*sets)}
        found |= apart or set(shared)
    return found
