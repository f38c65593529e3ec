"""Emulations made by hand, and work that answers with them in the window's processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from builders.results import gpt_result
from builders.window_work import endless

from core.emulation.chips.profile import shipped_profile
from core.emulation.engine import emulation_of
from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.emulation import (
    ULP_EDGES,
    CallEmulation,
    Distance,
    Emulation,
    EmulationVerdict,
    GoldenVerdict,
    SlotEmulation,
    WorstElement,
)
from core.records.run import CellKey
from gui.emulation.work import ReplayedCall
from gui.models.emulation.calls import Replayed, replayed_of

CELL = CellKey("", 0, 0)


def slot(verdict: EmulationVerdict, name: str = "output.0", farthest: float = 3.0) -> SlotEmulation:
    """Return one output of 100 elements; *farthest* is its largest distance from the profile in ULP."""
    outside = 40 if verdict is EmulationVerdict.OUTSIDE else 0
    bound = 10 if verdict is EmulationVerdict.INSIDE_BOUND else 0
    worst = WorstElement((3, 7), 1.5 if outside else 1.0, 1.0, 1.0009765625, 1.0, 1.0, 1.001953125, 0.005)
    counts = [0] * (len(ULP_EDGES) + 1)
    counts[0], counts[3], counts[10] = 50, 50 - outside, outside
    return SlotEmulation(
        slot=name,
        dtype="float16",
        shape=(10, 10),
        verdict=verdict,
        elements=100,
        inside=100 - outside - bound,
        bound=bound,
        excess=1.25,
        target={
            "reference": Distance(farthest + 0.5, 0.75, 2.5e-4, 0.25),
            "profile": Distance(farthest, 0.5, 1.5e-4, 0.5),
            "control": Distance(farthest + 1, 1.0, 3e-4, 0.125, 2),
            "golden": Distance(farthest + 2, 1.5, 4e-4, 0.0625),
        },
        golden={
            "reference": Distance(0.5, 0.25, 1e-4, 0.5),
            "control": Distance(1.0, 0.25, 1e-4, 0.75),
        },
        histogram=tuple(counts),
        cancellation=(2.0, 64.0),
        closest="splits=2",
        closest_equal=0.625,
        worst=worst,
        status=("output_overflow",) if outside else (),
    )


def call(name: str, verdict: EmulationVerdict, cell: CellKey = CELL, farthest: float = 3.0) -> CallEmulation:
    """Return a replayed call of one output."""
    slots = (slot(verdict, farthest=farthest),)
    return CallEmulation(name, cell, verdict, name, GoldenVerdict.RIGHT, slots=slots, assumed=("eps=1e-05",))


def left_out(name: str, reason: str, detail: str = "", cell: CellKey = CELL) -> CallEmulation:
    """Return a call that was not replayed."""
    verdict = EmulationVerdict.NOT_REPLAYED
    return CallEmulation(name, cell, verdict, reason=reason, detail=detail)


def emulation(calls: tuple[CallEmulation, ...]) -> Emulation:
    """Return *calls* under the profile of the 910B."""
    return emulation_of(shipped_profile("910B"), calls)


def mixed(cell: CellKey = CELL) -> tuple[CallEmulation, ...]:
    """Return calls of every verdict; their names are those of the made-up comparison."""
    verdicts = EmulationVerdict
    backward = call("Functional.linear.2.backward", verdicts.INSIDE_BOUND, cell, 4.0)
    two = (slot(verdicts.INSIDE_ENVELOPE, "output.0"), slot(verdicts.INSIDE_BOUND, "output.1"))
    return (
        call("Functional.layer_norm.0.forward", verdicts.INSIDE_ENVELOPE, cell, 1.0),
        call("Functional.linear.0.forward", verdicts.INSIDE_BOUND, cell, 12.0),
        call("Functional.gelu.1.forward", verdicts.OUTSIDE, cell, 4096.0),
        left_out("Functional.dropout.0.forward", "random", cell=cell),
        left_out("Module.model.GPT.forward.0", "composite_module", cell=cell),
        left_out("Module.model.ln_f.LayerNorm.forward.0", "composite_module", cell=cell),
        call("Functional.linear.10.forward", verdicts.INSIDE_BOUND, cell, 7.0),
        replace(backward, golden=GoldenVerdict.WRONG, slots=two),
    )


def replayed_mixed() -> Replayed:
    """Return what the window gets of :func:`mixed`."""
    return replayed_of(emulation(mixed()))


def calm() -> Replayed:
    """Return an emulation that explains all."""
    explained = [one for one in mixed() if one.verdict.explained and one.golden is not GoldenVerdict.WRONG]
    return replayed_of(emulation(tuple(explained)))


# ---- work


def answers(
    path: str, profile: str, changed: Mapping[str, object], cells: tuple[CellKey, ...] | None
) -> Work[Replayed]:
    """Answer as a replay would; the title tells what was asked for."""
    yield Progress(1, 2, Message("progress.emulation", {"cell": "step0"}))
    asked = f"{profile} {sorted(changed.items())} {'all' if cells is None else len(cells)}"
    return replace(replayed_mixed(), title=asked)


def never(path: str, profile: str, changed: object, cells: object) -> Work[Replayed]:
    yield from endless()
    return replayed_mixed()


def breaks(path: str, profile: str, changed: object, cells: object) -> Work[Replayed]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")


def refuses(path: str, profile: str, changed: object, cells: object) -> Work[Replayed]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise InputError(Problem("profile_unknown", "no such chip", {"known": "910B"}))


def one_call(path: str, profile: str, changed: object, cell: CellKey, operator: str) -> Work[ReplayedCall]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    return ReplayedCall(f"Chip {profile}", call(operator, EmulationVerdict.INSIDE_BOUND, cell))


def never_one(path: str, profile: str, changed: object, cell: CellKey, operator: str) -> Work[ReplayedCall]:
    yield from endless()
    raise AssertionError(operator)


def no_call(path: str, profile: str, changed: object, cell: CellKey, operator: str) -> Work[ReplayedCall]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")


def names_of_the_comparison() -> list[str]:
    """Return the names of the target's calls in the made-up comparison."""
    target = gpt_result().target
    return [target.operator_name(row) for row in range(len(target.operators))]
