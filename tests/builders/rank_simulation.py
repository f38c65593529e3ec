"""Several ranks executed with small arrays, so that what becomes of NaN and Inf follows from arithmetic.

Each call computes on real numbers and writes down what a dumper would. Beside that the truth is kept, which
no dump has: at which call non-finite numbers began (their :class:`Origin`), which later ones come from it,
and what each rank had heard of the others at any time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Raw(str):
    """JSON text of an argument that is no tensor."""


class Cause(Enum):
    """How non-finite numbers come into the world."""

    KERNEL = "output"
    IN_PLACE = "in_place"
    UNSEEN = "input"
    PARAMETER = "parameter"
    WIRE = "communication"
    MASK = "mask"
    """Inf that is wanted: what turns it into NaN is to blame."""
    LOG_OF_ZERO = "log_of_zero"
    """Inf that is harmless while it is selected away, and to blame if it is not."""
    GARBAGE = "garbage"
    """Memory as it happens to be: to blame when somebody uses it."""

    @property
    def innocent(self) -> bool:
        """Whether numbers of this kind are no birth by themselves."""
        return self in (Cause.MASK, Cause.LOG_OF_ZERO, Cause.GARBAGE)


@dataclass(frozen=True)
class Seat:
    """A call of one rank; *moment* grows along the rank, two to a call: sent, then received."""

    step: int
    rank: int
    row: int
    operator: str
    moment: int


@dataclass(eq=False)
class Origin:
    """Where non-finite numbers began."""

    number: int
    cause: Cause
    accused: bool
    seats: list[Seat] = field(default_factory=list)
    """Where a dump shows it first: one call, or all receivers of one communication."""
    alternatives: set[Seat] = field(default_factory=set)
    """Other calls that a dump gives the same reasons to blame."""
    planted: bool = False
    doubtful: bool = False
    """A dump has as good a reason to see something else in it."""


@dataclass(eq=False)
class Value:
    """A tensor of one rank while the program runs."""

    array: Array
    taint: frozenset[int] = frozenset()
    """Origins of what is not finite in it."""
    maker: tuple[int, int, int] | None = None
    """Step, rank and row of the call whose dumped output it is."""
    weight: bool = False

    @property
    def bad(self) -> bool:
        """Whether something in it is not finite."""
        return not np.isfinite(self.array).all()


@dataclass
class Call:
    """A call as a dumper writes it down; bodies nest lists and dicts of arrays, :class:`Raw` and ``None``."""

    name: str
    body: dict[str, Any]
    stack: int


@dataclass
class Event:
    """One call of a rank that sends or receives."""

    exchange: int
    sends: int | None = None
    """Moment at which it sends; ``None`` if it does not."""
    posts: int | None = None
    """Moment at which its receiving call stands in the dump; ``None`` if it does not receive."""
    late: bool = False
    """Whether it receives at some later time, which a dump does not show."""
    hears: list[tuple[int, int]] = field(default_factory=list)
    """Exchange and rank of each message that it receives."""


@dataclass
class StepRecord:
    """What one step wrote down."""

    number: int
    calls: list[list[Call]]
    events: list[list[Event]]
    first_backward: list[int]
    """Row of each rank's first backward call, -1 for none."""
    counts: list[dict[str, int]]


@dataclass
class _Pending:
    value: Value
    array: Array
    taint: frozenset[int]


@dataclass(frozen=True)
class Style:
    """How a dumper writes things down; dumpers differ."""

    operands_after: bool = False
    """Inputs of in-place operators show what is there after the call."""
    late: str = "complete"
    """Outputs of asynchronous calls: ``complete``, ``missing`` or ``old`` (as before the call)."""
    buffers: bool = True
    """Receive buffers stand among the inputs with what was in them; else null, as msprobe does."""


def classes(array: Array) -> set[str]:
    """Return which kinds of non-finite numbers a dump shows of *array*: statistics show no Inf beside NaN."""
    if np.isnan(array).any():
        return {"nan"}
    return {
        word for word, found in (("+inf", np.isposinf(array)), ("-inf", np.isneginf(array))) if found.any()
    }


class Simulation:
    """Ranks with their calls; *spoil* is asked at each call whether its result is to be spoilt."""

    def __init__(self, ranks: int, style: Style) -> None:
        self.ranks = ranks
        self.style = style
        self.origins: list[Origin] = []
        self.steps: list[StepRecord] = []
        self.consumers: dict[tuple[int, int, int], list[tuple[bool, bool]]] = defaultdict(list)
        """Who took a bad output: whether it can select, and whether it gave out something bad."""
        self.garbage: dict[tuple[int, int], list[tuple[int, Seat]]] = defaultdict(list)
        """By step and rank: size and call of dumped memory that held garbage."""
        self.overtaken = 0
        """Faults planted where what went in was bad already."""
        self._bad_since: set[tuple[int, int]] = set()
        """Steps and ranks in which something bad was taken or given already."""
        self._pending: list[list[_Pending]] = [[] for _ in range(ranks)]
        self._exchanges = 0
        self.spoil: Callable[[int, str, Array], Array | None] = lambda rank, api, result: None
        self.begin_step()

    # ---- steps

    def begin_step(self) -> None:
        """Start the next step."""
        none = range(self.ranks)
        self.steps.append(
            StepRecord(
                len(self.steps), [[] for _ in none], [[] for _ in none], [-1] * self.ranks, [{} for _ in none]
            )
        )

    @property
    def step(self) -> StepRecord:
        """The step that runs."""
        return self.steps[-1]

    def end_step(self) -> None:
        """Let all that is on its way arrive."""
        for rank in range(self.ranks):
            for item in list(self._pending[rank]):
                self._arrive(rank, item)

    def row(self, rank: int) -> int:
        """Return the row of the next call of *rank*."""
        return len(self.step.calls[rank])

    def settle(self, rank: int, *values: Value) -> None:
        """Wait for what is still to be received into *values*."""
        for item in list(self._pending[rank]):
            if any(item.value is value for value in values):
                self._arrive(rank, item)

    def _arrive(self, rank: int, item: _Pending) -> None:
        self._pending[rank].remove(item)
        item.value.array, item.value.taint, item.value.maker = item.array, item.taint, None

    # ---- origins

    def origin(self, cause: Cause, *seats: Seat) -> Origin:
        """Begin something new."""
        made = Origin(len(self.origins), cause, accused=not cause.innocent, seats=list(seats))
        self.origins.append(made)
        return made

    def unseen(self, value: Value, array: Array, *, planted: bool) -> None:
        """Let a call that is not dumped write *array* into *value*."""
        value.array, value.maker = array, None
        made = self.origin(Cause.PARAMETER if value.weight else Cause.UNSEEN)
        made.planted = planted
        value.taint = frozenset((made.number,))

    def _take(self, seat: Seat, values: Sequence[Value], *, at_wire: bool = False) -> frozenset[int]:
        """Read *values* in the call at *seat*; return where the bad ones come from."""
        taken: set[int] = set()
        for value in values:
            if not value.bad:
                continue
            for number in value.taint:
                made = self.origins[number]
                if not made.seats:
                    made.seats.append(seat)
                    if at_wire and made.cause is Cause.PARAMETER:
                        made.cause = Cause.UNSEEN
                    size = value.array.size
                    like = self.garbage[seat.step, seat.rank]
                    made.alternatives |= {place for count, place in like if count == size}
                if at_wire and made.cause is Cause.GARBAGE:
                    self._accuse(made, seat)
            taken |= value.taint
        if any(self.origins[number].accused for number in taken):
            self._bad_since.add((seat.step, seat.rank))
        return frozenset(taken)

    def _accuse(self, made: Origin, seat: Seat) -> None:
        """Blame what was innocent until it was used at *seat*."""
        if made.cause is Cause.GARBAGE and not made.accused:
            # Memory that was freed holds what was in it: NaN that came from elsewhere looks the same.
            made.doubtful = (seat.step, seat.rank) in self._bad_since
        made.accused = True
        made.alternatives.add(seat)

    def _blame(self, numbers: frozenset[int], seat: Seat) -> frozenset[int]:
        """Something bad follows from what was innocent: return what is to blame for it."""
        to_blame = [
            self.origins[number] for number in numbers if self.origins[number].cause is not Cause.MASK
        ]
        if not to_blame:
            return frozenset((self.origin(Cause.KERNEL, seat).number,))
        for made in to_blame:
            self._accuse(made, seat)
        return frozenset(made.number for made in to_blame)

    def _inherit(
        self, taken: frozenset[int], arrays: Sequence[Array], result: Array, seat: Seat, *, strict: bool
    ) -> frozenset[int]:
        """Return the origins of a bad *result* of bad *arrays*."""
        guilty = frozenset(number for number in taken if self.origins[number].accused)
        if guilty:
            return guilty
        before = set[str]().union(*map(classes, arrays))
        garbage = any(self.origins[number].cause is Cause.GARBAGE for number in taken)
        if strict or garbage or classes(result) - before:
            return self._blame(taken, seat)
        return taken

    # ---- calls

    def name(self, rank: int, api: str, direction: str = "forward") -> str:
        """Return the name of the next call of *api*."""
        counts = self.step.counts[rank]
        number = counts.get(api, 0)
        counts[api] = number + 1
        return f"{api}.{number}.{direction}"

    def seat(self, rank: int, operator: str) -> Seat:
        """Return where the next call of *rank* will stand."""
        row = self.row(rank)
        return Seat(self.step.number, rank, row, operator, 2 * row + 1)

    def note(self, rank: int, name: str, body: dict[str, Any], stack: int = 0) -> None:
        """Write a call down."""
        self.step.calls[rank].append(Call(name, body, stack))

    def compute(
        self,
        rank: int,
        api: str,
        arguments: Sequence[Any],
        result: Array,
        *,
        reads: Sequence[Value],
        kwargs: Mapping[str, Any] | None = None,
        into: Value | None = None,
        wanted: Cause | None = None,
        selects: bool = False,
        name: str = "",
        strict: bool = False,
        body: dict[str, Any] | None = None,
    ) -> Value:
        """Execute one call of *rank*: *result* has been computed from *reads*; *into* is changed in place."""
        self.settle(rank, *reads, *([into] if into is not None else []))
        name = name or self.name(rank, api)
        seat = self.seat(rank, name)
        spoilt = self.spoil(rank, api, result)
        if spoilt is not None:
            result = spoilt
        fresh = {n for value in reads if value is into for n in value.taint if not self.origins[n].seats}
        taken = self._take(seat, reads)
        if into is not None and self.style.operands_after and classes(result) != classes(into.array):
            for number in fresh:  # what was in the operand before is not shown
                self.origins[number].doubtful = True
        if into is not None and self.style.operands_after:
            for number in into.taint:  # nor that this call takes what another one made
                self.origins[number].alternatives.add(seat)
        bad_reads = [value for value in reads if value.bad]
        bad = not np.isfinite(result).all()
        taint: frozenset[int] = frozenset()
        self.overtaken += spoilt is not None and bool(taken)
        if bad and taken:
            taint = self._inherit(taken, [value.array for value in bad_reads], result, seat, strict=strict)
            for number in taint if spoilt is not None else ():
                self.origins[number].planted |= self.origins[number].seats[:1] == [seat]
        elif bad:
            # A fault that gives no more than what is wanted there is none that a dump shows.
            like_wanted = spoilt is None or classes(result) == {"-inf"}
            cause = wanted if wanted is not None and like_wanted else Cause.KERNEL
            if into is not None and self.style.operands_after and cause is Cause.KERNEL:
                cause = Cause.IN_PLACE
            made = self.origin(cause, seat)
            made.planted = spoilt is not None and made.accused
            taint = frozenset((made.number,))
            if cause is Cause.GARBAGE:
                self.garbage[seat.step, rank].append((result.size, seat))
        if any(self.origins[number].accused for number in taint):
            self._bad_since.add((seat.step, rank))
        for value in bad_reads:
            if value.maker is not None:
                self.consumers[value.maker].append((selects, bad))
        if body is None:
            changed = into if self.style.operands_after else None

            def shown(item: Any) -> Any:
                if isinstance(item, list):
                    return [shown(each) for each in item]
                if isinstance(item, Value):
                    return result if item is changed else item.array
                return item

            named = {key: shown(item) for key, item in (kwargs or {}).items()}
            body = {"input_args": shown(list(arguments)), "input_kwargs": named, "output": [result]}
        else:
            body["output"] = [result]
        self.note(rank, name, body, stack=seat.row)
        maker = (seat.step, rank, seat.row)
        if into is None:
            return Value(result, taint, maker)
        into.array, into.taint, into.maker = result, taint, maker
        return into

    # ---- messages

    def exchange(
        self,
        parts: Sequence[Part],
        contributors: Callable[[Part, int], Sequence[Part]],
        *,
        late: bool,
        spoilt: Mapping[tuple[int, int], Array] | None = None,
    ) -> None:
        """Execute one communication: all *parts* come to it, then each receives.

        *contributors* says for a part and the position of one of its received tensors whose numbers are in
        it; *spoilt* gives what arrives instead, by rank and position.
        """
        spoilt = spoilt or {}
        number = self._exchanges
        self._exchanges += 1
        seats: dict[int, Seat] = {}
        taken: dict[int, frozenset[int]] = {}
        for part in parts:
            self.settle(part.rank, *part.sends, *part.receives)
            seat = self.seat(part.rank, self.name(part.rank, part.api))
            seats[part.rank] = seat
            taken[part.rank] = self._take(seat, part.sends, at_wire=True)
            for value in part.sends:
                if value.bad and value.maker is not None:
                    self.consumers[value.maker].append((False, True))
        sent_arrays = {part.rank: [value.array for value in part.sends] for part in parts}
        wire: Origin | None = None
        for part in parts:
            seat = seats[part.rank]
            old = {id(value): value.array for value in part.receives}
            arrived: list[tuple[Value, Array, frozenset[int]]] = []
            for position, value in enumerate(part.receives):
                array = spoilt.get((part.rank, position), part.arrays[position])
                taint: frozenset[int] = frozenset()
                if not np.isfinite(array).all():
                    senders = contributors(part, position)
                    came = frozenset[int]().union(*(taken[sender.rank] for sender in senders))
                    sent = [array for sender in senders for array in sent_arrays[sender.rank]]
                    if came:
                        taint = self._inherit(came, sent, array, seat, strict=False)
                    elif late and self.style.late != "complete":
                        made = self.origin(Cause.UNSEEN)
                        made.planted = True
                        taint = frozenset((made.number,))
                    else:
                        there = Seat(seat.step, seat.rank, seat.row, seat.operator, seat.moment + 1)
                        wire = wire or self.origin(Cause.WIRE)
                        wire.planted = True
                        wire.doubtful |= late and not self.style.buffers
                        if there not in wire.seats:
                            wire.seats.append(there)
                        taint = frozenset((wire.number,))
                if any(self.origins[number].accused for number in taint):
                    self._bad_since.add((seat.step, seat.rank))
                arrived.append((value, array, taint))
            shows_old = late and self.style.late == "old"
            after = old if shows_old else {id(value): array for value, array, _ in arrived}
            body = part.body(self.style, after)
            if late and self.style.late == "missing":
                del body["output"]
            self.note(part.rank, seat.operator, body, stack=seat.row)
            event = Event(number, sends=seat.moment if part.sends else None)
            if part.receives:
                event.posts, event.late = seat.moment + 1, late
                heard = {
                    sender.rank
                    for position in range(len(part.receives))
                    for sender in contributors(part, position)
                }
                event.hears = [(number, rank) for rank in sorted(heard)]
            self.step.events[part.rank].append(event)
            for value, array, taint in arrived:
                if late:
                    self._pending[part.rank].append(_Pending(value, array, taint))
                else:
                    value.array, value.taint = array, taint
                    value.maker = (seat.step, part.rank, seat.row)

    def post(self, part: Part) -> Posted:
        """Write down a receiving call of which the message is sent only later."""
        seat = self.seat(part.rank, self.name(part.rank, part.api))
        body = part.body(self.style, {})
        self.note(part.rank, seat.operator, body, stack=seat.row)
        event = Event(-1, posts=seat.moment + 1, late=True)
        self.step.events[part.rank].append(event)
        return Posted(part, seat, event, self.step.calls[part.rank][-1])

    def fulfil(self, posted: Posted, sender: Part) -> None:
        """Send what *posted* receives."""
        number = self._exchanges
        self._exchanges += 1
        self.settle(sender.rank, *sender.sends)
        seat = self.seat(sender.rank, self.name(sender.rank, sender.api))
        taint = self._take(seat, sender.sends, at_wire=True)
        (sent,) = sender.sends
        if sent.bad and sent.maker is not None:
            self.consumers[sent.maker].append((False, True))
        self.note(sender.rank, seat.operator, sender.body(self.style, {}), stack=seat.row)
        self.step.events[sender.rank].append(Event(number, sends=seat.moment))
        posted.event.exchange = number
        posted.event.hears = [(number, sender.rank)]
        (value,) = posted.part.receives
        taint = self._inherit(taint, [sent.array], sent.array, seat, strict=False) if sent.bad else taint
        if self.style.late == "complete":
            posted.call.body = posted.part.body(self.style, {id(value): sent.array})
        elif self.style.late == "missing":
            del posted.call.body["output"]
        self._pending[posted.part.rank].append(_Pending(value, sent.array, taint))


@dataclass(eq=False)
class Part:
    """What one rank does in one communication call."""

    rank: int
    api: str
    arguments: list[Any]
    """Values, lists of values, :class:`Raw`, P2P operations."""
    kwargs: dict[str, Any] = field(default_factory=dict)
    sends: list[Value] = field(default_factory=list)
    receives: list[Value] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    """What it receives, one for each of *receives*."""

    def body(self, style: Style, after: Mapping[int, Array]) -> dict[str, Any]:
        """Return what is written down; the outputs are the arguments after the call, keywords behind."""
        only_received = [value for value in self.receives if all(value is not sent for sent in self.sends)]

        def before(item: Any) -> Any:
            if isinstance(item, Value):
                hidden = not style.buffers and any(item is value for value in only_received)
                return None if hidden else item.array
            if isinstance(item, P2P):
                return item.described(before(item.value))
            if isinstance(item, list):
                return [before(each) for each in item]
            return item

        def then(item: Any) -> Any:
            if isinstance(item, Value):
                return after.get(id(item), item.array)
            if isinstance(item, P2P):
                return item.described(then(item.value))
            if isinstance(item, list):
                return [then(each) for each in item]
            return item

        return {
            "input_args": [before(item) for item in self.arguments],
            "input_kwargs": {key: before(item) for key, item in self.kwargs.items()},
            "output": [then(item) for item in (*self.arguments, *self.kwargs.values())],
        }


@dataclass(eq=False)
class P2P:
    """An operation of ``batch_isend_irecv``."""

    operation: str
    value: Value
    peer: int
    tag: int = 0

    def described(self, array: Any) -> dict[str, Any]:
        """Return how a dump spells it."""
        return {
            "class_type": Raw('"torch.distributed.P2POp"'),
            "tensor": array,
            "op": Raw(f'"{self.operation}"'),
            "peer": Raw(str(self.peer)),
            "tag": Raw(str(self.tag)),
            "group_id": Raw('"0"'),
        }


@dataclass
class Posted:
    """A receiving call that waits for its message."""

    part: Part
    seat: Seat
    event: Event
    call: Call
