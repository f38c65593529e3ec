"""One operator call under a profile: replayed on its own inputs, its golden beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.dtypes import Kind
from core.emulation.chips.distances import distance_between
from core.emulation.chips.examination import JudgeBy, ReferenceComputing, examine
from core.emulation.chips.profile import Profile
from core.emulation.chips.references import golden_distances
from core.emulation.replay.replaying import MEMORY_LIMIT, ODD, complaint, prepare_call
from core.emulation.replay.runnable import Runnable
from core.emulation.standards import Standard, Variant, intended_standard, judge
from core.emulation.terms.allowance import LAST_BITS
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.computing import Array, computing_in
from core.emulation.terms.outcome import NotReplayable, NotReplayed, Replay, ReplayVerdict
from core.records.dump import Dump
from core.records.emulation import (
    CallEmulation,
    Distance,
    EmulationVerdict,
    GoldenVerdict,
    SlotEmulation,
    SlotStandard,
)
from core.records.names import parse_operator_name
from core.records.run import CellKey


@dataclass(frozen=True)
class Examined:
    """A call under a profile, with its replays in float64; ``golden`` is ``None`` where there is none."""

    emulation: CallEmulation
    target: Replay
    golden: Replay | None


@dataclass
class Emulator:
    """Emulates the calls of one cell, one by one; *golden* is ``None`` where there is none."""

    key: CellKey
    target: Dump
    golden: Dump | None
    profile: Profile
    torch: bool = True
    """Whether operators that the table lacks may be taken from torch, if it is installed."""
    memory_limit: int = MEMORY_LIMIT
    """Bytes of float64 temporaries that a call may take."""
    sample: bool = True
    """Whether some rows stand for a call that is too large."""
    variant: Variant | None = None
    """By whose numbers the official checker's standards are applied beside, if they are."""
    thorough: bool = False
    """Whether every setting of the envelope is tried, so that the closest is that of all."""

    def emulate(self, row: int, golden_row: int = -1) -> CallEmulation:
        """Return what the arithmetic of the chip says of row *row* of the target's operator table.

        *golden_row* is the row of the golden call that it is matched with, -1 for none.
        """
        return self.examined(row, golden_row).emulation

    def examined(self, row: int, golden_row: int = -1) -> Examined:
        """Return the same with the replays in float64 that it rests on."""
        reference = ReferenceComputing()
        with computing_in(reference):
            replay, runnable = self._prepared(self.target, row)
        call = self._of_target(row, replay, runnable, reference.sizes)
        if self.golden is None or golden_row < 0:
            return Examined(call, replay, None)
        golden, counterpart = self._prepared(self.golden, golden_row)
        name = self.golden.operator_name(golden_row)
        call = replace(call, golden_operator=name, golden=golden_verdict(golden))
        if runnable is not None and counterpart is not None:
            call = replace(call, slots=_beside(call.slots, runnable, counterpart))
        return Examined(call, replay, golden)

    def _of_target(
        self, row: int, replay: Replay, runnable: Runnable | None, sizes: Array | None
    ) -> CallEmulation:
        name = self.target.operator_name(row)
        if replay.verdict is ReplayVerdict.NOT_REPLAYED:
            verdict = EmulationVerdict.NOT_REPLAYED
            return CallEmulation(name, self.key, verdict, reason=replay.reason.value, detail=replay.detail)
        if runnable is None:
            slots = [self._moved(item.slot) for item in replay.slots]
        else:
            names = [self.target.slot_name(result.slot) for result in runnable.results]
            try:
                slots = examine(
                    runnable,
                    self.profile,
                    names,
                    thorough=self.thorough,
                    judge_by=self._standard(name),
                    sizes=sizes,
                )
            except NotReplayable as found:
                return _not_replayed(name, self.key, found.reason, found.detail)
            except MemoryError:
                return _not_replayed(name, self.key, NotReplayed.TOO_LARGE, "")
            except ODD as error:
                return _not_replayed(name, self.key, NotReplayed.FAILED, complaint(error))
        return CallEmulation(name, self.key, _roll_up(slots), slots=tuple(slots), assumed=replay.assumed)

    def _standard(self, name: str) -> JudgeBy | None:
        """Return the official judgement of the outputs of the call *name*."""
        variant = self.variant
        if variant is None:
            return None
        api = parse_operator_name(name).stem.rsplit(".", 1)[-1]

        def judged(dumped: Tensor, bench: Array, control: Array) -> SlotStandard:
            if intended_standard(api, dumped.dtype) is Standard.BINARY_CONSISTENCY:
                bench = control  # equality is asked for in the format of the output
            found = judge(api, dumped.array, bench, dtype=dumped.dtype, variant=variant, control=control)
            released = found.released_standard.value if found.released_standard else ""
            return SlotStandard(found.standard.value, variant.value, found.passed, released, found.reasons)

        return judged

    def _moved(self, slot: int) -> SlotEmulation:
        """Return an output that is its input, moved: nothing was computed."""
        shape = self.target.shape(slot) or ()
        dtype = self.target.strings[int(self.target.slots.dtype[slot])]
        count = int(np.prod(shape))
        return SlotEmulation(
            self.target.slot_name(slot), dtype, shape, EmulationVerdict.INSIDE_ENVELOPE, count, count
        )

    def _prepared(self, dump: Dump, row: int) -> tuple[Replay, Runnable | None]:
        return prepare_call(
            dump,
            row,
            memory_limit=self.memory_limit,
            torch=self.torch,
            sample=self.sample,
        )


def golden_verdict(replay: Replay) -> GoldenVerdict:
    """Return whether a golden call is right on its own inputs, by more than a last bit or three."""
    if replay.verdict is ReplayVerdict.NOT_REPLAYED:
        return GoldenVerdict.UNKNOWN
    return GoldenVerdict.WRONG if is_wrong(replay) else GoldenVerdict.RIGHT


def is_wrong(replay: Replay) -> bool:
    """Whether a replayed call is wrong by more than a last bit or three."""
    return replay.verdict is ReplayVerdict.WRONG and any(
        slot.verdict is ReplayVerdict.WRONG and (slot.special_differences > 0 or not slot.units <= LAST_BITS)
        for slot in replay.slots
    )


def _not_replayed(name: str, key: CellKey, reason: NotReplayed, detail: str) -> CallEmulation:
    return CallEmulation(name, key, EmulationVerdict.NOT_REPLAYED, reason=reason.value, detail=detail)


def _roll_up(slots: list[SlotEmulation]) -> EmulationVerdict:
    order = list(EmulationVerdict)
    return max((slot.verdict for slot in slots), key=order.index, default=EmulationVerdict.INSIDE_ENVELOPE)


def _beside(
    slots: tuple[SlotEmulation, ...], target: Runnable, golden: Runnable
) -> tuple[SlotEmulation, ...]:
    """Return *slots* with the distances of the golden's outputs, where both have as many of them."""
    if len(target.results) != len(golden.results):
        return slots
    try:
        measured = golden_distances(golden)
    except (NotReplayable, *ODD):
        return slots
    found = []
    for slot, mine, theirs, distances in zip(slots, target.results, golden.results, measured):
        between: dict[str, Distance] = {}
        floats = mine.dumped.dtype.kind is theirs.dumped.dtype.kind is Kind.FLOAT
        if mine.dumped.shape == theirs.dumped.shape and floats:
            between["golden"] = distance_between(
                mine.dumped.array.astype(np.float64), theirs.dumped.array.astype(np.float64), mine.format
            )
        found.append(replace(slot, target={**slot.target, **between}, golden=distances))
    return tuple(found)
