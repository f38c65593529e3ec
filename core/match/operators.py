"""Which call of the target is which call of the golden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.match.alignment import align
from core.match.calls import Calls, make_calls, operator_stems, parent_stems
from core.match.gaps import evidence
from core.match.hashing import combine, join_unique
from core.match.mapping import Mapping
from core.match.pairing import Pairs, interleave
from core.match.recompute import find_repeats
from core.match.renaming import find_renaming, framework_words
from core.records.columns import Float64, Int64, UInt8
from core.records.dump import Dump
from core.records.names import Direction, OperatorKind

Rename = Callable[[str], str]


class How(IntEnum):
    """How a row of the pairs was found."""

    ALONE = 0
    """The call has no partner."""
    NAME = 1
    """Both calls have the same name."""
    RENAMED = 2
    """The same call of a module that is called differently on the two sides."""
    ALIGNED = 3
    """The same place in the order of execution; the call counts differ."""
    BACKWARD = 4
    """The backward calls of a pair of forward calls; their own counts differ."""
    RECOMPUTE = 5
    """A forward call that was run again during the backward pass; often of one side only."""
    MAPPED = 6
    """The user said so."""


@dataclass(frozen=True)
class Matching:
    """The calls of both sides side by side."""

    pairs: Pairs
    how: UInt8
    """:class:`How`, one for each row of ``pairs``."""
    renamed: dict[str, str]
    """Module stems of the target that the golden calls differently, found by comparing both."""


def match_operators(target: Dump, golden: Dump, mapping: Mapping | None = None) -> Matching:
    """Match the calls of two dumps.

    Calls pair by name where both sides have as many of an API or module, else by alignment of the execution
    order, so that one extra call costs one row and shifts nothing. Backward calls follow their forward,
    gradients of parameters their module, recomputed forwards their first run. *mapping* comes before all.
    Time grows with n log n, memory with n.
    """
    mapping = mapping or Mapping()
    stems = operator_stems(target), operator_stems(golden)
    asked = mapping.renamer({*stems[0], *parent_stems(target).values()})
    rename, renamed = _renaming(target, golden, stems, asked)
    matcher = _Matcher(target, golden, *make_calls(target, golden, stems, rename))
    matcher.take_named_pairs(mapping)
    matcher.match_forward()
    matcher.match_recomputed()
    matcher.match_backward()
    matcher.match_rest()
    pairs = interleave(matcher.target_of_golden, len(target.operators))
    return Matching(pairs, _how(pairs, matcher, target, golden, stems[0], asked), renamed)


def _renaming(
    target: Dump, golden: Dump, stems: tuple[list[str], list[str]], asked: Rename
) -> tuple[Rename, dict[str, str]]:
    """Return what turns a stem of the target into the golden's, and the part of it that was found."""
    frameworks = target.framework, golden.framework
    kinds = target.operators.kind, golden.operators.kind

    def said(stem: str) -> str:
        mapped = asked(stem)
        return mapped if mapped != stem else framework_words(stem, *frameworks)

    modules = [
        {
            stem
            for stem, kind in chain(
                zip(names, kind.tolist()),
                ((stem, OperatorKind.MODULE) for stem in parent_stems(side).values()),
            )
            if kind in (OperatorKind.MODULE, OperatorKind.PARAMETERS_GRAD) and "." in stem
        }
        for side, names, kind in zip((target, golden), stems, kinds)
    ]
    found = find_renaming({said(stem) for stem in modules[0]}, modules[1])
    renamed = {stem: found[said(stem)] for stem in modules[0] if said(stem) in found}
    return (lambda stem: renamed.get(stem) or said(stem)), renamed


class _Matcher:
    """Collects pairs, surest first; a row that has a partner keeps it."""

    def __init__(self, target: Dump, golden: Dump, left: Calls, right: Calls) -> None:
        self.dumps = target, golden
        self.calls = left, right
        self.golden_of_target = np.full(len(left), -1, np.int64)
        self.target_of_golden = np.full(len(right), -1, np.int64)
        self.mapped = np.zeros(len(left), bool)
        self.repeats = find_repeats(target, left), find_repeats(golden, right)
        self._forwards = _forward_rows(left, target), _forward_rows(right, golden)
        # The same whichever side is the target, so that swapping sides mirrors the pairs.
        self._swap = len(left) > len(right) or (len(left) == len(right) and _comes_later(target, golden))

    def add(self, rows_target: Int64, rows_golden: Int64) -> None:
        """Note pairs of rows that have no partner yet."""
        self.golden_of_target[rows_target] = rows_golden
        self.target_of_golden[rows_golden] = rows_target

    def take_named_pairs(self, mapping: Mapping) -> None:
        """Pair what the user picked by hand; the first pick of a call counts."""
        if not mapping.operators:
            return
        rows = [
            {dump.strings[name]: row for row, name in enumerate(dump.operators.name.tolist())}
            for dump in self.dumps
        ]
        for name_target, name_golden in mapping.operators.items():
            row_target, row_golden = rows[0].get(name_target), rows[1].get(name_golden)
            if row_target is None or row_golden is None or self.target_of_golden[row_golden] >= 0:
                continue
            self.add(np.array([row_target]), np.array([row_golden]))
            self.mapped[row_target] = True

    def match_forward(self) -> None:
        """Pair the calls of the forward pass, and others without a direction."""
        rows = [
            np.flatnonzero(
                self._free(side)
                & (dump.operators.direction != Direction.BACKWARD)
                & ~self.repeats[side].repeated
            )
            for side, dump in enumerate(self.dumps)
        ]
        self._match_sequences(rows[0], rows[1])

    def match_recomputed(self) -> None:
        """Pair repetitions of calls that are pairs; the others with each other, in order."""
        self._follow(self.repeats[0].original, self.repeats[1].original)
        unknown = [
            np.flatnonzero(self._free(side) & repeats.repeated & (repeats.original < 0))
            for side, repeats in enumerate(self.repeats)
        ]
        self._match_sequences(unknown[0], unknown[1])

    def match_backward(self) -> None:
        """Pair backward calls by their forward calls; where a side has none, as a sequence of their own."""
        led = [
            np.where(
                (forwards >= 0) & (repeats.original[forwards] >= 0), repeats.original[forwards], forwards
            )
            for forwards, repeats in zip(self._forwards, self.repeats)
        ]
        self._follow(led[0], led[1])
        backward = [
            self._free(side)
            & (dump.operators.direction == Direction.BACKWARD)
            & (dump.operators.kind <= OperatorKind.MODULE)
            for side, dump in enumerate(self.dumps)
        ]
        orphans = np.unique(
            np.concatenate(
                [calls.line[free & (own < 0)] for calls, free, own in zip(self.calls, backward, led)]
            )
        )
        rows = [
            np.flatnonzero(free & np.isin(calls.line, orphans)) for calls, free in zip(self.calls, backward)
        ]
        self._match_sequences(rows[0], rows[1])

    def match_rest(self) -> None:
        """Pair gradients of parameters by module and count."""
        rows = [
            np.flatnonzero(self._free(side) & (dump.operators.kind == OperatorKind.PARAMETERS_GRAD))
            for side, dump in enumerate(self.dumps)
        ]
        left, right = (calls.take(own) for calls, own in zip(self.calls, rows))
        at_left, at_right = join_unique(*(_counted(calls) for calls in (left, right)))
        self.add(rows[0][at_left], rows[1][at_right])
        rest = [np.setdiff1d(own, own[at]) for own, at in zip(rows, (at_left, at_right))]
        at_left, at_right = join_unique(*(calls.line[own] for calls, own in zip(self.calls, rest)))
        self.add(rest[0][at_left], rest[1][at_right])

    def _free(self, side: int) -> NDArray[np.bool_]:
        return (self.golden_of_target, self.target_of_golden)[side] < 0

    def _follow(self, led_target: Int64, led_golden: Int64) -> None:
        """Pair free rows whose leaders (rows of their own side, -1 for none) are pairs, in order."""
        followers = [
            np.flatnonzero((leaders >= 0) & self._free(side))
            for side, leaders in enumerate((led_target, led_golden))
        ]
        partner = self.golden_of_target[led_target[followers[0]]]
        followers[0] = followers[0][partner >= 0]
        keys = [
            combine(leaders, direction)
            for leaders, direction in (
                (partner[partner >= 0], self.dumps[0].operators.direction[followers[0]]),
                (led_golden[followers[1]], self.dumps[1].operators.direction[followers[1]]),
            )
        ]
        at_left, at_right = join_unique(keys[0], keys[1])
        self.add(followers[0][at_left], followers[1][at_right])

    def _match_sequences(self, rows_target: Int64, rows_golden: Int64) -> None:
        """Pair two sequences of calls, given as rows."""
        if not len(rows_target) or not len(rows_golden):
            return
        left, right = self.calls[0].take(rows_target), self.calls[1].take(rows_golden)
        at_left, at_right, equal = _by_count(left, right)
        if equal and _in_place(left, right, at_left, at_right):
            self.add(rows_target[at_left], rows_golden[at_right])
            return
        if self._swap:
            found = align(right, left)
            aligned = np.full(len(left), -1, np.int64)
            aligned[found[found >= 0]] = np.flatnonzero(found >= 0)
        else:
            aligned = align(left, right)
        _prefer_names(aligned, left, right, at_left, at_right)
        paired = np.flatnonzero(aligned >= 0)
        self.add(rows_target[paired], rows_golden[aligned[paired]])
        rest = np.flatnonzero(aligned < 0), np.setdiff1d(np.arange(len(right)), aligned)
        # Calls that changed places: one of a kind is left on each side.
        moved = [_single(calls.shape[own], own) for calls, own in zip((left, right), rest)]
        at_left, at_right = join_unique(left.shape[moved[0]], right.shape[moved[1]])
        self.add(rows_target[moved[0][at_left]], rows_golden[moved[1][at_right]])


def _comes_later(one: Dump, other: Dump) -> bool:
    """Return whether the names of *one*, call by call, sort after those of *other*, of as many calls."""
    names = zip(one.operators.name, other.operators.name)
    texts = ((one.strings[ours], other.strings[theirs]) for ours, theirs in names)
    return next((ours > theirs for ours, theirs in texts if ours != theirs), False)


def _forward_rows(calls: Calls, dump: Dump) -> Int64:
    """Return for each backward call the row of its forward call, -1 where there is none."""
    found = np.full(len(calls), -1, np.int64)
    direction = dump.operators.direction
    named = dump.operators.kind <= OperatorKind.MODULE
    backward = np.flatnonzero((direction == Direction.BACKWARD) & named)
    forward = np.flatnonzero((direction == Direction.FORWARD) & named)
    keys = combine(calls.stem.view(np.int64), calls.occurrence)
    at_backward, at_forward = join_unique(keys[backward], keys[forward])
    found[backward[at_backward]] = forward[at_forward]
    return found


def _counted(calls: Calls) -> NDArray[np.uint64]:
    return combine(calls.line.view(np.int64), calls.occurrence)


def _by_count(left: Calls, right: Calls) -> tuple[Int64, Int64, bool]:
    """Pair calls by count where both sides have as many of a line; also say if that is so everywhere."""
    lines = np.concatenate([left.line, right.line])
    _, inverse = np.unique(lines, return_inverse=True)
    counts = [np.bincount(part, minlength=int(inverse.max()) + 1) for part in np.split(inverse, [len(left)])]
    agree = counts[0] == counts[1]
    rows = [np.flatnonzero(agree[part]) for part in np.split(inverse, [len(left)])]
    ordered = [
        own[np.lexsort((own, calls.occurrence[own], calls.line[own]))]
        for own, calls in zip(rows, (left, right))
    ]
    return ordered[0], ordered[1], bool(agree.all())


def _in_place(left: Calls, right: Calls, at_left: Int64, at_right: Int64) -> bool:
    """Return whether no other pairing could agree better in modules and shapes than pairs by name."""
    for name in ("place", "shape"):
        ours, theirs = getattr(left, name)[at_left], getattr(right, name)[at_right]
        unlike = ours != theirs
        if unlike.any() and np.isin(ours[unlike], theirs[unlike]).any():
            return False
    return True


def _prefer_names(aligned: Int64, left: Calls, right: Calls, at_left: Int64, at_right: Int64) -> None:
    """Change *aligned* to pairs by name, *at_left* with *at_right*, where nothing speaks against them."""
    if not len(at_left):
        return
    other = aligned[at_left]
    inverse = np.full(len(right), -1, np.int64)
    inverse[aligned[aligned >= 0]] = np.flatnonzero(aligned >= 0)
    backwards = inverse[at_right]
    apart = (other >= 0) & (other != at_right)
    touched = apart | ((backwards >= 0) & (backwards != at_left))
    _, line = np.unique(left.line[at_left], return_inverse=True)
    size = int(line.max()) + 1

    def mean(rows: NDArray[np.bool_], partners: Int64) -> Float64:
        worth = evidence(left, right, at_left[rows], partners[rows])
        count = np.maximum(np.bincount(line[rows], minlength=size), 1)
        result: Float64 = np.bincount(line[rows], worth, size) / count
        return result

    better = mean(apart, other) > mean(touched, at_right) + 0.05
    against = np.bincount(line[apart], minlength=size)
    same = np.bincount(line[other == at_right], minlength=size)
    total = np.bincount(line, minlength=size)
    keep_alignment = (against > 0) & (better | ((against > same) & (same + against > total / 2)))
    by_name = ~keep_alignment[line]
    aligned[np.isin(aligned, at_right[by_name])] = -1
    aligned[at_left[by_name]] = at_right[by_name]
    # The others: names where both calls are still alone.
    taken = np.isin(at_right, aligned)
    alone = ~by_name & (aligned[at_left] < 0) & ~taken & (left.place[at_left] == right.place[at_right])
    aligned[at_left[alone]] = at_right[alone]


def _single(keys: NDArray[np.uint64], rows: Int64) -> Int64:
    """Return those of *rows* whose key occurs once."""
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    single: Int64 = rows[np.sort(first[count == 1])]
    return single


def _how(
    pairs: Pairs, matcher: _Matcher, target: Dump, golden: Dump, stems: list[str], asked: Rename
) -> UInt8:
    both = (pairs.target >= 0) & (pairs.golden >= 0)
    rows_target, rows_golden = pairs.target[both], pairs.golden[both]
    operators = target.operators.take(rows_target)
    names = zip(operators.name, golden.operators.name[rows_golden])
    same = np.fromiter((target.strings[ours] == golden.strings[theirs] for ours, theirs in names), bool)
    changed = {stem for stem in set(stems) if asked(stem) != stem}
    mapped = np.array([stem in changed for stem in stems], bool) | matcher.mapped
    counted = matcher.calls[0].occurrence[rows_target] == matcher.calls[1].occurrence[rows_golden]
    found = np.full(len(rows_target), How.ALIGNED, np.uint8)
    found[operators.direction == Direction.BACKWARD] = How.BACKWARD
    found[counted & (operators.kind != OperatorKind.API)] = How.RENAMED
    found[matcher.repeats[0].repeated[rows_target]] = How.RECOMPUTE
    found[same] = How.NAME
    found[mapped[rows_target]] = How.MAPPED
    how = np.full(len(pairs), How.ALONE, np.uint8)
    how[both] = found
    for repeats, rows in zip(matcher.repeats, (pairs.target, pairs.golden)):
        how[~both & np.append(repeats.repeated, False)[rows]] = How.RECOMPUTE
    return how
