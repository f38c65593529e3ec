"""Which call's output goes into which other call, and by what it is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.reading import read_only_cell

from core.match.flow import data_flow, producers
from core.records.dump import Dump, SlotGroup
from core.records.flow import Basis, basis_of

RANDOM = np.random.default_rng(3)


def tensor(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def slot(dump: Dump, operator: str, name: str) -> int:
    names = [dump.operator_name(row) for row in range(len(dump.operators))]
    return next(at for at in dump.slots_of(names.index(operator)) if dump.slot_name(at) == name)


def told(dump: Dump, slots: list[int]) -> list[str]:
    return [f"{dump.operator_name(int(dump.slots.operator[at]))} {dump.slot_name(at)}" for at in slots]


@pytest.fixture(params=["statistics", "checksums", "both"])
def network(request: pytest.FixtureRequest, tmp_path: Path) -> Dump:
    """A linear in a module, whose value two calls take; the input comes from outside."""
    x, weight, hidden, left, right = (tensor(4, 6) for _ in range(5))
    calls = {
        "Functional.linear.0.forward": call([x, weight], [hidden]),
        "Module.up.Linear.forward.0": call([x], [hidden]),
        "Functional.relu.0.forward": call([hidden], [left]),
        "Torch.add.0.forward": call([left, hidden], [right]),
    }
    kind = request.param
    return read_only_cell(
        write_dump(tmp_path, calls, checksums=kind != "statistics", statistics=kind != "checksums")
    )


def test_a_value_is_followed_from_who_made_it_to_who_takes_it(network: Dump) -> None:
    flow = data_flow(network)
    made = slot(network, "Functional.linear.0.forward", "output.0")
    passed = slot(network, "Module.up.Linear.forward.0", "output.0")
    assert told(network, flow.takers_of(made).tolist()) == ["Module.up.Linear.forward.0 output.0"]
    assert told(network, flow.takers_of(passed).tolist()) == [
        "Functional.relu.0.forward input.0",
        "Torch.add.0.forward input.1",
    ]
    assert flow.source[passed] == made
    assert flow.source[slot(network, "Functional.linear.0.forward", "input.0")] == -1


def test_its_sources_are_the_producers_of_the_diagnosis(network: Dump) -> None:
    flow = data_flow(network)
    inputs = network.slots.group <= SlotGroup.KEYWORD
    np.testing.assert_array_equal(flow.source[inputs], producers(network)[inputs])


def test_takers_are_the_inverse_of_sources(demo_pair: tuple[Path, Path]) -> None:
    dump = read_only_cell(demo_pair[0] / "step1" / "rank0")
    flow = data_flow(dump)
    assert (flow.source >= 0).sum() == len(flow.takers) > 50
    for at in range(len(dump.slots)):
        taken = flow.takers_of(at).tolist()
        assert taken == np.flatnonzero(flow.source == at).tolist()
        operators = dump.slots.operator
        assert all(operators[taker] > operators[at] for taker in taken)


def test_parameters_come_from_outside(demo_pair: tuple[Path, Path]) -> None:
    dump = read_only_cell(demo_pair[0] / "step1" / "rank0")
    assert (data_flow(dump).source[dump.slots.group == SlotGroup.PARAMETER] == -1).all()


@pytest.mark.parametrize(
    ("kinds", "value", "basis"),
    [
        ({}, tensor(3), Basis.STATISTICS),
        ({"checksums": True, "statistics": False}, tensor(3), Basis.CHECKSUM),
        ({"checksums": True}, tensor(3), Basis.BOTH),
        ({"checksums": True}, np.zeros(3, np.float32), Basis.CONSTANT),
        ({}, np.ones(3, np.float32), Basis.CONSTANT),
    ],
)
def test_it_says_what_two_slots_are_taken_for_one_value_by(
    tmp_path: Path, kinds: dict[str, bool], value: np.ndarray, basis: Basis
) -> None:
    calls = {"Torch.a.0.forward": call([], [value]), "Torch.b.0.forward": call([value], [tensor(2)])}
    dump = read_only_cell(write_dump(tmp_path, calls, **kinds))
    source, taker = slot(dump, "Torch.a.0.forward", "output.0"), slot(dump, "Torch.b.0.forward", "input.0")
    assert data_flow(dump).source[taker] == source
    assert basis_of(dump, source, taker) is basis


def test_an_empty_dump_has_no_flow(tmp_path: Path) -> None:
    flow = data_flow(read_only_cell(write_dump(tmp_path, {})))
    assert (len(flow.source), flow.first_taker.tolist(), len(flow.takers)) == (0, [0], 0)
