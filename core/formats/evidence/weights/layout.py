"""Which files a checkpoint is made of: Hugging Face, Megatron-LM, DeepSpeed, MindSpore, or one file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import Problem
from core.formats.evidence.weights.parts import is_rank, rank_in
from core.formats.folder_entries import is_file, is_folder
from core.formats.json_text import loads
from core.formats.natural import natural_key

ENDINGS = (".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".npz")
"""Endings of files of weights; only within folders do they tell anything, a file's content does else."""
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_WHOLE = re.compile(
    r"(?:adapter_model|model|pytorch_model|diffusion_pytorch_model|consolidated)[\w.\-]*\.(?:safetensors|bin|pth?)"
)
_BASE = re.compile(r"(?:adapter_model|model|pytorch_model|diffusion_pytorch_model|consolidated)(?=[._\-])")
_VARIANT = re.compile(r"\.(?:fp16|fp32|bf16|int8|ema|non_ema)(?=[.\-])")
"""What Hugging Face puts into the names of the same weights in another format."""
_RANK_FILES = ("model_optim_rng.pt", "model_rng.pt", "model.pt")
_DEEPSPEED = re.compile(
    r"(?P<zero>zero_pp_rank_\d+_)?(?:(?:layer_\d+_)?expert_\d+_)?(?P<rank>mp_rank_\d+)_model_states\.pt"
)
"""Experts lie in files of their own, under names that no other expert has."""
_LAYER = re.compile(r"layer_\d+-model_\d+-model_states\.pt")
_STEP = re.compile(r"(?:iter_|global_step|checkpoint-|step[_\-]?|epoch=\d+-step=)(\d{1,12})")
_TRACKERS = ("latest_checkpointed_iteration.txt", "latest")
_NO_WEIGHTS = re.compile(r"optim|rng|extra_state|scheduler", re.I)
_MOST_ENTRIES = 20_000
_MOST_INDEX = 64 << 20


@dataclass(frozen=True)
class Checkpoint:
    """The files of one checkpoint."""

    files: tuple[tuple[str, str], ...]
    """Path, and what goes before its keys: ``mp_rank_01/`` where each rank has a part of its own."""
    step: int
    problems: tuple[Problem, ...] = ()


def find_checkpoint(path: str) -> Checkpoint | None:
    """Return the checkpoint in the folder *path*; ``None`` where none lies directly in it.

    Of a folder of several, the one that its tracker file names, else the one of the last step.
    """
    folder = Path(path)
    try:
        with os.scandir(folder) as entries:
            listed = [entry for entry, _ in zip(entries, range(_MOST_ENTRIES))]
    except OSError:
        return None
    files = sorted((entry.name for entry in listed if is_file(entry)), key=natural_key)
    folders = sorted((entry.name for entry in listed if is_folder(entry)), key=natural_key)
    found = _of_ranks(folder, files, folders) or _of_files(folder, files)
    if found is not None:
        return found
    inner = [name for name in folders if _STEP.fullmatch(name) or name == "release"]
    tracked = _tracked(folder)
    wanted = [name for name in inner if tracked and _names(name, tracked)] or inner[-1:]
    return find_checkpoint(str(folder / wanted[0])) if wanted else None


def _names(folder: str, tracked: str) -> bool:
    if folder == tracked:
        return True
    found = _STEP.fullmatch(folder)
    return found is not None and tracked.isdigit() and int(found[1]) == int(tracked)


def _tracked(folder: Path) -> str:
    """Return what the file says that names the latest checkpoint; empty without one."""
    for name in _TRACKERS:
        try:
            with (folder / name).open("rb") as stream:
                return stream.read(200).decode("utf-8", "replace").strip()
        except OSError:
            continue
    return ""


def _of_ranks(folder: Path, files: list[str], folders: list[str]) -> Checkpoint | None:
    parts: list[tuple[str, str]] = []
    problems: list[Problem] = []
    empty: list[str] = []
    for rank in filter(is_rank, folders):
        held = _of_rank(folder / rank)
        parts += [(path, rank) for path, _ in held.files]
        problems += held.problems
        # Ranks of the data save nothing where rank 0 has all; those of the model each hold a part.
        if rank.startswith("mp_rank_") and not (held.files or held.problems):
            empty.append(rank)
    saved = [(name, found) for name in files if (found := _DEEPSPEED.fullmatch(name)) is not None]
    parts += [(str(folder / name), (found["zero"] or "") + found["rank"]) for name, found in saved]
    layers = [name for name in files if _LAYER.fullmatch(name)]
    parts = [(str(folder / name), name.partition("-model_states")[0]) for name in layers] or parts
    if parts:
        problems += [Problem("weights_none", str(folder / rank)) for rank in empty]
        return Checkpoint(_headed(parts), step_in(folder), tuple(problems))
    if ".metadata" in files and any(name.endswith(".distcp") for name in files):
        return Checkpoint((), step_in(folder), (Problem("weights_distributed", str(folder)),))
    return None


def _of_rank(folder: Path) -> Checkpoint:
    """Return the files of weights in the folder of one rank."""
    for name in _RANK_FILES:
        if (folder / name).is_file():
            return Checkpoint(((str(folder / name), ""),), -1)
    try:
        with os.scandir(folder) as entries:
            files = [entry.name for entry, _ in zip(entries, range(_MOST_ENTRIES)) if is_file(entry)]
    except OSError:
        return Checkpoint((), -1)
    return _of_files(folder, sorted(files, key=natural_key)) or Checkpoint((), -1)


def _headed(parts: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return files and what goes before their keys, of files and their ranks: nothing where one has all."""
    alone = len({rank for _, rank in parts}) == 1
    return tuple((path, f"{rank}/" if rank and not alone else "") for path, rank in parts)


def _of_files(folder: Path, files: list[str]) -> Checkpoint | None:
    for name in _INDEXES:
        if name in files:
            adapters = [other for other in files if other.startswith("adapter_model.")]
            return _of_index(folder, name, adapters)
    whole = [name for name in files if _WHOLE.fullmatch(name)]
    # Of the same weights in two formats one is enough.
    whole = [name for name in whole if _VARIANT.sub("", name) == name or _VARIANT.sub("", name) not in whole]
    safe = {_base(name) for name in whole if name.endswith(".safetensors")}
    chosen = [name for name in whole if name.endswith(".safetensors") or _base(name) not in safe]
    chosen = chosen or [name for name in files if name.endswith(".ckpt") or _is_part(name)]
    if not chosen:
        return None
    return Checkpoint(_headed([(str(folder / name), rank_in(name)) for name in chosen]), step_in(folder))


def _base(name: str) -> str:
    """Return what weights a file is named after, whatever its format."""
    found = _BASE.match(name)
    return found[0].removeprefix("pytorch_") if found else name


def _is_part(name: str) -> bool:
    """Return whether a file that no framework's own name tells holds the weights of a rank."""
    return name.endswith(ENDINGS) and bool(rank_in(name)) and _NO_WEIGHTS.search(name) is None


def _of_index(folder: Path, name: str, beside: list[str]) -> Checkpoint:
    """Return the files that the index *name* tells of, and those *beside* it."""
    index = folder / name
    try:
        with index.open("rb") as stream:
            told: Any = loads(stream.read(_MOST_INDEX))
        names = sorted({str(part) for part in told["weight_map"].values()}, key=natural_key)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Checkpoint((), step_in(folder), (Problem("weights_index_broken", str(index)),))
    # An index names files beside it; a path out of the folder is nobody's honest checkpoint.
    inside = [part for part in names if part == Path(part).name and part not in ("", ".", "..")]
    problems = [Problem("weights_index_broken", str(index)) for _ in range(1) if len(inside) < len(names)]
    missing = [part for part in inside if not (folder / part).is_file()]
    problems += [Problem("file_missing", str(folder / part)) for part in missing]
    there = [part for part in inside if part not in missing]
    files = tuple((str(folder / part), "") for part in dict.fromkeys((*there, *beside)))
    return Checkpoint(files, step_in(folder), tuple(problems))


def step_in(place: Path) -> int:
    """Return the step that the checkpoint at *place* is of: its name, or its trainer's state; -1 without."""
    parents = place.parent, place.parent.parent
    for name in (place.name, *(folder.name for folder in parents[: 1 + is_rank(parents[0].name)])):
        found = _STEP.search(name)
        if found is not None:
            return int(found[1])
    return _trainer_step(place if place.is_dir() else place.parent)


def _trainer_step(folder: Path) -> int:
    try:
        with (folder / "trainer_state.json").open("rb") as stream:
            step = loads(stream.read(_MOST_INDEX))["global_step"]
    except (OSError, ValueError, KeyError, TypeError):
        return -1
    return step if isinstance(step, int) else -1
