"""What names of files and folders say of the parts of a checkpoint: ranks, and files numbered of how many."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_RANK = re.compile(
    r"(?:(?<=[_.\-])|^)(?:(?:mp|tp|pp|cp|dp|ep)_)?rank[_\-]?\d{1,6}(?:_\d{2,6}){0,2}(?=[_.\-]|$)"
)
_LAYER = re.compile(r"layer_\d+-model_\d+(?=-model_states)")
_CONSOLIDATED = re.compile(r"(?<=^consolidated\.)\d{2,3}(?=\.pth?$)")
"""The parts of tensors that Meta's checkpoints have one file each of."""
_NUMBERED = re.compile(r"-(\d{1,6})-of-(\d{1,6})(?=\.)")
_ADAPTER_RANK = re.compile(r"lora", re.I)
"""The rank of such a file is that of its matrices."""
_MOST_PARTS = 20_000


def rank_in(name: str) -> str:
    """Return the rank that a file or folder is named after, as its name has it; empty without one."""
    if (layer := _LAYER.match(name)) is not None:
        return layer[0]
    if (number := _CONSOLIDATED.search(name)) is not None:
        return f"rank_{number[0]}"
    return "" if _ADAPTER_RANK.search(name) else "_".join(_RANK.findall(name))


def is_rank(folder: str) -> bool:
    """Return whether a folder is named after a rank and nothing else: ``mp_rank_00``, ``rank_3``."""
    return bool(folder) and rank_in(folder) == folder


def rank_of(path: Path) -> str:
    """Return the rank of the weights in the file *path*, where other ranks lie beside it; else empty."""
    folder = path.parent.name
    rank = folder if is_rank(folder) else rank_in(path.name)
    return rank if rank and any(place != path for place in _beside(path)) else ""


def missing_parts(files: Iterable[str]) -> list[str]:
    """Return the files of the same checkpoints that *files* lack.

    Of ``..-00001-of-00003..`` the other two, whether they are there or not; of ranks those that lie beside.
    """
    given = {Path(file).absolute() for file in files}
    told: dict[str, None] = {}
    looked: set[tuple[Path, str]] = set()
    for file in sorted(given):
        group = _group(file)
        if group and group not in looked:
            looked.add(group)
            told |= dict.fromkeys(str(place) for place in _beside(file) if place not in given)
    return list(told)


def _group(path: Path) -> tuple[Path, str] | None:
    """Return what all parts of one checkpoint have in common; ``None`` for what is no part."""
    if _NUMBERED.search(path.name):
        return path.parent, _NUMBERED.sub(lambda found: f"-*-of-{found[2]}", path.name)
    if is_rank(path.parent.name):
        return path.parent.parent, _unranked(path.name)
    return (path.parent, _unranked(path.name)) if rank_in(path.name) else None


def _unranked(name: str) -> str:
    if not rank_in(name):
        return name
    pattern = next(pattern for pattern in (_LAYER, _CONSOLIDATED, _RANK) if pattern.search(name))
    return pattern.sub("*", name)


def _beside(path: Path) -> Iterator[Path]:
    """Yield the files of the checkpoint that *path* is a part of."""
    name = path.name
    numbered = _NUMBERED.search(name)
    if numbered is not None:
        for number in range(1, min(int(numbered[2]), _MOST_PARTS) + 1):
            part = f"-{number:0{len(numbered[1])}d}-of-{numbered[2]}"
            yield path.with_name(f"{name[: numbered.start()]}{part}{name[numbered.end() :]}")
        return
    folders, like = [path.parent], _unranked(name)
    if is_rank(path.parent.name):
        above = path.parent.parent
        folders = [above / other for other in _listed(above) if is_rank(other)]
    for folder in folders:
        if like == name:
            yield from (place for place in (folder / name,) if place.is_file())
        else:
            yield from (folder / other for other in _listed(folder) if _unranked(other) == like)


def _listed(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry, _ in zip(entries, range(_MOST_PARTS)))
    except OSError:
        return []
