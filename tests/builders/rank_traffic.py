"""Communication calls drawn at random: collectives of torch.distributed and messages of two ranks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

import numpy as np
from builders.rank_layers import Layers, argument
from builders.rank_simulation import P2P, Array, Part, Posted, Raw, Value

Group = tuple[int, ...]
COLLECTIVES = (
    "all_reduce", "all_reduce", "all_reduce", "all_gather", "all_gather", "all_gather_into_tensor",
    "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "broadcast", "scatter",
    "reduce", "gather",
)  # fmt: skip
Plan = tuple[list[Part], Callable[[Part, int], Sequence[Part]]]
"""The ranks' parts, and whose numbers are in what a part receives at a position."""
SPECIAL = (np.nan, np.inf, -np.inf)


def process_group(group: Group) -> Raw:
    """Return how a dump spells a process group."""
    said = {"type": "torch.ProcessGroup", "group_ranks": list(group), "group_id": "77849d8c"}
    return Raw(json.dumps(said))


class Traffic:
    """Draws communication between the ranks of a simulation."""

    def __init__(self, layers: Layers, draw: random.Random, groups: Sequence[Group]) -> None:
        self.layers = layers
        self.simulation = layers.simulation
        self.draw = draw
        self.groups = [group for group in groups if len(group) > 1]
        self.break_next = False
        """Whether the next communication is to spoil what it moves."""
        self.broke = False
        self._posted: list[tuple[Posted, int, int]] = []

    def collective(self, group: Group | None = None, api: str = "", *, late: bool | None = None) -> None:
        """Make one collective call in one group."""
        group = self.draw.choice(self.groups) if group is None else group
        api = api or self.draw.choice(COLLECTIVES)
        late = self.draw.random() < 0.25 if late is None else late
        shape = self.draw.choice(((2, 3), (4,), (2, 2)))
        root = self.draw.choice(group)
        make = {
            "all_reduce": self._all_reduce, "all_gather": self._all_gather,
            "all_gather_into_tensor": self._all_gather_into, "reduce_scatter": self._reduce_scatter,
            "reduce_scatter_tensor": self._reduce_scatter_tensor, "all_to_all": self._all_to_all,
            "all_to_all_single": self._all_to_all_single, "broadcast": self._broadcast,
            "scatter": self._scatter, "reduce": self._reduce, "gather": self._gather,
        }[api]  # fmt: skip
        with np.errstate(all="ignore"):
            parts, contributors = make(group, shape, root)
            world = len(group) == self.simulation.ranks and self.draw.random() < 0.5
            for part in parts:
                part.api = f"Distributed.{api}"
                if not world:
                    part.kwargs["group"] = process_group(group)
                if late:
                    part.kwargs["async_op"] = argument(True)
            self._run(parts, contributors, late=late)

    def _run(
        self, parts: Sequence[Part], contributors: Callable[[Part, int], Sequence[Part]], *, late: bool
    ) -> None:
        spoilt: dict[tuple[int, int], Array] = {}
        sound = all(not value.bad for part in parts for value in part.sends)
        if self.break_next and sound:
            self.break_next, self.broke = False, True
            places = [(part.rank, n) for part in parts for n in range(len(part.receives))]
            some = places if self.draw.random() < 0.5 else [self.draw.choice(places)]
            arrays = {part.rank: part.arrays for part in parts}
            for rank, position in some:
                array = np.array(arrays[rank][position])
                # −Inf that nobody is seen to receive might be a mask from outside.
                array.flat[self.draw.randrange(array.size)] = self.draw.choice(SPECIAL[: 2 if late else 3])
                spoilt[rank, position] = array
        self.simulation.exchange(parts, contributors, late=late, spoilt=spoilt)
        for part in parts:
            for value in part.receives:
                self.layers.keep(part.rank, value)

    # ---- what each moves

    def _buffer(self, shape: tuple[int, ...]) -> Value:
        """Return a receive buffer with something in it, perhaps NaN; nobody but the wire writes it."""
        return Value(self.layers.garbage(shape))

    def _mine(self, rank: int, shape: tuple[int, ...]) -> Value:
        value = self.layers.pick(rank, shape)
        self.simulation.settle(rank, value)
        return value

    def _total(self, arrays: Sequence[Array]) -> Array:
        weight = np.float32(self.layers.draw.uniform(0.3, 0.9))
        return np.asarray(np.sum(arrays, axis=0) * weight, np.float32)

    def _all_reduce(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        return self.all_reduce_of({rank: self._mine(rank, shape) for rank in group})

    def all_reduce_of(self, mine: dict[int, Value]) -> Plan:
        """Add up the values of some ranks."""
        total = self._total([value.array for value in mine.values()])
        parts = [Part(rank, "", [own], {}, [own], [own], [total]) for rank, own in mine.items()]
        return parts, lambda part, position: parts

    def _all_gather(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        mine = {rank: self._mine(rank, shape) for rank in group}
        parts = []
        for rank in group:
            buffers = [self._buffer(shape) for _ in group]
            arrays = [mine[other].array for other in group]
            parts.append(Part(rank, "", [buffers, mine[rank]], {}, [mine[rank]], buffers, arrays))
        # A tensor of the list is another rank's, but the call ends when all have come.
        return parts, lambda part, position: parts

    def _all_gather_into(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        mine = {rank: self._mine(rank, shape) for rank in group}
        joined = np.concatenate([mine[rank].array for rank in group])
        parts = []
        for rank in group:
            buffer = self._buffer(joined.shape)
            parts.append(Part(rank, "", [buffer, mine[rank]], {}, [mine[rank]], [buffer], [joined]))
        return parts, lambda part, position: parts

    def _reduce_scatter(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        lists = {rank: [self._mine(rank, shape) for _ in group] for rank in group}
        parts = []
        for place, rank in enumerate(group):
            buffer = self._buffer(shape)
            total = self._total([lists[other][place].array for other in group])
            parts.append(Part(rank, "", [buffer, lists[rank]], {}, lists[rank], [buffer], [total]))
        return parts, lambda part, position: parts

    def _reduce_scatter_tensor(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        whole = {rank: self._joined(rank, shape, len(group)) for rank in group}
        parts = []
        rows = shape[0]
        total = self._total([value.array for value in whole.values()])
        for place, rank in enumerate(group):
            buffer = self._buffer(shape)
            piece = total[place * rows : (place + 1) * rows]
            parts.append(Part(rank, "", [buffer, whole[rank]], {}, [whole[rank]], [buffer], [piece]))
        return parts, lambda part, position: parts

    def _joined(self, rank: int, shape: tuple[int, ...], count: int) -> Value:
        """Join *count* tensors of *rank* by a call that is dumped."""
        pieces = [self._mine(rank, shape) for _ in range(count)]
        joined = np.concatenate([piece.array for piece in pieces])
        return self.simulation.compute(rank, "Torch.cat", [pieces], joined, reads=pieces)

    def _all_to_all(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        lists = {rank: [self._mine(rank, shape) for _ in group] for rank in group}
        parts = []
        for place, rank in enumerate(group):
            buffers = [self._buffer(shape) for _ in group]
            arrays = [lists[other][place].array for other in group]
            parts.append(Part(rank, "", [buffers, lists[rank]], {}, lists[rank], buffers, arrays))
        return parts, lambda part, position: parts

    def _all_to_all_single(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        whole = {rank: self._joined(rank, shape, len(group)) for rank in group}
        rows = shape[0]
        parts = []
        for place, rank in enumerate(group):
            pieces = [whole[other].array[place * rows : (place + 1) * rows] for other in group]
            joined = np.concatenate(pieces)
            buffer = self._buffer(joined.shape)
            parts.append(Part(rank, "", [buffer, whole[rank]], {}, [whole[rank]], [buffer], [joined]))
        return parts, lambda part, position: parts

    def _broadcast(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        return self.broadcast_of(self._mine(root, shape), group, root)

    def broadcast_of(self, source: Value, group: Group, root: int) -> Plan:
        """Send *source* of *root* to all of *group*."""
        sender = Part(root, "", [source, argument(root)], {}, [source])
        parts = []
        for rank in group:
            if rank == root:
                parts.append(sender)
                continue
            buffer = self._buffer(source.array.shape)
            parts.append(Part(rank, "", [buffer, argument(root)], {}, [], [buffer], [source.array]))
        return parts, lambda part, position: [sender]

    def _scatter(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        pieces = [self._mine(root, shape) for _ in group]
        parts = []
        for place, rank in enumerate(group):
            buffer = self._buffer(shape)
            given = pieces if rank == root else None
            part = Part(rank, "", [buffer, given], {"src": argument(root)})
            part.sends = pieces if rank == root else []
            part.receives, part.arrays = [buffer], [pieces[place].array]
            parts.append(part)
        sender = next(part for part in parts if part.rank == root)
        return parts, lambda part, position: [sender]

    def _reduce(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        mine = {rank: self._mine(rank, shape) for rank in group}
        total = self._total([value.array for value in mine.values()])
        parts = []
        for rank in group:
            part = Part(rank, "", [mine[rank]], {"dst": argument(root)}, [mine[rank]])
            if rank == root:
                part.receives, part.arrays = [mine[rank]], [total]
            parts.append(part)
        return parts, lambda part, position: parts

    def _gather(self, group: Group, shape: tuple[int, ...], root: int) -> Plan:
        mine = {rank: self._mine(rank, shape) for rank in group}
        parts = []
        for rank in group:
            buffers = [self._buffer(shape) for _ in group] if rank == root else None
            part = Part(rank, "", [mine[rank], buffers], {"dst": argument(root)}, [mine[rank]])
            if buffers is not None:
                part.receives, part.arrays = buffers, [mine[other].array for other in group]
            parts.append(part)
        return parts, lambda part, position: parts

    # ---- messages

    def message(self) -> None:
        """Send something from one rank to another, or along a chain of ranks in one batch each."""
        kind = self.draw.choice(("send", "isend", "batch", "early"))
        if kind == "batch":
            self._ring()
            return
        source, destination = self.draw.sample(range(self.simulation.ranks), 2)
        shape = self.draw.choice(((2, 3), (4,), (2, 2)))
        tag = {"tag": argument(self.draw.randrange(1, 9))} if self.draw.random() < 0.3 else {}
        buffer = self._buffer(shape)
        receive = Part(destination, "", [buffer, argument(source)], dict(tag), [], [buffer])
        if kind == "early":
            receive.api = "Distributed.irecv"
            self._posted.append((self.simulation.post(receive), source, destination))
            return
        value = self._mine(source, shape)
        receive.arrays = [value.array]
        send = Part(source, "", [value, argument(destination)], dict(tag), [value])
        send.api, receive.api = (
            ("Distributed.send", "Distributed.recv")
            if kind == "send"
            else (self.draw.choice(("Distributed.send", "Distributed.isend")), "Distributed.irecv")
        )
        if self._awaited(source, destination):
            return  # messages between two ranks do not overtake each other
        self._run([send, receive], lambda part, position: [send], late=kind == "isend")

    def _awaited(self, source: int, destination: int) -> bool:
        return any((a, b) == (source, destination) for _, a, b in self._posted)

    def fulfil(self, *, all_of_them: bool = False) -> None:
        """Send what is waited for."""
        while self._posted:
            posted, source, destination = self._posted.pop(0)
            (buffer,) = posted.part.receives
            value = self._mine(source, buffer.array.shape)
            send = Part(source, "Distributed.isend", [value, argument(destination)], {}, [value])
            send.kwargs = dict(posted.part.kwargs)
            self.simulation.fulfil(posted, send)
            self.layers.keep(destination, buffer)
            if not all_of_them:
                return

    def _ring(self) -> None:
        """Let each rank of a group send to the next one, all in one batch each."""
        group = self.draw.choice(self.groups)
        pairs = list(zip(group, (*group[1:], group[0]), strict=True))
        if self.draw.random() < 0.5:
            pairs.pop()  # a chain
        if any(self._awaited(a, b) for a, b in pairs) or any(a == b for a, b in pairs):
            return
        shape = self.draw.choice(((2, 3), (4,)))
        mine = {source: self._mine(source, shape) for source, _ in pairs}
        before = {destination: source for source, destination in pairs}
        parts = {}
        for rank in group:
            operations = []
            part = Part(rank, "Distributed.batch_isend_irecv", [operations])
            for source, destination in pairs:
                if source == rank:
                    operations.append(P2P("isend", mine[rank], destination))
                    part.sends = [mine[rank]]
                if destination == rank:
                    buffer = self._buffer(shape)
                    operations.append(P2P("irecv", buffer, source))
                    part.receives, part.arrays = [buffer], [mine[source].array]
            if self.draw.random() < 0.5:
                operations.reverse()
            parts[rank] = part
        self._run(
            list(parts.values()), lambda part, position: [parts[before[part.rank]]],
            late=self.draw.random() < 0.5,
        )  # fmt: skip
