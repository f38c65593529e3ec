"""Is the code of both sides the same? Folders of source, file by file, noise folded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from core.messages import Message
from core.precheck.checks.phrases import first_ones
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
from core.records.evidence import Evidence, EvidenceKind, Place
from core.records.precheck import Item, Outcome, Standing

_NOISE = (Change.BLANK, Change.COMMENT, Change.DEVICE, Change.PATH, Change.LOGGING)
_LAUNCHES = (EvidenceKind.SCRIPT, EvidenceKind.CONFIG)
"""What may be source too: compared where both sides have it, for other rows compare what it says."""
_CUT = ("source_many_files", "source_unreadable")
"""Problems that leave files out of the comparison."""
_MOST_PROBLEMS = 20
"""Files that could not be read and are named in the remarks."""


def difference(pair: Pair) -> Work[Finding]:
    """Find code that differs; comments, white space, prints, folders and device words do not count."""
    sides = _paths(pair.target), _paths(pair.golden)
    if not all(sides):
        return not_done(_missing(*map(bool, sides)))
    evidence = [item for side in (pair.target, pair.golden) for item in side.evidence]
    found = yield from compare_trees(
        *sides,
        DifferenceOptions(mapping=tuple(zip(sides[1], sides[0]))),
        {os.path.realpath(item.path) for item in evidence if item.kinds and _is_other(item)},
    )
    if not any(file.target for file in found.files) or not any(file.golden for file in found.files):
        return not_done(Message("precheck.source.difference.no_files"))
    launches = {os.path.realpath(item.path) for item in evidence if not {*_LAUNCHES}.isdisjoint(item.kinds)}
    return _finding(found, launches)


def _is_other(item: Evidence) -> bool:
    """Return whether *item*, which may lie in a folder of source, was recognised as something else."""
    return {EvidenceKind.SOURCE, *_LAUNCHES}.isdisjoint(item.kinds)


def _paths(side: Side) -> tuple[str, ...]:
    return tuple(evidence.path for evidence in side.of_kind(EvidenceKind.SOURCE))


def _missing(target: bool, golden: bool) -> Message:
    if not target and not golden:
        return Message("precheck.source.difference.neither")
    return Message(
        "precheck.source.difference.no_golden" if target else "precheck.source.difference.no_target"
    )


def _finding(found: TreeDifference, launches: set[str]) -> Finding:
    """Return what is said of *found*; *launches* are real paths of scripts and configurations."""
    both = [
        file
        for file in found.files
        if file.target and file.golden and file.state is not FileState.NOT_COMPARED
    ]
    single = [file for file in found.files if not (file.target and file.golden)]
    read_elsewhere = {
        file.name for file in single if os.path.realpath(file.target_path or file.golden_path) in launches
    }
    alone = len(single) - len(read_elsewhere)
    blind = sum(file.state is FileState.NOT_COMPARED and file not in single for file in found.files)
    numeric, code = (sum(file.of(change) for file in both) for change in (Change.NUMERIC, Change.CODE))
    differing = sum(any(_counting(file)) for file in both)
    if numeric or code:
        result = Outcome.FAIL
        message = Message(
            f"precheck.source.difference.{'numeric' if numeric else 'code'}",
            {"count": numeric or code, "files": differing, "alone": alone},
        )
    elif alone:
        result, message = Outcome.FAIL, Message("precheck.source.difference.alone", {"count": alone})
    elif blind:
        result, message = Outcome.NOT_DONE, Message("precheck.source.difference.blind", {"count": blind})
    elif any(problem.code in _CUT for problem in found.problems):
        result, message = Outcome.NOT_DONE, Message("precheck.source.difference.cut")
    elif not both:
        result, message = Outcome.NOT_DONE, Message("precheck.source.difference.no_files")
    else:
        noise = any(file.of(change) for file in both for change in _NOISE)
        result = Outcome.PASS
        message = Message(
            "precheck.source.difference.noise" if noise else "precheck.source.difference.equal",
            {"count": len(both)},
        )
    items = [_elsewhere(item) if item.name in read_elsewhere else item for item in _items(found)]
    return Finding(result, message, items, tuple(_remarks(found, both)), found.target, found.golden)


def _elsewhere(item: Item) -> Item:
    remark = Message("precheck.source.difference.read_elsewhere")
    return replace(item, standing=Standing.REMARK, remark=remark)


def _counting(file: FileSummary) -> list[int]:
    return [file.of(change) for change in (Change.CODE, Change.NUMERIC)]


def _remarks(found: TreeDifference, both: list[FileSummary]) -> Iterator[Message]:
    """Yield how many lines differ in what does not count, and what was not looked at."""
    for change in _NOISE:
        if count := sum(file.of(change) for file in both):
            yield Message(f"precheck.source.difference.folded.{change.name.lower()}", {"count": count})
    if found.passed_over:
        yield Message("precheck.source.difference.passed_over", {"names": first_ones(found.passed_over)})
    yield from (problem.detail for problem in found.problems[:_MOST_PROBLEMS])


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
