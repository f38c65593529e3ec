"""What is wrong between two data sets, a row each. Made in the worker; knows no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.errors import Problem
    from core.precheck.dataset.comparison import ListComparison
    from core.precheck.dataset.shards import ShardFaults

MOST_ROWS = 50_000
"""Rows of one kind that are listed; all are counted."""


class Fault(StrEnum):
    """What a row tells, what matters most first."""

    MISSING = "missing"
    """Only the golden has the file."""
    EXTRA = "extra"
    CHANGED = "changed"
    RESIZED = "resized"
    REPEATED = "repeated"
    """The lists name the file not equally often."""
    ORDER = "order"
    """Another file stands at this place of the order."""
    DUPLICATED = "duplicated"
    """Several nodes of a side read the file, or one node several times."""
    NEVER_READ = "never_read"
    OTHER_FILES = "other_files"
    """A node reads other files than its counterpart."""
    UNCHECKED = "unchecked"
    """A list lacks the checksum of the file."""


class DatasetRow(NamedTuple):
    """One of them."""

    fault: Fault
    name: str
    """Of a file; of a place in the order, or of a node."""
    target: str
    golden: str


class SideFacts(NamedTuple):
    """What one side brought."""

    paths: tuple[str, ...]
    files: int
    bytes: int
    """-1 where sizes are not told."""
    algorithm: str
    nodes: int
    order: str
    """A word of :class:`core.precheck.dataset.reading_order.Order`; empty where no list has an order."""


class DatasetAnswer(NamedTuple):
    """All of it."""

    target: SideFacts
    golden: SideFacts
    common: int
    checked: int
    """Files whose checksums were compared."""
    counts: dict[Fault, int]
    """How many rows of each kind there are, also those that are not listed."""
    rows: tuple[DatasetRow, ...]
    problems: tuple[Problem, ...]


def counts_of(
    found: ListComparison, in_order: ListComparison | None, faults: ShardFaults | None
) -> dict[Fault, int]:
    """Return how much of each kind is wrong; what is not is left out.

    *in_order* compares the lists that tell the order of reading; ``None`` where a side has none.
    """
    moved = in_order.moved if in_order is not None else 0
    counts = Counter(
        {
            Fault.MISSING: len(found.missing), Fault.EXTRA: len(found.extra),
            Fault.CHANGED: len(found.changed), Fault.RESIZED: len(found.resized),
            Fault.REPEATED: len(found.read_otherwise), Fault.ORDER: moved,
            Fault.UNCHECKED: len(found.unchecked),
        }
    )  # fmt: skip
    if faults is not None:
        counts[Fault.DUPLICATED] = len(faults.target_duplicated) + len(faults.golden_duplicated)
        counts[Fault.NEVER_READ] = len(faults.target_never_read) + len(faults.golden_never_read)
        counts[Fault.OTHER_FILES] = len(faults.otherwise)
    return {fault: counts[fault] for fault in Fault if counts[fault]}


def rows_of(
    found: ListComparison, in_order: ListComparison | None, faults: ShardFaults | None
) -> Iterator[DatasetRow]:
    """Yield the rows of a comparison of lists, of their order, and of nodes where there are any."""
    here = "✓"
    partings = in_order.partings if in_order is not None else ()
    kinds: list[Iterable[DatasetRow]] = [
        (DatasetRow(Fault.MISSING, name, "", here) for name in found.missing),
        (DatasetRow(Fault.EXTRA, name, here, "") for name in found.extra),
        (DatasetRow(Fault.CHANGED, row.target_name, row.target, row.golden) for row in found.changed),
        (DatasetRow(Fault.RESIZED, row.target_name, row.target, row.golden) for row in found.resized),
        (DatasetRow(Fault.REPEATED, name, "", "") for name in found.read_otherwise),
        (DatasetRow(Fault.ORDER, f"#{part.position}", part.target, part.golden) for part in partings),
        (DatasetRow(Fault.UNCHECKED, name, "", "") for name in found.unchecked),
    ]
    if faults is not None:
        kinds += [_of_nodes(faults)]
    for kind in kinds:
        yield from islice(kind, MOST_ROWS)


def _of_nodes(faults: ShardFaults) -> Iterator[DatasetRow]:
    for row in faults.target_duplicated:
        yield DatasetRow(Fault.DUPLICATED, row.name, ", ".join(row.nodes), "")
    for row in faults.golden_duplicated:
        yield DatasetRow(Fault.DUPLICATED, row.name, "", ", ".join(row.nodes))
    for name in faults.target_never_read:
        yield DatasetRow(Fault.NEVER_READ, name, "—", "")
    for name in faults.golden_never_read:
        yield DatasetRow(Fault.NEVER_READ, name, "", "—")
    for node in faults.otherwise:
        nodes = " ↔ ".join(dict.fromkeys(filter(None, (node.target_node, node.golden_node))))
        yield DatasetRow(Fault.OTHER_FILES, nodes, ", ".join(node.extra[:50]), ", ".join(node.missing[:50]))
