"""The words of the emulation in the language in force, and the marks of its verdicts. Imports no Qt."""

from __future__ import annotations

from math import isinf

from core.emulation.telling import sentence_of
from core.messages import render, text
from core.records.emulation import CallEmulation, EmulationVerdict, GoldenVerdict, SlotEmulation
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.facts import shape_label
from gui.names import shown

MARKS = {
    EmulationVerdict.INSIDE_ENVELOPE: Category.EQUAL,
    EmulationVerdict.INSIDE_BOUND: Category.CLOSE,
    EmulationVerdict.OUTSIDE: Category.INTRODUCED,
    EmulationVerdict.NOT_REPLAYED: Category.NOT_COMPARED,
}
"""The category whose mark a verdict is drawn with: shape and colour mean as much as on the other pages."""


def verdict_word(verdict: EmulationVerdict) -> str:
    """Return *verdict* in a word or two."""
    return text(f"emulation.verdict.{verdict.value}")


def verdict_help(verdict: EmulationVerdict) -> str:
    """Return what *verdict* means, in a sentence."""
    return text(f"emulation.verdict.{verdict.value}.help")


def golden_word(verdict: GoldenVerdict) -> str:
    """Return whether the golden is right, in a word."""
    return text(f"emulation.golden.{verdict.value}")


def reason_word(reason: str) -> str:
    """Return why a call was not replayed."""
    return text(f"emulation.reason.{reason}") if reason else ""


def reason_text(reason: str, detail: str) -> str:
    """Return why a call was not replayed, and what that is about."""
    return f"{reason_word(reason)}: {shown(detail)}" if reason and detail else reason_word(reason)


def setting_text(setting: str) -> str:
    """Return the name of a setting of the envelope; the core calls the profile's own ``usual``."""
    return text("gui.emulation.setting.usual") if setting == "usual" else shown(setting)


def parameter_name(name: str) -> str:
    """Return the name of a parameter of a profile; one that is not known stays as it is."""
    code = f"emulation.parameter.{name}"
    words = text(code)
    return name if words == code else words


def slot_title(slot: SlotEmulation) -> str:
    """Return ``output.0   float16   64 × 64``."""
    return f"{shown(slot.slot)}   {slot.dtype}   {shape_label(slot.shape)}"


def slot_sentence(slot: SlotEmulation) -> str:
    """Return how much of one output the arithmetic of the chip explains."""
    words = {
        "inside": numbers.grouped(slot.inside),
        "outside": numbers.grouped(slot.outside),
        "bound": numbers.grouped(slot.bound),
        "all": numbers.grouped(slot.elements),
    }
    if not slot.elements:
        return text("gui.emulation.slot.empty")
    if slot.outside:
        return text("gui.emulation.slot.outside", **words)
    if slot.bound:
        return text("gui.emulation.slot.bound", **words)
    return text("gui.emulation.slot.inside", **words)


def call_sentence(call: CallEmulation, title: str) -> str:
    """Return what the emulation under the profile called *title* says of *call*."""
    return shown(render(sentence_of(call, title)))


def share_text(share: float) -> str:
    """Return a share in per cent; NaN reads as nothing."""
    return "" if share != share else numbers.percent(share)


def ulp_text(distance: float) -> str:
    """Return a number of ULP: whole ones as they are, NaN as nothing.

    An endless distance is that of NaN or Inf on one side.
    """
    if distance != distance:
        return ""
    if isinf(distance):
        return text("gui.emulation.special")
    if 100 <= distance < 1e6:
        return numbers.grouped(round(distance))
    return numbers.compact(distance, 3)
