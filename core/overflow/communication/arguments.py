"""The slots of one communication call, looked up by position or keyword."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from core.overflow.communication.signatures import WORLD, Signature
from core.records.dump import Dump, SlotGroup, SlotKind

_INPUT, _KEYWORD, _OUTPUT = int(SlotGroup.INPUT), int(SlotGroup.KEYWORD), int(SlotGroup.OUTPUT)
_INPUTS = (_INPUT, _KEYWORD)
_TENSOR, _ARGUMENT = int(SlotKind.TENSOR), int(SlotKind.ARGUMENT)


def whole_number(value: Any, default: int) -> int:
    """Return *value* if it is a whole number, else *default*."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _record(dump: Dump, slot: int) -> tuple[object, ...]:
    """Return what the dump says of a tensor's values, comparable: NaN as text."""
    slots = dump.slots
    numbers = (slots.max, slots.min, slots.mean, slots.norm)
    return (int(slots.shape[slot]), *(repr(float(column[slot])) for column in numbers))


class Slot(NamedTuple):
    """One slot of the call, in plain numbers and texts."""

    row: int
    group: int
    kind: int
    path: str

    @property
    def place(self) -> str:
        """Position or keyword of the argument that the slot is, or is in."""
        return self.path.partition(".")[0]


class Arguments:
    """The slots of one call, looked up by position or keyword."""

    def __init__(self, dump: Dump, row: int) -> None:
        self._dump = dump
        rows = dump.slots_of(row)
        part = slice(rows.start, rows.stop)
        columns = (getattr(dump.slots, name)[part].tolist() for name in ("group", "kind", "path"))
        # Plain numbers: comparing numpy's with an enumeration takes long, and can swallow an interruption.
        self.slots = [
            Slot(slot, group, kind, dump.strings[path])
            for slot, (group, kind, path) in zip(rows, zip(*columns))
        ]

    def before(self, places: tuple[str, ...]) -> tuple[int, ...]:
        """Return the tensors at *places* before the call, nested ones included."""
        return self._at(_INPUTS, set(places))

    def after(self, places: tuple[str, ...]) -> tuple[int, ...]:
        """Return the tensors at *places* after the call, whose output lists first positional arguments."""
        positional, keywords = self._places(_INPUT), self._places(_KEYWORD)
        shown = {place for place in places if place in positional}
        last = positional[-1] if positional else ""
        first = int(last) + 1 if last.isdecimal() else len(positional)
        shown |= {str(first + keywords.index(place)) for place in places if place in keywords}
        return self._at((_OUTPUT,), shown)

    def _places(self, group: int) -> list[str]:
        """Return positions or keywords of the arguments in *group*, in the order of the call."""
        return list(dict.fromkeys(slot.place for slot in self.slots if slot.group == group))

    def _at(self, groups: tuple[int, ...], places: set[str]) -> tuple[int, ...]:
        return tuple(
            slot.row
            for slot in self.slots
            if slot.group in groups and slot.kind == _TENSOR and slot.place in places
        )

    def given(self) -> Iterator[tuple[Slot, Any]]:
        """Yield the arguments that are no tensors, with their values."""
        for slot in self.slots:
            if slot.group in _INPUTS and slot.kind == _ARGUMENT:
                yield slot, self._dump.argument(slot.row)

    def type_of(self, slot: Slot) -> str:
        """Return the type of the argument as the dump spells it."""
        return self._dump.strings[int(self._dump.slots.type[slot.row])]

    def is_asynchronous(self) -> bool:
        """Whether ``async_op`` is true: the only boolean that collectives take."""
        return any(value is True for _, value in self.given())

    def without_old(self, received: tuple[int, ...]) -> tuple[int, ...]:
        """Leave out what still looks as the buffer did before the call."""
        before = {_record(self._dump, slot.row) for slot in self.slots if slot.group in _INPUTS}
        return tuple(slot for slot in received if _record(self._dump, slot) not in before)

    def tensors(self, *, output: bool) -> dict[str, int]:
        """Return the tensors before or after the call by their paths."""
        return {
            slot.path: slot.row
            for slot in self.slots
            if (slot.group == _OUTPUT) == output and slot.kind == _TENSOR
        }

    def number(self, places: tuple[str, ...], default: int) -> int:
        """Return the whole number at one of *places*."""
        for slot, value in self.given():
            if slot.path in places and isinstance(value, int) and not isinstance(value, bool):
                return value
        return default

    def group(self) -> tuple[int, ...]:
        """Return the ranks of the process group that the call names, :data:`WORLD` when it names none."""
        for slot, value in self.given():
            if self.type_of(slot).endswith("ProcessGroup"):
                ranks = value.get("group_ranks") if isinstance(value, dict) else None
                if isinstance(ranks, list) and all(whole_number(rank, -1) >= 0 for rank in ranks):
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

    def root(self, signature: Signature) -> int:
        """Return the rank that directs the call."""
        said = self.global_rank(self.number(signature.root, -1), self.group(), ("group_src", "group_dst"))
        return said if said >= 0 else signature.default_root

    def sends(self, signature: Signature, rank: int) -> bool:
        """Whether *rank* sends anything in the call."""
        return not signature.root_sends or self.root(signature) == rank

    def receives(self, signature: Signature, rank: int) -> bool:
        """Whether *rank* receives anything in the call; the root of a scatter gives itself a part."""
        if not signature.root:
            return True
        if (self.root(signature) == rank) != signature.root_sends:
            return True
        return signature.root_sends and signature.sent != signature.received
