"""Two folders of source, file by file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from core.errors import Problem
from core.messages import Message
from core.precheck.source.difference import compare_texts
from core.precheck.source.reading import MOST_BYTES, read_source
from core.precheck.source.records import (
    MOST_PLACES,
    Change,
    ChangedPlace,
    Counts,
    DifferenceOptions,
    FileDifference,
    FileState,
    FileSummary,
    SourceState,
    SourceText,
    TreeDifference,
    as_roots,
)
from core.precheck.source.renaming import renamed
from core.precheck.source.walking import Found, files_of
from core.progress import Progress, Work

_LONGEST_SHOWN = 200
"""Letters of a line in a list of differences."""


def compare_trees(
    target: str | Iterable[str],
    golden: str | Iterable[str],
    options: DifferenceOptions | None = None,
    leave_out: Collection[str] = (),
) -> Work[TreeDifference]:
    """Return how the source files of two folders differ.

    Parameters
    ----------
    target, golden
        Folders or files, one or several a side.
    options
        Only their mapping of folders plays a part; whatever else they say is asked of the answer.
    leave_out
        Real paths of files that lie there and are no source.
    """
    roots, others = as_roots(target), as_roots(golden)
    listed = yield from files_of(roots, leave_out)
    others_listed = yield from files_of(others, leave_out)
    left, right = listed.files, others_listed.files
    problems = [*listed.problems, *others_listed.problems]
    pairs = [(left[name], right[name]) for name in left.keys() & right.keys()]
    alone = {name: file for name, file in left.items() if name not in right}
    beside = {name: file for name, file in right.items() if name not in left}
    if len(left) == len(right) == 1:  # two files given as such stand for each other whatever their names
        pairs += list(zip(alone.values(), beside.values()))
    else:
        found = yield from renamed(alone, beside)
        pairs += [(alone[name], beside[other]) for name, other in found]
    taken = {file.path for pair in pairs for file in pair}
    sides: list[tuple[Found | None, Found | None]] = [*pairs]
    sides += [(file, None) for file in alone.values() if file.path not in taken]
    sides += [(None, file) for file in beside.values() if file.path not in taken]
    files = []
    for at, (file, other) in enumerate(sides):
        name = file.name if file is not None else other.name if other is not None else ""
        yield Progress(at, len(sides), Message("progress.source.comparing", {"name": name}))
        summary, trouble = _summary(file, other, options)
        files.append(summary)
        problems += trouble
    return TreeDifference(
        roots,
        others,
        tuple(sorted(files, key=lambda file: file.name)),
        problems=tuple(problems),
        passed_over=tuple(name for name, _ in (listed.passed_over + others_listed.passed_over).most_common()),
    )


def _summary(
    file: Found | None, other: Found | None, options: DifferenceOptions | None
) -> tuple[FileSummary, list[Problem]]:
    found = FileSummary(
        file.name if file is not None else "",
        other.name if other is not None else "",
        file.path if file is not None else "",
        other.path if other is not None else "",
        FileState.EQUAL,
    )
    target, golden = read_source(found.target_path), read_source(found.golden_path)
    problems = [problem for text in (target, golden) if (problem := _problem(text)) is not None]
    if problems:
        same = target.digest == golden.digest != b""
        return replace(found, state=FileState.EQUAL if same else FileState.NOT_COMPARED), problems
    if target.digest == golden.digest:
        return found, []
    difference = compare_texts(target, golden, options)
    if other is None or file is None:
        state = FileState.TARGET_ONLY if other is None else FileState.GOLDEN_ONLY
    else:
        state = FileState.DIFFERS if (difference.change != Change.EQUAL).any() else FileState.EQUAL
    return replace(found, state=state, counts=_counts(difference), places=_places(difference)), []


def _problem(source: SourceText) -> Problem | None:
    """Return why *source* cannot be compared row by row."""
    if source.state is SourceState.BINARY:
        return Problem("source_binary", source.path)
    if source.state is SourceState.TOO_LARGE:
        return Problem("source_too_large", source.path, {"limit": MOST_BYTES >> 20})
    if source.state is SourceState.UNREADABLE or (source.state is SourceState.ABSENT and source.path):
        return Problem("source_unreadable", source.path, {"detail": source.state.value})
    return None


def _counts(difference: FileDifference) -> Counts:
    target, golden = (
        tuple(np.bincount(difference.change[lines >= 0], minlength=len(Change)).tolist())
        for lines in (difference.target_line, difference.golden_line)
    )
    return target, golden


def _places(difference: FileDifference) -> tuple[ChangedPlace, ...]:
    """Return the rows that may matter most, in the order of the file."""
    rows = np.flatnonzero(difference.change != Change.EQUAL)
    worst = rows[np.argsort(-difference.change[rows], kind="stable")[:MOST_PLACES]]
    return tuple(_place(difference, row) for row in sorted(worst.tolist()))


def _place(difference: FileDifference, row: int) -> ChangedPlace:
    line, beside = int(difference.target_line[row]), int(difference.golden_line[row])
    return ChangedPlace(
        line + 1,
        beside + 1,
        difference.target.lines[line].strip()[:_LONGEST_SHOWN] if line >= 0 else "",
        difference.golden.lines[beside].strip()[:_LONGEST_SHOWN] if beside >= 0 else "",
        Change(int(difference.change[row])),
    )
