"""Records of a log become curves: each step once, restarts told, one rank of several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.curves.runs import run_of
from core.records.curves import Axis, Resume
from core.records.log_table import UNSAID, LogTable, SparseColumn
from core.records.series import Series

Values = dict[str, float]


def table(
    steps: Sequence[int],
    values: Sequence[Values],
    ranks: Sequence[int] | None = None,
    events: Sequence[bool] | None = None,
) -> LogTable:
    """A log with one record for each of *steps*."""
    names = dict.fromkeys(name for said in values for name in said)
    columns = {}
    for name in names:
        record = [number for number, said in enumerate(values) if name in said]
        columns[name] = SparseColumn(np.array(record, np.int64), np.array([values[n][name] for n in record]))
    count = len(steps)
    return LogTable(
        "x.log",
        {"megatron": count},
        np.array(steps, np.int64),
        np.array(ranks if ranks is not None else [UNSAID] * count, np.int32),
        np.array(events if events is not None else [False] * count, bool),
        columns,
        count,
        0,
    )


def losses(steps: Sequence[int], values: Sequence[float], **kinds: Sequence[int]) -> LogTable:
    return table(steps, [{Series.LOSS: value} for value in values], **kinds)


@given(
    st.integers(2, 60), st.lists(st.tuples(st.integers(1, 50), st.integers(1, 70)), max_size=3), st.randoms()
)
def test_the_later_word_counts(end: int, restarts: list[tuple[int, int]], random) -> None:
    steps = list(range(1, end))
    resumes = []
    for back, length in restarts:
        first = max(steps[-1] + 1 - back, 1)
        if first < steps[-1]:
            resumes.append(first)
        steps += range(first, first + length)
    values = [random.random() for _ in steps]
    run = run_of(losses(steps, values))
    said = dict(zip(steps, values))  # a dictionary keeps the last one
    curve = run.curves[Series.LOSS]
    assert curve.steps.tolist() == sorted(said)
    assert curve.values.tolist() == [said[step] for step in sorted(said)]
    assert [resume.step for resume in run.resumes] == resumes


def test_a_resume_says_how_many_steps_are_there_twice() -> None:
    run = run_of(losses([*range(1, 501), *range(401, 1001)], np.arange(1100.0).tolist()))
    assert run.resumes == (Resume(401, 100),)
    assert len(run.curves[Series.LOSS].steps) == 1000


def test_a_step_without_a_loss_after_the_restart_has_none() -> None:
    values: list[Values] = [{Series.LOSS: 1.0, Series.GRAD_NORM: 1.0}] * 5
    again: list[Values] = [{Series.GRAD_NORM: 2.0}, {Series.LOSS: 2.0, Series.GRAD_NORM: 2.0}]
    run = run_of(table([1, 2, 3, 4, 5, 4, 5], values + again))
    assert run.curves[Series.LOSS].steps.tolist() == [1, 2, 3, 5]
    assert run.curves[Series.GRAD_NORM].values.tolist() == [1, 1, 1, 2, 2]


def test_writers_that_take_turns_are_no_restarts() -> None:
    steps = [step for step in range(1, 201) for _ in range(2)]
    steps[1::4], steps[2::4] = steps[2::4], steps[1::4]
    assert run_of(losses(steps, [1.0] * len(steps))).resumes == ()


def test_of_several_ranks_the_first_one_that_logs_the_loss_counts() -> None:
    values = [{Series.GRAD_NORM: 9.0}, {Series.LOSS: 1.0}, {Series.LOSS: 2.0}] * 3
    run = run_of(table([1, 1, 1, 2, 2, 2, 3, 3, 3], values, ranks=[0, 2, 5] * 3))
    assert run.ranks == (0, 2, 5)
    assert run.curves[Series.LOSS].values.tolist() == [1.0, 1.0, 1.0]


def test_steps_that_megatron_counts_as_nan_have_a_nan_loss() -> None:
    said: list[Values] = [
        {Series.LOSS: 1.0, Series.NAN_STEPS: 0.0}, {Series.NAN_STEPS: 1.0}, {Series.NAN_STEPS: 0.0}
    ]  # fmt: skip
    curve = run_of(table([1, 2, 3], said)).curves[Series.LOSS]
    assert curve.steps.tolist() == [1, 2]
    np.testing.assert_array_equal(curve.values, [1.0, np.nan])


def test_an_event_belongs_to_the_step_after_it() -> None:
    said: list[Values] = [{Series.LOSS: 1.0}, {Series.OVERFLOW: 1.0}, {Series.LOSS: 2.0}]
    run = run_of(table([10, UNSAID, 11], said, events=[False, True, False]))
    assert run.curves[Series.OVERFLOW].steps.tolist() == [11]


def test_a_line_without_its_step_belongs_to_the_one_before() -> None:
    said: list[Values] = [{Series.LOSS: 1.0}, {Series.VALIDATION_LOSS: 3.0}, {Series.LOSS: 2.0}]
    run = run_of(table([10, UNSAID, 20], said))
    assert run.curves[Series.VALIDATION_LOSS].steps.tolist() == [10]


def test_epochs_number_records_and_counting_goes_back_with_them() -> None:
    whole = run_of(table([UNSAID] * 3, [{Series.LOSS: 1.0, Series.EPOCH: float(n)} for n in range(3)]))
    assert (whole.axis, whole.curves[Series.LOSS].steps.tolist()) == (Axis.EPOCH, [0, 1, 2])
    epochs = [0.1, 0.2, 0.3, 0.4, 0.3, 0.4, 0.5]
    said = [{Series.LOSS: float(n), Series.EPOCH: epoch} for n, epoch in enumerate(epochs)]
    run = run_of(table([UNSAID] * 7, said))
    assert run.axis is Axis.COUNT
    assert run.curves[Series.LOSS].steps.tolist() == [1, 2, 3, 4, 5]
    assert run.curves[Series.LOSS].values.tolist() == [0, 1, 4, 5, 6]
    assert run.resumes == (Resume(3, 2),)


def test_an_empty_log_is_an_empty_run() -> None:
    run = run_of(table([], []))
    assert not run.curves
    assert run.first_step == 0


def test_records_without_a_loss_are_not_counted_as_steps() -> None:
    said: list[Values] = [{Series.LOSS: 1.0}, {Series.VALIDATION_LOSS: 9.0}, {Series.LOSS: 2.0}]
    run = run_of(table([UNSAID] * 3, said))
    assert run.curves[Series.LOSS].steps.tolist() == [1, 2]
    assert run.curves[Series.VALIDATION_LOSS].steps.tolist() == [1]


def test_records_that_are_replaced_are_counted() -> None:
    assert run_of(losses([1, 2, 3] * 50, [1.0] * 150)).superseded == 147
