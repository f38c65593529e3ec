"""What came back from a device: results of the probes, and what ran them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.emulation.arithmetic.rounding import Array
from core.emulation.calibration.kit import read_array, read_json, result_file
from core.emulation.calibration.probes import Probe
from core.errors import InputError, Problem

RESULTS = "device.json"
_FORMAT = "ulpscope calibration results"
_LONGEST = 80


@dataclass(frozen=True)
class Measured:
    """The results of a device.

    Attributes
    ----------
    device, kind, torch, torch_npu : str
        Its name; ``npu``, ``cuda`` or ``cpu``; versions, empty if not there.
    switches : Mapping
        What changes the arithmetic, as the script found it.
    results : Mapping
        float32 arrays by the name of the probe.
    failures : Mapping
        Why other probes did not run, by name.
    """

    device: str
    kind: str
    torch: str
    torch_npu: str
    switches: Mapping[str, str]
    results: Mapping[str, Array]
    failures: Mapping[str, str]


def read_results(folder: str, probes: Sequence[Probe], digest: str) -> Measured:
    """Return what came back for *probes*.

    Raises
    ------
    InputError
        ``calibration_no_results``, ``calibration_json``, ``calibration_version``,
        ``calibration_other_probes``, ``calibration_file_broken``, ``calibration_wrong_shape`` or
        ``calibration_nothing_ran``.
    """
    place = Path(folder)
    path = place / RESULTS
    said = read_json(path, _FORMAT, "calibration_no_results")
    if said.get("digest") != digest:
        raise InputError(Problem("calibration_other_probes", folder))
    entries = said.get("results")
    switches = said.get("switches", {})
    if not isinstance(entries, dict) or not isinstance(switches, dict):
        raise InputError(Problem("calibration_json", str(path), {"detail": "results, switches"}))
    results: dict[str, Array] = {}
    failures: dict[str, str] = {}
    for probe in probes:
        entry = entries.get(probe.name)
        if not isinstance(entry, dict) or "error" in entry:
            failures[probe.name] = str(entry["error"]) if isinstance(entry, dict) else ""
            continue
        file = place / result_file(probe.name)
        found = read_array(file)
        if found.shape != probe.shape:
            shapes = {"shape": str(found.shape), "wanted": str(probe.shape)}
            raise InputError(Problem("calibration_wrong_shape", str(file), shapes))
        results[probe.name] = found
    if not results:
        raise InputError(Problem("calibration_nothing_ran", folder, {"detail": _first(failures)}))
    return Measured(
        device=_line(said.get("device")),
        kind=_line(said.get("kind")),
        torch=_line(said.get("torch")),
        torch_npu=_line(said.get("torch_npu")),
        switches={_line(name): _line(value) for name, value in switches.items()},
        results=results,
        failures=failures,
    )


def _first(failures: Mapping[str, str]) -> str:
    return next(iter(filter(None, failures.values())), "")


def _line(value: Any) -> str:
    """Return what a file of others says as one short line of printable letters."""
    words = "" if value is None else str(value)
    return "".join(letter if letter.isprintable() else "?" for letter in words)[:_LONGEST]
