"""Saved pre-checks: read back as they were, told apart when they were changed, and put aside when broken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.prechecks import FOUND, report_of
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError, Problem
from core.messages import Message
from core.precheck.finding import Finding
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Entry, Item, Outcome, PrecheckReport, PrecheckTable, Standing
from core.store.notes import DIRECTORY_VARIABLE
from core.store.prechecks import (
    Verification,
    digest_of,
    keep_former,
    load_table,
    read_table_file,
    save_table,
    sign,
    verify,
    with_report,
    write_table_file,
)

PAIR = ("/runs/npu", "/runs/gpu")
ENTRIES = {
    "dataset.order": Entry(Outcome.PASS, "looked at", "order.png", "Li Lei", "2026-01-02T03:04:05+08:00")
}
TEXTS = st.text(st.characters(codec=None), max_size=12)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder in which tables are kept."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    return tmp_path


def signed_table() -> PrecheckTable:
    given = (Given("a.sh"), Given("b.log", EvidenceKind.REPEAT_LOG))
    table = PrecheckTable(given, (), ENTRIES, report_of(entries=ENTRIES))
    return replace(table, signature=sign(table, "Han Meimei"))


def kept(table: PrecheckTable) -> PrecheckTable:
    """Return what is kept of *table* for a pair."""
    return replace(table, report=None, signature=None)


def test_a_table_is_read_back_as_it_was(tmp_path: Path) -> None:
    table, place = signed_table(), tmp_path / "sub" / "table.json"
    write_table_file(place, table)
    assert read_table_file(place) == table
    assert verify(table) is Verification.UNCHANGED


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(TEXTS, TEXTS | st.integers() | st.floats(), max_size=4),
    TEXTS,
    TEXTS,
    st.sampled_from(Standing),
)
def test_whatever_is_said_of_a_row_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    parameters: dict[str, Any],
    name: str,
    value: str,
    standing: Standing,
) -> None:
    items = (Item(name, value, value, standing, None, None, Message("precheck.manual", parameters)),)
    report = report_of(
        {"dataset.order": Finding(Outcome.FAIL, Message("precheck.manual", parameters), items)}
    )
    place = tmp_path_factory.mktemp("tables") / "table.json"
    table = PrecheckTable(report=report)
    write_table_file(place, replace(table, signature=sign(table, name)))
    json.loads(place.read_text("ascii"), parse_constant=pytest.fail)  # strict JSON
    found = read_table_file(place)
    assert found.report is not None
    assert digest_of(found, name, "") == digest_of(table, name, "")
    assert verify(found) is Verification.UNCHANGED
    (item,) = next(check for check in found.report.checks if check.id == "dataset.order").items
    assert (item.name, item.target, item.standing) == (name, value, standing)
    assert item.remark is not None
    said = item.remark.parameters
    assert {key: repr(one) for key, one in said.items()} == {
        key: repr(one) for key, one in parameters.items()
    }


def changed(table: PrecheckTable, **parts: Any) -> PrecheckTable:
    assert table.report is not None
    return replace(table, report=replace(table.report, **parts))


def test_any_change_of_rows_evidence_or_entries_is_told() -> None:
    table = signed_table()
    assert table.report is not None
    first, *others = table.report.checks
    item = Item("a", "b", "c", Standing.DIFFERS)
    for check in (
        replace(first, result=Outcome.PASS),
        replace(first, items=(item,)),
        replace(first, message=Message("precheck.headline")),
        replace(first, entry=Entry(remark="later")),
    ):
        assert verify(changed(table, checks=(check, *others))) is Verification.CHANGED
    assert verify(changed(table, checks=tuple(others))) is Verification.CHANGED
    evidence = table.report.target_evidence
    assert verify(changed(table, target_evidence=evidence[1:])) is Verification.CHANGED
    other_file = (evidence[0]._replace(digest="cd" * 32), *evidence[1:])
    assert verify(changed(table, target_evidence=other_file)) is Verification.CHANGED
    assert verify(replace(table, entries={})) is Verification.CHANGED
    assert verify(changed(table, problems=(Problem("not_there", "x"),))) is Verification.CHANGED
    assert verify(replace(table, target=table.target[1:])) is Verification.CHANGED
    assert verify(replace(table, golden=(Given("c.sh"),))) is Verification.CHANGED
    assert table.signature is not None
    for part in ({"name": "Li Lei"}, {"date": "2026-01-01T00:00:00+00:00"}):
        assert verify(replace(table, signature=replace(table.signature, **part))) is Verification.CHANGED
    assert verify(replace(table, signature=None)) is Verification.UNSIGNED


def test_a_signature_stays_while_the_answer_is_the_same() -> None:
    table = signed_table()
    assert with_report(table, report_of(entries=ENTRIES)).signature == table.signature
    assert with_report(table, report_of()).signature is None


def test_tables_of_pairs_are_kept_apart(folder: Path) -> None:
    assert load_table(*PAIR) == PrecheckTable()
    table = signed_table()
    assert save_table(*PAIR, table) == ""
    assert load_table(*PAIR) == kept(table)
    exchanged = replace(kept(table), target=table.golden, golden=table.target)
    assert load_table(*reversed(PAIR)) == exchanged  # the pair is the same
    assert load_table(PAIR[0], "/runs/other") == PrecheckTable()
    assert save_table(*PAIR, PrecheckTable()) == ""
    assert load_table(*PAIR) == PrecheckTable()


def test_a_table_that_another_replaces_gets_a_name_of_its_own(folder: Path) -> None:
    assert keep_former(*PAIR) == ""
    former = []
    for _ in range(2):
        save_table(*PAIR, signed_table())
        former.append(Path(keep_former(*reversed(PAIR))))
    assert load_table(*PAIR) == PrecheckTable()
    assert former[0] != former[1]
    for place in former:
        assert read_table_file(place).entries == ENTRIES


BROKEN = [
    b"",
    b"{",
    b"\xff\xfe" * 50,
    b"[" * 100_000,
    b"null",
    b"9" * 5000,
    b'"\\ud800"',
    b'{"kind": "precheck"}',
]


@pytest.mark.parametrize("content", BROKEN)
def test_what_is_no_table_is_put_aside(folder: Path, content: bytes) -> None:
    save_table(*PAIR, signed_table())
    (place,) = folder.rglob("*.json")
    place.write_bytes(content)
    with pytest.raises(InputError):
        load_table(*PAIR)
    aside = Path(save_table(*PAIR, signed_table()))
    assert aside.read_bytes() == content
    assert load_table(*PAIR).entries == ENTRIES


def problem_of(place: Path) -> Problem:
    with pytest.raises(InputError) as caught:
        read_table_file(place)
    return caught.value.problem


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert problem_of(tmp_path / "none.json").code == "precheck_table_unreadable"
    assert problem_of(tmp_path).code == "precheck_table_unreadable"
    place = tmp_path / "table.json"
    write_table_file(place, signed_table())
    said = json.loads(place.read_text())
    place.write_text(json.dumps({**said, "version": 99}))
    assert problem_of(place).code == "precheck_table_version"
    assert "99" in problem_of(place).sentence()
    place.write_text(json.dumps({"checks": [], "counts": {}}))  # what -o OUT.json writes
    assert problem_of(place).code == "precheck_table_other"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    place = tmp_path_factory.mktemp("tables") / "table.json"
    write_table_file(place, signed_table())
    said = json.loads(place.read_text())
    part: Any = said
    while isinstance(part, dict | list) and part and data.draw(st.booleans()):
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(part[key], dict | list) or data.draw(st.booleans()):
            part[key] = data.draw(VALUES)
            break
        part = part[key]
    place.write_text(json.dumps(said))
    try:
        table = read_table_file(place)
    except InputError:
        return
    assert isinstance(table, PrecheckTable)
    assert table.report is None or isinstance(table.report, PrecheckReport)
    verify(table)


def test_found_rows_are_those_of_the_list() -> None:
    assert {check.id for check in report_of().failures} == {
        check for check, finding in FOUND.items() if finding.result is Outcome.FAIL
    }
