"""The list as a whole: nothing passes unevaluated, what people enter counts, every row has its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.messages import LANGUAGES, Message, text
from core.precheck.checklist import CHECKLIST, kind_of
from core.precheck.engine import MOST_ITEMS, examine, row_of
from core.precheck.entering import with_entries, with_entry
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.telling import first_cause, headline_of, sentence_of
from core.progress import run_to_end
from core.records.evidence import (
    Device,
    Dialect,
    Evidence,
    EvidenceKind,
    FileList,
    Place,
    RandomCalls,
    Sample,
    Setting,
    Shard,
    Variable,
    Version,
    WeightTable,
)
from core.records.precheck import Check, Entry, Group, Item, Outcome, PrecheckReport, Standing

NOTHING = Pair(Side(), Side())
AT = Place("evidence", 1)


def rows(pair: Pair, entries: dict[str, Entry] | None = None) -> dict[str, Check]:
    return {check.id: check for check in run_to_end(examine(pair, entries))}


def test_without_evidence_nothing_is_done() -> None:
    found = rows(NOTHING)
    assert list(found) == [kind.id for kind in CHECKLIST]
    assert {check.result for check in found.values()} == {Outcome.NOT_DONE}
    assert not any(check.items or check.effect for check in found.values())
    assert all(check.remedy == Message(f"precheck.bring.{check.id}") for check in found.values())
    report = PrecheckReport(tuple(found.values()))
    assert report.counts == {Outcome.PASS: 0, Outcome.FAIL: 0, Outcome.NOT_DONE: len(CHECKLIST)}
    assert first_cause(report) == ""


def test_the_list_is_sound() -> None:
    ids = [kind.id for kind in CHECKLIST]
    assert len(set(ids)) == len(ids)
    assert len({kind.rank for kind in CHECKLIST}) == len(ids)
    groups = [kind.group for kind in CHECKLIST]
    assert list(dict.fromkeys(groups)) == [group for group in Group if group in groups]
    assert sorted(groups, key=list(Group).index) == groups  # rows of a group stand together
    assert kind_of("hyper_parameters.learning_rate") is not None
    assert kind_of("hyper_parameters") is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", CHECKLIST, ids=lambda kind: kind.id)
def test_every_row_has_its_words(kind: object, language: str) -> None:
    id = kind.id  # type: ignore[attr-defined]
    for part in ("check", "effect", "remedy", "bring"):
        code = f"precheck.{part}.{id}"
        assert text(code, language) != code


# ---- evidence of any sort on any side


NAMES = st.sampled_from(
    ["lr", "micro-batch-size", "seed", "num-layers", "bf16", "fp16", "use-flash-attn", "other"]
)
VALUES = st.sampled_from([1, 2, 0.001, "1e-3", True, None, "text"])


@st.composite
def pieces(draw: st.DrawFn) -> Evidence:
    """Return evidence of one kind, as a reader makes it."""
    kind = draw(st.sampled_from(list(EvidenceKind)))
    parts: dict[str, object] = {}
    if kind in (EvidenceKind.SCRIPT, EvidenceKind.CONFIG, EvidenceKind.ARGUMENTS):
        settings_ = [
            Setting(draw(NAMES), draw(VALUES), AT, Dialect.MEGATRON) for _ in range(draw(st.integers(0, 4)))
        ]
        parts["settings"] = tuple(settings_)
    elif kind is EvidenceKind.PACKAGES:
        names = draw(st.lists(st.sampled_from(["torch", "torch-npu", "CANN", "numpy"]), unique=True))
        parts["versions"] = tuple(
            Version(name, draw(st.sampled_from(["2.1.0", "2.2.0", ""])), AT) for name in names
        )
    elif kind is EvidenceKind.ENVIRONMENT:
        names = draw(
            st.lists(st.sampled_from(["HCCL_DETERMINISTIC", "PATH", "INF_NAN_MODE_ENABLE"]), unique=True)
        )
        parts["environment"] = tuple(Variable(name, draw(st.sampled_from("01")), AT) for name in names)
    elif kind is EvidenceKind.DEVICES:
        parts["devices"] = (Device(draw(st.sampled_from(["Ascend 910B3", "NVIDIA A100"])), "64 GB", AT),)
    elif kind in (EvidenceKind.CHECKSUMS, EvidenceKind.FILES):
        names = draw(st.permutations(["a", "b", "c"]).map(tuple))
        sums = kind is EvidenceKind.CHECKSUMS
        digests = tuple(draw(st.sampled_from(["ab" * 16, "cd" * 16])) if sums else "" for _ in names)
        sizes = np.full(3, -1, np.int64)
        parts["files"] = FileList(names, sizes, digests, "md5" if sums else "", draw(st.booleans()), AT)
    elif kind is EvidenceKind.SHARDS:
        parts["shards"] = (Shard("node0", ("a", draw(st.sampled_from("abc")))), Shard("node1", ("c",)))
    elif kind is EvidenceKind.SAMPLES:
        parts["samples"] = (Sample(0, 0, "ids", draw(st.sampled_from([1.0, 2.0])), 0.0, 0.5, 1.0),)
    elif kind is EvidenceKind.RANDOM_CALLS:
        parts["random_calls"] = (RandomCalls("torch.rand", "train.py:3", draw(st.integers(1, 2))),)
    elif kind is EvidenceKind.WEIGHTS:
        statistics = np.full((1, 4), draw(st.sampled_from([0.0, 1.0, np.nan])))
        key = draw(st.sampled_from(["w", "v"]))
        parts["weights"] = WeightTable((key,), ("",), (None,), ("",), statistics, ("",), ("",), -1, AT)
    return Evidence("evidence", (kind,), **parts)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces(), max_size=4), st.lists(pieces(), max_size=4))
def test_nothing_passes_unevaluated(target: list[Evidence], golden: list[Evidence]) -> None:
    found = rows(Pair(Side(tuple(target)), Side(tuple(golden))))
    for check in found.values():
        if not (target and golden):
            assert check.result is not Outcome.PASS or check.id.startswith("reference."), check
        if check.result is Outcome.PASS:
            # Switches that two complete command lines leave alone are compared and not listed.
            untouched = check.message.code == "precheck.settings.defaults"
            assert check.items or check.target_files or check.golden_files or untouched, check
            # What counts as a difference is never passed over.
            assert not any(item.standing is Standing.DIFFERS for item in check.items), check
        for item in check.items:
            if item.standing is Standing.TARGET_ONLY:
                assert not item.golden, check
            if item.standing is Standing.GOLDEN_ONLY:
                assert not item.target, check


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces(), max_size=4), st.lists(pieces(), max_size=4))
def test_sides_are_not_mixed_up(target: list[Evidence], golden: list[Evidence]) -> None:
    """With the sides exchanged, what was the target's is the golden's."""
    one = rows(Pair(Side(tuple(target)), Side(tuple(golden))))
    other = rows(Pair(Side(tuple(golden)), Side(tuple(target))))
    across = {Standing.TARGET_ONLY: Standing.GOLDEN_ONLY, Standing.GOLDEN_ONLY: Standing.TARGET_ONLY}
    for id in ("hyper_parameters.batch", "versions.environment", "dataset.order", "dataset.files"):
        there = {(item.name, item.target, item.golden, item.standing) for item in one[id].items}
        back = {
            (item.name, item.golden, item.target, across.get(item.standing, item.standing))
            for item in other[id].items
        }
        assert there == back, id


# ---- what people enter


@pytest.mark.parametrize("result", Outcome)
def test_what_is_entered_counts(result: Outcome) -> None:
    entry = Entry(result, "seen", "photo.png", "Li Lei", "2026-01-02")
    check = rows(NOTHING, {"flow.launch": entry})["flow.launch"]
    assert (check.result, check.found, check.entry) == (result, Outcome.NOT_DONE, entry)
    assert (check.effect is not None) == (result is Outcome.FAIL)
    assert (check.remedy is None) == (result is Outcome.PASS)
    said = sentence_of(check)
    over = with_entry(replace(check, found=Outcome.FAIL), entry)  # what a fail does stays told
    assert over.result is result
    assert over.effect == Message("precheck.effect.flow.launch")
    word = "bring" if result is Outcome.NOT_DONE else "remedy"
    assert over.remedy == Message(f"precheck.{word}.flow.launch")
    assert (said == check.message) == (result is Outcome.NOT_DONE)
    assert result is Outcome.NOT_DONE or said.parameters["remark"] == "seen"


def test_a_remark_alone_changes_no_result() -> None:
    check = rows(NOTHING, {"flow.launch": Entry(remark="later")})["flow.launch"]
    assert (check.result, check.entry.remark) == (Outcome.NOT_DONE, "later")


def test_entries_can_be_taken_back() -> None:
    report = PrecheckReport(tuple(rows(NOTHING, {"flow.launch": Entry(Outcome.FAIL)}).values()))
    assert [check.id for check in report.failures] == ["flow.launch"]
    assert "1" in str(headline_of(report).parameters)
    back = with_entries(report, {})
    assert back == PrecheckReport(tuple(rows(NOTHING).values()))


def test_what_differs_comes_first_and_long_lists_are_cut() -> None:
    def items() -> Iterator[Item]:
        yield from (Item(str(n), "1", "1", Standing.EQUAL) for n in range(MOST_ITEMS + 5))
        yield Item("remark", "1", "2", Standing.REMARK, AT)
        yield Item("last", "1", "2", Standing.DIFFERS, AT, AT)

    found = Finding(Outcome.FAIL, Message("precheck.manual"), tuple(items()))
    check = row_of(CHECKLIST[0], found, Entry())
    assert [item.name for item in check.items[:3]] == ["last", "remark", "0"]
    assert (len(check.items), check.left_off) == (MOST_ITEMS, 7)
    assert (check.target_files, check.golden_files) == (("evidence",), ("evidence",))
