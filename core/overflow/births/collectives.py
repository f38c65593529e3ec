"""Communication calls: what a rank sends in them, what it receives, and from whom.

A dump of ``Distributed.*`` holds the arguments before the call and, as its output, the same arguments
after it. So a received buffer stands among the inputs with whatever was in it, and what was sent among the
outputs.
Signatures are those of ``torch.distributed`` (https://pytorch.org/docs/stable/distributed.html).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from core.overflow.births.special_values import SlotValues
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import parse_operator_name
from core.records.overflow import Special

PREFIXES = ("Distributed.", "MintDistributed.")
WORLD: tuple[int, ...] = ()
"""The group of a call that names none: all ranks."""


@dataclass(frozen=True)
class _Signature:
    """Positions (and keywords) of what is sent and received; ``root`` is the rank that directs the call."""

    sent: tuple[str, ...]
    received: tuple[str, ...]
    root: tuple[str, ...] = ()
    root_sends: bool = False
    """The root is the only sender (broadcast, scatter); else the only receiver (reduce, gather)."""
    default_root: int = 0


_TENSOR = ("0", "tensor")
_INTO = _Signature(("1", "input", "input_tensor"), ("0", "output", "output_tensor"))
_COLLECTIVES = {
    "all_reduce": _Signature(_TENSOR, _TENSOR),
    "all_reduce_coalesced": _Signature(("0", "tensors"), ("0", "tensors")),
    "all_gather": _Signature(("1", "tensor"), ("0", "tensor_list")),
    "all_gather_into_tensor": _INTO,
    "_all_gather_base": _INTO,
    "reduce_scatter": _Signature(("1", "input_list"), ("0", "output")),
    "reduce_scatter_tensor": _INTO,
    "_reduce_scatter_base": _INTO,
    "all_to_all": _Signature(("1", "input_tensor_list"), ("0", "output_tensor_list")),
    "all_to_all_single": _INTO,
    "broadcast": _Signature(_TENSOR, _TENSOR, ("1", "src"), root_sends=True),
    "scatter": _Signature(("1", "scatter_list"), _TENSOR, ("2", "src"), root_sends=True),
    "reduce": _Signature(_TENSOR, _TENSOR, ("1", "dst")),
    "gather": _Signature(_TENSOR, ("1", "gather_list"), ("2", "dst")),
}
_SENDS = {"send": ("1", "dst"), "isend": ("1", "dst")}
_RECEIVES = {"recv": ("1", "src"), "irecv": ("1", "src")}
_TAG = ("3", "tag")
_BATCH = "batch_isend_irecv"
_ASYNCHRONOUS = ("isend", "irecv", _BATCH)
_INPUTS = (SlotGroup.INPUT, SlotGroup.KEYWORD)
P2P = "p2p"
"""API of the channel of a message from one rank to another."""


@dataclass(frozen=True, slots=True)
class Channel:
    """What connects the calls of several ranks: calls on one channel belong together in their order.

    A collective's channel is its API and its group; a message's is sender, receiver and tag. A sender of -1
    is any rank.
    """

    api: str
    group: tuple[int, ...]
    source: int = -1
    destination: int = -1
    tag: int = 0


@dataclass(frozen=True, slots=True)
class Leg:
    """What one rank does on one channel in one call."""

    channel: Channel
    sends: bool
    receives: bool
    sent: Special
    received: Special
    """What arrived as far as the dump shows it."""
    shown: Special
    """What an asynchronous call shows of its buffer: it may have arrived, or have been there before."""


@dataclass(frozen=True, slots=True)
class Communication:
    """One communication call of a rank."""

    row: int
    operator: str
    legs: tuple[Leg, ...]
    asynchronous: bool = False
    """The call may return before anything has arrived."""
    meant: bool = False
    """What is sent is meant, as −Inf of a mask is ..."""
    hinges: tuple[int, ...] = ()
    """... if that is meant which came in from outside in these calls of the rank."""
    received_slot: str = ""
    """Name of the first slot in which something bad arrived."""
    module: str = ""
    stack: str = ""
    """Text for :func:`core.records.stacks.decode_stack`; only where something bad arrived."""


def is_communication(operator: str) -> bool:
    """Whether a call of this name moves values between ranks."""
    return operator.startswith(PREFIXES)


@dataclass(frozen=True)
class Moved:
    """The slots that one communication call moves on one channel; ``None`` for what it does not do."""

    channel: Channel
    sent: tuple[int, ...] | None
    received: tuple[int, ...] | None
    shown: tuple[int, ...] = ()
    """Slots that an asynchronous call shows of what it receives, unless they look as before the call."""


@dataclass(frozen=True)
class Movement:
    """All that one communication call moves."""

    row: int
    moved: tuple[Moved, ...]
    asynchronous: bool

    @property
    def sent(self) -> frozenset[int]:
        """Input slots whose values go to other ranks."""
        return frozenset(slot for item in self.moved for slot in item.sent or ())

    @property
    def received(self) -> frozenset[int]:
        """Output slots whose values came from other ranks."""
        return frozenset(slot for item in self.moved for slot in item.received or ())

    @property
    def shown(self) -> frozenset[int]:
        """Output slots that may hold what came from other ranks."""
        return frozenset(slot for item in self.moved for slot in item.shown)


def read_movement(operator: str, row: int, dump: Dump, rank: int) -> Movement | None:
    """Return which slots the communication call *row* of *rank* moves; ``None`` if it moves no tensors."""
    api = parse_operator_name(operator).stem.rpartition(".")[2]
    call = _Arguments(dump, row)
    asynchronous = api in _ASYNCHRONOUS or call.is_asynchronous()
    moved = tuple(_moves(api, call, rank))
    if asynchronous:  # what it shows may still be what was in its buffer before
        moved = tuple(
            replace(item, received=item.received and (), shown=call.without_old(item.received or ()))
            for item in moved
        )
    return Movement(row, moved, asynchronous) if moved else None


def communication_of(operator: str, movement: Movement, dump: Dump, values: SlotValues) -> Communication:
    """Return what is known of the call without its dump."""
    legs = []
    bad: list[int] = []
    for item in movement.moved:
        bad += [slot for slot in (*(item.received or ()), *item.shown) if values.special[slot]]
        legs.append(
            Leg(
                item.channel,
                sends=item.sent is not None,
                receives=item.received is not None,
                sent=_joined(values, item.sent or ()),
                received=_joined(values, item.received or ()),
                shown=_joined(values, item.shown),
            )
        )
    found = Communication(movement.row, operator, tuple(legs), movement.asynchronous)
    if not bad:
        return found
    parent, stack = int(dump.operators.parent[movement.row]), int(dump.operators.stack[movement.row])
    return replace(
        found,
        received_slot=dump.slot_name(bad[0]),
        module=dump.strings[parent],
        stack=dump.stacks[stack],
    )


def _moves(api: str, call: _Arguments, rank: int) -> Iterator[Moved]:
    if api == _BATCH:
        yield from _batch_moves(call, rank)
    elif api in _SENDS or api in _RECEIVES:
        yield _message(api, call, rank)
    elif (signature := _COLLECTIVES.get(api)) is not None:
        sends, receives = _sends(signature, call, rank), _receives(signature, call, rank)
        yield Moved(
            Channel(api, call.group()),
            call.before(signature.sent) if sends else None,
            call.after(signature.received) if receives else None,
        )


def _message(api: str, call: _Arguments, rank: int) -> Moved:
    """Return what a single send or receive moves."""
    sends = api in _SENDS
    peer = call.number((_SENDS | _RECEIVES)[api], -1)
    peer = call.global_rank(peer, call.group(), ("group_dst", "group_src"))
    channel = _between(rank, peer, call.number(_TAG, 0), sends)
    if sends:
        return Moved(channel, call.before(_TENSOR), None)
    return Moved(channel, None, call.after(_TENSOR))


def _between(rank: int, peer: int, tag: int, sends: bool) -> Channel:
    source, destination = (rank, peer) if sends else (peer, rank)
    return Channel(P2P, WORLD, source, destination, tag)


def _sends(signature: _Signature, call: _Arguments, rank: int) -> bool:
    return not signature.root_sends or call.root(signature) == rank


def _receives(signature: _Signature, call: _Arguments, rank: int) -> bool:
    if not signature.root:
        return True
    return (call.root(signature) == rank) != signature.root_sends or (
        signature.sent != signature.received and signature.root_sends
    )


def _p2p_of(dump: Dump, slot: int) -> dict[str, Any]:
    if dump.slots.kind[slot] != SlotKind.ARGUMENT:
        return {}
    if not dump.strings[int(dump.slots.type[slot])].endswith("P2POp"):
        return {}
    said = _decoded(dump, slot)
    return said if isinstance(said, dict) else {}


def _batch_moves(call: _Arguments, rank: int) -> Iterator[Moved]:
    """Yield what each send and receive of a batch moves."""
    dump = call.dump
    before, after = (call.tensors(output) for output in (False, True))
    for slot in call.rows:
        said = _p2p_of(dump, slot)
        if dump.slots.group[slot] == SlotGroup.OUTPUT or not said:
            continue
        tensor = f"{dump.strings[int(dump.slots.path[slot])]}.tensor"
        sends = _is_send(said)
        channel = _between(rank, _whole(said.get("peer"), -1), _whole(said.get("tag"), 0), sends)
        moved = (before if sends else after).get(tensor)
        slots = (moved,) if moved is not None else ()
        yield Moved(channel, slots, None) if sends else Moved(channel, None, slots)


def _is_send(said: dict[str, Any]) -> bool:
    return str(said.get("op", "")).rpartition(".")[2].startswith("isend")


def _joined(values: SlotValues, slots: Iterable[int]) -> Special:
    found = Special.NONE
    for slot in slots:
        found |= Special(int(values.special[slot]))
    return found


def _whole(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _decoded(dump: Dump, slot: int) -> Any:
    text = dump.strings[int(dump.slots.value[slot])]
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def _record(dump: Dump, slot: int) -> tuple[object, ...]:
    """Return what the dump says of a tensor's values, comparable: NaN as text."""
    slots = dump.slots
    numbers = (slots.max, slots.min, slots.mean, slots.norm)
    return (int(slots.shape[slot]), *(repr(float(column[slot])) for column in numbers))


class _Arguments:
    """The slots of one call, looked up by position or keyword."""

    def __init__(self, dump: Dump, row: int) -> None:
        self.dump = dump
        self.rows = dump.slots_of(row)

    def before(self, places: tuple[str, ...]) -> tuple[int, ...]:
        """Return the tensors at *places* before the call, nested ones included."""
        return self._at(_INPUTS, set(places))

    def after(self, places: tuple[str, ...]) -> tuple[int, ...]:
        """Return the tensors at *places* after the call, whose output lists first positional arguments."""
        positional, keywords = self._tops(SlotGroup.INPUT), self._tops(SlotGroup.KEYWORD)
        shown = {place for place in places if place in positional}
        first = int(positional[-1]) + 1 if positional else 0
        shown |= {str(first + keywords.index(place)) for place in places if place in keywords}
        return self._at((SlotGroup.OUTPUT,), shown)

    def _tops(self, group: SlotGroup) -> list[str]:
        """Return positions or keywords of the arguments in *group*, in the order of the call."""
        slots, strings = self.dump.slots, self.dump.strings
        paths = (strings[int(slots.path[slot])] for slot in self.rows if slots.group[slot] == group)
        return list(dict.fromkeys(path.partition(".")[0] for path in paths))

    def _at(self, groups: tuple[SlotGroup, ...], tops: set[str]) -> tuple[int, ...]:
        slots, strings = self.dump.slots, self.dump.strings
        return tuple(
            slot
            for slot in self.rows
            if slots.group[slot] in groups
            and slots.kind[slot] == SlotKind.TENSOR
            and strings[int(slots.path[slot])].partition(".")[0] in tops
        )

    def is_asynchronous(self) -> bool:
        """Whether ``async_op`` is true: the only boolean that collectives take."""
        slots = self.dump.slots
        return any(
            slots.kind[slot] == SlotKind.ARGUMENT and _decoded(self.dump, slot) is True
            for slot in self.rows
            if slots.group[slot] in _INPUTS
        )

    def without_old(self, received: tuple[int, ...]) -> tuple[int, ...]:
        """Leave out what still looks as the buffer did before the call."""
        before = {_record(self.dump, slot) for slot in self.rows if self.dump.slots.group[slot] in _INPUTS}
        return tuple(slot for slot in received if _record(self.dump, slot) not in before)

    def tensors(self, output: bool) -> dict[str, int]:
        """Return the tensors before or after the call by their paths."""
        slots = self.dump.slots
        return {
            self.dump.strings[int(slots.path[slot])]: slot
            for slot in self.rows
            if (slots.group[slot] == SlotGroup.OUTPUT) == output and slots.kind[slot] == SlotKind.TENSOR
        }

    def number(self, places: tuple[str, ...], default: int) -> int:
        """Return the whole number at one of *places*."""
        for slot in self.rows:
            if self.dump.slots.group[slot] == SlotGroup.OUTPUT:
                break
            if self.dump.slots.kind[slot] == SlotKind.ARGUMENT and (
                self.dump.strings[int(self.dump.slots.path[slot])] in places
            ):
                value = _decoded(self.dump, slot)
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
        return default

    def group(self) -> tuple[int, ...]:
        """Return the ranks of the process group that the call names, :data:`WORLD` when it names none."""
        for slot in self.rows:
            if self.dump.slots.kind[slot] != SlotKind.ARGUMENT:
                continue
            if self.dump.strings[int(self.dump.slots.type[slot])].endswith("ProcessGroup"):
                said = _decoded(self.dump, slot)
                ranks = said.get("group_ranks") if isinstance(said, dict) else None
                if isinstance(ranks, list) and all(_whole(rank, -1) >= 0 for rank in ranks):
                    return tuple(sorted(set(ranks)))
        return WORLD

    def global_rank(self, rank: int, group: tuple[int, ...], keywords: tuple[str, ...]) -> int:
        """Return *rank*, or the global rank of the member of *group* that a keyword numbers."""
        if rank >= 0:
            return rank
        member = self.number(keywords, -1)
        if member < 0:
            return -1
        return group[member] if member < len(group) else member if group == WORLD else -1

    def root(self, signature: _Signature) -> int:
        """Return the rank that directs the call."""
        said = self.global_rank(self.number(signature.root, -1), self.group(), ("group_src", "group_dst"))
        return said if said >= 0 else signature.default_root
