"""Which tensor of one checkpoint is which of the other, where trainers put something before the names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WRAPPERS = ("module.", "model.", "_orig_mod.", "network.", "base_model.")
"""What DistributedDataParallel, a trainer's model, ``torch.compile`` and others put before every name."""
_INSIDE = "._orig_mod."
_RANK = re.compile(r"^(?:[\w\-]*rank[\w\-]*|layer_\d+-model_\d+)/")
"""The part of a rank, as the readers of checkpoints write it before its tensors."""


@dataclass(frozen=True)
class KeyPairs:
    """Positions in both lists of names."""

    pairs: tuple[tuple[int, int], ...]
    parted: tuple[tuple[int, int], ...]
    """Parts of ranks on one side, the whole, or other parts, on the other."""
    target_only: tuple[int, ...]
    golden_only: tuple[int, ...]
    wrappers: tuple[str, ...]
    """What was taken off to find some of the pairs."""


def pair_keys(target: Sequence[str], golden: Sequence[str]) -> KeyPairs:
    """Pair the names of both sides: as they are, else without what wraps the model.

    A name that would mean two tensors of its side without its wrapper keeps it.
    """
    there = {name: place for place, name in enumerate(golden)}
    pairs = [(place, there[name]) for place, name in enumerate(target) if name in there]
    left = [place for place, name in enumerate(target) if name not in there]
    paired = {theirs for _, theirs in pairs}
    right = [place for place in range(len(golden)) if place not in paired]
    bare, bare_golden = _bare(target, left), _bare(golden, right)
    folded = [(bare[name], bare_golden[name]) for name in bare if name in bare_golden]
    wrappers = dict.fromkeys(
        wrapper
        for ours, theirs in folded
        for name in (target[ours], golden[theirs])
        for wrapper in _wrappers_of(name)
    )
    used = {ours for ours, _ in folded}, {theirs for _, theirs in folded}
    left = [place for place in left if place not in used[0]]
    right = [place for place in right if place not in used[1]]
    parted = _parted(target, golden, left, right)
    used = {ours for ours, _ in parted}, {theirs for _, theirs in parted}
    return KeyPairs(
        tuple(sorted(pairs + folded)),
        tuple(parted),
        tuple(place for place in left if place not in used[0]),
        tuple(place for place in right if place not in used[1]),
        tuple(wrappers),
    )


def without_wrappers(name: str) -> str:
    """Return *name* without what wraps the model; the rank before it stays."""
    rank, slash, own = name.rpartition("/")
    while (wrapper := next((word for word in _WRAPPERS if own.startswith(word)), None)) is not None:
        own = own.removeprefix(wrapper)
    return f"{rank}{slash}{own.replace(_INSIDE, '.')}"


def is_of_rank(name: str) -> bool:
    """Return whether the tensor *name* is the part of a rank."""
    return _RANK.match(name) is not None


def _wrappers_of(name: str) -> list[str]:
    own = name.rpartition("/")[2]
    found = []
    while (wrapper := next((word for word in _WRAPPERS if own.startswith(word)), None)) is not None:
        found.append(wrapper)
        own = own.removeprefix(wrapper)
    return found + (["_orig_mod."] if _INSIDE in own else [])


def _bare(names: Sequence[str], places: Sequence[int]) -> dict[str, int]:
    """Return place by bare name, of the names that stay different from all others."""
    bare = {place: without_wrappers(names[place]) for place in places}
    counts = Counter(bare.values())
    return {name: place for place, name in bare.items() if counts[name] == 1}


def _parted(
    target: Sequence[str], golden: Sequence[str], left: Sequence[int], right: Sequence[int]
) -> list[tuple[int, int]]:
    """Pair what is of the same name but for the rank whose part it is.

    Where the two sides have other ranks, what is left of one may be a part of what is paired already.
    """
    other_ranks = _ranks(target) != _ranks(golden)
    theirs = _by_unranked(golden, range(len(golden)) if other_ranks else right, right)
    ours = _by_unranked(target, range(len(target)) if other_ranks else left, left)
    found = [(place, theirs[name]) for place in left if (name := _unranked(target[place])) in theirs]
    taken = {place for _, place in found}
    return found + [
        (ours[name], place)
        for place in right
        if place not in taken and (name := _unranked(golden[place])) in ours
    ]


def _ranks(names: Sequence[str]) -> set[str]:
    return {found[0] for name in names if (found := _RANK.match(name)) is not None}


def _by_unranked(names: Sequence[str], places: Iterable[int], first: Iterable[int]) -> dict[str, int]:
    """Return place by name without its rank, those of *first* before others."""
    found: dict[str, int] = {}
    for place in (*first, *places):
        found.setdefault(_unranked(names[place]), place)
    return found


def _unranked(name: str) -> str:
    return without_wrappers(_RANK.sub("", name))
