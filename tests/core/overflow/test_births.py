"""Where NaN and Inf are born on one rank: outputs, operands changed in place, parameters, inputs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from builders.rank_notes import INF, NAN, OPTIONS, Notes, Values, births
from hypothesis import given
from hypothesis import strategies as st

from core.messages import Message
from core.overflow.engine import overflow_of_runs
from core.progress import run_to_end
from core.records.overflow import Birth, BirthKind, Level, OverflowReport, Special


def only(report: OverflowReport) -> Birth:
    """Return the one birth of *report*."""
    (birth,) = report.origins
    return birth


def note_of(birth: Birth, code: str) -> Message:
    """Return the note with this code."""
    (found,) = [note for note in birth.notes if note.code == code]
    return found


def test_a_finite_run_has_no_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    x = values.fresh()
    notes.call("Torch.exp", [x], [values.fresh()])
    report = notes.report(tmp_path)
    assert (report.origins, report.expected, report.remarks) == ((), (), ())
    assert report.tracks[0].decided
    assert report.tracks[0].operators == 1


@pytest.mark.parametrize(
    ("bad", "values"),
    [
        ((NAN,), Special.NAN),
        ((INF,), Special.PLUS_INF),
        ((-INF,), Special.MINUS_INF),
        ((INF, -INF), Special.PLUS_INF | Special.MINUS_INF),
    ],
)
@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
def test_good_in_and_bad_out_is_critical(
    tmp_path: Path, bad: tuple[float, ...], values: Special, tensors: bool
) -> None:
    made = Values()
    notes = Notes()
    x, y = made.fresh(), made.with_bad(*bad)
    notes.call("Torch.exp", [x], [y])
    notes.call("Functional.linear", [y, made.fresh(3, 3)], [made.with_bad(NAN)])
    birth = only(notes.report(tmp_path, tensors=tensors))
    assert (birth.kind, birth.operator, birth.row) == (BirthKind.OUTPUT, "Torch.exp.0.forward", 0)
    assert (birth.level, birth.values, birth.spreads) == (Level.CRITICAL, values, True)
    assert birth.evidence["evidence"] == ("full" if tensors else "statistics")
    counted = {name: birth.evidence.get(name, 0) for name in ("nan", "plus_inf", "minus_inf")}
    names = {"nan": NAN, "plus_inf": INF, "minus_inf": -INF}
    if tensors:
        assert counted == {
            name: sum(str(item) == str(value) for item in bad) for name, value in names.items()
        }
        assert birth.evidence["size"] == 6
    else:
        assert set(counted.values()) == {0}


def test_the_largest_input_is_evidence(tmp_path: Path) -> None:
    values = Values()
    x = values.fresh()
    x[0, 1] = -93.5
    notes = Notes()
    notes.call("Torch.exp", [x], [values.with_bad(INF)])
    assert only(notes.report(tmp_path)).evidence["largest_input"] == 93.5


def test_what_follows_is_no_birth_but_a_way(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    y, z = values.with_bad(NAN), values.with_bad(NAN, shape=(2, 2))
    notes.call("Torch.sqrt", [values.fresh()], [y])
    notes.call("Torch.matmul", [y, values.fresh(3, 2)], [z])
    notes.call("Functional.cross_entropy", [z], [np.array(NAN, np.float32)])
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Torch.sqrt.0.forward")]
    (path,) = report.spreads[0].paths
    assert [station.row for station in path] == [0, 1, 2]
    assert report.tracks[0].rows.tolist() == [0, 1, 2]
    assert report.tracks[0].goes_in.tolist() == [0, 1, 1]
    assert report.tracks[0].comes_out.tolist() == [1, 1, 1]


def test_a_birth_that_is_absorbed_does_not_spread_but_stays(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    y = values.with_bad(INF)
    notes.call("Torch.exp", [values.fresh()], [y])
    notes.call("Torch.tanh", [y], [values.fresh()])
    birth = only(notes.report(tmp_path))
    assert (birth.operator, birth.spreads) == ("Torch.exp.0.forward", False)
    assert "Torch.tanh.0.forward" in str(note_of(birth, "overflow.note.absorbed").parameters["operators"])


def test_a_second_birth_after_all_is_finite_again_is_another_one_and_later(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    y = values.with_bad(INF)
    notes.call("Torch.exp", [values.fresh()], [y])
    notes.call("Torch.tanh", [y], [values.fresh()])
    notes.call("Torch.log", [values.fresh()], [values.with_bad(NAN)])
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Torch.exp.0.forward"), ("output", 0, "Torch.log.0.forward")]
    assert [birth.earliest for birth in report.origins] == [True, False]


# ---- in place


def test_an_operand_that_is_shown_after_the_change_does_not_hide_the_operator(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    bad = values.with_bad(NAN)
    notes.call("Torch.exp", [values.fresh()], [values.fresh()])
    notes.call("Tensor.add_", [bad, values.fresh()], [bad])
    birth = only(notes.report(tmp_path))
    assert (birth.kind, birth.operator) == (BirthKind.IN_PLACE, "Tensor.add_.0.forward")


def test_an_operand_that_is_shown_before_the_change_makes_it_a_plain_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.call("Tensor.add_", [values.fresh(), values.fresh()], [values.with_bad(NAN)])
    birth = only(notes.report(tmp_path))
    assert (birth.kind, birth.level) == (BirthKind.OUTPUT, Level.CRITICAL)


def test_the_other_operand_of_an_operator_in_place_is_an_input(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    bad = values.with_bad(NAN)
    notes.call("Tensor.add_", [bad, values.with_bad(NAN, NAN)], [bad])
    assert only(notes.report(tmp_path)).kind is BirthKind.INPUT


def test_what_is_overwritten_unread_is_no_input(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    x = values.fresh()
    notes.call("Tensor.copy_", [values.with_bad(NAN), x], [x])
    notes.call("Tensor.zero_", [values.with_bad(NAN)], [np.zeros((2, 3), np.float32)])
    notes.call("Torch.add", [x, x], [values.fresh()], out=values.with_bad(NAN))
    assert notes.report(tmp_path).origins == ()


# ---- parameters


def test_a_bad_parameter_points_to_the_step_before(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    x, weight = values.fresh(), values.with_bad(NAN, shape=(3, 3))
    notes.call("Functional.linear", [x, weight, values.fresh(3)], [values.with_bad(NAN)])
    notes.call("Functional.linear", [x, values.with_bad(NAN, shape=(3, 3))], [values.with_bad(NAN)])
    birth = only(notes.report(tmp_path))
    assert (birth.kind, birth.operator) == (BirthKind.PARAMETER, "Functional.linear.0.forward")
    assert birth.slot.endswith("input.1")
    assert note_of(birth, "overflow.note.other_parameters").parameters["count"] == 1


def test_a_bad_parameter_of_a_module_points_to_the_step_before(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    body = {
        "input_args": [values.fresh()],
        "input_kwargs": {},
        "output": [values.with_bad(NAN)],
        "parameters": {"weight": values.with_bad(NAN, shape=(3, 3))},
    }
    notes.note("Module.net.fc.Linear.forward.0", body)
    birth = only(notes.report(tmp_path))
    assert (birth.kind, birth.slot.rpartition(".")[2]) == (BirthKind.PARAMETER, "weight")


def test_parameters_that_a_birth_of_the_step_before_made_bad_are_no_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    bad = values.with_bad(NAN)
    notes.call("Torch.exp", [values.fresh()], [bad])
    notes.call("Functional.mse_loss", [bad, values.fresh()], [np.array(NAN, np.float32)])
    for _ in range(2):
        notes.next_step()
        weight = values.with_bad(NAN, shape=(3, 3))
        notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)])
    report = notes.report(tmp_path)
    assert births(report) == [("output", 0, "Torch.exp.0.forward")]
    assert {path[0].cell.step for path in report.spreads[0].paths} == {0, 1, 2}


def test_a_parameter_that_turns_bad_between_two_good_steps_is_a_birth_of_the_later(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.call("Functional.linear", [values.fresh(), values.fresh(3, 3)], [values.fresh()])
    notes.next_step()
    notes.call("Functional.linear", [values.fresh(), values.with_bad(INF, shape=(3, 3))], [values.fresh()])
    birth = only(notes.report(tmp_path))
    assert (birth.kind, birth.cell.step, birth.earliest) == (BirthKind.PARAMETER, 1, True)


# ---- inputs


def stacked(tmp_path: Path) -> OverflowReport:
    """Return the report of a run in which an operator between line 12 and line 15 was not dumped."""
    values = Values()
    notes = Notes()
    x = values.fresh()
    notes.call("Torch.exp", [values.fresh()], [x], line=2)
    bad = values.with_bad(NAN)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], line=5)
    return notes.report(tmp_path, stacks=True)


def test_an_input_that_no_call_made_bad_is_a_birth_at_its_first_appearance(tmp_path: Path) -> None:
    birth = only(stacked(tmp_path))
    assert (birth.kind, birth.operator) == (BirthKind.INPUT, "Functional.gelu.0.forward")
    assert birth.level is Level.HIGH or birth.level is Level.CRITICAL
    assert birth.slot.endswith("input.0")


def test_the_stack_names_the_lines_between_which_the_operator_stands(tmp_path: Path) -> None:
    note = note_of(only(stacked(tmp_path)), "overflow.note.between")
    said = {key: note.parameters[key] for key in ("operator", "first", "last", "function")}
    assert said == {"operator": "Torch.exp.0.forward", "first": 12, "last": 15, "function": "forward"}


def test_without_a_stack_the_call_before_is_named(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.call("Torch.exp", [values.fresh()], [values.fresh()])
    notes.call("Functional.gelu", [values.with_bad(NAN)], [values.with_bad(NAN)])
    note = note_of(only(notes.report(tmp_path)), "overflow.note.after")
    assert note.parameters["operator"] == "Torch.exp.0.forward"


def test_an_input_that_a_view_took_from_a_bad_output_is_no_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    bad = values.with_bad(NAN)
    notes.call("Torch.exp", [values.fresh()], [bad])
    notes.call("Functional.gelu", [bad.reshape(3, 2)], [values.with_bad(NAN, shape=(3, 2))])
    notes.call("Functional.gelu", [bad.reshape(3, 2)[:1]], [values.with_bad(NAN, shape=(1, 2))])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.exp.0.forward")]


def test_bad_in_and_good_out_is_medium(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.call("Torch.tanh", [values.with_bad(INF)], [values.fresh()])
    assert only(notes.report(tmp_path)).level is Level.MEDIUM


# ---- the way back, and modules


def test_a_backward_call_that_works_on_bad_saved_values_is_no_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    bad = values.with_bad(NAN)
    notes.call("Torch.exp", [values.fresh()], [bad])
    name = notes.call("Functional.gelu", [bad], [values.with_bad(NAN)])
    notes.backward(name, [values.fresh()], [values.with_bad(NAN)])
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.exp.0.forward")]


def test_a_backward_call_that_overflows_is_a_birth(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    name = notes.call("Torch.sqrt", [values.fresh()], [values.fresh()])
    notes.backward(name, [values.fresh()], [values.with_bad(INF)])
    birth = only(notes.report(tmp_path))
    assert birth.operator == "Torch.sqrt.0.backward"
    assert note_of(birth, "overflow.note.gradient")


def module(values: Values, x: np.ndarray, y: np.ndarray) -> dict[str, object]:  # type: ignore[type-arg]
    """Return the body of a module call."""
    return {"input_args": [x], "input_kwargs": {}, "output": [y], "parameters": {"weight": values.fresh(3)}}


def test_the_call_inside_of_a_module_is_to_blame(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    x, y, z = values.fresh(), values.with_bad(NAN), values.with_bad(NAN, shape=(4,))
    notes.call("Torch.exp", [x], [y])
    notes.note("Module.net.act.Act.forward.0", module(values, x, y))
    notes.call("Torch.sum", [y], [z])
    assert births(notes.report(tmp_path, construct=True)) == [("output", 0, "Torch.exp.0.forward")]


def test_so_it_is_where_modules_stand_before_what_is_inside_of_them(tmp_path: Path) -> None:
    """Dumpers of 2024 and before wrote the module down first."""
    values = Values()
    notes = Notes()
    x, y = values.fresh(), values.with_bad(NAN)
    notes.note("Module.net.act.Act.forward.0", module(values, x, y))
    notes.call("Torch.exp", [x], [y])
    report = notes.report(tmp_path, construct={"Torch.exp.0.forward": "Module.net.act.Act.forward.0"})
    assert report.first is not None
    assert report.first.operator == "Torch.exp.0.forward"
    assert len(report.origins) == 1


def test_gradients_of_parameters_follow_from_the_backward_of_their_module(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.note("Module.net.fc.Linear.forward.0", module(values, values.fresh(), values.fresh()))
    notes.note(
        "Module.net.fc.Linear.backward.0", {"input": [values.with_bad(NAN)], "output": [values.with_bad(NAN)]}
    )
    notes.note("Module.net.fc.Linear.parameters_grad.0", {"weight": [values.with_bad(NAN, shape=(3,))]})
    report = notes.report(tmp_path, construct=True)
    assert births(report) == [("input", 0, "Module.net.fc.Linear.backward.0")]


# ---- what the dump does not tell


def mixed(notes: Notes) -> None:
    """Note a run with one birth, masks, a loss and the way back."""
    values = Values()
    x, masked, y = values.fresh(), values.with_bad(-INF), values.with_bad(NAN)
    notes.call("Tensor.masked_fill", [x, x > 0, -INF], [masked])
    notes.call("Functional.softmax", [masked, -1], [values.fresh()])
    name = notes.call("Torch.sqrt", [values.fresh()], [y])
    notes.call("Functional.linear", [y, values.fresh(3, 3)], [values.with_bad(NAN)])
    notes.backward(name, [values.with_bad(NAN)], [values.with_bad(NAN)])


def test_tensors_say_the_same_as_statistics(tmp_path: Path) -> None:
    reports = []
    for name, options in (
        ("statistics", {}),
        ("both", {"tensors": True}),
        ("tensors", {"tensors": True, "statistics": False}),
    ):
        notes = Notes()
        mixed(notes)
        reports.append(notes.report(tmp_path / name, **options))
    told = [
        [(birth.kind, birth.operator, birth.slot, birth.values) for birth in (*item.origins, *item.expected)]
        for item in reports
    ]
    assert told[0] == told[1]
    origins = [[place for place in item if place[0] is BirthKind.OUTPUT] for item in told]
    assert origins[0] == origins[2]
    assert [item.tracks[0].rows.tolist() for item in reports[1:]] == [reports[0].tracks[0].rows.tolist()] * 2
    assert [item.tracks[0].undecided for item in reports] == [0, 0, 0]


def test_with_neither_nothing_is_decided_and_the_report_says_so(tmp_path: Path) -> None:
    notes = Notes()
    mixed(notes)
    report = notes.report(tmp_path, statistics=False)
    (track,) = report.tracks
    assert report.origins == ()
    assert not track.decided
    assert track.undecided == 5
    assert [message.code for message in report.remarks] == ["overflow.remark.undecided"]
    assert report.remarks[0].parameters["count"] == 5


def test_a_birth_tells_of_calls_before_it_of_which_nothing_is_known(tmp_path: Path) -> None:
    values = Values()
    notes = Notes()
    notes.call("Torch.exp", [values.fresh()], [values.fresh()])
    text = (notes.write(tmp_path / "a") / "step0" / "rank0" / "dump.json").read_text()
    notes.call("Functional.gelu", [values.with_bad(NAN)], [values.with_bad(NAN)])
    place = notes.write(tmp_path / "b") / "step0" / "rank0" / "dump.json"
    known = text[text.index('"Torch.exp') : text.rindex("}}")]
    silent = re.sub(r'"(Max|Min|Mean|Norm)": [^,}]+', r'"\1": null', known)
    place.write_text(place.read_text().replace(known, silent))
    birth = only(run_to_end(overflow_of_runs(str(tmp_path / "b"), "", OPTIONS)))
    note = note_of(birth, "overflow.note.undecided")
    assert (note.parameters["count"], note.parameters["operator"]) == (1, "Torch.exp.0.forward")


@given(
    st.lists(st.sampled_from([NAN, INF, -INF, 1.0, -3.5, 60000.0]), min_size=1, max_size=8),
    st.sampled_from(["float16", "float32", "float64"]),
)
def test_kinds_of_values_are_those_of_the_numbers(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float], dtype: str
) -> None:
    """From tensors all classes are known; statistics show no Inf beside NaN."""
    values = Values()
    array = np.array(numbers, dtype)
    truth = Special.NONE
    truth |= Special.NAN if np.isnan(array).any() else Special.NONE
    truth |= Special.PLUS_INF if np.isposinf(array).any() else Special.NONE
    truth |= Special.MINUS_INF if np.isneginf(array).any() else Special.NONE
    for name, options in (("s", {}), ("t", {"tensors": True, "statistics": False})):
        notes = Notes()
        notes.call("Torch.exp", [values.fresh().astype(dtype)], [array])
        report = notes.report(tmp_path_factory.mktemp("kinds") / name, **options)
        found = report.first.values if report.first is not None else Special.NONE
        shown = Special.NAN if name == "s" and Special.NAN in truth else truth
        assert found == shown
