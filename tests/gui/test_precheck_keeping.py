"""What people entered stays with the runs it was entered for, and nothing that was kept is lost silently."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import precheck_reports as made

from core.errors import Problem
from core.messages import Message
from core.records.evidence import Given
from core.records.precheck import Entry, EvidenceSummary, Outcome, PrecheckTable
from core.records.result import CellResult
from core.store.notes import DIRECTORY_VARIABLE
from core.store.prechecks import load_table, read_table_file, save_table, write_table_file
from gui.main_window import MainWindow
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.precheck.work import examine, read_table
from gui.processes.work_state import Stage

Patience = Callable[[Callable[[], bool]], None]
PASS = Entry(Outcome.PASS, "as planned", name="Li", date="2026-01-02")


@pytest.fixture
def state(window: MainWindow) -> PrecheckState:
    state = window.session.precheck
    state.work = made.answers
    return state


@pytest.fixture
def said(window: MainWindow) -> list[Message | Problem]:
    """Return what the notice bar is told, as it comes."""
    heard: list[Message | Problem] = []
    window.session.noticed.connect(lambda message, _more: heard.append(message))
    return heard


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which things are kept."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


def bring(state: PrecheckState, patience: Patience, target: str, golden: str) -> None:
    state.add(Side.TARGET, [target])
    state.add(Side.GOLDEN, [golden])
    patience(lambda: state.stage is Stage.READY)


def result_of(state: PrecheckState) -> Outcome:
    assert state.report is not None
    return next(check.result for check in state.report.checks if check.id == made.RATE)


def test_other_runs_do_not_take_over_what_was_entered(
    state: PrecheckState, said: list[Message], patience: Patience
) -> None:
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    state.enter(made.RATE, PASS)
    assert result_of(state) is Outcome.PASS
    state.add(Side.TARGET, ["/r/pip.txt"])  # more of the same runs
    assert state.entries
    state.remove(Side.TARGET, "/r/a.sh")
    assert state.entries == {}
    assert [message.code for message in said] == ["gui.precheck.entries_left"]
    state.remove(Side.TARGET, "/r/pip.txt")
    state.remove(Side.GOLDEN, "/r/b.sh")
    bring(state, patience, "/r/c.sh", "/r/d.sh")
    assert result_of(state) is Outcome.FAIL
    assert load_table("/r/c.sh", "/r/d.sh").entries == {}
    assert load_table("/r/a.sh", "/r/b.sh").entries == {made.RATE: PASS}


def test_what_replaces_evidence_step_by_step_is_other_runs_too(
    state: PrecheckState, patience: Patience
) -> None:
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    state.enter(made.RATE, PASS)
    bring(state, patience, "/r/c.sh", "/r/d.sh")
    state.remove(Side.TARGET, "/r/a.sh")
    state.remove(Side.GOLDEN, "/r/b.sh")
    patience(lambda: state.stage is Stage.READY)
    assert result_of(state) is Outcome.FAIL


def test_what_is_entered_early_comes_along_as_the_runs_are_brought(
    state: PrecheckState, patience: Patience
) -> None:
    state.add(Side.TARGET, ["/r/a.sh"])
    state.enter(made.RATE, PASS)
    state.add(Side.GOLDEN, ["/r/b.sh"])
    patience(lambda: state.stage is Stage.READY)
    assert result_of(state) is Outcome.PASS
    assert load_table("/r/a.sh", "/r/b.sh").entries == {made.RATE: PASS}


def test_the_runs_are_the_same_the_other_way_round(state: PrecheckState, patience: Patience) -> None:
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    state.enter(made.RATE, PASS)
    state.move(Side.TARGET, "/r/a.sh")
    state.move(Side.GOLDEN, "/r/b.sh")
    patience(lambda: state.stage is Stage.READY)
    assert [given.path for given in (*state.target, *state.golden)] == ["/r/b.sh", "/r/a.sh"]
    assert state.entries == {made.RATE: PASS}
    state.enter(made.RATE, Entry())
    assert load_table("/r/a.sh", "/r/b.sh").entries == {}


def test_an_entry_taken_back_before_the_answer_stays_away(state: PrecheckState, patience: Patience) -> None:
    save_table("/r/a.sh", "/r/b.sh", PrecheckTable(entries={made.RATE: PASS, made.BATCH: PASS}))
    state.add(Side.TARGET, ["/r/a.sh"])
    state.add(Side.GOLDEN, ["/r/b.sh"])
    state.enter(made.RATE, Entry(Outcome.FAIL))
    state.enter(made.RATE, Entry())
    patience(lambda: state.stage is Stage.READY)
    assert state.entries == {made.BATCH: PASS}
    assert load_table("/r/a.sh", "/r/b.sh").entries == {made.BATCH: PASS}


def test_what_was_kept_and_is_broken_is_told_and_put_aside(
    kept_in: Path, state: PrecheckState, said: list[Message | Problem], patience: Patience
) -> None:
    save_table("/r/a.sh", "/r/b.sh", PrecheckTable(entries={made.RATE: PASS}))
    (place,) = kept_in.rglob("*.json")
    place.write_text('{"kind": "precheck", "ver')
    state.work = examine
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    assert [message.code for message in said] == ["precheck_table_other", "gui.precheck.put_aside"]
    aside = said[1]
    assert isinstance(aside, Message)
    assert Path(str(aside.parameters["path"])).read_text() == '{"kind": "precheck", "ver'


def test_what_could_not_be_written_is_written_later(
    kept_in: Path, state: PrecheckState, said: list[Message], patience: Patience
) -> None:
    kept_in.write_text("a file where the folder would be")
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    state.enter(made.RATE, PASS)
    assert {message.code for message in said} == {"gui.precheck.not_kept"}
    assert str(kept_in) in str(said[0].parameters["path"])
    kept_in.unlink()
    state.close()
    assert load_table("/r/a.sh", "/r/b.sh").entries == {made.RATE: PASS}


# ---- tables that are opened


def opened(state: PrecheckState, patience: Patience, place: Path, table: PrecheckTable) -> None:
    write_table_file(place, table)
    read: list[PrecheckTable] = []
    state.tables.read.connect(read.append)
    state.tables.open(str(place))
    patience(lambda: bool(read) and state.stage is Stage.READY)


def test_a_table_that_is_opened_loses_nothing(
    state: PrecheckState, said: list[Message], patience: Patience, tmp_path: Path
) -> None:
    bring(state, patience, "/r/a.sh", "/r/b.sh")
    state.enter(made.RATE, PASS)
    other = PrecheckTable((Given("/r/a.sh"),), (Given("/r/b.sh"),), {made.BATCH: PASS})
    opened(state, patience, tmp_path / "table.json", other)
    assert state.entries == {made.BATCH: PASS}
    assert [message.code for message in said] == ["gui.precheck.replaced"]
    assert read_table_file(str(said[0].parameters["path"])).entries == {made.RATE: PASS}
    said.clear()
    opened(state, patience, tmp_path / "table.json", other)  # the same again
    assert said == []


@pytest.mark.parametrize("mine", [True, False])
def test_over_a_comparison_only_its_own_entries_count(
    loaded: MainWindow, state: PrecheckState, said: list[Message], patience: Patience, tmp_path: Path,
    cell: CellResult, mine: bool,
) -> None:  # fmt: skip
    session = loaded.session
    state.add(Side.TARGET, ["/r/a.sh"])
    patience(lambda: state.stage is Stage.READY)
    dumps = (session.target_path, session.golden_path) if mine else ("/r/npu/dump", "/r/gpu/dump")
    evidence = [(EvidenceSummary(path, ("dump",), path, True),) for path in dumps]
    report = replace(made.report(), target_evidence=evidence[0], golden_evidence=evidence[1])
    table = PrecheckTable((Given("/r/x.sh"),), (), {made.RATE: PASS}, report)
    opened(state, patience, tmp_path / "table.json", table)
    assert [given.path for given in state.target] == ["/r/x.sh"]
    assert state.entries == ({made.RATE: PASS} if mine else {})
    codes = [message.code for message in said]
    assert codes == (["gui.precheck.replaced"] if mine else
                     ["gui.precheck.entries_of_others", "gui.precheck.replaced"])  # fmt: skip


def test_a_table_with_more_than_a_row_keeps_is_cut(tmp_path: Path) -> None:
    report = made.report()
    items = tuple(made.item(f"layer{number}", "1", "2") for number in range(3000))
    checks = tuple(
        replace(check, items=items, left_off=5) if check.id == made.RATE else check for check in report.checks
    )
    place = tmp_path / "table.json"
    write_table_file(place, PrecheckTable(report=replace(report, checks=checks)))
    assert len(json.loads(place.read_text())["table"]["report"]["checks"]) == len(checks)
    work = read_table(str(place))
    with pytest.raises(StopIteration) as ended:
        next(work)
    read = next(check for check in ended.value.value.report.checks if check.id == made.RATE)
    assert (len(read.items), read.left_off) == (1000, 2005)
