"""Known vectors of overflow checks over several ranks, which other tools get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.rank_notes import NAN, Notes, Values, births, earliest, group

from core.records.overflow import Level, Special, Way


def two_tensor_parallel_groups(notes: Notes) -> None:
    """Four ranks in two groups; NaN is born in rank 2's second softmax, and all ranks end with NaN."""
    values = Values()
    hidden = {rank: values.fresh() for rank in range(4)}
    for pair in ((0, 1), (2, 3)):
        for _ in range(2):
            for rank in pair:
                given = values.fresh()
                notes.call("Torch.softmax", [hidden[rank], -1], [given], rank=rank)
                hidden[rank] = given
            total = values.fresh()
            notes.all_reduce({rank: hidden[rank] for rank in pair}, total)
            hidden |= dict.fromkeys(pair, total)
    for rank in (0, 1):
        for _ in range(3):  # the other group goes on for longer: softmax.5 of rank 0 is finite still
            given = values.fresh()
            notes.call("Torch.softmax", [hidden[rank], -1], [given], rank=rank)
            hidden[rank] = given
    bad = values.with_bad(NAN)
    place = [call.name for call in notes.steps[0].calls[2]].index("Torch.softmax.1.forward")
    # From rank 2's second softmax on, all of its group is bad.
    notes.steps[0].calls[2][place].body["output"] = [bad]
    notes.steps[0].calls[2][place + 1].body["input_args"] = [bad]
    for rank in (2, 3):
        last = notes.steps[0].calls[rank][-1]
        assert last.name == "Distributed.all_reduce.1.forward"
        last.body["output"][0] = bad
        hidden[rank] = bad
    notes.all_reduce(hidden, bad)
    for rank in range(4):
        notes.call("Torch.softmax", [bad, -1], [bad], rank=rank)
        notes.call("Functional.cross_entropy", [bad], [np.array(NAN, np.float32)], rank=rank)


@pytest.mark.parametrize("tensors", [False, True], ids=["statistics", "tensors"])
def test_a_birth_in_the_second_of_two_independent_groups_is_named(tmp_path: Path, tensors: bool) -> None:
    notes = Notes(4)
    two_tensor_parallel_groups(notes)
    report = notes.report(tmp_path, tensors=tensors)
    assert births(report) == [("output", 2, "Torch.softmax.1.forward")]
    (birth,) = report.origins
    assert (birth.level, birth.values, birth.earliest) == (Level.CRITICAL, Special.NAN, True)
    assert birth.slot.endswith("output.0")


def test_its_way_leads_to_all_ranks(tmp_path: Path) -> None:
    notes = Notes(4)
    two_tensor_parallel_groups(notes)
    (spread,) = notes.report(tmp_path).spreads
    assert {path[0].cell.rank: path[0].way for path in spread.paths} == {
        2: Way.BORN,
        3: Way.COMMUNICATION,
        0: Way.COMMUNICATION,
        1: Way.COMMUNICATION,
    }
    assert all(path[-1].operator == "Functional.cross_entropy.0.forward" for path in spread.paths)


def test_nan_in_a_nested_list_of_all_gather_is_seen(tmp_path: Path) -> None:
    """Only the gathered list shows it: the sender's own call is finite on the way in."""
    values = Values()
    notes = Notes(2)
    sent = {rank: values.fresh() for rank in (0, 1)}
    bad = values.with_bad(NAN)
    for rank in (0, 1):
        gathered = [sent[0], bad]
        notes.call("Distributed.all_gather", [None, sent[rank]], [gathered, sent[rank]], rank=rank)
        notes.call("Torch.cat", [gathered], [values.with_bad(NAN, shape=(4, 3))], rank=rank)
    report = notes.report(tmp_path)
    assert births(report) == [("communication", 0, "Distributed.all_gather.0.forward")]
    assert report.origins[0].ranks == (0, 1)
    assert report.origins[0].slot.endswith("output.0.1")


def test_nan_sent_into_a_nested_list_is_the_senders(tmp_path: Path) -> None:
    values = Values()
    notes = Notes(2)
    clean, bad = values.fresh(), values.with_bad(NAN)
    notes.call("Torch.sqrt", [values.fresh()], [bad], rank=1)
    for rank, sent in ((0, clean), (1, bad)):
        notes.call("Distributed.all_gather", [None, sent], [[clean, bad], sent], rank=rank)
        notes.call("Torch.mul", [bad, 2.0], [values.with_bad(NAN)], rank=rank)
    assert births(notes.report(tmp_path)) == [("output", 1, "Torch.sqrt.0.forward")]


def test_independent_groups_have_independent_births(tmp_path: Path) -> None:
    values = Values()
    notes = Notes(4)
    for pair in ((0, 1), (2, 3)):
        bad = values.with_bad(NAN)
        notes.call("Torch.exp", [values.fresh()], [bad], rank=pair[1])
        notes.all_reduce({pair[0]: values.fresh(), pair[1]: bad}, bad)
    report = notes.report(tmp_path)
    assert earliest(report) == {(1, "Torch.exp.0.forward"), (3, "Torch.exp.0.forward")}
    assert len(report.origins) == 2


def test_a_birth_that_another_rank_heard_of_first_is_not_earliest(tmp_path: Path) -> None:
    """A finite message is news too: what happens after it happened after all that came before it."""
    values = Values()
    notes = Notes(2)
    notes.call("Torch.exp", [values.fresh()], [values.with_bad(NAN)], rank=0)
    notes.message(0, 1, values.fresh())
    notes.call("Torch.log", [values.fresh()], [values.with_bad(NAN)], rank=1)
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, "Torch.exp.0.forward")}
    assert [birth.earliest for birth in report.origins] == [True, False]


DIRECTED = ("broadcast", "scatter", "reduce", "gather")


def directed(notes: Notes, api: str, root: int, sent: dict[int, Any], got: dict[int, Any]) -> None:
    """Note a directed collective of two ranks: *sent* and *got* by rank."""
    for rank in (0, 1):
        before, after = sent.get(rank), got.get(rank)
        if api in ("broadcast", "reduce"):
            shown = before if before is not None else Values(9).fresh()
            kept = after if after is not None else shown
            notes.call(f"Distributed.{api}", [shown, root], [kept, root], rank=rank)
        elif api == "scatter":
            notes.call("Distributed.scatter", [None, before], [after, before, root], rank=rank, src=root)
        else:
            notes.call("Distributed.gather", [before, None], [before, after, root], rank=rank, dst=root)


@pytest.mark.parametrize("root", [0, 1])
@pytest.mark.parametrize("api", DIRECTED)
def test_a_directed_call_that_breaks_finite_numbers_is_to_blame(tmp_path: Path, api: str, root: int) -> None:
    values = Values()
    notes = Notes(2)
    other, bad = 1 - root, values.with_bad(NAN)
    sent: dict[int, Any]
    got: dict[int, Any]
    if api == "broadcast":
        sent, got = {root: values.fresh()}, {other: bad}
    elif api == "scatter":
        sent, got = {root: [values.fresh(), values.fresh()]}, {root: values.fresh(), other: bad}
    elif api == "reduce":
        sent, got = {0: values.fresh(), 1: values.fresh()}, {root: bad}
    else:
        sent = {0: values.fresh(), 1: values.fresh()}
        got = {root: [sent[0], bad]}
    directed(notes, api, root, sent, got)
    receiver = other if api in ("broadcast", "scatter") else root
    report = notes.report(tmp_path)
    assert births(report) == [("communication", receiver, f"Distributed.{api}.0.forward")]


@pytest.mark.parametrize("root", [0, 1])
@pytest.mark.parametrize("api", [*DIRECTED[:3], "gather"])
def test_what_the_source_of_a_directed_call_sends_is_its_own(tmp_path: Path, api: str, root: int) -> None:
    values = Values()
    notes = Notes(2)
    other, bad = 1 - root, values.with_bad(NAN)
    source, receiver = (root, other) if api in ("broadcast", "scatter") else (other, root)
    notes.call("Torch.exp", [values.fresh()], [bad], rank=source)
    sent: dict[int, Any]
    got: dict[int, Any]
    if api == "broadcast":
        sent, got = {root: bad}, {other: bad}
    elif api == "scatter":
        pieces = [values.fresh(), values.fresh()]
        pieces[other] = bad
        sent, got = {root: pieces}, {0: pieces[0], 1: pieces[1]}
    elif api == "reduce":
        sent, got = {root: values.fresh(), other: bad}, {root: values.with_bad(NAN)}
    else:
        sent = {root: values.fresh(), other: bad}
        got = {root: [sent[0], sent[1]]}
    directed(notes, api, root, sent, got)
    notes.call("Torch.mul", [bad, 2.0], [values.with_bad(NAN)], rank=receiver)
    assert births(notes.report(tmp_path)) == [("output", source, "Torch.exp.0.forward")]


def test_a_reduce_leaves_nothing_to_those_who_only_send(tmp_path: Path) -> None:
    """NaN of the root's own does not make the other ranks bad."""
    values = Values()
    notes = Notes(2)
    bad, mine = values.with_bad(NAN), values.fresh()
    notes.call("Torch.exp", [values.fresh()], [bad], rank=0)
    notes.call("Distributed.reduce", [bad, 0], [bad, 0], rank=0)
    notes.call("Distributed.reduce", [mine, 0], [mine, 0], rank=1)
    notes.call("Torch.log", [mine], [values.with_bad(NAN)], rank=1)
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, "Torch.exp.0.forward"), (1, "Torch.log.0.forward")}


def test_a_group_keyword_of_all_ranks_is_the_world(tmp_path: Path) -> None:
    values = Values()
    notes = Notes(2)
    bad = values.with_bad(NAN)
    notes.call("Torch.exp", [values.fresh()], [bad], rank=0)
    notes.call("Distributed.all_reduce", [bad], [bad], rank=0)
    notes.call("Distributed.all_reduce", [values.fresh()], [bad], rank=1, group=group(0, 1))
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.exp.0.forward")]
