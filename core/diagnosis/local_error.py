"""The strongest proof: a call repeated on its own inputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.diagnosis.accused import Accusation, Case, in_words, number
from core.diagnosis.tuning import LAST_BITS
from core.emulation.outcome import Replay, ReplayVerdict
from core.emulation.replay import replay_call
from core.messages import Message, Parameter
from core.progress import Progress, Work
from core.records.diagnosis import Kind, Proof
from core.records.result import Verdict

_MOST_CALLS = 20_000
"""Calls that are replayed at most; a run of more is one whose first faults come long before."""


def judge_by_replay(case: Case, accused: Mapping[int, Accusation]) -> Work[dict[int, Accusation]]:
    """Repeat the calls whose outputs are not equal, and return who is accused then.

    A call that is right on the target's own inputs is acquitted, whatever its output looks like beside the
    golden's; one that is wrong there is accused, however small the difference. Calls that cannot be
    replayed keep the judgement they had.
    """
    judged = dict(accused)
    asked = _worth_asking(case)
    for done, call in enumerate(asked):
        yield Progress(done, len(asked), Message("progress.replay"))
        target = replay_call(case.cell.target, int(case.calls.target[call]))
        if target.verdict is ReplayVerdict.NOT_REPLAYED:
            continue
        golden = replay_call(case.cell.golden, int(case.calls.golden[call]))
        wrong = _is_wrong(target), _is_wrong(golden)
        if wrong == (False, False):
            judged.pop(call, None)
        elif wrong != (True, True) and golden.verdict is not ReplayVerdict.NOT_REPLAYED:
            judged[call] = _accuse(case, call, target, golden)
    return dict(sorted(judged.items()))


def _worth_asking(case: Case) -> list[int]:
    """Return the calls whose tensors are at hand and whose outputs are not all equal, in order."""
    rows, facts = case.cell.rows, case.calls.rows
    unequal = np.zeros(len(case.calls), bool)
    unequal[facts.call[facts.comes_out & facts.tensor & (rows.verdict != Verdict.EQUAL)]] = True
    found = np.flatnonzero(case.calls.matched & case.calls.full & unequal & ~case.context.composite)
    return [int(call) for call in found[:_MOST_CALLS]]


def _is_wrong(replay: Replay) -> bool:
    """Whether a replayed call is wrong by more than a last bit or three."""
    return replay.verdict is ReplayVerdict.WRONG and any(
        slot.verdict is ReplayVerdict.WRONG and (slot.special_differences > 0 or not slot.units <= LAST_BITS)
        for slot in replay.slots
    )


def _accuse(case: Case, call: int, target: Replay, golden: Replay) -> Accusation:
    """Write down a call that only one side gets right."""
    wrong_target = _is_wrong(target)
    worst = max((target if wrong_target else golden).slots, key=lambda slot: slot.error)
    dump_slots = case.cell.rows.target_slot if wrong_target else case.cell.rows.golden_slot
    at = np.flatnonzero(dump_slots == worst.slot)
    row = int(at[0]) if len(at) else case.worst_row(call, outputs=True)
    evidence: dict[str, Parameter] = {
        "local_error_target": number(target.error),
        "local_error_golden": number(golden.error),
        "units": number(worst.units),
        "input_error": number(case.context.error[call]),
        "output_error": number(case.calls.output_error[call]),
    }
    if worst.worst_index >= 0:
        evidence["worst_index"] = worst.worst_index
    code = "local_error" if wrong_target else "local_error_golden"
    return case.accuse(
        call, Kind.NUMERIC, Proof.LOCAL_ERROR, code, row, evidence,
        error=in_words(worst.relative_l2),
    )  # fmt: skip
