"""What happened before what on the ranks of one step.

Time is logical, as in L. Lamport, Time, Clocks, and the Ordering of Events in a Distributed System (1978):
each call of a rank takes one unit, and what is received is never before it was sent. A birth is earlier than
another one if word of it could have come there; births that cannot have heard of each other are independent,
and their times, which then are an estimate, only order them.

A call has two moments: what goes in is there before anything is sent, what comes out after all has arrived.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from core.overflow.ranks.exchanges import Exchange, Exchanges, Place


class Moment(NamedTuple):
    """Twice the row of a call, and one more for what comes out of it."""

    cell: int
    point: int

    @classmethod
    def of(cls, place: Place, *, output: bool) -> Moment:
        """Return the moment of what goes into the call at *place*, or of its *output*."""
        return cls(place.cell, 2 * place.row + output)


class _Message:
    """What an exchange carries, once all senders have come to it."""

    __slots__ = ("before", "missing", "time", "waiting")

    def __init__(self, senders: int) -> None:
        self.missing = senders
        self.time = 0
        self.before = 0
        self.waiting: list[int] = []


class Clocks:
    """Logical times of all communication calls, and which births happened before them.

    Parameters
    ----------
    exchanges
        The communication of the step.
    births
        The moments of all births.
    """

    def __init__(self, exchanges: Exchanges, births: Sequence[Moment]) -> None:
        self._exchanges = exchanges
        cells = exchanges.cells
        self._births: list[list[int]] = [[] for _ in cells]
        for moment in sorted(births):
            self._births[moment.cell].append(moment.point)
        self._first_bit = [0, *accumulate(len(points) for points in self._births)]
        self._calls = [[call.row for call in cell.communications] for cell in cells]
        self._messages = {
            id(exchange): _Message(len(exchange.senders)) for exchange in exchanges.all.values()
        }
        self._times: list[list[int]] = [[] for _ in cells]
        self._before: list[list[int]] = [[] for _ in cells]
        """Births that happened before each communication call was done, a bit each."""
        self._late: list[list[tuple[int, _Message]]] = [[] for _ in cells]
        """What arrives some time after an asynchronous call, with the position of that call."""
        self._told = [0] * len(cells)
        """How many of its calls each cell has come to."""
        self._ready = deque(range(len(cells)))
        self._run()

    def time(self, place: Place) -> int:
        """Return the logical time of a call."""
        past = self._exchanges.before(place, itself=True)
        if not past:
            return place.row
        return self._times[place.cell][past - 1] + place.row - self._calls[place.cell][past - 1]

    def bit(self, moment: Moment) -> int:
        """Return the bit that stands for the birth at *moment*."""
        return 1 << (self._first_bit[moment.cell] + bisect_left(self._births[moment.cell], moment.point))

    def heard_of(self, moment: Moment) -> int:
        """Return the births before *moment* on its rank or on one that it heard from, a bit each."""
        cell, point = moment
        own = bisect_left(self._births[cell], point)
        found = self._bits(cell, 0, own)
        past = sum(2 * row < point for row in self._calls[cell])
        if past:
            found |= self._before[cell][past - 1]
        return found | self._arrived_late(cell, past, self.time(Place(cell, point // 2)))

    # ---- running

    def _run(self) -> None:
        """Let all ranks run through their communication calls, each waiting for what it receives."""
        while True:
            while self._ready:
                self._advance(self._ready.popleft())
            stuck = [cell for cell, calls in enumerate(self._calls) if len(self._times[cell]) < len(calls)]
            if not stuck:
                return
            # An order that no run could have: calls are missing in a dump. The earliest goes on.
            first = min(stuck, key=lambda cell: self._now(cell, len(self._times[cell])))
            self._finish(first)
            self._ready.append(first)

    def _advance(self, cell: int) -> None:
        """Take *cell* as far as it gets."""
        while (here := len(self._times[cell])) < len(self._calls[cell]):
            if self._told[cell] == here:
                self._tell(cell, here)
            late = [message for message in self._awaited(cell, here) if message.missing > 0]
            if late:
                for message in late:
                    message.waiting.append(cell)
                return
            self._finish(cell)

    def _awaited(self, cell: int, here: int) -> list[_Message]:
        """Return what call *here* of *cell* receives, unless it returns before."""
        if self._exchanges.cells[cell].communications[here].asynchronous:
            return []
        return self._received(cell, here)

    def _received(self, cell: int, here: int) -> list[_Message]:
        members = self._exchanges.members[cell][here]
        return [self._message(member.exchange) for member in members if member.leg.receives]

    def _message(self, exchange: Exchange) -> _Message:
        return self._messages[id(exchange)]

    def _tell(self, cell: int, here: int) -> None:
        """Send what *cell* sends in its call *here*."""
        self._told[cell] = here + 1
        time, before = self._now(cell, here), self._known(cell, here)
        for member in self._exchanges.members[cell][here]:
            if member.leg.sends:
                message = self._message(member.exchange)
                message.time = max(message.time, time)
                message.before |= before
                message.missing -= 1
                if message.missing == 0:
                    self._ready.extend(message.waiting)
                    message.waiting.clear()

    def _finish(self, cell: int) -> None:
        here = len(self._times[cell])
        time, before = self._now(cell, here), self._known(cell, here)
        awaited = self._awaited(cell, here)
        for message in awaited:
            time, before = max(time, message.time + 1), before | message.before
        if not awaited:
            self._late[cell] += [(here, message) for message in self._received(cell, here)]
        self._times[cell].append(time)
        self._before[cell].append(before)

    def _now(self, cell: int, here: int) -> int:
        """Return the time at which *cell* comes to its communication call *here*."""
        calls = self._calls[cell]
        return self._times[cell][here - 1] + calls[here] - calls[here - 1] if here else calls[0]

    def _known(self, cell: int, here: int) -> int:
        """Return the births that happened before *cell* sends anything in its communication call *here*."""
        points, calls = self._births[cell], self._calls[cell]
        first = bisect_right(points, 2 * calls[here - 1]) if here else 0
        found = self._bits(cell, first, bisect_right(points, 2 * calls[here]))
        found |= self._before[cell][here - 1] if here else 0
        return found | self._arrived_late(cell, here, self._now(cell, here))

    def _arrived_late(self, cell: int, past: int, time: int) -> int:
        """Return the births that *cell* may have heard of by asynchronous ones of its first *past* calls."""
        found = 0
        for position, message in self._late[cell]:
            if position < past and not message.missing and message.time < time:
                found |= message.before
        return found

    def _bits(self, cell: int, first: int, last: int) -> int:
        return ((1 << (last - first)) - 1) << (self._first_bit[cell] + first)
