"""The strongest proof: a call repeated on its own inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from core.diagnosis.accused import Accusation, Case, in_words, measured
from core.diagnosis.numeric import SATURATED
from core.emulation.chips.calls import Emulator, is_wrong
from core.emulation.chips.profile import Profile, shipped_profiles
from core.emulation.replay.replaying import replay_call
from core.emulation.terms.outcome import Replay, ReplayVerdict, SlotReplay
from core.messages import Message, Parameter
from core.progress import Progress, Work
from core.records.diagnosis import Kind, Proof, Severity
from core.records.emulation import CallEmulation, EmulationVerdict
from core.records.result import Verdict

_MOST_EXPLAINED = 8
"""Accused calls of a cell that all shipped chips are asked about, if no profile was named: the first ones."""
_MOST_CALLS = 20_000
"""Calls that are replayed at most; a run of more is one whose first faults come long before."""


def judge_by_replay(
    case: Case, accused: Mapping[int, Accusation], profile: Profile | None = None
) -> Work[tuple[dict[int, Accusation], list[CallEmulation]]]:
    """Repeat the calls whose outputs are not equal, and return who is accused then.

    A call that is right on the target's own inputs is acquitted, whatever its output looks like beside the
    golden's; one that is wrong there is accused, however small the difference. Calls that cannot be
    replayed keep the judgement they had. With a *profile* the arithmetic of that chip counts as right, and
    what it says of each call is returned too.
    """
    judged = dict(accused)
    asked = _worth_asking(case)
    ask = _asking(case, profile)
    emulated: list[CallEmulation] = []
    explanations = _MOST_EXPLAINED
    for done, call in enumerate(asked):
        yield Progress(done, len(asked), Message("progress.replay"))
        found = ask(int(case.calls.target[call]), int(case.calls.golden[call]))
        if found.emulation is not None:
            emulated.append(found.emulation)
        if found.target.verdict is ReplayVerdict.NOT_REPLAYED:
            continue
        explained = found.emulation is not None and found.emulation.verdict.explained
        wrong = found.target_wrong, is_wrong(found.golden)
        if wrong == (False, False):
            judged.pop(call, None)
            if explained and is_wrong(found.target) and profile is not None:
                judged[call] = _explained(case, call, found, profile)
        elif wrong != (True, True) and found.golden.verdict is not ReplayVerdict.NOT_REPLAYED:
            chips: list[str] = []
            if found.target_wrong and profile is None and explanations > 0:
                explanations -= 1
                chips = chips_that_explain(case, call)
            judged[call] = _accuse(case, call, found, profile, chips)
    return dict(sorted(judged.items())), emulated


@dataclass(frozen=True)
class _Found:
    """Both replays of a call, and what the profile says of the target's, if one was asked."""

    target: Replay
    golden: Replay
    emulation: CallEmulation | None = None

    @property
    def target_wrong(self) -> bool:
        if self.emulation is None or self.emulation.verdict is EmulationVerdict.NOT_REPLAYED:
            return is_wrong(self.target)
        return self.emulation.verdict is EmulationVerdict.OUTSIDE


def _asking(case: Case, profile: Profile | None) -> Callable[[int, int], _Found]:
    cell = case.cell
    if profile is None:
        return lambda left, right: _Found(replay_call(cell.target, left), replay_call(cell.golden, right))
    emulator = Emulator(cell.key, cell.target, cell.golden, profile, torch=False, sample=False)

    def ask(left: int, right: int) -> _Found:
        found = emulator.examined(left, right)
        return _Found(found.target, found.golden or replay_call(cell.golden, right), found.emulation)

    return ask


def _worth_asking(case: Case) -> list[int]:
    """Return the calls whose tensors are at hand and whose outputs are not all equal, in order."""
    rows, facts = case.cell.rows, case.calls.rows
    unequal = np.zeros(len(case.calls), bool)
    unequal[facts.call[facts.comes_out & facts.tensor & (rows.verdict != Verdict.EQUAL)]] = True
    found = np.flatnonzero(case.calls.matched & case.calls.full & unequal & ~case.context.composite)
    return [int(call) for call in found[:_MOST_CALLS]]


def _accuse(case: Case, call: int, found: _Found, profile: Profile | None, chips: list[str]) -> Accusation:
    """Write down a call that only one side gets right; arithmetic of *chips* would explain it."""
    target, golden = found.target, found.golden
    wrong_target = found.target_wrong
    worst = max((target if wrong_target else golden).slots, key=lambda slot: slot.error)
    row, evidence = _evidence(case, call, found, worst, wrong_target)
    if wrong_target and profile is not None and found.emulation is not None:
        slot = found.emulation.worst_slot
        evidence |= measured(share_explained=slot.share if slot else nan)
        return case.accuse(
            call, Kind.NUMERIC, Proof.LOCAL_ERROR, "outside_profile" + _unmeasured(worst), row, evidence,
            **in_words(error=worst.relative_l2), chip=profile.title,
        )  # fmt: skip
    if chips:
        evidence["explained_by"] = ", ".join(chips)
        return case.accuse(
            call, Kind.NUMERIC, Proof.LOCAL_ERROR, "local_error_of_chip" + _unmeasured(worst), row, evidence,
            **in_words(error=worst.relative_l2), chips=", ".join(chips),
        )  # fmt: skip
    code = "local_error" if wrong_target else "local_error_golden"
    return case.accuse(
        call, Kind.NUMERIC, Proof.LOCAL_ERROR, code + _unmeasured(worst), row, evidence,
        **in_words(error=worst.relative_l2),
    )  # fmt: skip


def _unmeasured(worst: SlotReplay) -> str:
    """Return the end of the code of a sentence that must do without the error; empty if it need not."""
    return "" if np.isfinite(worst.relative_l2) else "_unmeasured"


def _explained(case: Case, call: int, found: _Found, profile: Profile) -> Accusation:
    """Write down a call whose difference is what the chip does: true, and no bug."""
    worst = max(found.target.slots, key=lambda slot: slot.error)
    row, evidence = _evidence(case, call, found, worst, True)
    return case.accuse(
        call, Kind.NUMERIC, Proof.LOCAL_ERROR, "explained_by_profile" + _unmeasured(worst), row, evidence,
        Severity.REMARK,
        **in_words(error=worst.relative_l2), chip=profile.title,
    )  # fmt: skip


def _evidence(
    case: Case, call: int, found: _Found, worst: SlotReplay, of_target: bool
) -> tuple[int, dict[str, Parameter]]:
    """Return the row of the output *worst*, and the numbers."""
    dump_slots = case.cell.rows.target_slot if of_target else case.cell.rows.golden_slot
    at = np.flatnonzero(dump_slots == worst.slot)
    row = int(at[0]) if len(at) else case.worst_row(call, outputs=True)
    evidence = measured(
        local_error_target=found.target.error,
        local_error_golden=found.golden.error,
        units=worst.units,
        input_error=case.context.error[call],
        output_error=case.calls.output_error[call],
    )
    if worst.worst_index >= 0:
        evidence["worst_index"] = worst.worst_index
    return row, evidence


def saturation_explained(item: Accusation, emulated: list[CallEmulation]) -> Accusation:
    """Return *item* as a remark if it is a saturation that the chip's arithmetic explains, else as it is."""
    suspect = item.suspect
    if suspect.message.code != f"suspect.{SATURATED}":
        return item
    explained = {call.operator for call in emulated if call.verdict.explained}
    if suspect.operator not in explained:
        return item
    message = Message("suspect.saturated_by_profile", suspect.message.parameters)
    told = replace(suspect, severity=Severity.REMARK, proof=Proof.LOCAL_ERROR, message=message)
    return replace(item, suspect=told)


def chips_that_explain(case: Case, call: int) -> list[str]:
    """Return the shipped chips whose arithmetic explains what a wrong call of the target gave."""
    cell, row = case.cell, int(case.calls.target[call])
    explaining = []
    for profile in shipped_profiles():
        emulator = Emulator(cell.key, cell.target, None, profile, torch=False, sample=False)
        if emulator.emulate(row).verdict.explained:
            explaining.append(profile.title)
    return explaining
