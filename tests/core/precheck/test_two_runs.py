"""One run opened twice: by path, by copy, by a copy that was cut or numbered anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.logged_runs import another_device, falling_loss, logged
from hypothesis import given
from hypothesis import strategies as st

from core.curves.sameness import is_one_run
from core.precheck.checks.two_runs import two_runs
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.curves import Axis, Curve, LoggedRun
from core.records.evidence import Evidence, EvidenceKind
from core.records.precheck import Outcome, Standing
from core.records.series import Series

LOSS = falling_loss(200)
NORM = np.linspace(3, 1, 200)


def examine(target: list[Evidence], golden: list[Evidence]) -> Finding:
    return run_to_end(two_runs(Pair(Side(tuple(target)), Side(tuple(golden)))))


def file(path: Path, text: str, *kinds: EvidenceKind, log: LoggedRun | None = None) -> Evidence:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return Evidence(str(path), kinds, log=replace(log, path=str(path)) if log is not None else None)


def without(run: LoggedRun, gone: list[int], shift: int = 0, path: str = "copy.log") -> LoggedRun:
    """Return *run* less the records *gone*, each step *shift* later."""
    curves = {
        name: Curve(np.delete(curve.steps, gone) + shift, np.delete(curve.values, gone))
        for name, curve in run.curves.items()
    }
    return replace(run, path=path, curves=curves)


@given(
    st.lists(st.integers(0, 199), max_size=30, unique=True),
    st.lists(st.integers(0, 199), max_size=30, unique=True),
    st.integers(-5, 500),
)
def test_a_copy_less_lines_and_numbered_anew_is_the_same_run(
    here: list[int], there: list[int], shift: int
) -> None:
    run = logged(LOSS, path="a.log", grad_norm=NORM)
    first, second = without(run, here, path="a.log"), without(run, there, shift)
    assert is_one_run(first, second)
    assert is_one_run(second, first)


@given(st.integers(0, 199), st.sampled_from([Series.LOSS, Series.GRAD_NORM]))
def test_one_other_number_makes_two_runs(at: int, name: Series) -> None:
    values = {Series.LOSS: LOSS.copy(), Series.GRAD_NORM: NORM.copy()}
    values[name][at] += 1e-6
    other = logged(values[Series.LOSS], path="b.log", grad_norm=values[Series.GRAD_NORM])
    assert not is_one_run(logged(LOSS, path="a.log", grad_norm=NORM), other)


def test_a_log_at_intervals_counted_from_one_is_the_same_run() -> None:
    run = logged(LOSS, 10, 10, path="a.log")
    assert is_one_run(run, logged(LOSS[3:], axis=Axis.COUNT, path="b.log"))


def test_few_equal_losses_are_chance() -> None:
    run, other = logged(LOSS, path="a.log"), logged(another_device(LOSS), path="b.log")
    assert not is_one_run(run, other)
    assert not is_one_run(run, logged(LOSS[:9], path="b.log"))
    assert is_one_run(run, logged(LOSS[:10], path="b.log"))
    # a training that repeats to the last bit, and took another time
    assert not is_one_run(
        replace(run, curves={**run.curves, "step_time": Curve(run.curves[Series.LOSS].steps, NORM)}),
        replace(
            run, path="b.log", curves={**run.curves, "step_time": Curve(run.curves[Series.LOSS].steps, -NORM)}
        ),
    )


def test_a_cut_log_is_no_second_run() -> None:
    run = logged(LOSS, path="a.log")
    for copy in (without(run, [199]), without(run, [0, 50], shift=-1)):
        sides = [[Evidence(one.path, (EvidenceKind.LOG,), log=one)] for one in (run, copy)]
        found = examine(*sides)
        assert (found.result, found.message.code) == (Outcome.FAIL, "precheck.flow.two_runs.logs")
    repeat = [Evidence(run.path, (EvidenceKind.REPEAT_LOG,), log=without(run, [3]))]
    assert examine(sides[0], repeat).result is Outcome.FAIL


@pytest.mark.parametrize("kind", [EvidenceKind.PACKAGES, EvidenceKind.SCRIPT, EvidenceKind.LOG])
def test_one_file_given_for_both_sides_fails_whatever_it_is(tmp_path: Path, kind: EvidenceKind) -> None:
    given_once = file(tmp_path / "a" / "x.txt", "torch==2.1\n", kind)
    (tmp_path / "link").symlink_to(tmp_path / "a", target_is_directory=True)
    again = Evidence(str(tmp_path / "link" / "x.txt"), (kind,))
    others = [file(tmp_path / name / "y.txt", name, EvidenceKind.SCRIPT) for name in ("b", "c")]
    found = examine([others[0], given_once], [others[1], again])
    assert (found.result, found.message.code) == (Outcome.FAIL, "precheck.flow.two_runs.one_file")
    assert found.message.parameters == {"count": 1, "path": given_once.path}
    assert found.items[0].golden == again.path


def test_a_folder_given_for_both_sides_fails(tmp_path: Path) -> None:
    folder = Evidence(str(tmp_path), (EvidenceKind.SOURCE,))
    assert examine([folder], [folder]).result is Outcome.FAIL


def test_a_copied_log_fails_and_a_copied_list_is_told(tmp_path: Path) -> None:
    lists = [file(tmp_path / side / "pip.txt", "torch==2.1\n", EvidenceKind.PACKAGES) for side in "tg"]
    alone = examine([lists[0]], [lists[1]])
    assert alone.result is Outcome.NOT_DONE
    assert [item.standing for item in alone.items] == [Standing.REMARK]
    runs = [logged(LOSS, path="a"), logged(another_device(LOSS), path="b")]
    logs = [
        file(tmp_path / side / "train.log", f"log {side}", EvidenceKind.LOG, log=run)
        for side, run in zip("tg", runs)
    ]
    both = examine([lists[0], logs[0]], [lists[1], logs[1]])
    assert both.result is Outcome.PASS
    assert [item.standing for item in both.items] == [Standing.REMARK]
    copied = [file(tmp_path / side / "out.log", "starting\n", EvidenceKind.LOG) for side in "tg"]
    found = examine([copied[0], lists[0]], [copied[1], lists[1]])
    assert (found.result, found.message.code) == (Outcome.FAIL, "precheck.flow.two_runs.copied")
    assert {item.standing for item in found.items} == {Standing.DIFFERS, Standing.REMARK}
