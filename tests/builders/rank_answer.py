"""What is true of a simulated run: which births there are, and which of them nothing happened before.

What a rank has heard of the others is a vector of moments, one for each rank (as in F. Mattern, Virtual Time
and Global States of Distributed Systems, 1989), found by going over all messages until nothing changes.
When an asynchronous call has received is not in a dump. So two answers are computed, one in which it receives
where it stands and one in which it tells nothing; a dump decides what is in both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from builders.rank_simulation import Array, Cause, Origin, Seat, Simulation, StepRecord


@dataclass(frozen=True)
class Answer:
    """Births of a run."""

    step: int
    """The first step that has one; -1 for none."""
    required: tuple[Origin, ...]
    """Earliest whatever a dump does not show."""
    possible: frozenset[Seat]
    """Calls at which something is earliest, as far as a dump can tell."""
    births: frozenset[Seat]
    """Calls that may be blamed at all."""
    selected: int
    """Births of which all is selected away."""
    unseen: int
    """Faults that no dumped call ever took."""
    undecidable: int
    """Births that look like something else: gradients averaged outside of the dump, memory used again."""


def answer_of(simulation: Simulation) -> Answer:
    """Return what is true of *simulation*."""
    accused = [item for item in simulation.origins if item.accused]
    placed = [item for item in accused if item.seats]
    selected = [item for item in placed if _selected(simulation, item)]
    born = [item for item in placed if item not in selected]
    births = frozenset(seat for item in born for seat in (*item.seats, *item.alternatives))
    first = min((item.seats[0].step for item in born), default=-1)
    here = [item for item in born if item.seats[0].step == first]
    lost = sum(not item.seats for item in accused)
    if first < 0:
        return Answer(-1, (), frozenset(), births, len(selected), lost, 0)
    step = simulation.steps[first]
    doubtful = [item for item in here if _is_doubtful(simulation, item) or _may_be_averaged(step, item, here)]
    sure = [item for item in here if item not in doubtful]
    at_call, at_wait = _Heard(step, late=False), _Heard(step, late=True)
    required = tuple(item for item in at_call.earliest(here) if item not in doubtful)
    possible = [*at_wait.earliest(here), *at_wait.earliest(sure)]
    seats = frozenset(seat for item in possible for seat in (*item.seats, *item.alternatives))
    return Answer(first, required, seats, births, len(selected), lost, len(doubtful))


def _selected(simulation: Simulation, item: Origin) -> bool:
    """Whether all calls that take what is born here leave it out."""
    if item.cause not in (Cause.KERNEL, Cause.IN_PLACE, Cause.LOG_OF_ZERO):
        return False
    return _left_out(simulation, item.seats[0])


def _left_out(simulation: Simulation, seat: Seat) -> bool:
    takers = simulation.consumers.get((seat.step, seat.rank, seat.row), [])
    return bool(takers) and all(selects and not bad for selects, bad in takers)


def _is_doubtful(simulation: Simulation, item: Origin) -> bool:
    """Whether a dump has as good a reason to see no birth: what it was blamed for is all selected away."""
    used = item.cause in (Cause.LOG_OF_ZERO, Cause.GARBAGE)
    return item.doubtful or (used and any(_left_out(simulation, seat) for seat in item.alternatives))


def _may_be_averaged(step: StepRecord, item: Origin, born: Sequence[Origin]) -> bool:
    """Whether a dump cannot tell a birth from a gradient that was averaged over ranks in secret."""
    seat = item.seats[0]
    first = step.first_backward[seat.rank]
    late = item.cause in (Cause.UNSEEN, Cause.PARAMETER) and 0 <= first <= seat.row
    return late and any(other.seats[0].rank != seat.rank for other in born)


class _Heard:
    """What each rank had heard of the others in one step; *late* calls receive too late to tell anything."""

    def __init__(self, step: StepRecord, *, late: bool) -> None:
        self._step = step
        nothing = self._nothing = np.zeros(len(step.calls), np.int64)
        self._sent: dict[tuple[int, int], Array] = {}
        self._moments: list[list[int]] = []
        self._after: list[list[Array]] = []
        """What a rank has heard after each time that it received something."""
        self._receives = []
        for events in step.events:
            at = [
                (event.posts, number)
                for number, event in enumerate(events)
                if event.posts is not None and not (late and event.late)
            ]
            self._receives.append(sorted(at))
        changed = True
        while changed:
            changed = False
            self._moments, self._after = [], []
            for rank, events in enumerate(step.events):
                heard, moments, after = nothing, [], []
                for moment, number in self._receives[rank]:
                    for message in events[number].hears:
                        heard = np.maximum(heard, self._sent.get(message, nothing))
                    moments.append(moment)
                    after.append(heard)
                self._moments.append(moments)
                self._after.append(after)
                for event in events:
                    if event.sends is None:
                        continue
                    said = self.at(rank, event.sends).copy()
                    said[rank] = event.sends
                    key = event.exchange, rank
                    if not np.array_equal(self._sent.get(key, nothing), said):
                        self._sent[key] = said
                        changed = True

    def at(self, rank: int, moment: int) -> Array:
        """Return what *rank* has heard at *moment*."""
        past = bisect_right(self._moments[rank], moment)
        return self._after[rank][past - 1] if past else self._nothing

    def before(self, one: Origin, other: Origin) -> bool:
        """Whether *one* happened before *other*."""
        for seat in other.seats:
            heard = self.at(seat.rank, seat.moment)
            for past in one.seats:
                if past.rank == seat.rank:
                    if past.moment < seat.moment:
                        return True
                elif heard[past.rank] >= past.moment:
                    return True
        return False

    def earliest(self, born: Sequence[Origin]) -> list[Origin]:
        """Return those of *born* that none of them happened before."""
        return [item for item in born if not any(self.before(one, item) for one in born if one is not item)]
