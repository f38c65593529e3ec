"""How the paths of runs are named where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def _kept(target: str, golden: str) -> int:
    """Return how many components from the end tell the two apart; 1 if none do."""
    first, second = Path(target).parts, Path(golden).parts
    for keep in range(1, min(len(first), len(second)) + 1):
        if first[-keep] != second[-keep]:
            return keep
    return 1


def short_names(target: str, golden: str) -> tuple[str, str]:
    """Return what to call two runs: their last components, or from the first that differs on.

    ``/d/npu/step0`` and ``/d/gpu/step0`` are ``npu/step0`` and ``gpu/step0``.
    """
    keep = _kept(target, golden)
    return str(Path(*Path(target).parts[-keep:])), str(Path(*Path(golden).parts[-keep:])) if golden else ""


def told_apart(paths: Sequence[str]) -> list[str]:
    """Return what to call several runs: each from the first component on that tells it from all others."""
    kept = [max((_kept(path, other) for other in paths if other != path), default=1) for path in paths]
    return [str(Path(*Path(path).parts[-keep:])) for path, keep in zip(paths, kept)]


def pair_label(target: str, golden: str) -> str:
    """Return ``npu_dump ⇄ gpu_dump   /data/runs``: names first, then where they lie."""
    name, other = short_names(target, golden)
    where = Path(*Path(target).parts[: -_kept(target, golden)])
    return f"{name}  ⇄  {other}    {where}" if golden else f"{name}    {where}"
