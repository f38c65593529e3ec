"""Fitting: every setting is tried on the results of a device, and what gives all bits of them remains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.emulation.arithmetic.rounding import Array, Rounding
from core.emulation.calibration.adders import Order, orders_of, related_adders, ways_of
from core.emulation.calibration.concluding import allowed_rows, concluded
from core.emulation.calibration.findings import Calibration, GroupFit
from core.emulation.calibration.probes import Group, Probe
from core.emulation.calibration.relations import Relation, related
from core.emulation.calibration.tried import SIMPLE
from core.emulation.chips.profile import Profile
from core.messages import Message
from core.progress import Progress, Work

_OPERANDS_OF = {
    Group.FLOAT32_SUMS: Group.PRODUCT_OPERANDS,
    Group.CONVOLUTION_SUMS: Group.CONVOLUTION_OPERANDS,
}
_SUMS = (Group.FLOAT16_SUMS, Group.BFLOAT16_SUMS, Group.FLOAT32_SUMS, Group.CONVOLUTION_SUMS)
_SUMS_OF = {
    Group.FLOAT16_ORDER: Group.FLOAT16_SUMS,
    Group.BFLOAT16_ORDER: Group.BFLOAT16_SUMS,
    Group.FLOAT32_ORDER: Group.FLOAT32_SUMS,
    Group.CONVOLUTION_ORDER: Group.CONVOLUTION_SUMS,
}
_MOST_ADDERS = 24
"""Of the adders that remain, so many are run on the long probes; a few suffice to find the order."""

Results = Mapping[str, Array]


def fit(probes: Sequence[Probe], results: Results, base: Profile) -> Work[Calibration]:
    """Return what *results* tell of the parameters of a chip.

    Parameters
    ----------
    probes : sequence of Probe
    results : mapping
        Results by the name of their probe, float32 in the shape of the probe; some may be missing.
    base : Profile
        Where several settings remain, the one that is nearest to it is chosen.
    """
    came = {group: [one for one in probes if one.group is group and one.name in results] for group in Group}
    came = {group: members for group, members in came.items() if members}
    relations: dict[Group, Relation] = {}
    groups: list[GroupFit] = []
    for number, (group, members) in enumerate(came.items()):
        yield Progress(number, len(came), Message("progress.calibration", {"group": group.value}))
        if group not in _SUMS_OF:
            relation = _related(group, members, results, relations)
            if relation is None:
                groups.append(GroupFit(group, len(members), examined=False))
            else:
                relations[group] = relation
                fits = bool(relation.rows)
                groups.append(GroupFit(group, len(members), fits, True, relation.share, relation.best))
    orders: dict[Group, list[set[Order]]] = {}
    for group, sums in _SUMS_OF.items():
        if group not in came:
            continue
        yield Progress(len(came) - 1, len(came), Message("progress.calibration", {"group": group.value}))
        rows = allowed_rows(sums, relations)[:_MOST_ADDERS]
        if rows:
            orders[group] = [orders_of(probe, results[probe.name], rows) for probe in came[group]]
            fits = all(orders[group])
            groups.append(GroupFit(group, len(came[group]), fits, share=float(fits)))
        else:
            groups.append(GroupFit(group, len(came[group]), examined=False))
    return concluded(relations, orders, tuple(groups), base)


def _related(
    group: Group, members: Sequence[Probe], results: Results, relations: Mapping[Group, Relation]
) -> Relation | None:
    """Return what the results of one group allow; ``None`` if too little is known to ask."""
    if group not in _SUMS:
        return related(group, members, results, SIMPLE[group])
    entering = relations.get(_OPERANDS_OF[group]) if group in _OPERANDS_OF else None
    ways = ways_of(members[0], entering)
    if not ways:
        return None
    output = relations.get(Group.OUTPUT)
    roundings = sorted(output.values("output_rounding")) if output else []
    return related_adders(group, members, results, ways, roundings or [Rounding.NEAREST_EVEN.value])
