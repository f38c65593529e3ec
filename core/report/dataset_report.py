"""Comparisons of data sets in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.messages import text
from core.precheck.dataset.comparison import ChangedFile, ListComparison
from core.precheck.dataset.shards import Duplicated, ShardFaults


def comparison_as_json(found: ListComparison) -> dict[str, Any]:
    """Return what scripts read of a comparison of lists."""
    first = found.partings[0] if found.ordered and found.partings else None
    return {
        "target_files": found.target_files,
        "golden_files": found.golden_files,
        "common": len(found.common),
        "missing": list(found.missing),
        "extra": list(found.extra),
        "resized": [_changed(row) for row in found.resized],
        "changed": [_changed(row) for row in found.changed],
        "unchecked": list(found.unchecked),
        "checked": found.checked,
        "algorithms": {"target": found.algorithms[0], "golden": found.algorithms[1]},
        "repeated": {"target": list(found.target_repeated), "golden": list(found.golden_repeated)},
        "order": {
            "told": found.ordered,
            "same": not found.partings if found.ordered else None,
            "target": str(found.target_order),
            "golden": str(found.golden_order),
            "first": first._asdict() if first else None,
            "moved": found.moved if found.ordered else None,
        },
        "folders": [folders._asdict() for folders in found.folders],
    }


def _changed(row: ChangedFile) -> dict[str, str]:
    return {
        "name": row.target_name,
        "golden_name": row.golden_name,
        "target": row.target,
        "golden": row.golden,
    }


def comparison_as_lines(found: ListComparison, *, order: bool, most: int) -> list[str]:
    """Return a comparison of lists as lines for people; of each kind of difference *most* files."""
    lines = [
        text(
            "data_list.compared",
            target=found.target_files,
            golden=found.golden_files,
            common=len(found.common),
        )
    ]
    lines += _named("data_list.missing", found.missing, most)
    lines += _named("data_list.extra", found.extra, most)
    lines += _named("data_list.resized", [_pair(row) for row in found.resized], most)
    lines += _named("data_list.changed", [_pair(row) for row in found.changed], most)
    lines += _named("data_list.repeated", found.read_otherwise, most)
    lines += _named("data_list.unchecked", found.unchecked, most)
    lines.append(_checksums(found))
    if order:
        lines += _order(found)
    return lines


def _pair(row: ChangedFile) -> str:
    return f"{row.target_name}  {row.target} / {row.golden}"


def _checksums(found: ListComparison) -> str:
    target, golden = found.algorithms
    if found.comparable_checksums:
        return text("data_list.checked", count=found.checked, algorithm=target)
    if target and golden:
        return text("precheck.dataset.checksums.algorithms", target=target, golden=golden)
    return text("data_list.names_only")


def _order(found: ListComparison) -> list[str]:
    if not found.ordered:
        return [text("data_list.no_order")]
    said = text(f"precheck.dataset.order.sorted.{found.target_order}.{found.golden_order}")
    if not found.partings:
        return [text("precheck.dataset.order.pass", count=len(found.common)), said]
    first = found.partings[0]
    return [
        text(
            "precheck.dataset.order.fail",
            position=first.position,
            target=first.target or "—",
            golden=first.golden or "—",
            moved=found.moved,
            common=len(found.common),
        ),
        said,
    ]


def shards_as_json(found: ShardFaults) -> dict[str, Any]:
    """Return what scripts read of how files are spread over nodes."""
    return {
        "duplicated": _duplicated(found.target_duplicated),
        "never_read": list(found.target_never_read),
        "golden_duplicated": _duplicated(found.golden_duplicated),
        "golden_never_read": list(found.golden_never_read),
        "otherwise": [row._asdict() for row in found.otherwise],
        "whole_known": found.whole_known,
    }


def _duplicated(rows: Iterable[Duplicated]) -> list[dict[str, Any]]:
    return [{"name": row.name, "nodes": list(row.nodes)} for row in rows]


def shards_as_lines(found: ShardFaults, most: int) -> list[str]:
    """Return how files are spread over nodes as lines for people; of each kind of fault *most* files."""
    lines = _named("data_list.shards.twice.target", _readers(found.target_duplicated), most)
    lines += _named("data_list.shards.never.target", found.target_never_read, most)
    lines += _named("data_list.shards.twice.golden", _readers(found.golden_duplicated), most)
    lines += _named("data_list.shards.never.golden", found.golden_never_read, most)
    nodes = [f"{row.target_node} / {row.golden_node}" for row in found.otherwise]
    lines += _named("data_list.shards.otherwise", nodes, most)
    lines = lines or [text("data_list.shards.clean")]
    return lines if found.whole_known else [*lines, text("data_list.shards.whole_unknown")]


def _readers(rows: Iterable[Duplicated]) -> list[str]:
    return [f"{row.name}  ({', '.join(row.nodes)})" for row in rows]


def _named(said: str, names: Sequence[str], most: int) -> list[str]:
    """Return a line that counts *names*, and the first *most* of them; nothing where there are none."""
    if not names:
        return []
    more = len(names) - most
    left_off = [text("data_list.more", count=more)] if more > 0 else []
    return [text(said, count=len(names)), *(f"  {name}" for name in names[:most]), *left_off]
