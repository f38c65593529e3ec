"""Which slots a communication call sends and receives, and what connects it with calls of other ranks.

A dump of ``Distributed.*`` holds the arguments before the call and, as its output, the same arguments
after it. So a received buffer stands among the inputs with whatever was in it, and what was sent among the
outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.overflow.communication.arguments import Arguments, whole_number
from core.overflow.communication.signatures import (
    ASYNCHRONOUS,
    BATCH,
    COLLECTIVES,
    PREFIXES,
    RECEIVES,
    SENDS,
    TAG,
    TENSOR,
    WORLD,
)
from core.records.dump import Dump
from core.records.names import parse_operator_name

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
    call = Arguments(dump, row)
    asynchronous = api in ASYNCHRONOUS or call.is_asynchronous()
    moved = tuple(_moves(api, call, rank))
    if asynchronous:  # what it shows may still be what was in its buffer before
        moved = tuple(
            replace(item, received=item.received and (), shown=call.without_old(item.received or ()))
            for item in moved
        )
    return Movement(row, moved, asynchronous) if moved else None


def _moves(api: str, call: Arguments, rank: int) -> Iterator[Moved]:
    if api == BATCH:
        yield from _batch_moves(call, rank)
    elif api in SENDS or api in RECEIVES:
        yield _message(api, call, rank)
    elif (signature := COLLECTIVES.get(api)) is not None:
        sends, receives = call.sends(signature, rank), call.receives(signature, rank)
        yield Moved(
            Channel(api, call.group()),
            call.before(signature.sent) if sends else None,
            call.after(signature.received) if receives else None,
        )


def _message(api: str, call: Arguments, rank: int) -> Moved:
    """Return what a single send or receive moves."""
    sends = api in SENDS
    peer = call.number((SENDS | RECEIVES)[api], -1)
    peer = call.global_rank(peer, call.group(), ("group_dst", "group_src"))
    channel = _between(rank, peer, call.number(TAG, 0), sends)
    if sends:
        return Moved(channel, call.before(TENSOR), None)
    return Moved(channel, None, call.after(TENSOR))


def _between(rank: int, peer: int, tag: int, sends: bool) -> Channel:
    source, destination = (rank, peer) if sends else (peer, rank)
    return Channel(P2P, WORLD, source, destination, tag)


def _batch_moves(call: Arguments, rank: int) -> Iterator[Moved]:
    """Yield what each send and receive of a batch moves."""
    before, after = call.tensors(output=False), call.tensors(output=True)
    for slot, said in call.given():
        if not call.type_of(slot).endswith("P2POp") or not isinstance(said, dict):
            continue
        sends = str(said.get("op", "")).rpartition(".")[2].startswith("isend")
        channel = _between(rank, whole_number(said.get("peer"), -1), whole_number(said.get("tag"), 0), sends)
        moved = (before if sends else after).get(f"{slot.path}.tensor")
        slots = (moved,) if moved is not None else ()
        yield Moved(channel, slots, None) if sends else Moved(channel, None, slots)
