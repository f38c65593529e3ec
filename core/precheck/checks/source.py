"""Is the code of both sides the same? Folders of source, file by file, noise folded."""

from __future__ import annotations

from collections.abc import Iterator

from core.messages import Message
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.precheck.source.records import (
    Change,
    ChangedPlace,
    DifferenceOptions,
    FileState,
    FileSummary,
    TreeDifference,
)
from core.precheck.source.trees import compare_trees
from core.progress import Work
from core.records.evidence import EvidenceKind, Place
from core.records.precheck import Item, Outcome, Standing

_NOISE = (Change.BLANK, Change.COMMENT, Change.DEVICE, Change.PATH, Change.LOGGING)
_MOST_PROBLEMS = 20
"""Files that could not be read and are named in the remarks."""


def difference(pair: Pair) -> Work[Finding]:
    """Find code that differs; comments, white space, prints, folders and device words do not count."""
    sides = _paths(pair.target), _paths(pair.golden)
    if not all(sides):
        return not_done(_missing(*map(bool, sides)))
    found = yield from compare_trees(*sides, DifferenceOptions(mapping=tuple(zip(sides[1], sides[0]))))
    if not any(file.target for file in found.files) or not any(file.golden for file in found.files):
        return not_done(Message("precheck.source.difference.no_files"))
    return _finding(found)


def _paths(side: Side) -> tuple[str, ...]:
    return tuple(evidence.path for evidence in side.of_kind(EvidenceKind.SOURCE))


def _missing(target: bool, golden: bool) -> Message:
    if not target and not golden:
        return Message("precheck.source.difference.neither")
    return Message(
        "precheck.source.difference.no_golden" if target else "precheck.source.difference.no_target"
    )


def _finding(found: TreeDifference) -> Finding:
    numeric, code = found.total(Change.NUMERIC), found.total(Change.CODE)
    alone = [file for file in found.files if file.state in (FileState.TARGET_ONLY, FileState.GOLDEN_ONLY)]
    blind = sum(file.state is FileState.NOT_COMPARED for file in found.files)
    both = [
        file
        for file in found.files
        if file.target and file.golden and file.state is not FileState.NOT_COMPARED
    ]
    differing = sum(any(_counting(file)) for file in both)
    remarks = (*_noise(found), *(problem.detail for problem in found.problems[:_MOST_PROBLEMS]))
    if numeric or code or alone:
        result = Outcome.FAIL
        message = Message(
            f"precheck.source.difference.{'numeric' if numeric else 'code'}",
            {"count": numeric or code, "files": differing, "alone": len(alone)},
        )
    elif blind:
        result, message = Outcome.NOT_DONE, Message("precheck.source.difference.blind", {"count": blind})
    else:
        noise = any(map(found.total, _NOISE))
        result = Outcome.PASS
        message = Message(
            "precheck.source.difference.noise" if noise else "precheck.source.difference.equal",
            {"count": len(both)},
        )
    return Finding(result, message, [*_items(found)], remarks, found.target, found.golden)


def _counting(file: FileSummary) -> list[int]:
    return [file.of(change) for change in (Change.CODE, Change.NUMERIC)]


def _noise(found: TreeDifference) -> Iterator[Message]:
    """Yield how many lines differ in what does not count."""
    for change in _NOISE:
        if count := found.total(change):
            yield Message(f"precheck.source.difference.folded.{change.name.lower()}", {"count": count})


def _items(found: TreeDifference) -> Iterator[Item]:
    standings = {
        FileState.EQUAL: Standing.EQUAL,
        FileState.TARGET_ONLY: Standing.TARGET_ONLY,
        FileState.GOLDEN_ONLY: Standing.GOLDEN_ONLY,
        FileState.NOT_COMPARED: Standing.UNKNOWN,
    }
    for file in found.files:
        if file.state in standings:
            yield _item(file, standings[file.state])
        elif not any(_counting(file)):
            yield _item(file, Standing.REMARK, Message("precheck.source.difference.only_noise"))
        else:
            yield from (_place(file, place) for place in file.places if place.change >= Change.CODE)


def _item(file: FileSummary, standing: Standing, remark: Message | None = None) -> Item:
    return Item(
        file.name,
        file.target,
        file.golden,
        standing,
        Place(file.target_path) if file.target else None,
        Place(file.golden_path) if file.golden else None,
        remark,
    )


def _place(file: FileSummary, place: ChangedPlace) -> Item:
    standing = Standing.DIFFERS
    if not place.golden_line:
        standing = Standing.TARGET_ONLY
    elif not place.target_line:
        standing = Standing.GOLDEN_ONLY
    return Item(
        f"{file.name}:{place.target_line or place.golden_line}",
        place.target,
        place.golden,
        standing,
        Place(file.target_path, place.target_line) if place.target_line else None,
        Place(file.golden_path, place.golden_line) if place.golden_line else None,
        Message(f"precheck.source.difference.change.{place.change.name.lower()}"),
    )
