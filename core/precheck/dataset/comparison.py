"""Two lists of files: which are missing, which changed, and in which order they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from core.precheck.dataset.name_folding import Folders, pair_names, plain
from core.precheck.dataset.reading_order import Order, Parting, order_of
from core.records.evidence import FileList

_PARTINGS = 20


class ChangedFile(NamedTuple):
    """A file that both lists have, and not with the same contents."""

    target_name: str
    golden_name: str
    target: str
    """Checksum, or size where only that is told, as people read it."""
    golden: str


@dataclass(frozen=True)
class ListComparison:
    """How the lists of target and golden stand to each other."""

    target_files: int
    """Different files that the target's list names."""
    golden_files: int
    common: tuple[str, ...]
    """In both, by the target's name."""
    missing: tuple[str, ...]
    """Only in the golden's list."""
    extra: tuple[str, ...]
    """Only in the target's list."""
    resized: tuple[ChangedFile, ...]
    """Of another size, where both lists tell sizes."""
    changed: tuple[ChangedFile, ...]
    """With another checksum, where both lists have checksums of one algorithm."""
    unchecked: tuple[str, ...]
    """Of the files in both, by the target's name: those of which a list lacks the checksum."""
    checked: int
    """Files whose checksums were compared."""
    algorithms: tuple[str, str]
    """Of target and golden; empty without checksums."""
    target_repeated: tuple[str, ...]
    """Named more than once in the target's list."""
    golden_repeated: tuple[str, ...]
    read_otherwise: tuple[str, ...]
    """Of the files in both, by the target's name: those that the lists name not equally often."""
    ordered: bool
    """Whether both lists stand in the order of reading; else *partings* and *moved* say nothing of it."""
    partings: tuple[Parting, ...]
    """The first places at which the files that both have do not stand in one order."""
    moved: int
    """How many such places there are."""
    target_order: Order
    golden_order: Order
    folders: tuple[Folders, ...]
    """Which folders were taken for each other."""

    @property
    def comparable_checksums(self) -> bool:
        """Whether both lists have checksums, and of one algorithm."""
        target, golden = self.algorithms
        return bool(target) and target == golden

    @property
    def same_files(self) -> bool:
        """Whether both name the same files, as often and with the same sizes."""
        return not (self.missing or self.extra or self.resized or self.read_otherwise)

    @property
    def same_contents(self) -> bool:
        """Whether every file has the same checksum on both sides, all having been compared."""
        return self.same_files and self.comparable_checksums and not (self.changed or self.unchecked)


class _Side:
    """One list: what it says of each different file; what is said later of a name holds."""

    def __init__(self, files: FileList) -> None:
        self.sequence = [plain(name) for name in files.names]
        self.place = {name: index for index, name in enumerate(self.sequence)}
        counts = Counter(self.sequence) if len(self.place) < len(self.sequence) else Counter()
        self.repeated = {name: count for name, count in counts.items() if count > 1}
        self._sizes = files.sizes
        self._digests = files.digests

    def size(self, name: str) -> int:
        return int(self._sizes[self.place[name]])

    def digest(self, name: str) -> str:
        return self._digests[self.place[name]]


def compare_lists(target: FileList, golden: FileList) -> ListComparison:
    """Return how *target* and *golden* differ; time and memory grow with their lengths, not their product."""
    mine, theirs = _Side(target), _Side(golden)
    pairing = pair_names(list(mine.place), list(theirs.place))
    golden_of = pairing.golden_of
    paired = set(golden_of.values())
    comparable = bool(target.algorithm) and target.algorithm == golden.algorithm
    resized, changed, unchecked = [], [], []
    checked = 0
    for name, other in golden_of.items():
        sizes = mine.size(name), theirs.size(other)
        if min(sizes) >= 0 and sizes[0] != sizes[1]:
            resized.append(ChangedFile(name, other, str(sizes[0]), str(sizes[1])))
        digests = mine.digest(name), theirs.digest(other)
        if comparable and all(digests):
            checked += 1
            if digests[0] != digests[1]:
                changed.append(ChangedFile(name, other, *digests))
        elif comparable:
            unchecked.append(name)
    names = [name for name in mine.sequence if name in golden_of]
    others = [name for name in theirs.sequence if name in paired]
    moved = [
        index
        for index, (name, other) in enumerate(zip_longest(names, others))
        if name is None or golden_of[name] != other
    ]
    return ListComparison(
        target_files=len(mine.place),
        golden_files=len(theirs.place),
        common=tuple(golden_of),
        missing=tuple(name for name in theirs.place if name not in paired),
        extra=tuple(name for name in mine.place if name not in golden_of),
        resized=tuple(resized),
        changed=tuple(changed),
        unchecked=tuple(unchecked),
        checked=checked,
        algorithms=(target.algorithm, golden.algorithm),
        target_repeated=tuple(mine.repeated),
        golden_repeated=tuple(theirs.repeated),
        read_otherwise=tuple(
            name
            for name, other in golden_of.items()
            if mine.repeated.get(name, 1) != theirs.repeated.get(other, 1)
        ),
        ordered=target.ordered and golden.ordered,
        partings=tuple(
            Parting(index + 1, _at(names, index), _at(others, index)) for index in moved[:_PARTINGS]
        ),
        moved=len(moved),
        target_order=order_of(mine.sequence),
        golden_order=order_of(theirs.sequence),
        folders=pairing.folders,
    )


def _at(names: Sequence[str], index: int) -> str:
    return names[index] if index < len(names) else ""
