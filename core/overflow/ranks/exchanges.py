"""The ranks of one step side by side: which communication calls belong together, and what they moved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import NamedTuple

from core.overflow.births.examination import Examination
from core.overflow.communication.calls import Communication, Leg
from core.overflow.communication.movement import P2P, Channel
from core.overflow.communication.signatures import WORLD
from core.records.overflow import Special


class Place(NamedTuple):
    """A call of one rank: position of its cell in the step, and row."""

    cell: int
    row: int


class Transfer(NamedTuple):
    """Bad values that one rank sent and another received."""

    sender: Place
    receiver: Place


class Part(NamedTuple):
    """One rank's part in an exchange."""

    place: Place
    leg: Leg


@dataclass
class Exchange:
    """Communication calls of several ranks that belong together."""

    channel: Channel
    senders: list[Part] = field(default_factory=list)
    receivers: list[Part] = field(default_factory=list)

    @property
    def cells(self) -> set[int]:
        """Cells that take part."""
        return {part.place.cell for part in (*self.senders, *self.receivers)}

    @property
    def arrived(self) -> list[Part]:
        """Those who received NaN or Inf, as far as the dump shows it."""
        return [part for part in self.receivers if part.leg.received]


class Member(NamedTuple):
    """One exchange in which a call takes part, and how."""

    exchange: Exchange
    leg: Leg


class Exchanges:
    """All exchanges of one step.

    Parameters
    ----------
    cells
        The ranks that are examined.
    ranks
        All ranks that the run is known to have, ascending.
    """

    def __init__(self, cells: Sequence[Examination], ranks: Collection[int]) -> None:
        self.cells = cells
        self._ranks = tuple(ranks)
        self._dumped = tuple(sorted(cell.key.rank for cell in cells))
        self._rows = [[call.row for call in cell.communications] for cell in cells]
        self.all: dict[tuple[Channel, int], Exchange] = {}
        self.members: list[list[list[Member]]] = []
        """By cell and position of the communication call in it."""
        self._meant: dict[Place, bool] = {}
        self._connect()

    def _connect(self) -> None:
        from_anyone: list[tuple[Part, list[Member]]] = []
        for number, cell in enumerate(self.cells):
            counts: dict[tuple[Channel, bool], int] = {}
            of_cell = []
            for call in cell.communications:
                members: list[Member] = []
                for leg in call.legs:
                    part = Part(Place(number, call.row), leg)
                    channel = self._common(leg.channel)
                    if channel.api == P2P and channel.source < 0:
                        from_anyone.append((part, members))
                        continue
                    # Both ends of a message count their own; in a collective each rank calls once.
                    side = channel, leg.sends and channel.api == P2P
                    index = counts.get(side, 0)
                    counts[side] = index + 1
                    _join(self.all.setdefault((channel, index), Exchange(channel)), part, members)
                of_cell.append(members)
            self.members.append(of_cell)
        for part, members in from_anyone:
            found = self._unreceived(part.leg.channel)
            if found is not None:
                _join(found, part, members)

    def _common(self, channel: Channel) -> Channel:
        """Return *channel* with the group of all ranks as the one that needs no name."""
        return replace(channel, group=WORLD) if channel.group == self._ranks else channel

    def _unreceived(self, wanted: Channel) -> Exchange | None:
        """Return the first message to the destination of *wanted* that nobody has received."""
        for (channel, _), exchange in self.all.items():
            same = (channel.api, channel.destination, channel.tag) == (P2P, wanted.destination, wanted.tag)
            if same and not exchange.receivers:
                return exchange
        return None

    def before(self, place: Place, *, itself: bool = False) -> int:
        """Return how many communication calls the cell has made before *place*, perhaps with that one."""
        return bisect_right(self._rows[place.cell], place.row if itself else place.row - 1)

    def unseen(self, place: Place) -> bool:
        """Whether something may have been sent in the call at *place* that no dump shows.

        By ranks that are not examined, whose call is missing, or whose dump does not tell of what it sent.
        """
        for member in self._members_at(place):
            exchange, channel = member.exchange, member.exchange.channel
            if member.leg.receives and not exchange.senders:
                return True
            if not all(part.leg.sent_known for part in exchange.senders):
                return True
            if channel.api == P2P:
                continue
            there = {self.cells[cell].key.rank for cell in exchange.cells}
            if set(channel.group or self._ranks) - there or (channel.group == WORLD and len(there) < 2):
                return True
        return False

    def _members_at(self, place: Place) -> list[Member]:
        position = self.before(place)
        rows = self._rows[place.cell]
        here = position < len(rows) and rows[position] == place.row
        return self.members[place.cell][position] if here else []

    def _bad_senders(self, exchange: Exchange) -> list[Place]:
        """Return those who send NaN or Inf that is not meant."""
        return [part.place for part in exchange.senders if part.leg.sent and not self._is_meant(part.place)]

    def _is_meant(self, place: Place) -> bool:
        """Whether all bad values that the call at *place* sends are meant, with those they hang on."""
        known = self._meant.get(place)
        if known is None:
            call = self.call(place)
            self._meant[place] = call.meant  # for a ring of calls that hang on each other
            hinges = [Place(place.cell, row) for row in call.hinges]
            known = call.meant and not any(self.bringer_of(hinge) or self.makes(hinge) for hinge in hinges)
            self._meant[place] = known
        return known

    def shown_together(self, place: Place) -> list[Place]:
        """Return the calls of all ranks that show bad values in the asynchronous exchange at *place*."""
        for member in self._members_at(place):
            parts = [part.place for part in member.exchange.receivers if part.leg.shown]
            if place in parts:
                return parts
        return [place]

    def transfers(self) -> Iterator[Transfer]:
        """Yield what bad values arrived where, by calls that show it."""
        for exchange in self.all.values():
            bad = self._bad_senders(exchange)
            for part in exchange.arrived if bad else []:
                others = [place for place in bad if place.cell != part.place.cell]
                if others:
                    yield Transfer(others[0], part.place)

    def made_on_the_way(self) -> Iterator[tuple[list[Place], Special]]:
        """Yield the calls of each exchange that gives out bad values though none were sent."""
        for exchange in self.all.values():
            new = self._made(exchange)
            if new:
                values = reduce(or_, (part.leg.received for part in new))
                yield [part.place for part in new], values

    def _made(self, exchange: Exchange) -> list[Part]:
        """Return those who received what nobody sent, meant or not."""
        if self._bad_senders(exchange):
            return []
        sent = reduce(or_, (part.leg.sent for part in exchange.senders), Special.NONE)
        return [part for part in exchange.arrived if part.leg.received & ~sent]

    def makes(self, place: Place) -> bool:
        """Whether the communication call at *place* gives out bad values that nobody sent."""
        return any(
            part.place == place for member in self._members_at(place) for part in self._made(member.exchange)
        )

    def sender_to(self, place: Place) -> Transfer | None:
        """Return what another rank sent in the last call before *place* that brought bad values to its cell.

        The call itself may not show it: an asynchronous one returns before anything has arrived.
        """
        for position in reversed(range(self.before(place))):
            transfer = self._brought(place.cell, position)
            if transfer is not None:
                return transfer
        return None

    def bringer_of(self, place: Place) -> Transfer | None:
        """Return what another rank sent so that it came in at *place*: by that call itself, or one before."""
        position = self.before(place)
        rows = self._rows[place.cell]
        if position < len(rows) and rows[position] == place.row:
            return self._brought(place.cell, position)
        return self.sender_to(place)

    def _brought(self, cell: int, position: int) -> Transfer | None:
        for member in self.members[cell][position]:
            for sender in self._bad_senders(member.exchange) if member.leg.receives else []:
                if sender.cell != cell:
                    return Transfer(sender, Place(cell, self._rows[cell][position]))
        return None

    def call(self, place: Place) -> Communication:
        """Return the communication call at *place*."""
        return self.cells[place.cell].communications[self.before(place)]


def _join(exchange: Exchange, part: Part, members: list[Member]) -> None:
    if part.leg.sends:
        exchange.senders.append(part)
    if part.leg.receives:
        exchange.receivers.append(part)
    members.append(Member(exchange, part.leg))
