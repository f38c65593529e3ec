"""What is told of one emulated call: distances as a small table, facts, and all of it to be copied."""

from __future__ import annotations

from collections.abc import Mapping

from core.messages import text
from core.records.emulation import CallEmulation, Distance, SlotEmulation, SlotStandard, WorstElement
from gui import numbers
from gui.models.emulation.words import golden_word, setting_text, share_text, ulp_text, verdict_word
from gui.models.pair.facts import shape_label
from gui.models.pair.suspects import cell_label
from gui.names import shown

_ORDER = ("reference", "profile", "control", "golden")
_MEASURES = ("max_ulp", "mean_ulp", "relative_l2", "equal", "special")
Row = tuple[str, ...]


def distance_rows(slot: SlotEmulation) -> list[Row]:
    """Return the distances of *slot* under their headings: of the target's output, then of the golden's."""
    rows: list[Row] = []
    for side in ("target", "golden"):
        distances: Mapping[str, Distance] = getattr(slot, side)
        there = [other for other in _ORDER if other in distances]
        if not there:
            continue
        heading = text(f"gui.emulation.from.{side}")
        measures = [text(f"gui.emulation.measure.{name}") for name in _MEASURES] if not rows else [""] * 5
        rows.append((heading, *measures))
        rows += [(text(f"gui.emulation.to.{other}"), *_cells(distances[other])) for other in there]
    return rows


def _cells(distance: Distance) -> Row:
    special = f"!{numbers.grouped(distance.special)}" if distance.special else "0"
    error = distance.relative_l2
    return (
        ulp_text(distance.max_ulp) or "—",
        ulp_text(distance.mean_ulp) or "—",
        "—" if error != error else numbers.scientific(error, 1),
        share_text(distance.equal) or "—",
        special,
    )


def fact_rows(call: CallEmulation, slot: SlotEmulation) -> list[Row]:
    """Return what else is known of *slot*."""
    rows: list[Row] = []
    if slot.closest:
        equal = share_text(slot.closest_equal)
        words = setting_text(slot.closest)
        rows.append((text("gui.emulation.closest"), f"{words}  ({equal})" if equal else words))
    median, largest = slot.cancellation
    if largest == largest:
        middle = text("gui.emulation.median", median=ulp_text(median), largest=ulp_text(largest))
        rows.append((text("gui.emulation.cancellation"), middle))
    if slot.excess == slot.excess and slot.excess > 1.0:
        rows.append((text("gui.emulation.excess"), text("gui.emulation.times", times=ulp_text(slot.excess))))
    if slot.unrounded:
        rows.append((text("gui.emulation.unrounded"), numbers.grouped(slot.unrounded)))
    rows += [(text("gui.emulation.status"), text(f"emulation.status.{name}")) for name in slot.status]
    if slot.standard is not None:
        rows.append((text("gui.emulation.standard"), _standard_words(slot.standard)))
    if call.assumed:
        rows.append((text("gui.emulation.assumed"), ", ".join(map(shown, call.assumed))))
    if call.golden_operator and call.golden_operator != call.operator:
        rows.append((text("gui.emulation.golden_call"), shown(call.golden_operator)))
    return rows


def _standard_words(said: SlotStandard) -> str:
    words = {
        "standard": text(f"emulation.standard.{said.standard}"),
        "variant": text(f"emulation.variant.{said.variant}"),
    }
    outcome = {True: "passed", False: "failed", None: "unsure"}[said.passed]
    return ("!" if said.passed is False else "") + text(f"gui.emulation.standard.{outcome}", **words)


def place_text(worst: WorstElement) -> str:
    """Return ``[0, 13, 36]``; nothing for a scalar."""
    return f"[{', '.join(map(str, worst.index))}]" if worst.index else ""


def worst_rows(worst: WorstElement) -> list[Row]:
    """Return the values at the worst element."""
    low, high = f"{worst.low:.9g}", f"{worst.high:.9g}"
    rows = [
        (text("gui.target"), f"{worst.target:.9g}"),
        (text("gui.emulation.to.reference"), f"{worst.reference:.9g}"),
        (text("gui.emulation.to.profile"), f"{worst.profile:.9g}"),
        (text("gui.emulation.to.control"), f"{worst.control:.9g}"),
        (text("gui.emulation.envelope"), low if low == high else f"{low} … {high}"),
    ]
    if worst.allowed == worst.allowed:
        rows.append((text("gui.emulation.allowed"), f"± {worst.allowed:.3g}"))
    return [(name, value.replace("-", numbers.MINUS)) for name, value in rows]


_PLAIN = ("elements", "inside", "bound", "outside")


def as_table(call: CallEmulation) -> str:
    """Return all distances of *call* as tab-separated text with headings; numbers in full precision."""
    said = ("operator", "cell", "verdict", "golden", "output", "dtype", "shape", *_PLAIN, "from", "to")
    heads = [text(f"gui.emulation.copied.{name}") for name in said]
    heads += [text(f"gui.emulation.measure.{name}") for name in _MEASURES]
    lines = ["\t".join(heads)]
    whose = (call.operator, cell_label(call.cell), verdict_word(call.verdict), golden_word(call.golden))
    for slot in call.slots:
        about = (slot.slot, slot.dtype, shape_label(slot.shape), *(str(getattr(slot, key)) for key in _PLAIN))
        for side in ("target", "golden"):
            distances: Mapping[str, Distance] = getattr(slot, side)
            for other in filter(distances.__contains__, _ORDER):
                measured = [_plain(getattr(distances[other], name)) for name in _MEASURES]
                words = (text(f"gui.{side}"), text(f"gui.emulation.to.{other}"))
                lines.append("\t".join(map(_on_one_line, (*whose, *about, *words, *measured))))
    if not call.slots:
        lines.append("\t".join(map(_on_one_line, whose)))
    return "\n".join(lines) + "\n"


def _plain(value: float) -> str:
    return "" if value != value else repr(value)


def _on_one_line(words: str) -> str:
    return " ".join(words.split())
