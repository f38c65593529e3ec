"""The slots of one communication call, looked up by position or keyword."""

from __future__ import annotations

from typing import Any

from core.overflow.communication.signatures import WORLD, Signature
from core.records.dump import Dump, SlotGroup, SlotKind

INPUTS = (SlotGroup.INPUT, SlotGroup.KEYWORD)


def whole_number(value: Any, default: int) -> int:
    """Return *value* if it is a whole number, else *default*."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _record(dump: Dump, slot: int) -> tuple[object, ...]:
    """Return what the dump says of a tensor's values, comparable: NaN as text."""
    slots = dump.slots
    numbers = (slots.max, slots.min, slots.mean, slots.norm)
    return (int(slots.shape[slot]), *(repr(float(column[slot])) for column in numbers))


class Arguments:
    """The slots of one call, looked up by position or keyword."""

    def __init__(self, dump: Dump, row: int) -> None:
        self.dump = dump
        self.rows = dump.slots_of(row)

    def before(self, places: tuple[str, ...]) -> tuple[int, ...]:
        """Return the tensors at *places* before the call, nested ones included."""
        return self._at(INPUTS, set(places))

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
            slots.kind[slot] == SlotKind.ARGUMENT and self.dump.argument(slot) is True
            for slot in self.rows
            if slots.group[slot] in INPUTS
        )

    def without_old(self, received: tuple[int, ...]) -> tuple[int, ...]:
        """Leave out what still looks as the buffer did before the call."""
        before = {_record(self.dump, slot) for slot in self.rows if self.dump.slots.group[slot] in INPUTS}
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
                value = self.dump.argument(slot)
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
        return default

    def group(self) -> tuple[int, ...]:
        """Return the ranks of the process group that the call names, :data:`WORLD` when it names none."""
        for slot in self.rows:
            if self.dump.slots.kind[slot] != SlotKind.ARGUMENT:
                continue
            if self.dump.strings[int(self.dump.slots.type[slot])].endswith("ProcessGroup"):
                said = self.dump.argument(slot)
                ranks = said.get("group_ranks") if isinstance(said, dict) else None
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
