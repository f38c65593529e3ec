"""Files spread over nodes: what several read, what none reads, and whether both sides spread alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.precheck.dataset.name_folding import PairedNames, pair_names, plain
from core.records.evidence import Shard


class Duplicated(NamedTuple):
    """A file that is read more than once."""

    name: str
    nodes: tuple[str, ...]
    """That read it; one that reads it twice stands twice."""


class OtherFiles(NamedTuple):
    """A node that reads other files than its counterpart."""

    target_node: str
    """Empty where the side has fewer nodes."""
    golden_node: str
    extra: tuple[str, ...]
    """Read by the target's node alone."""
    missing: tuple[str, ...]
    """Read by the golden's node alone."""


@dataclass(frozen=True)
class ShardFaults:
    """What is wrong with how the target spreads its files, and with how the golden does."""

    target_duplicated: tuple[Duplicated, ...]
    golden_duplicated: tuple[Duplicated, ...]
    target_never_read: tuple[str, ...]
    """Files of the golden's nodes, or of the whole list, that no node of the target reads."""
    golden_never_read: tuple[str, ...]
    """Files of the target's nodes, or of the whole list, that no node of the golden reads."""
    otherwise: tuple[OtherFiles, ...]
    """Nodes, in their order, that do not read what their counterparts read; as sets, for the order within
    a node is another matter.
    """
    whole_known: bool
    """Whether a list of all files was there to look for those that neither side reads."""

    @property
    def clean(self) -> bool:
        """Whether each side reads every file exactly once, and both spread alike."""
        return not (
            self.target_duplicated
            or self.golden_duplicated
            or self.target_never_read
            or self.golden_never_read
            or self.otherwise
        )


def duplicated(shards: Iterable[Shard]) -> tuple[Duplicated, ...]:
    """Return the files that more than one node reads, or one node more than once."""
    readers: dict[str, list[str]] = defaultdict(list)
    for shard in shards:
        for name in shard.files:
            readers[plain(name)].append(shard.node)
    return tuple(Duplicated(name, tuple(nodes)) for name, nodes in readers.items() if len(nodes) > 1)


def never_read(shards: Iterable[Shard], whole: Iterable[str]) -> tuple[str, ...]:
    """Return the files of *whole* that no node reads, by the names of *whole*."""
    names = list(dict.fromkeys(map(plain, whole)))
    read = _names(shards)
    found = set(pair_names(names, read).golden_of)
    return tuple(name for name in names if name not in found)


def shard_faults(target: Sequence[Shard], golden: Sequence[Shard], whole: Sequence[str] = ()) -> ShardFaults:
    """Return what is wrong with how *target* and *golden* are spread over their nodes.

    *whole* are the names of all files of the data set, where they are known.
    """
    mine, theirs = _names(target), _names(golden)
    return ShardFaults(
        duplicated(target),
        duplicated(golden),
        never_read(target, _all_names(whole, theirs)),
        never_read(golden, _all_names(whole, mine)),
        tuple(_otherwise(target, golden, pair_names(mine, theirs))),
        bool(whole),
    )


def _all_names(whole: Sequence[str], read: Sequence[str]) -> list[str]:
    """Return *whole* and, of the names *read*, those that it lacks."""
    listed = pair_names(read, list(map(plain, whole))).golden_of
    return [*whole, *(name for name in read if name not in listed)]


def _names(shards: Iterable[Shard]) -> list[str]:
    return list(dict.fromkeys(plain(name) for shard in shards for name in shard.files))


def _otherwise(
    target: Sequence[Shard], golden: Sequence[Shard], pairing: PairedNames
) -> Iterable[OtherFiles]:
    nothing = Shard("", ())
    for index in range(max(len(target), len(golden))):
        mine = target[index] if index < len(target) else nothing
        theirs = golden[index] if index < len(golden) else nothing
        names = _names((mine,))
        others = dict.fromkeys(_names((theirs,)))
        extra = [name for name in names if pairing.golden_of.get(name) not in others]
        read = {pairing.golden_of.get(name) for name in names}
        missing = [name for name in others if name not in read]
        if extra or missing or not (mine.node and theirs.node):
            yield OtherFiles(mine.node, theirs.node, tuple(extra), tuple(missing))
