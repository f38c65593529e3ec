"""Random training steps over several ranks, executed with small arrays, with births of NaN and Inf planted.

A program follows from its seed. Which ranks do what in which order, how they communicate, how the dumper
writes it down and where something breaks are all drawn. :func:`run_program` executes it; what it returns
knows the truth (:func:`builders.rank_answer.answer_of`) and can be written as a dump
(:func:`builders.rank_dumps.write_ranks`).
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from builders.rank_layers import Layers, argument
from builders.rank_simulation import Array, Cause, Simulation, Style, Value
from builders.rank_traffic import Group, Traffic, process_group

RANKS = (2, 2, 3, 4, 4, 4, 6, 8, 8, 16, 32, 64)
PLANTS = (
    "kernel", "kernel", "kernel", "unseen", "parameter", "wire", "whole_row", "log_used", "garbage_used",
    "masked_broadcast", "moved_garbage",
)  # fmt: skip


@dataclass
class Program:
    """What is drawn before anything runs."""

    seed: int
    ranks: int
    steps: int
    style: Style
    plants: dict[int, str]
    """Kind of each fault, by the number of the event before which it is planted."""
    events: int = 0
    """Events of a step."""


@dataclass
class Ran:
    """A program that ran."""

    program: Program
    simulation: Simulation
    groups: list[Group]
    planted: Counter[str] = field(default_factory=Counter)


def draw_program(seed: int, ranks: int = 0) -> Program:
    """Return the program of *seed*, over *ranks* ranks if given."""
    draw = random.Random(seed)
    ranks = ranks or draw.choice(RANKS)
    steps = draw.choice((1, 1, 2, 3) if ranks <= 8 else (1, 1, 1, 2))
    each = draw.randint(8, 30) if ranks <= 8 else draw.randint(6, 10)
    events = each * ranks
    late = draw.choice(("complete", "missing", "old"))
    # Who shows an old buffer after the call and hides it before leaves nothing to judge by.
    style = Style(draw.random() < 0.3, late, late == "old" or draw.random() < 0.6)
    count = draw.choice((1, 1, 2, 3, 4))
    plants = {}
    for _ in range(count):
        kind, number = draw.choice(PLANTS), draw.randrange(events * steps)
        # Parameters change between steps only.
        plants[number - number % events if kind == "parameter" else number] = kind
    return Program(seed, ranks, steps, style, plants, events)


def run_program(program: Program, *, sound: bool = False) -> Ran:
    """Execute *program*; if *sound*, without its faults."""
    runner = _Runner(program, {} if sound else program.plants)
    with np.errstate(all="ignore"):
        runner.run()
    return runner.ran


def process_groups(ranks: int, draw: random.Random) -> list[Group]:
    """Return groups of a random layout (tensor, pipeline and data parallel), others, and the world."""
    everyone = tuple(range(ranks))
    tensor = draw.choice([size for size in range(1, ranks + 1) if ranks % size == 0])
    groups = [everyone[at : at + tensor] for at in range(0, ranks, tensor)]
    groups += [everyone[at::tensor] for at in range(tensor)]
    for _ in range(draw.randint(0, 2)):
        groups.append(tuple(sorted(draw.sample(everyone, draw.randint(2, min(ranks, 6))))))
    return [*groups, everyone] if draw.random() < 0.7 or ranks < 4 else groups


class _Runner:
    def __init__(self, program: Program, plants: dict[int, str]) -> None:
        self.draw = random.Random(f"program {program.seed}")
        self.plants = plants
        self.simulation = Simulation(program.ranks, program.style)
        self.layers = Layers(self.simulation, self.draw)
        groups = process_groups(program.ranks, self.draw)
        if not any(len(group) > 1 for group in groups):
            groups.append(tuple(range(program.ranks)))
        self.traffic = Traffic(self.layers, self.draw, groups)
        self.ran = Ran(program, self.simulation, groups)
        self.averaging = self.draw.random() < 0.5
        self.busy = self.draw.uniform(0.05, 0.4)
        for rank in range(program.ranks):
            for _ in range(2):
                weight, bias = Value(self.layers.array((3, 3))), Value(self.layers.array((3,)))
                weight.weight = bias.weight = True
                self.layers.memory[rank].weights.append((weight, bias))

    def run(self) -> None:
        program = self.ran.program
        for step in range(program.steps):
            if step:
                self.simulation.begin_step()
            forward = int(program.events * 0.65)
            for number in range(program.events):
                planted = self.plants.get(step * program.events + number)
                if planted is not None:
                    self.plant(planted)
                self.event(back=number >= forward)
            self.traffic.fulfil(all_of_them=True)
            self.simulation.end_step()
            if step + 1 < program.steps:
                self.optimise()

    def event(self, *, back: bool) -> None:
        share = self.busy / self.ran.program.ranks  # a collective is an event of all its ranks
        chance = self.draw.random()
        if chance < share * 2:
            self.traffic.collective()
        elif chance < share * 2 + 0.05:
            self.traffic.message()
        elif chance < share * 2 + 0.08:
            self.traffic.fulfil()
        elif chance < share * 2 + 0.085:
            self.broadcast_mask(whole_row=False)
        else:
            rank = self.draw.randrange(self.ran.program.ranks)
            if back and self.layers.backward(rank):
                return
            self.layers.forward(rank)

    # ---- faults

    def plant(self, kind: str) -> None:
        """Break something."""
        self.ran.planted[kind] += 1
        rank = self.draw.randrange(self.ran.program.ranks)
        if kind == "kernel":
            self.break_kernel(rank)
        elif kind == "unseen":
            values = [value for value in self.layers.memory[rank].values if not value.bad]
            value = values[-1] if values else self.layers.fresh()
            self.simulation.settle(rank, value)
            self.simulation.unseen(value, self.spoilt(value.array, (np.nan, np.inf)), planted=True)
            self.layers.keep(rank, value)
        elif kind == "parameter":
            everyone = range(self.ran.program.ranks)
            for place in everyone if self.draw.random() < 0.5 else [rank]:
                weight, _ = self.layers.memory[place].weights[0]
                if not weight.bad:
                    self.simulation.unseen(weight, self.spoilt(weight.array), planted=True)
        elif kind == "wire":
            self.traffic.break_next = True
        elif kind == "whole_row":
            self.layers.attention_mask(rank, whole_row=True)
        elif kind == "log_used":
            self.layers.log_of_zero(rank, used=True)
        elif kind == "garbage_used":
            self.layers.buffer(rank, used=True)
        elif kind == "masked_broadcast":
            self.broadcast_mask(whole_row=True)
        else:
            self.move_garbage()

    def break_kernel(self, rank: int) -> None:
        """Let the next call of *rank* give out something bad."""

        def spoil(where: int, api: str, result: Array) -> Array | None:
            if where != rank or api == "Torch.empty":
                return None
            self.simulation.spoil = lambda rank, api, result: None
            # An operand with −Inf in it, shown after the call, might be a mask from outside.
            return self.spoilt(result, (np.nan, np.inf) if api.endswith("_") else (np.nan, np.inf, -np.inf))

        self.simulation.spoil = spoil

    def spoilt(self, array: Array, values: tuple[float, ...] = (np.nan, np.inf, -np.inf)) -> Array:
        """Return *array* with something bad at some places."""
        bad = np.array(array, np.float32)
        for _ in range(self.draw.randint(1, 2)):
            bad.flat[self.draw.randrange(bad.size)] = self.draw.choice(values)
        return bad

    def broadcast_mask(self, *, whole_row: bool) -> None:
        """Send scores with −Inf in them to a group; each of its ranks takes softmax of them."""
        group = self.draw.choice(self.traffic.groups)
        root = self.draw.choice(group)
        layers, simulation = self.layers, self.simulation
        scores = layers.fresh((2, 3))
        mask = np.array([[True, True, whole_row], [False, False, True]])
        with np.errstate(all="ignore"):
            masked = simulation.compute(
                root, "Tensor.masked_fill", [scores, mask, argument(-np.inf)],
                np.where(mask, np.float32(-np.inf), scores.array), reads=[scores], wanted=Cause.MASK,
            )  # fmt: skip
            parts, contributors = self.traffic.broadcast_of(masked, group, root)
            for part in parts:
                part.api = "Distributed.broadcast"
                part.kwargs["group"] = process_group(group)
            simulation.exchange(parts, contributors, late=False)
            for part in parts:
                layers.softmax_of(part.rank, (part.sends or part.receives)[0])

    def move_garbage(self) -> None:
        """Send memory that nobody has written, by an all-reduce."""
        group = self.draw.choice(self.traffic.groups)
        guilty = self.draw.choice(group)
        shape = (2, 2)
        with np.errstate(all="ignore"):
            values = {rank: self.layers.pick(rank, shape) for rank in group}
            values[guilty] = self.layers.allocate(guilty, shape)
            self.simulation.settle(guilty, values[guilty])
            parts, contributors = self.traffic.all_reduce_of(values)
            for part in parts:
                part.api = "Distributed.all_reduce"
                part.kwargs["group"] = process_group(group)
            self.simulation.exchange(parts, contributors, late=False)
            for part in parts:
                self.layers.keep(part.rank, part.receives[0])

    # ---- between steps

    def optimise(self) -> None:
        """Change the weights by the gradients, averaged over a group outside of what is dumped."""
        gradients: dict[tuple[int, int], Value] = {}
        for rank, memory in enumerate(self.layers.memory):
            for layer, value in memory.gradients:
                gradients[rank, layer] = value
            memory.gradients.clear()
            memory.saved.clear()
            memory.values.clear()
        group = self.draw.choice(self.traffic.groups)
        for rank, memory in enumerate(self.layers.memory):
            for layer, (weight, _) in enumerate(memory.weights):
                among = group if self.averaging and rank in group else (rank,)
                found = [gradients[other, layer] for other in among if (other, layer) in gradients]
                bad = [value for value in found if value.bad]
                if not found:
                    continue
                if bad:
                    weight.array = np.full_like(weight.array, np.nan)
                    weight.taint = frozenset().union(*(value.taint for value in bad))
                elif not weight.bad:
                    weight.array = weight.array * np.float32(0.99)
