"""Communication calls without their dumps: small enough to be kept for every rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.overflow.communication.movement import Channel, Movement
from core.overflow.special_values import SlotValues
from core.records.dump import Dump
from core.records.overflow import Special


@dataclass(frozen=True, slots=True)
class Leg:
    """What one rank does on one channel in one call."""

    channel: Channel
    sends: bool
    receives: bool
    sent: Special
    sent_known: bool
    """Whether the dump tells of all that is sent whether it is finite."""
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
                sent_known=item.sent is None or _all_known(values, item.sent),
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


def _joined(values: SlotValues, slots: Iterable[int]) -> Special:
    found = Special.NONE
    for slot in slots:
        found |= Special(int(values.special[slot]))
    return found


def _all_known(values: SlotValues, slots: tuple[int, ...]) -> bool:
    return bool(slots) and all(bool(values.known[slot]) for slot in slots)
