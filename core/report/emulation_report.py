"""An emulation as JSON and csv; docs/emulation.md describes the fields."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

from core.emulation.telling import headline_of, remarks_of, sentence_of
from core.errors import Problem
from core.messages import render
from core.records.emulation import ULP_EDGES, CallEmulation, Distance, Emulation, SlotEmulation, SlotStandard
from core.report.json_report import json_safe
from core.report.small_files import write_document, write_rows

COLUMNS = (
    "phase", "step", "rank", "operator", "golden_operator", "slot", "dtype", "verdict", "elements", "inside",
    "bound", "outside", "share", "target_reference_ulp", "target_profile_ulp", "target_control_ulp",
    "target_golden_ulp", "golden_reference_ulp", "golden_control_ulp", "excess",
    "cancellation_median", "cancellation_max", "closest", "closest_equal", "standard", "standard_passed",
    "golden", "reason", "detail", "sentence",
)  # fmt: skip
"""The columns of the csv: a row an output, in execution order; one for a call that was not replayed."""


def emulation_as_json(emulation: Emulation, problems: tuple[Problem, ...] = ()) -> dict[str, Any]:
    """Return what ``emulate --json`` prints."""
    return {
        "profile": {
            "name": emulation.profile,
            "title": emulation.title,
            "parameters": [
                {"name": item.name, "value": item.value, "basis": item.basis, "source": item.source}
                for item in emulation.parameters
            ],
        },
        "sentence": render(headline_of(emulation)),
        "counts": emulation.counts,
        "share_explained": json_safe(emulation.share_explained),
        "not_replayed": emulation.not_replayed,
        "rows": [_call(call, emulation.title) for call in emulation.calls],
        "remarks": [render(message) for message in remarks_of(emulation)],
        "problems": list(dict.fromkeys(problem.sentence() for problem in problems)),
    }


def _call(call: CallEmulation, title: str) -> dict[str, Any]:
    return {
        "operator": call.operator,
        "golden_operator": call.golden_operator,
        "phase": call.cell.phase,
        "step": call.cell.step,
        "rank": call.cell.rank,
        "verdict": call.verdict.value,
        "golden": call.golden.value,
        "reason": call.reason or None,
        "detail": call.detail or None,
        "assumed": list(call.assumed),
        "sentence": render(sentence_of(call, title)),
        "slots": [_slot(slot) for slot in call.slots],
    }


def _slot(slot: SlotEmulation) -> dict[str, Any]:
    worst = slot.worst
    return {
        "slot": slot.slot,
        "dtype": slot.dtype,
        "shape": list(slot.shape),
        "verdict": slot.verdict.value,
        "elements": slot.elements,
        "sampled": slot.sampled,
        "inside": slot.inside,
        "bound": slot.bound,
        "unrounded": slot.unrounded,
        "outside": slot.outside,
        "share": json_safe(slot.share),
        "target": _distances(slot.target),
        "golden": _distances(slot.golden),
        "ulp_histogram": [
            {"up_to": json_safe(edge), "count": count} for edge, count in zip(ULP_EDGES, slot.histogram)
        ]
        + ([{"up_to": "special", "count": slot.histogram[-1]}] if slot.histogram else []),
        "excess": json_safe(slot.excess),
        "special": slot.special,
        "cancellation": {"median": json_safe(slot.cancellation[0]), "max": json_safe(slot.cancellation[1])},
        "closest": slot.closest or None,
        "closest_equal": json_safe(slot.closest_equal),
        "status": list(slot.status),
        "standard": None if slot.standard is None else _standard(slot.standard),
        "worst": None
        if worst is None
        else {
            "index": list(worst.index),
            **{
                name: json_safe(getattr(worst, name))
                for name in ("target", "reference", "profile", "control", "low", "high", "allowed")
            },
        },
    }


def _standard(said: SlotStandard) -> dict[str, Any]:
    return {
        "standard": said.standard,
        "variant": said.variant,
        "passed": said.passed,
        "released_standard": said.released or None,
        "reasons": [render(reason) for reason in said.reasons],
    }


def _distances(distances: Mapping[str, Distance]) -> dict[str, Any]:
    return {
        name: {
            "max_ulp": json_safe(item.max_ulp),
            "mean_ulp": json_safe(item.mean_ulp),
            "relative_l2": json_safe(item.relative_l2),
            "equal": json_safe(item.equal),
            "special": item.special,
        }
        for name, item in distances.items()
    }


def emulation_rows(emulation: Emulation) -> list[list[str]]:
    """Return the texts of the csv in the order of :data:`COLUMNS`."""
    rows = []
    for call in emulation.calls:
        head = [call.cell.phase, str(call.cell.step), str(call.cell.rank), call.operator]
        head.append(call.golden_operator or "")
        tail = [call.golden.value, call.reason, call.detail, render(sentence_of(call, emulation.title))]
        rows += [[*head, *_cells(slot), *tail] for slot in call.slots]
        if not call.slots:
            blank = [""] * (len(COLUMNS) - len(head) - len(tail))
            blank[2] = call.verdict.value
            rows.append([*head, *blank, *tail])
    return rows


def _cells(slot: SlotEmulation) -> list[str]:
    counts = (slot.elements, slot.inside, slot.bound, slot.outside)
    distances = [
        *(_ulp(slot.target, name) for name in ("reference", "profile", "control", "golden")),
        *(_ulp(slot.golden, name) for name in ("reference", "control")),
    ]
    numbers = (slot.excess, *slot.cancellation)
    said = slot.standard
    return [
        slot.slot, slot.dtype, slot.verdict.value, *map(str, counts), _number(slot.share),
        *map(_number, (*distances, *numbers)), slot.closest, _number(slot.closest_equal),
        said.standard if said else "", _PASSED[said.passed] if said else "",
    ]  # fmt: skip


_PASSED = {True: "true", False: "false", None: "not judged"}


def _ulp(distances: Mapping[str, Distance], name: str) -> float:
    return distances[name].max_ulp if name in distances else nan


def _number(value: float) -> str:
    return "" if value != value else repr(value)


def write_emulation_report(path: str | Path, emulation: Emulation, problems: tuple[Problem, ...] = ()) -> str:
    """Write to *path*: JSON if its name ends so, else csv with a row an output. Return the path.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    if Path(path).suffix.lower() == ".json":
        return write_document(path, emulation_as_json(emulation, problems))
    return write_rows(path, COLUMNS, emulation_rows(emulation))
