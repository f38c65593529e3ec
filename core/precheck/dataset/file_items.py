"""What comparing lists and shards found, as rows that people read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from core.messages import Message
from core.precheck.dataset.comparison import ListComparison
from core.precheck.dataset.shards import OtherFiles, ShardFaults
from core.records.evidence import FileList, Place
from core.records.precheck import Item, Standing

_HERE = "✓"
"""Stands where a side has the file, and nothing more is told of it."""
_MOST = 1000
"""Rows of one kind that are made: nobody reads more, and the row's sentence counts them all."""
_NAMES = 20
"""Files of a node that a row names."""


def missing_items(found: ListComparison, target: FileList, golden: FileList) -> tuple[Item, ...]:
    """Return a row for each file that one list lacks, has in another size, or names more often."""
    mine, theirs = target.place, golden.place
    repeated = Message("precheck.dataset.files.repeated")
    return (
        *_one_sided(found, target, golden),
        *(
            Item(row.target_name, row.target, row.golden, Standing.DIFFERS, mine, theirs)
            for row in found.resized[:_MOST]
        ),
        *(
            Item(name, _HERE, _HERE, Standing.DIFFERS, mine, theirs, repeated)
            for name in found.read_otherwise[:_MOST]
        ),
        *_equal(found, {row.target_name for row in found.resized} | set(found.read_otherwise), mine, theirs),
    )


def changed_items(found: ListComparison, target: FileList, golden: FileList) -> tuple[Item, ...]:
    """Return a row for each file whose checksums differ, or which one list lacks."""
    mine, theirs = target.place, golden.place
    unknown = Message("precheck.dataset.checksums.unknown")
    return (
        *(
            Item(row.target_name, row.target, row.golden, Standing.DIFFERS, mine, theirs)
            for row in found.changed[:_MOST]
        ),
        *_one_sided(found, target, golden),
        *(
            Item(name, _HERE, _HERE, Standing.UNKNOWN, mine, theirs, unknown)
            for name in found.unchecked[:_MOST]
        ),
        *_equal(found, {row.target_name for row in found.changed} | set(found.unchecked), mine, theirs),
    )


def _equal(found: ListComparison, other: set[str], target: Place, golden: Place) -> Iterator[Item]:
    """Yield the first files that are in both lists and not among the *other* ones."""
    same = (name for name in found.common if name not in other)
    for name in islice(same, _MOST):
        yield Item(name, _HERE, _HERE, Standing.EQUAL, target, golden)


def _one_sided(found: ListComparison, target: FileList, golden: FileList) -> tuple[Item, ...]:
    return (
        *(Item(name, "", _HERE, Standing.GOLDEN_ONLY, None, golden.place) for name in found.missing[:_MOST]),
        *(Item(name, _HERE, "", Standing.TARGET_ONLY, target.place) for name in found.extra[:_MOST]),
    )


def order_items(found: ListComparison, target: FileList, golden: FileList) -> tuple[Item, ...]:
    """Return a row for the first places at which another file stands."""
    return tuple(
        Item(
            f"#{parting.position}",
            parting.target,
            parting.golden,
            Standing.DIFFERS,
            target.place,
            golden.place,
        )
        for parting in found.partings
    )


def shard_items(found: ShardFaults, target: Place, golden: Place) -> tuple[Item, ...]:
    """Return a row for each file that is read twice or never, and for each node that reads other files."""
    twice, never = Message("precheck.dataset.shards.twice"), Message("precheck.dataset.shards.never")
    node = Message("precheck.dataset.shards.node")
    rows = [(row.name, ", ".join(row.nodes), "", twice) for row in found.target_duplicated[:_MOST]]
    rows += [(row.name, "", ", ".join(row.nodes), twice) for row in found.golden_duplicated[:_MOST]]
    rows += [(name, "—", "", never) for name in found.target_never_read[:_MOST]]
    rows += [(name, "", "—", never) for name in found.golden_never_read[:_MOST]]
    rows += [(_node(row), _first(row.extra), _first(row.missing), node) for row in found.otherwise]
    return tuple(
        Item(name, mine, theirs, Standing.DIFFERS, target, golden, remark)
        for name, mine, theirs, remark in rows
    )


def _node(row: OtherFiles) -> str:
    return " ↔ ".join(dict.fromkeys(filter(None, (row.target_node, row.golden_node))))


def _first(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_NAMES])
