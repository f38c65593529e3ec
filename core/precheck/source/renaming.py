"""Which files of two folders are the same one though they are called otherwise or lie elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from core.messages import Message
from core.precheck.source.reading import read_source
from core.precheck.source.walking import Found
from core.progress import Progress, Work

_MOST_READ = 2_000
"""Files of one side that are looked into."""
_MOST_OF_A_LINE = 12
"""Files that hold a line, from which it tells nothing."""
_SHORTEST = 12
"""Letters of a line that tells anything."""
_ALIKE = 0.6
"""Lines that two files share, of those that tell anything in the larger one."""


def renamed(target: dict[str, Found], golden: dict[str, Found]) -> Work[list[tuple[str, str]]]:
    """Return pairs of files that only one side has: the same name elsewhere, or much the same lines."""
    pairs = list(_by_place(target, golden))
    taken = {name for name, _ in pairs}, {name for _, name in pairs}
    left = [file for name, file in target.items() if name not in taken[0]][:_MOST_READ]
    right = [file for name, file in golden.items() if name not in taken[1]][:_MOST_READ]
    if not left or not right:
        return pairs
    lines: list[dict[str, frozenset[str]]] = [{}, {}]
    for at, (side, file) in enumerate([*((0, file) for file in left), *((1, file) for file in right)]):
        if at % 20 == 0:
            yield Progress(at, len(left) + len(right), Message("progress.source.renamed"))
        lines[side][file.name] = _telling(file)
    return [*pairs, *_by_lines(*lines)]


def _by_place(target: dict[str, Found], golden: dict[str, Found]) -> Iterator[tuple[str, str]]:
    """Yield files whose longest common end of their paths is the other's, too, and no third one's."""
    waiting, others = set(target), set(golden)
    longest = max((len(PurePosixPath(name).parts) for name in (*waiting, *others)), default=0)
    for length in range(longest, 0, -1):
        ends: list[dict[str, list[str]]] = [defaultdict(list), defaultdict(list)]
        for names, by_end in zip((waiting, others), ends):
            for name in names:
                parts = PurePosixPath(name).parts
                if len(parts) >= length:
                    by_end["/".join(parts[-length:])].append(name)
        for end, here in sorted(ends[0].items()):
            there = ends[1].get(end, [])
            if len(here) == len(there) == 1 and (length > 1 or end != "__init__.py"):
                waiting.discard(here[0])
                others.discard(there[0])
                yield here[0], there[0]


def _telling(file: Found) -> frozenset[str]:
    lines = map(str.strip, read_source(file.path).lines)
    return frozenset(line for line in lines if len(line) >= _SHORTEST)


def _by_lines(
    target: dict[str, frozenset[str]], golden: dict[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    holders: dict[str, list[str]] = defaultdict(list)
    for name, lines in golden.items():
        for line in lines:
            holders[line].append(name)
    scores = []
    for name, lines in target.items():
        shared = Counter(
            holder
            for line in lines
            for holder in holders.get(line, ())
            if len(holders[line]) <= _MOST_OF_A_LINE
        )
        for other, count in shared.most_common(5):
            likeness = count / max(len(lines), len(golden[other]))
            if likeness >= _ALIKE:
                scores.append((-likeness, name, other))
    taken: tuple[set[str], set[str]] = set(), set()
    for _, name, other in sorted(scores):
        if name not in taken[0] and other not in taken[1]:
            taken[0].add(name)
            taken[1].add(other)
            yield name, other
