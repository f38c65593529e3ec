"""The stations around a call, worked out from a dump."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.reading import read_only_cell

from core.compare.rows import explore_dump
from core.records.result import CellResult
from core.records.run import CellKey
from gui.comparison.flow_work import side_flow
from gui.models.call.details import argument_count, arguments_of
from gui.models.call.flow import LONGEST, FlowPicture, flow_picture
from gui.models.call.flow_columns import CellFlow
from gui.models.pair.facts import Facts, build_facts

RANDOM = np.random.default_rng(5)


def tensor(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


class Explored:
    """One dump, explored, and its flow."""

    def __init__(self, folder: Path, calls: dict[str, object], **kinds: bool) -> None:
        dump = read_only_cell(write_dump(folder, calls, **kinds))
        self.cell: CellResult = explore_dump(CellKey("", 0, 0), dump)
        self.facts: Facts = build_facts(self.cell)
        rows = self.cell.rows
        side = side_flow(dump, rows.target_slot, rows.target_operator)
        nothing = side_flow(self.cell.golden, rows.golden_slot, rows.golden_operator)
        self.flow = CellFlow(side, nothing)

    def around(self, operator: str, golden: bool = False) -> FlowPicture:
        row = int(np.flatnonzero(self.facts.operator == self.facts.operators.texts.index(operator))[0])
        return flow_picture(self.cell, self.facts, row, self.flow, golden)


def test_what_all_layers_take_is_cut_and_counted(tmp_path: Path) -> None:
    mask, count = tensor(3, 3), 2_000
    calls = {"Torch.triu.0.forward": call([tensor(3)], [mask])}
    calls |= {f"Torch.add.{at}.forward": call([mask], [tensor(3, 3)]) for at in range(count)}
    explored = Explored(tmp_path, calls)
    began = time.perf_counter()
    takers = explored.around("Torch.triu.0.forward").takers
    assert time.perf_counter() - began < 0.5
    assert len(takers) == LONGEST + 1
    assert sum(station.stands_for for station in takers) == count
    assert takers[-1].title == f"and {count - LONGEST} more"
    assert takers[-1].row < 0


def test_calls_that_only_hand_a_value_on_are_dim_and_lead_to_who_uses_it(tmp_path: Path) -> None:
    made, used = tensor(4, 2), tensor(4, 2)
    calls = {
        "Torch.mm.0.forward": call([tensor(4, 4)], [made]),
        "Tensor.view.0.forward": call([made], [made.reshape(2, 4)]),
        "Tensor.contiguous.0.forward": call([made.reshape(2, 4)], [made.reshape(2, 4)]),
        "Torch.relu.0.forward": call([made.reshape(2, 4)], [used]),
    }
    explored = Explored(tmp_path, calls)
    takers = explored.around("Torch.mm.0.forward").takers
    assert [(station.title, station.dim) for station in takers] == [
        ("view.0", True), ("contiguous.0", True), ("relu.0", False)
    ]  # fmt: skip
    sources = explored.around("Torch.relu.0.forward").sources
    assert [(station.title, station.dim) for station in sources] == [
        ("mm.0", False), ("view.0", True), ("contiguous.0", True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"checksums": True, "statistics": False}, "same checksum"),
        ({"checksums": True}, "statistics and checksum"),
    ],
)
def test_it_says_what_it_knows_a_value_by(tmp_path: Path, kinds: dict[str, bool], words: str) -> None:
    made = tensor(4)
    calls = {
        "Torch.mm.0.forward": call([tensor(3)], [made]),
        "Torch.relu.0.forward": call([made], [tensor(4)]),
    }
    explored = Explored(tmp_path, calls, **kinds)
    (station,) = explored.around("Torch.relu.0.forward").sources
    assert words in station.detail


def test_equal_constants_are_not_followed_through_all_others(tmp_path: Path) -> None:
    zeros = np.zeros(4, np.float32)
    calls = {f"Torch.zeros_like.{at}.forward": call([zeros], [zeros]) for at in range(50)}
    calls["Torch.add.0.forward"] = call([zeros], [tensor(4)])
    sources = Explored(tmp_path, calls).around("Torch.add.0.forward").sources
    assert [station.title for station in sources] == ["zeros_like.49"]
    assert "same constant" in sources[0].detail


def test_a_side_without_the_call_says_so(tmp_path: Path) -> None:
    explored = Explored(tmp_path, {"Torch.mm.0.forward": call([tensor(3)], [tensor(4)])})
    picture = explored.around("Torch.mm.0.forward", golden=True)
    assert [station.title for station in picture.call] == ["This side has no such call."]


def test_a_call_of_many_tensors_is_cut_too(tmp_path: Path) -> None:
    explored = Explored(tmp_path, {"Torch.cat.0.forward": call([tensor(2) for _ in range(900)], [tensor(3)])})
    picture = explored.around("Torch.cat.0.forward")
    assert sum(station.stands_for for station in picture.sources) == 900
    assert sum(station.stands_for for station in picture.call) == 1 + 901
    assert len(picture.sources) == LONGEST + 1


def test_of_very_many_slots_those_around_the_row_are_told(tmp_path: Path) -> None:
    calls = {"Torch._foreach_add_.0.forward": call([tensor(2) for _ in range(3_000)], [])}
    explored = Explored(tmp_path, calls)
    for row, first, last in ((0, 0, 999), (1_500, 1_000, 1_999), (2_999, 2_000, 2_999)):
        told = arguments_of(explored.cell, explored.facts, row)
        assert [told[0].slot, told[-1].slot] == [f"input.{first}", f"input.{last}"]
        assert argument_count(explored.cell, explored.facts, row) == 3_000
