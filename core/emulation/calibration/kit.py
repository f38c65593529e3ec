"""The kit on disk: operands, their description, and the script that runs them where the chip is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from core.emulation.arithmetic.rounding import Array
from core.emulation.calibration.probes import TELLS, Group, Probe, probes
from core.errors import InputError, Problem

DESCRIPTION = "probes.json"
SCRIPT = "run_probes.py"
FORMAT = "ulpscope calibration probes"
VERSION = 1
_LARGEST = 1 << 24
"""Bytes of an array that is read: far more than any of a kit."""


def write_kit(folder: str) -> list[Probe]:
    """Write the kit to *folder*, which must be new or empty, and return its probes.

    Raises
    ------
    InputError
        ``calibration_folder_used``: there is something in it, or it is a file.
    OSError
        If it cannot be written.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(Problem("calibration_folder_used", folder))
    place.mkdir(parents=True, exist_ok=True)
    made = probes()
    for probe in made:
        for name, operand in zip(operand_files(probe.name, len(probe.operands)), probe.operands):
            np.save(place / name, operand)
    said = {
        "format": FORMAT,
        "version": VERSION,
        "digest": digest_of(made),
        "probes": [_described(probe) for probe in made],
    }
    script = (files("resources") / "probes" / SCRIPT).read_bytes()
    (place / SCRIPT).write_bytes(script)
    (place / DESCRIPTION).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return made


def operand_files(name: str, count: int) -> list[str]:
    """Return the names of the files of the operands of the probe *name*."""
    return [f"{name}.operand{place}.npy" for place in range(count)]


def result_file(name: str) -> str:
    """Return the name of the file that holds the result of the probe *name*."""
    return f"{name}.result.npy"


def digest_of(made: Iterable[Probe]) -> str:
    """Return a digest of all that the probes are."""
    digest = hashlib.sha256()
    for probe in made:
        digest.update(
            repr((probe.name, probe.group.value, probe.operation, probe.dtype, probe.shape)).encode()
        )
        for operand in probe.operands:
            digest.update(repr(operand.shape).encode() + operand.astype("<f4").tobytes())
    return digest.hexdigest()


def _described(probe: Probe) -> dict[str, Any]:
    return {
        "name": probe.name,
        "group": probe.group.value,
        "operation": probe.operation,
        "dtype": probe.dtype,
        "operands": operand_files(probe.name, len(probe.operands)),
        "result": result_file(probe.name),
        "shape": list(probe.shape),
        "tells": list(TELLS[probe.group]),
    }


def read_kit(folder: str) -> tuple[list[Probe], str]:
    """Return the probes in *folder*, and their digest.

    Raises
    ------
    InputError
        ``calibration_no_probes``, ``calibration_json``, ``calibration_version``,
        ``calibration_file_broken`` or ``calibration_operands_changed``.
    """
    place = Path(folder)
    said = read_json(place / DESCRIPTION, FORMAT, "calibration_no_probes")
    found = []
    try:
        for entry in said["probes"]:
            name = str(entry["name"])
            if not name.isidentifier():
                raise ValueError(name)
            operands = tuple(
                read_array(place / file) for file in operand_files(name, len(list(entry["operands"])))
            )
            shape = tuple(int(size) for size in entry["shape"])
            group, operation = Group(entry["group"]), str(entry["operation"])
            found.append(Probe(name, group, operation, str(entry["dtype"]), operands, shape))
        told = said["digest"]
    except (KeyError, TypeError, ValueError) as error:
        detail = f"{type(error).__name__} {error}"
        raise InputError(Problem("calibration_json", str(place / DESCRIPTION), {"detail": detail})) from None
    if digest_of(found) != told:
        raise InputError(Problem("calibration_operands_changed", folder))
    return found, str(told)


def read_json(path: Path, wanted: str, missing: str) -> Mapping[str, Any]:
    """Return the document at *path*, which must say that its format is *wanted*.

    Raises
    ------
    InputError
        The code *missing* if there is no such file, ``calibration_json`` or ``calibration_version``.
    """
    if not path.is_file():
        raise InputError(Problem(missing, str(path.parent)))
    try:
        said = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(Problem("calibration_json", str(path), {"detail": str(error)})) from None
    if not isinstance(said, dict) or said.get("format") != wanted:
        raise InputError(Problem("calibration_json", str(path), {"detail": f"format != {wanted!r}"}))
    if said.get("version") != VERSION:
        raise InputError(Problem("calibration_version", str(path), {"version": str(said.get("version"))}))
    return said


def read_array(path: Path) -> Array:
    """Return the float32 array in *path*.

    Raises
    ------
    InputError
        ``calibration_file_broken``: missing, cut, not ``.npy``, or not float32.
    """
    try:
        # Mapped first: a header that promises gigabytes is seen before they are asked for.
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(mapped, np.ndarray) or mapped.dtype != np.float32 or mapped.nbytes > _LARGEST:
            raise ValueError(f"{getattr(mapped, 'dtype', type(mapped).__name__)}")
        return np.array(mapped)
    except (OSError, ValueError, EOFError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem("calibration_file_broken", str(path), {"detail": detail})) from None
