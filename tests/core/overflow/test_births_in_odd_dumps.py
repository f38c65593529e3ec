"""Dumps as people have them: biased layers, damaged ranks, goldens with fewer cells, several births."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.rank_notes import NAN, Notes, Values, births, earliest

from core.records.overflow import Level, Way


def linear(notes: Notes, values: Values, *, gradients_first: bool) -> None:
    """Note a biased linear module of which all is bad on the way back."""
    path = "Module.head.Linear"
    x, bad = values.fresh(), values.with_bad(NAN)
    notes.call("Torch.exp", [x], [bad])
    notes.note(
        f"{path}.forward.0", {"input_args": [bad], "input_kwargs": {}, "output": [values.with_bad(NAN)]}
    )
    gradients = {"weight": [values.with_bad(NAN, shape=(3, 3))], "bias": [values.with_bad(NAN, shape=(3,))]}
    backward = {"input": [values.with_bad(NAN)], "output": [values.with_bad(NAN)]}
    noted = [(f"{path}.parameters_grad.0", gradients), (f"{path}.backward.0", backward)]
    for name, body in noted if gradients_first else reversed(noted):
        notes.note(name, body)


@pytest.mark.parametrize("gradients_first", [True, False])
def test_gradients_may_stand_before_or_behind_the_backward_call_they_come_from(
    tmp_path: Path, gradients_first: bool
) -> None:
    notes = Notes()
    linear(notes, Values(), gradients_first=gradients_first)
    around = {"Module.head.Linear.parameters_grad.0": "Module.head.Linear.backward.0"}
    report = notes.report(tmp_path, construct=around)
    assert births(report) == [("output", 0, "Torch.exp.0.forward")]


def test_a_communication_call_without_arguments_costs_itself_alone(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    notes.call("Torch.exp", [values.fresh()], [values.with_bad(NAN)], rank=1)
    bare = {"output": [values.fresh()], "input": values.fresh()}
    notes.note("Distributed.all_gather.0.forward", bare, rank=0)
    notes.note("Distributed.recv.0.forward", bare, rank=1)
    assert births(notes.report(tmp_path)) == [("output", 1, "Torch.exp.0.forward")]


def test_a_golden_with_fewer_ranks_or_other_steps_hides_nothing(tmp_path: Path, dumps: Path) -> None:
    from core.compare.options import CompareOptions
    from core.overflow.engine import overflow_of_runs
    from core.progress import run_to_end

    run = dumps / "four_ranks" / "overflow"
    for number, cells in enumerate([["step0/rank0"], ["step3/rank0", "step3/rank1"]]):
        golden = tmp_path / str(number)
        for cell in cells:
            source = dumps / "four_ranks" / "golden" / "step0" / cell.rpartition("/")[2]
            (golden / cell).parent.mkdir(parents=True, exist_ok=True)
            (golden / cell).symlink_to(source)
        report = run_to_end(overflow_of_runs(str(run), str(golden), CompareOptions(use_cache=False)))
        assert births(report) == [("output", 2, "Torch.matmul.0.forward")]
        assert report.problems


def test_the_network_is_not_blamed_for_a_rank_whose_dump_ends_early(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = values.with_bad(NAN)
    notes.call("Distributed.all_reduce", [values.fresh()], [bad], rank=0)
    notes.call("Functional.relu", [values.fresh()], [values.fresh()], rank=1)
    report = notes.report(tmp_path)
    assert [birth.message.code for birth in report.origins] == ["overflow.birth.unseen_rank"]


def test_births_at_the_same_time_are_no_consequence_of_each_other(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    sent = {rank: values.with_bad(NAN) for rank in (0, 1)}
    for rank, bad in sent.items():
        notes.call("Torch.div", [values.fresh()], [bad], rank=rank)
    notes.all_reduce(sent, values.with_bad(NAN))
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, "Torch.div.0.forward"), (1, "Torch.div.0.forward")}
    for spread in report.spreads:
        begins = [path[0] for path in spread.paths]
        assert [station.way for station in begins] == [Way.BORN]


def test_bad_gradients_are_followed_through_the_backward_pass(tmp_path: Path) -> None:
    values, notes = Values(), Notes()
    names = [notes.call(f"Torch.{api}", [values.fresh()], [values.fresh()]) for api in ("sqrt", "mul", "sub")]
    bad = values.with_bad(NAN)
    first = notes.backward(names[0], [values.fresh()], [bad])
    second = notes.backward(names[1], [bad], [values.with_bad(NAN)])
    (path,) = notes.report(tmp_path).spreads[0].paths
    assert [station.operator for station in path] == [first, second]


def test_bad_values_are_followed_through_modules_where_no_calls_were_dumped(tmp_path: Path) -> None:
    values, notes = Values(), Notes()
    value, names = values.fresh(), []
    for module in ("fc1", "fc2", "head"):
        out = values.with_bad(NAN)
        name = f"Module.{module}.Linear.forward.0"
        notes.note(name, {"input_args": [value], "input_kwargs": {}, "output": [out]})
        names.append(name)
        value = out
    (path,) = notes.report(tmp_path).spreads[0].paths
    assert [station.operator for station in path] == names


def test_a_call_that_makes_nan_of_a_mask_has_bad_inputs(tmp_path: Path) -> None:
    values, notes = Values(), Notes()
    masked = values.with_bad(-float("inf"), -float("inf"), -float("inf"))
    notes.call("Tensor.masked_fill", [values.fresh(), values.fresh() > 0, -float("inf")], [masked])
    notes.call("Functional.softmax", [masked, -1], [values.with_bad(NAN)])
    (birth,) = notes.report(tmp_path).origins
    assert birth.message.code == "overflow.birth.turned"
    assert birth.level is Level.HIGH


def test_a_number_that_is_written_into_a_tensor_accuses_the_call_that_writes_it(tmp_path: Path) -> None:
    """``x[0, 0] = nan`` is dumped with what was in the tensor before, and without an output."""
    values, notes = Values(), Notes()
    x = values.fresh()
    notes.call("Torch.exp", [values.fresh()], [x])
    written = notes.call("Tensor.__setitem__", [x, [0, 0], NAN], [None])
    notes.call("Functional.linear", [values.with_bad(NAN), values.fresh(3, 3)], [values.with_bad(NAN)])
    report = notes.report(tmp_path)
    assert births(report) == [("in_place", 0, written)]
    assert report.origins[0].message.code == "overflow.birth.written"
    assert [station.operator for station in report.spreads[0].paths[0]] == [
        written,
        "Functional.linear.0.forward",
    ]
