"""What an emulation says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from core.dtypes import DTYPES, dtype_named
from core.emulation.terms.outcome import NotReplayed
from core.messages import Message, Parameter
from core.records.emulation import (
    CallEmulation,
    Emulation,
    EmulationVerdict,
    GoldenVerdict,
    SlotEmulation,
    WorstElement,
)


def sentence_of(call: CallEmulation, title: str) -> Message:
    """Return the sentence on one call; *title* is the chip's."""
    if call.verdict is EmulationVerdict.NOT_REPLAYED:
        said: dict[str, Parameter] = {"operator": call.operator, "detail": call.detail}
        if call.detail:
            return Message(f"emulation.call.not_replayed_detail.{call.reason}", said)
        return Message(f"emulation.call.not_replayed.{call.reason}", said)
    slot = call.worst_slot
    if slot is None:
        return Message("emulation.call.inside_envelope", {"operator": call.operator, "chip": title})
    return Message(f"emulation.call.{_code(slot)}", _facts(call, slot, title))


def _code(slot: SlotEmulation) -> str:
    if slot.verdict is EmulationVerdict.INSIDE_BOUND and slot.unrounded == slot.bound:
        return "unrounded"
    if slot.verdict is not EmulationVerdict.OUTSIDE:
        return slot.verdict.value
    if not slot.outside:
        return "outside_together"
    if slot.worst is None:
        return "outside"
    return "outside_one" if slot.worst.low == slot.worst.high else "outside_at"


def _digits(worst: WorstElement) -> int:
    """Return the digits that tell the target from what the chip gives, 6 at least."""
    others = (worst.low, worst.high)
    return next(
        (n for n in range(6, 17) if all(f"{worst.target:.{n}g}" != f"{other:.{n}g}" for other in others)), 17
    )


def _facts(call: CallEmulation, slot: SlotEmulation, title: str) -> dict[str, Parameter]:
    facts: dict[str, Parameter] = {
        "operator": call.operator,
        "slot": slot.slot.removeprefix(f"{call.operator}."),
        "chip": title,
        "elements": slot.elements,
        "outside": slot.outside,
        "inside": slot.inside,
        "excess": f"{min(slot.excess, _MOST_TOLD):.3g}",
        "share": f"{slot.share:.2%}" if slot.elements else "100%",
    }
    if slot.worst is not None:
        worst = slot.worst
        digits = _digits(worst)
        facts |= {
            "index": ", ".join(map(str, worst.index)),
            "target": f"{worst.target:.{digits}g}",
            "low": f"{worst.low:.{digits}g}",
            "high": f"{worst.high:.{digits}g}",
            "reference": f"{worst.reference:.{digits}g}",
        }
    return facts


_MOST_TOLD = 9999.0
"""Beyond, a factor says nothing more."""


def headline_of(emulation: Emulation) -> Message:
    """Return the sentence on all calls."""
    counts = emulation.counts
    replayed = len(emulation.calls) - counts["not_replayed"]
    outside = [call for call in emulation.calls if call.verdict is EmulationVerdict.OUTSIDE]
    facts: dict[str, Parameter] = {
        "chip": emulation.title,
        "replayed": replayed,
        "explained": replayed - len(outside),
        "outside": len(outside),
        "operator": outside[0].operator if outside else "",
        "cell": outside[0].cell.label() if outside else "",
    }
    if not emulation.calls:
        return Message("emulation.headline.no_calls", facts)
    if not replayed:
        lacking = next(iter(emulation.not_replayed), "") == NotReplayed.MISSING_TENSOR.value
        if next(iter(emulation.not_replayed), "") == NotReplayed.UNREADABLE.value:
            return Message("emulation.headline.unreadable", facts | {"path": emulation.calls[0].detail})
        return Message("emulation.headline.no_tensors" if lacking else "emulation.headline.nothing", facts)
    if not outside:
        return Message("emulation.headline.explained", facts)
    return Message("emulation.headline.one" if len(outside) == 1 else "emulation.headline.several", facts)


def remarks_of(emulation: Emulation) -> Iterator[Message]:
    """Yield what else is true: a profile that cannot be the target's chip, golden calls that are wrong."""
    values = {item.name: item.value for item in emulation.parameters}
    sampled = [call.operator for call in emulation.calls if any(slot.sampled for slot in call.slots)]
    if sampled:
        yield Message("emulation.remark.sampled", {"count": len(sampled), "operator": sampled[0]})
    foreign = emulation.not_replayed.get("unsupported_dtype", 0)
    if foreign:
        yield Message("emulation.remark.unsupported_dtype", {"count": foreign, "chip": emulation.title})
    special = [call.operator for call in emulation.calls if _special_where_saturated(call, values)]
    if special:
        facts: dict[str, Parameter] = {
            "count": len(special),
            "operator": special[0],
            "chip": emulation.title,
        }
        yield Message("emulation.remark.not_saturated", facts)
    wrong = [call.golden_operator or "" for call in emulation.calls if call.golden is GoldenVerdict.WRONG]
    if wrong:
        yield Message("emulation.remark.golden_wrong", {"count": len(wrong), "operator": wrong[0]})


def _special_where_saturated(call: CallEmulation, values: dict[str, str]) -> bool:
    """Whether a call gave Inf or NaN that a chip which saturates cannot give."""
    if values.get("overflow") != "saturate" or call.verdict is not EmulationVerdict.OUTSIDE:
        return False
    return any(slot.special > 0 and dtype_named(slot.dtype) in _SATURATING for slot in call.slots)


_SATURATING = (DTYPES["float16"], DTYPES["bfloat16"])
