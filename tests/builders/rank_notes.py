"""Dumps of several ranks written down by hand, call by call, in the form of the official dumper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from builders.rank_dumps import write_ranks
from builders.rank_simulation import Array, Call, Raw, StepRecord

from core.compare.options import CompareOptions
from core.overflow.engine import overflow_of_runs
from core.progress import run_to_end
from core.records.overflow import OverflowReport

NAN, INF = float("nan"), float("inf")
OPTIONS = CompareOptions(use_cache=False, processes=1)


def group(*ranks: int) -> Raw:
    """Return how a dump spells a process group."""
    return Raw(json.dumps({"type": "torch.ProcessGroup", "group_ranks": list(ranks), "group_id": "77849d8c"}))


class Values:
    """Arrays that all differ, so that a value can be told by its statistics."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def fresh(self, *shape: int) -> Array:
        """Return finite numbers."""
        return self._random.normal(0, 1, shape or (2, 3)).astype(np.float32)

    def with_bad(self, *bad: float, shape: tuple[int, ...] = (2, 3)) -> Array:
        """Return numbers that begin with *bad*."""
        array = self.fresh(*shape)
        array.flat[: len(bad)] = bad
        return array


class Notes:
    """What the dumper of each rank writes down."""

    def __init__(self, ranks: int = 1) -> None:
        self.ranks = ranks
        self.steps: list[StepRecord] = []
        self.next_step()

    def next_step(self) -> None:
        """Begin a step."""
        each = range(self.ranks)
        number = len(self.steps)
        self.steps.append(StepRecord(number, [[] for _ in each], [[] for _ in each], [], [{} for _ in each]))

    def call(
        self,
        api: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any] | None,
        *,
        rank: int = 0,
        line: int = 0,
        **kwargs: Any,
    ) -> str:
        """Note a forward call and return its name; *outputs* of ``None`` are not dumped."""
        name = self._name(rank, api)
        body = {"input_args": _spelt(list(inputs)), "input_kwargs": _spelt(kwargs)}
        if outputs is not None:
            body["output"] = _spelt(list(outputs))
        self._note(rank, name, body, line)
        return name

    def backward(self, forward: str, inputs: Sequence[Any], outputs: Sequence[Any], *, rank: int = 0) -> str:
        """Note the backward call of *forward*."""
        name = forward.removesuffix(".forward") + ".backward"
        self._note(rank, name, {"input": list(inputs), "output": list(outputs)})
        return name

    def note(self, name: str, body: dict[str, Any], *, rank: int = 0) -> str:
        """Note something with a name and a body of its own."""
        self._note(rank, name, body)
        return name

    def all_reduce(
        self, before: Mapping[int, Array], after: Mapping[int, Array] | Array, **kwargs: Any
    ) -> dict[int, str]:
        """Note an all-reduce of the ranks in *before*."""
        names = {}
        if len(before) < self.ranks:
            kwargs["group"] = group(*sorted(before))
        for rank, sent in before.items():
            got = after[rank] if isinstance(after, Mapping) else after
            output = [got, *kwargs.values()]
            names[rank] = self.call("Distributed.all_reduce", [sent], output, rank=rank, **kwargs)
        return names

    def message(
        self,
        source: int,
        destination: int,
        sent: Array,
        got: Array | None = None,
        *,
        buffer: Array | None = None,
    ) -> tuple[str, str]:
        """Note ``send`` on one rank and ``recv`` on the other."""
        received = sent if got is None else got
        first = self.call("Distributed.send", [sent], [sent, destination], rank=source, dst=destination)
        second = self.call("Distributed.recv", [buffer], [received, source], rank=destination, src=source)
        return first, second

    def _name(self, rank: int, api: str) -> str:
        counts = self.steps[-1].counts[rank]
        number = counts.get(api, 0)
        counts[api] = number + 1
        return f"{api}.{number}.forward"

    def _note(self, rank: int, name: str, body: dict[str, Any], line: int = 0) -> None:
        self.steps[-1].calls[rank].append(Call(name, body, line))

    def write(self, folder: Path, **options: Any) -> Path:
        """Write the dumps."""
        return write_ranks(folder, self.steps, **options)

    def report(self, folder: Path, golden: Path | None = None, **options: Any) -> OverflowReport:
        """Write the dumps and return what the analysis says."""
        self.write(folder, **options)
        return run_to_end(overflow_of_runs(str(folder), str(golden or ""), OPTIONS))


def _spelt(value: Any) -> Any:
    if value is None or isinstance(value, Raw | np.ndarray):
        return value
    if isinstance(value, list):
        return [_spelt(item) for item in value]
    if isinstance(value, dict):
        return {key: _spelt(item) for key, item in value.items()}
    return Raw(json.dumps({"type": type(value).__name__, "value": value}))


def births(report: OverflowReport) -> list[tuple[str, int, str]]:
    """Return kind, rank and operator of all births of *report*, earliest first."""
    return [(birth.kind.value, birth.cell.rank, birth.operator) for birth in report.origins]


def earliest(report: OverflowReport) -> set[tuple[int, str]]:
    """Return rank and operator of the births that nothing happened before."""
    return {(birth.cell.rank, birth.operator) for birth in report.origins if birth.earliest}
