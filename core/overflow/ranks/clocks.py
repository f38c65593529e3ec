"""What happened before what on the ranks of one step.

Time is logical, as in L. Lamport, Time, Clocks, and the Ordering of Events in a Distributed System (1978):
each call of a rank takes one unit, and what is received is never before it was sent. A birth is earlier than
another one if word of it could have come there; births that cannot have heard of each other are independent,
and their times, which then are an estimate, only order them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from itertools import accumulate

from core.overflow.ranks.exchanges import Exchange, Exchanges, Place


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
        Rows of the births of each cell, growing.
    """

    def __init__(self, exchanges: Exchanges, births: Sequence[Sequence[int]]) -> None:
        self._exchanges = exchanges
        self._births = births
        self._first_bit = [0, *accumulate(len(rows) for rows in births)]
        self._calls = [[call.row for call in cell.communications] for cell in exchanges.cells]
        self._messages = {
            id(exchange): _Message(len(exchange.senders)) for exchange in exchanges.all.values()
        }
        self._times: list[list[int]] = [[] for _ in self._calls]
        self._before: list[list[int]] = [[] for _ in self._calls]
        """Births that happened before each communication call was done, a bit each."""
        self._told = [0] * len(self._calls)
        """How many of its calls each cell has come to."""
        self._ready = deque(range(len(self._calls)))
        self._run()

    def time(self, place: Place) -> int:
        """Return the logical time of a call."""
        past = self._exchanges.before(place, itself=True)
        if not past:
            return place.row
        return self._times[place.cell][past - 1] + place.row - self._calls[place.cell][past - 1]

    def is_earliest(self, place: Place) -> bool:
        """Whether no other birth happened before the one at *place*, on its rank or on one it heard from."""
        if any(row < place.row for row in self._births[place.cell]):
            return False
        past = self._exchanges.before(place)
        return not past or not self._before[place.cell][past - 1]

    # ---- running

    def _run(self) -> None:
        """Let all ranks run through their communication calls, each waiting for what it receives."""
        while True:
            while self._ready:
                self._advance(self._ready.popleft())
            stuck = [cell for cell, calls in enumerate(self._calls) if len(self._times[cell]) < len(calls)]
            if not stuck:
                return
            # An order that no blocking run could have, as asynchronous calls may: the earliest goes on.
            first = min(stuck, key=lambda cell: self._now(cell, len(self._times[cell])))
            self._finish(first)
            self._ready.append(first)

    def _advance(self, cell: int) -> None:
        """Take *cell* as far as it gets."""
        while (here := len(self._times[cell])) < len(self._calls[cell]):
            if self._told[cell] == here:
                self._tell(cell, here)
            late = [
                message
                for member in self._exchanges.members[cell][here]
                if member.leg.receives and (message := self._message(member.exchange)).missing > 0
            ]
            if late:
                for message in late:
                    message.waiting.append(cell)
                return
            self._finish(cell)

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
        for member in self._exchanges.members[cell][here]:
            if member.leg.receives:
                message = self._message(member.exchange)
                time, before = max(time, message.time + 1), before | message.before
        self._times[cell].append(time)
        self._before[cell].append(before)

    def _now(self, cell: int, here: int) -> int:
        """Return the time at which *cell* comes to its communication call *here*."""
        calls = self._calls[cell]
        return self._times[cell][here - 1] + calls[here] - calls[here - 1] if here else calls[0]

    def _known(self, cell: int, here: int) -> int:
        """Return the births that happened before *cell* came to its communication call *here*."""
        rows, calls = self._births[cell], self._calls[cell]
        first = bisect_left(rows, calls[here - 1]) if here else 0
        last = bisect_left(rows, calls[here])
        own = ((1 << (last - first)) - 1) << (self._first_bit[cell] + first)
        return own | (self._before[cell][here - 1] if here else 0)
