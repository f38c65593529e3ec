"""Births over several ranks: who sent what, who heard of whom, what a communication call made itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from builders.rank_notes import INF, NAN, Notes, Values, births, earliest, group
from builders.rank_simulation import Array, Raw

from core.records.overflow import BirthKind, Way

EXP = "Torch.exp.0.forward"


def born(notes: Notes, rank: int, values: Values, *bad: float) -> Array:
    """Let *rank* give birth in ``Torch.exp`` and return the bad output."""
    out = values.with_bad(*(bad or (NAN,)))
    notes.call("Torch.exp", [values.fresh()], [out], rank=rank)
    return out


def operation(kind: str, tensor: Array | None, peer: int) -> dict[str, object]:
    """Return an operation of a batch as a dump spells it."""
    said = {"class_type": "torch.distributed.P2POp", "op": kind, "peer": peer, "tag": 0, "group_id": "0"}
    return {"tensor": tensor, **{key: Raw(json.dumps(value)) for key, value in said.items()}}


# ---- what arrives


def test_what_arrives_is_no_birth_of_the_receiver(tmp_path: Path) -> None:
    values, notes = Values(), Notes(4)
    bad = born(notes, 3, values)
    sent = {rank: values.fresh() for rank in range(4)} | {3: bad}
    notes.all_reduce(sent, bad)
    for rank in range(4):
        notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=rank)
    report = notes.report(tmp_path)
    assert births(report) == [("output", 3, EXP)]
    ways = {path[0].cell.rank: path[0].way for path in report.spreads[0].paths}
    assert ways == {3: Way.BORN, 0: Way.COMMUNICATION, 1: Way.COMMUNICATION, 2: Way.COMMUNICATION}


def test_a_collective_that_makes_nan_of_finite_numbers_is_one_birth_of_its_ranks(tmp_path: Path) -> None:
    values, notes = Values(), Notes(4)
    names = notes.all_reduce({1: values.fresh(), 2: values.fresh()}, values.with_bad(NAN))
    report = notes.report(tmp_path)
    assert births(report) == [("communication", 1, names[1])]
    assert report.origins[0].ranks == (1, 2)
    assert report.origins[0].message.code == "overflow.birth.communication"


def test_a_sum_of_opposite_infinities_is_the_birth_of_both_senders(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    plus, minus = born(notes, 0, values, INF), born(notes, 1, values, -INF)
    notes.all_reduce({0: plus, 1: minus}, values.with_bad(NAN))
    assert earliest(notes.report(tmp_path)) == {(0, EXP), (1, EXP)}


def test_a_pipeline_passes_a_birth_on_over_all_its_stages(tmp_path: Path) -> None:
    values, notes = Values(), Notes(5)
    bad = born(notes, 0, values)
    for rank in range(4):
        notes.message(rank, rank + 1, bad)
        following = values.with_bad(NAN)
        notes.call("Functional.gelu", [bad], [following], rank=rank + 1)
        bad = following
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_what_is_sent_on_spreads(tmp_path: Path) -> None:
    """The last call of a pipeline stage gives birth; nothing but ``send`` takes it on its own rank."""
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values)
    notes.message(0, 1, bad)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=1)
    report = notes.report(tmp_path)
    assert report.origins[0].spreads
    assert [path[0].cell.rank for path in report.spreads[0].paths] == [0, 1]


@pytest.mark.parametrize("order", [("isend", "irecv"), ("irecv", "isend")])
def test_a_batch_of_messages_passes_a_birth_on(tmp_path: Path, order: tuple[str, str]) -> None:
    """A ring of three ranks; the buffers hold NaN before."""
    values, notes = Values(), Notes(3)
    sent = {0: values.fresh(), 1: born(notes, 1, values), 2: values.fresh()}
    for rank in range(3):
        before, after = (rank - 1) % 3, (rank + 1) % 3
        garbage = values.with_bad(NAN)
        given = {
            "isend": (operation("isend", sent[rank], after), operation("isend", sent[rank], after)),
            "irecv": (operation("irecv", garbage, before), operation("irecv", sent[before], before)),
        }
        asked, shown = ([given[kind][side] for kind in order] for side in (0, 1))
        notes.call("Distributed.batch_isend_irecv", [asked], [shown], rank=rank)
        got = sent[before]
        out = values.with_bad(NAN) if np.isnan(got).any() else values.fresh()
        notes.call("Functional.gelu", [got], [out], rank=rank)
    assert births(notes.report(tmp_path)) == [("output", 1, EXP)]


def test_all_to_all_passes_nested_lists_on(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values)
    lists = {0: [values.fresh(), bad], 1: [values.fresh(), values.fresh()]}
    for rank in (0, 1):
        got = [lists[0][rank], lists[1][rank]]
        notes.call("Distributed.all_to_all", [[None, None], lists[rank]], [got, lists[rank]], rank=rank)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=1)
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_what_was_in_a_receive_buffer_does_not_matter(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    clean, garbage = values.fresh(), values.with_bad(NAN)
    notes.message(0, 1, clean, buffer=garbage)
    for rank in (0, 1):
        whole = values.fresh(4, 3)
        notes.call(
            "Distributed.all_gather_into_tensor",
            [values.with_bad(NAN, shape=(4, 3)), clean],
            [whole, clean],
            rank=rank,
        )
    assert notes.report(tmp_path).origins == ()


def test_arguments_may_all_be_keywords(tmp_path: Path) -> None:
    """The output then lists them in the order of the call."""
    values, notes = Values(), Notes(2)
    bad, whole = born(notes, 0, values), values.with_bad(NAN, shape=(4, 3))
    for rank, sent in ((0, bad), (1, values.fresh())):
        notes.call(
            "Distributed.all_gather_into_tensor", [], [whole, sent], rank=rank,
            output_tensor=values.with_bad(NAN, shape=(4, 3)), input_tensor=sent,
        )  # fmt: skip
        notes.call("Functional.gelu", [whole], [values.with_bad(NAN, shape=(4, 3))], rank=rank)
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_keywords_may_come_in_any_order(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    sent = {rank: values.fresh() for rank in (0, 1)}
    whole = values.with_bad(NAN, shape=(4, 3))
    for rank in (0, 1):
        notes.call(
            "Distributed.all_gather_into_tensor", [], [sent[rank], whole], rank=rank,
            input_tensor=sent[rank], output_tensor=values.fresh(4, 3),
        )  # fmt: skip
    report = notes.report(tmp_path)
    assert births(report) == [("communication", 0, "Distributed.all_gather_into_tensor.0.forward")]


def test_values_from_a_rank_that_was_not_dumped_are_told_so(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = values.with_bad(NAN)
    for rank in (0, 1):
        notes.call("Distributed.all_reduce", [values.fresh()], [bad], rank=rank, group=group(0, 1, 2))
    report = notes.report(tmp_path)
    assert [birth.message.code for birth in report.origins] == ["overflow.birth.unseen_rank"]
    assert report.origins[0].ranks == (0, 1)


# ---- asynchronous calls


def sent_late(values: Values, notes: Notes, output: list[Array] | None, bad: Array) -> None:
    """Send *bad* from rank 0 to rank 1, which uses it later; *output* is what its ``irecv`` shows."""
    notes.call("Distributed.isend", [bad, 1], None, rank=0)
    notes.call("Distributed.irecv", [None, 0], output, rank=1)
    notes.call("Torch.tanh", [values.fresh()], [values.fresh()], rank=1)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=1)


@pytest.mark.parametrize("shown", ["nothing", "the old"])
def test_an_asynchronous_receive_explains_what_it_does_not_show(tmp_path: Path, shown: str) -> None:
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values)
    sent_late(values, notes, None if shown == "nothing" else [values.fresh()], bad)
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_an_input_is_not_explained_by_what_is_sent_after_it(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values)
    notes.call("Functional.gelu", [values.with_bad(INF)], [values.with_bad(NAN)], rank=1)
    notes.message(0, 1, bad)
    assert earliest(notes.report(tmp_path)) == {(0, EXP), (1, "Functional.gelu.0.forward")}


@pytest.mark.parametrize("api", ["irecv", "all_gather_into_tensor"])
def test_an_asynchronous_call_that_shows_its_old_buffer_is_not_to_blame(tmp_path: Path, api: str) -> None:
    values, notes = Values(), Notes(2)
    clean, garbage = values.fresh(), values.with_bad(NAN)
    if api == "irecv":
        notes.call("Distributed.isend", [clean, 1], [clean, 1], rank=0)
        notes.call("Distributed.irecv", [garbage, 0], [garbage, 0], rank=1)
    else:
        for rank in (0, 1):
            both = [garbage, clean]
            notes.call(f"Distributed.{api}", both, [*both, True], rank=rank, async_op=True)
    notes.call("Functional.gelu", [clean], [values.fresh()], rank=1)
    assert births(notes.report(tmp_path)) == []


def test_minus_inf_from_another_rank_is_explained_like_any_other(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values, -INF)
    notes.call("Distributed.isend", [bad, 1], None, rank=0)
    notes.call("Distributed.irecv", [None, 0], None, rank=1)
    halfway = values.with_bad(-INF)
    notes.call("Torch.mul", [bad, 2.0], [halfway], rank=1)
    notes.call("Functional.layer_norm", [halfway, [3]], [values.with_bad(NAN)], rank=1)
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_an_operand_in_place_is_explained_by_what_was_sent(tmp_path: Path) -> None:
    """The dumper shows operands after the change; the values came with a receive that shows nothing."""
    values, notes = Values(), Notes(2)
    bad = born(notes, 0, values)
    notes.call("Distributed.isend", [bad, 1], None, rank=0)
    notes.call("Distributed.irecv", [None, 0], None, rank=1)
    changed = values.with_bad(NAN)
    notes.call("Tensor.add_", [changed, values.fresh()], [changed], rank=1)
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


# ---- bad inputs at a communication call


def test_a_bad_value_that_goes_straight_into_a_collective_is_the_senders_birth(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = values.with_bad(NAN)
    names = notes.all_reduce({0: values.fresh(), 1: bad}, bad)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=0)
    assert births(notes.report(tmp_path)) == [("input", 1, names[1])]


def test_bad_values_of_two_ranks_that_meet_in_one_collective_are_two_births(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    names = notes.all_reduce({0: values.with_bad(INF), 1: values.with_bad(INF)}, values.with_bad(INF))
    assert earliest(notes.report(tmp_path)) == {(0, names[0]), (1, names[1])}


def test_a_birth_after_the_arrival_of_a_bad_input_is_not_earliest(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    bad = values.with_bad(NAN)
    names = notes.message(0, 1, bad)
    notes.call("Torch.log", [values.fresh()], [values.with_bad(INF, -INF)], rank=1)
    notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=1)
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, names[0])}


def test_a_message_that_breaks_after_a_birth_of_its_sender_is_not_earliest(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    born(notes, 0, values)
    notes.message(0, 1, values.fresh(), values.with_bad(NAN))
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, EXP)}
    assert len(report.origins) == 2


# ---- meant values that are sent


def masked(notes: Notes, values: Values, *, whole_row: bool) -> None:
    """Rank 0 masks scores and broadcasts them; both ranks take softmax."""
    scores = values.with_bad(-INF, -INF, *((-INF,) if whole_row else ()))
    notes.call("Tensor.masked_fill", [values.fresh(), values.fresh() > 0, -INF], [scores], rank=0)
    for rank in (0, 1):
        given = scores if rank == 0 else values.with_bad(NAN)
        notes.call("Distributed.broadcast", [given, 0], [scores, 0], rank=rank)
        out = values.with_bad(NAN) if whole_row else values.fresh()
        notes.call("Functional.softmax", [scores, -1], [out], rank=rank)


def test_a_mask_that_is_broadcast_accuses_nobody(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    masked(notes, values, whole_row=False)
    assert notes.report(tmp_path).origins == ()


def test_nan_of_a_broadcast_mask_is_the_birth_of_each_softmax(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    masked(notes, values, whole_row=True)
    report = notes.report(tmp_path)
    assert earliest(report) == {(0, "Functional.softmax.0.forward"), (1, "Functional.softmax.0.forward")}


def test_a_broadcast_mask_does_not_hide_a_later_parameter(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    masked(notes, values, whole_row=False)
    weight = values.with_bad(NAN, shape=(3, 3))
    notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)], rank=1)
    assert births(notes.report(tmp_path)) == [("parameter", 1, "Functional.linear.0.forward")]


def test_unwritten_memory_that_is_sent_is_a_birth(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    garbage = values.with_bad(NAN)
    notes.call("Torch.empty", [[2, 3]], [garbage], rank=0)
    bad = values.with_bad(NAN)
    notes.all_reduce({0: garbage, 1: values.fresh()}, bad)
    for rank in (0, 1):
        notes.call("Functional.gelu", [bad], [values.with_bad(NAN)], rank=rank)
    assert births(notes.report(tmp_path)) == [("output", 0, "Torch.empty.0.forward")]


# ---- parameters and gradients


def test_a_parameter_that_is_bad_on_all_ranks_is_one_birth(tmp_path: Path) -> None:
    values, notes = Values(), Notes(3)
    weight = values.with_bad(NAN, shape=(3, 3))
    for rank in range(3):
        notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)], rank=rank)
    report = notes.report(tmp_path)
    assert births(report) == [("parameter", 0, "Functional.linear.0.forward")]
    assert report.origins[0].ranks == (0, 1, 2)
    assert report.origins[0].earliest


def test_a_birth_of_several_ranks_does_not_happen_before_itself(tmp_path: Path) -> None:
    """Rank 1 hears of rank 0 before it uses the parameter that is bad on both."""
    values, notes = Values(), Notes(2)
    weight = values.with_bad(NAN, shape=(3, 3))
    notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)], rank=0)
    notes.message(0, 1, values.fresh())
    notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)], rank=1)
    (birth,) = notes.report(tmp_path).origins
    assert birth.ranks == (0, 1)
    assert birth.earliest


def test_a_birth_of_several_ranks_is_earliest_if_it_is_on_one_of_them(tmp_path: Path) -> None:
    """Rank 1 sees the bad parameter after it heard of rank 2's birth, rank 0 knows of neither."""
    values, notes = Values(), Notes(3)
    weight = values.with_bad(NAN, shape=(3, 3))
    born(notes, 2, values)
    notes.message(2, 1, values.fresh())
    for rank in (0, 1):
        notes.call("Functional.linear", [values.fresh(), weight], [values.with_bad(NAN)], rank=rank)
    assert earliest(notes.report(tmp_path)) == {(2, EXP), (0, "Functional.linear.0.forward")}


def gradients(notes: Notes, values: Values, rank: int, *, bad: bool, seen: bool = False) -> None:
    """Note a linear module whose parameter gradient is *bad*; *seen* if its backward call is bad too."""
    path = "Module.net.fc.Linear"
    body = {"input_args": [values.fresh()], "input_kwargs": {}, "output": [values.fresh()]}
    notes.note(f"{path}.forward.0", body, rank=rank)
    given, made = (values.with_bad(NAN) if seen else values.fresh() for _ in range(2))
    notes.note(f"{path}.backward.0", {"input": [given], "output": [made]}, rank=rank)
    gradient = values.with_bad(NAN, shape=(3, 3)) if bad else values.fresh(3, 3)
    notes.note(f"{path}.parameters_grad.0", {"weight": [gradient]}, rank=rank)


def test_gradients_that_were_averaged_in_secret_are_no_birth(tmp_path: Path) -> None:
    values, notes = Values(), Notes(3)
    notes.call("Functional.gelu", [born(notes, 1, values)], [values.with_bad(NAN)], rank=1)
    for rank in range(3):
        gradients(notes, values, rank, bad=True, seen=rank == 1)
    report = notes.report(tmp_path)
    assert births(report) == [("output", 1, EXP)]
    ways = {path[0].cell.rank: path[0].way for path in report.spreads[0].paths}
    assert ways == {1: Way.BORN, 0: Way.GRADIENTS, 2: Way.GRADIENTS}


def test_gradients_of_a_rank_that_is_bad_already_are_no_birth(tmp_path: Path) -> None:
    """Module backward calls were not dumped: the gradients are all that is seen of the way back."""
    values, notes = Values(), Notes(1)
    bad, loss = born(notes, 0, values), np.array(NAN, np.float32)
    notes.call("Functional.mse_loss", [bad, values.fresh()], [loss])
    notes.note("Module.net.fc.Linear.parameters_grad.0", {"weight": [values.with_bad(NAN, shape=(3, 3))]})
    assert births(notes.report(tmp_path)) == [("output", 0, EXP)]


def test_gradients_that_turn_bad_alone_are_births(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    gradients(notes, values, 0, bad=False)
    gradients(notes, values, 1, bad=True)
    report = notes.report(tmp_path)
    assert [birth.cell.rank for birth in report.origins] == [1]
    assert report.origins[0].kind is BirthKind.OUTPUT


# ---- who heard of whom


def test_a_finite_message_orders_births_over_three_ranks(tmp_path: Path) -> None:
    values, notes = Values(), Notes(3)
    born(notes, 0, values)
    notes.message(0, 1, values.fresh())
    notes.message(1, 2, values.fresh())
    born(notes, 2, values)
    assert earliest(notes.report(tmp_path)) == {(0, EXP)}


def test_a_message_before_a_birth_orders_nothing(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    notes.message(0, 1, values.fresh())
    born(notes, 0, values)
    born(notes, 1, values)
    assert earliest(notes.report(tmp_path)) == {(0, EXP), (1, EXP)}


def test_a_broadcast_tells_its_source_nothing(tmp_path: Path) -> None:
    values, notes = Values(), Notes(2)
    born(notes, 1, values)
    sent = values.fresh()
    for rank in (0, 1):
        notes.call("Distributed.broadcast", [sent, 0], [sent, 0], rank=rank)
    born(notes, 0, values)
    assert earliest(notes.report(tmp_path)) == {(0, EXP), (1, EXP)}


def test_messages_of_one_pair_belong_together_in_their_order_by_tag(tmp_path: Path) -> None:
    """Rank 1 takes the message with tag 7 first, which was sent before the birth."""
    values, notes = Values(), Notes(2)
    early, late = values.fresh(), values.fresh()
    notes.call("Distributed.send", [early, 1], [early, 1, 7], rank=0, tag=7)
    born(notes, 0, values)
    notes.call("Distributed.send", [late, 1], [late, 1, 8], rank=0, tag=8)
    notes.call("Distributed.recv", [None, 0], [early, 0, 7], rank=1, tag=7)
    notes.call("Torch.log", [values.fresh()], [values.with_bad(INF)], rank=1)
    notes.call("Distributed.recv", [None, 0], [late, 0, 8], rank=1, tag=8)
    assert earliest(notes.report(tmp_path)) == {(0, EXP), (1, "Torch.log.0.forward")}


def test_a_receive_that_is_posted_early_does_not_undo_what_a_collective_orders(tmp_path: Path) -> None:
    """Rank 1 posts ``irecv`` before the all-reduce, after which rank 0 sends."""
    values, notes = Values(), Notes(2)
    born(notes, 1, values)
    sent, message = values.fresh(), values.fresh()
    notes.call("Distributed.irecv", [None, 0], None, rank=1)
    notes.all_reduce({0: values.fresh(), 1: sent}, values.fresh())
    notes.call("Torch.log", [values.fresh()], [values.with_bad(INF)], rank=0)
    notes.call("Distributed.isend", [message, 1], None, rank=0)
    assert earliest(notes.report(tmp_path)) == {(1, EXP)}
