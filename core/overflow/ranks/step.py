"""All ranks of one step: which births are only received, which are the earliest, and where they spread."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import NamedTuple

from core.messages import Message
from core.overflow.births.examination import Examination
from core.overflow.births.telling import in_words
from core.overflow.ranks.clocks import Clocks, Moment
from core.overflow.ranks.exchanges import Exchanges, Place, Transfer
from core.records.overflow import Birth, BirthKind, Level, Special, Station, Way

_GRADIENTS = ".parameters_grad"


@dataclass(frozen=True)
class Origin:
    """A birth that stays, with where it begins."""

    birth: Birth
    places: tuple[Place, ...]
    """One for each rank that saw it."""
    time: int
    """Logical time in its step."""


class Link(NamedTuple):
    """Bad values that went from one cell to another."""

    sender: Place
    receiver: Place
    way: Way


@dataclass
class Step:
    """What is known of one step once its ranks were looked at together."""

    cells: Sequence[Examination]
    origins: list[Origin] = field(default_factory=list)
    links: dict[Place, list[Link]] = field(default_factory=lambda: defaultdict(list))
    """Where values that begin at a place of a cell go on in other cells."""
    from_step_before: list[Place] = field(default_factory=list)
    """Bad parameters that an earlier step explains."""


def conclude_step(cells: Sequence[Examination], ranks: Collection[int], *, after_births: bool) -> Step:
    """Return the births of one step that nothing explains.

    Parameters
    ----------
    cells
        The ranks that are examined, ascending.
    ranks
        All ranks that the run is known to have, ascending.
    after_births
        Whether an earlier step had births: then bad parameters are its work.
    """
    step = Step(cells)
    exchanges = Exchanges(cells, ranks)
    for transfer in exchanges.transfers():
        _link(step, transfer.sender, transfer.receiver, Way.COMMUNICATION)
    found = [*_made_on_the_way(exchanges), *_own_births(step, exchanges, after_births)]
    found = _without_averaged_gradients(step, found)
    found = _joined(found)
    moments = [[_moment(birth, place) for place in places] for birth, places in found]
    clocks = Clocks(exchanges, [moment for of_birth in moments for moment in of_birth])
    for (birth, places), of_birth in zip(found, moments):
        itself = reduce(or_, map(clocks.bit, of_birth))
        earliest = any(not clocks.heard_of(moment) & ~itself for moment in of_birth)
        time = min(clocks.time(place) for place in places)
        step.origins.append(Origin(replace(birth, earliest=earliest), places, time))
    return step


def _moment(birth: Birth, place: Place) -> Moment:
    inputs = (BirthKind.INPUT, BirthKind.PARAMETER)
    return Moment.of(place, output=birth.kind not in inputs)


def _own_births(
    step: Step, exchanges: Exchanges, after_births: bool
) -> list[tuple[Birth, tuple[Place, ...]]]:
    found: list[tuple[Birth, tuple[Place, ...]]] = []
    shown: dict[tuple[Place, ...], list[tuple[Birth, Place]]] = {}
    for number, cell in enumerate(step.cells):
        for birth in cell.births:
            place = Place(number, birth.row)
            if birth.kind is BirthKind.PARAMETER and after_births:
                step.from_step_before.append(place)
                continue
            transfer = _brought(exchanges, cell, birth, place)
            made_by = next((cause for cause in _causes(cell, birth, number) if exchanges.makes(cause)), None)
            if transfer is not None:
                _link(step, transfer.sender, place, Way.COMMUNICATION)
            elif made_by is not None:
                _link(step, made_by, place, Way.FLOW)
            elif birth.row in cell.shown_by:
                places = tuple(exchanges.shown_together(Place(number, cell.shown_by[birth.row])))
                shown.setdefault(places, []).append((birth, place))
            else:
                found.append((birth, (place,)))
    for places, births in shown.items():  # what an asynchronous call showed was there, and nobody sent it
        found.append((_communication_birth(exchanges, places, births[0][0].values), places))
        for _, place in births:
            _link(step, places[0], place, Way.FLOW)
    return found


def _causes(cell: Examination, birth: Birth, number: int) -> list[Place]:
    """Return where the values came in from outside that *birth* is made of, if these may be meant."""
    return [Place(number, row) for row in cell.causes.get(birth.row, ())]


def _brought(exchanges: Exchanges, cell: Examination, birth: Birth, place: Place) -> Transfer | None:
    """Return what another rank sent that explains *birth*, which its own rank does not."""
    for cause in _causes(cell, birth, place.cell):
        transfer = exchanges.bringer_of(cause)
        if transfer is not None:
            return transfer
    if birth.kind in (BirthKind.INPUT, BirthKind.IN_PLACE):
        return exchanges.sender_to(place)
    return None


def _made_on_the_way(exchanges: Exchanges) -> list[tuple[Birth, tuple[Place, ...]]]:
    """Return a birth for each exchange that makes bad values, or brings them from ranks that are unknown."""
    return [
        (_communication_birth(exchanges, places, values), tuple(places))
        for places, values in exchanges.made_on_the_way()
    ]


def _communication_birth(exchanges: Exchanges, places: Sequence[Place], values: Special) -> Birth:
    first = places[0]
    cell, call = exchanges.cells[first.cell], exchanges.call(first)
    unseen = any(exchanges.unseen(place) for place in places)
    code = "overflow.birth.unseen_rank" if unseen else "overflow.birth.communication"
    ranks = tuple(exchanges.cells[place.cell].key.rank for place in places)
    said = {
        "operator": call.operator,
        "slot": call.received_slot,
        "values": in_words(values),
        "ranks": ", ".join(map(str, ranks)),
    }
    return Birth(
        kind=BirthKind.COMMUNICATION,
        level=Level.CRITICAL,
        cell=cell.key,
        operator=call.operator,
        slot=call.received_slot,
        row=first.row,
        values=values,
        message=Message(code, said),
        ranks=ranks if len(ranks) > 1 else (),
        module=call.module,
        stack=call.stack,
    )


def _without_averaged_gradients(
    step: Step, found: list[tuple[Birth, tuple[Place, ...]]]
) -> list[tuple[Birth, tuple[Place, ...]]]:
    """Leave out gradients that turn bad by themselves while another rank has a birth.

    Data parallel wrappers average gradients outside of what is dumped, so that all ranks get the bad ones.
    """
    causes = [places[0] for birth, places in found if not _may_be_averaged(step, birth, places[0])]
    kept = []
    for birth, places in found:
        cause = next((place for place in causes if place.cell != places[0].cell), None)
        if cause is not None and _may_be_averaged(step, birth, places[0]):
            _link(step, cause, places[0], Way.GRADIENTS)
        else:
            kept.append((birth, places))
    return kept


def _may_be_averaged(step: Step, birth: Birth, place: Place) -> bool:
    first = step.cells[place.cell].first_gradient
    if _GRADIENTS in birth.operator:
        return True
    return birth.kind is BirthKind.INPUT and 0 <= first <= birth.row


def _joined(found: list[tuple[Birth, tuple[Place, ...]]]) -> list[tuple[Birth, tuple[Place, ...]]]:
    """Make one birth of a parameter that is bad in the same call of several ranks."""
    kept: list[tuple[Birth, tuple[Place, ...]]] = []
    at: dict[tuple[str, str, Special], int] = {}
    for birth, places in found:
        key = birth.operator, birth.slot, birth.values
        if birth.kind is BirthKind.PARAMETER and key in at:
            before, where = kept[at[key]]
            ranks = (*(before.ranks or (before.cell.rank,)), birth.cell.rank)
            kept[at[key]] = replace(before, ranks=ranks), (*where, *places)
            continue
        if birth.kind is BirthKind.PARAMETER:
            at[key] = len(kept)
        kept.append((birth, places))
    return kept


def _link(step: Step, sender: Place, receiver: Place, way: Way) -> None:
    begin = step.cells[sender.cell].branch_of.get(sender.row, sender.row)
    step.links[Place(sender.cell, begin)].append(Link(sender, receiver, way))


def paths_from(step: Step, places: Sequence[Place]) -> list[tuple[Station, ...]]:
    """Return the ways of what begins at *places*, and of where it goes on in other cells."""
    paths = []
    seen: set[Place] = set()
    visited: set[int] = set()
    pending = deque[tuple[Place, Link | None]]((place, None) for place in places)
    while pending:
        place, link = pending.popleft()
        cell = step.cells[place.cell]
        begin = Place(place.cell, cell.branch_of.get(place.row, place.row))
        if begin in seen or (link is not None and begin != place):  # bad there already by itself
            continue
        seen.add(begin)
        branch = cell.branches.get(begin.row)
        if branch is not None and (link is None or place.cell not in visited):
            visited.add(place.cell)
            paths.append((_first_station(step, branch.way[0], link), *branch.way[1:]))
        pending += [(onward.receiver, onward) for onward in step.links.get(begin, [])]
    return paths


def _first_station(step: Step, station: Station, link: Link | None) -> Station:
    if link is None:
        return replace(station, way=Way.BORN)
    sender = step.cells[link.sender.cell].key
    return replace(station, way=link.way, sender=sender, sender_row=link.sender.row)
