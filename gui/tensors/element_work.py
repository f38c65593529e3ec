"""What the service or a worker does with elements for the clipboard and for files; imports no Qt."""

from __future__ import annotations

from core.metrics.inspection.elements import region_values, save_array
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.plane import Plane, Region
from core.progress import Work

COPIED = 250_000
"""Elements that a clipboard takes at most."""


def copied_values(sources: PairSources, plane: Plane, rectangle: Region, side: str, form: str) -> str:
    """Return the numbers of *side* in *rectangle* as ``tsv``, ``numpy`` or ``json``."""
    from core.report.copied_values import as_json, as_numpy, as_tsv

    window = region_values(sources, plane, rectangle, COPIED)
    return {"tsv": as_tsv, "numpy": as_numpy, "json": as_json}[form](window, side)


def saved_array(
    sources: PairSources, side: str, path: str, plane: Plane | None, rectangle: Region | None
) -> Work[str]:
    """Write *side* to *path*; without a plane all of the tensor. Returns the path."""
    yield from save_array(sources, side, path, plane, rectangle)
    return path
