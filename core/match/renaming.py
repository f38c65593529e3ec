"""Modules that are called differently on the two sides: another prefix, another word, another class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

_MOST_ALIKE = 4
"""Candidates beyond which an ending (``0.Linear``) says nothing."""
_ROUNDS = 16
_TYPES = ("Module", "Cell")


def find_renaming(target: Iterable[str], golden: Iterable[str]) -> dict[str, str]:
    """Return the golden's name of each module stem of the target that is called differently there.

    Wrappers and lists change the beginning (``Module.module.x``, ``Module.0.x``), rewritten models a
    word (``attn`` for ``attention``) or a class (``FusedRMSNorm`` for ``RMSNorm``). The change that
    explains most of the unknown names is taken first; one that explains a single name among many is chance
    and is not taken.
    """
    ours, theirs = set(target), set(golden)
    found: dict[str, str] = {}
    left, right = ours - theirs, theirs - ours
    current = {stem: stem for stem in left}
    for _ in range(_ROUNDS):
        if not current or not right:
            break
        rule = _best_prefix(set(current.values()), right) or _best_word(set(current.values()), right)
        if rule is None:
            break
        changed = {stem: rule.apply(now) for stem, now in current.items()}
        for stem, now in changed.items():
            if now in right:
                found[stem] = now
        right -= set(found.values())
        current = {stem: now for stem, now in changed.items() if stem not in found}
    return found


class _Rule:
    """Replace the parts at one place of a stem."""

    def __init__(self, old: tuple[str, ...], new: tuple[str, ...], *, anywhere: bool) -> None:
        self.old, self.new, self.anywhere = old, new, anywhere

    def apply(self, stem: str) -> str:
        parts = tuple(stem.split("."))
        if not self.anywhere:
            size = len(self.old)
            return ".".join(self.new + parts[size:]) if parts[:size] == self.old else stem
        return ".".join(self.new[0] if part == self.old[0] else part for part in parts)


def _best_prefix(left: set[str], right: set[str]) -> _Rule | None:
    """Return the change of beginnings that most pairs of stems with the same ending speak for."""
    by_ending: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for stem in sorted(right):
        parts = tuple(stem.split("."))
        for cut in range(1, len(parts)):
            by_ending[parts[cut:]].append(parts[:cut])
    votes: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for stem in sorted(left):
        parts = tuple(stem.split("."))
        for cut in range(1, len(parts)):
            beginnings = by_ending.get(parts[cut:])
            if beginnings:
                # The longest common ending: what differs is the shortest beginning.
                if len(beginnings) <= _MOST_ALIKE and len(parts) - cut > 1:
                    votes.update((parts[:cut], other) for other in beginnings)
                break
    return _winner(votes, left, right, anywhere=False)


def _best_word(left: set[str], right: set[str]) -> _Rule | None:
    """Return the exchange of one word that makes most stems of *left* stems of *right*."""
    by_frame: dict[tuple[int, tuple[str, ...]], list[str]] = defaultdict(list)
    for stem in sorted(right):
        parts = tuple(stem.split("."))
        for place in range(1, len(parts)):
            by_frame[place, parts[:place] + parts[place + 1 :]].append(parts[place])
    votes: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for stem in sorted(left):
        parts = tuple(stem.split("."))
        for place in range(1, len(parts)):
            others = by_frame.get((place, parts[:place] + parts[place + 1 :]), ())
            if len(others) <= _MOST_ALIKE and not parts[place].isdecimal():
                votes.update(((parts[place],), (word,)) for word in others if not word.isdecimal())
    return _winner(votes, left, right, anywhere=True)


def _winner(
    votes: Counter[tuple[tuple[str, ...], tuple[str, ...]]],
    left: set[str],
    right: set[str],
    *,
    anywhere: bool,
) -> _Rule | None:
    """Return the rule with most votes that really leads to names of *right*."""
    for (old, new), count in sorted(votes.items(), key=lambda item: (-item[1], item[0]))[:_ROUNDS]:
        if count < 2 and len(left) > 1:
            break
        rule = _Rule(old, new, anywhere=anywhere)
        led = {rule.apply(stem) for stem in left} & right
        if len(led) >= min(2, len(left)):
            return rule
    return None


def framework_words(stem: str, target: str, golden: str) -> str:
    """Return what a *target* framework's API or module type is called in the *golden* one."""
    if (target, golden) not in (("mindspore", "pytorch"), ("pytorch", "mindspore")):
        return stem
    first, point, rest = stem.partition(".")
    pairs = _WORDS if target == "mindspore" else {new: old for old, new in _WORDS.items()}
    return f"{pairs.get(first, first)}{point}{rest}"


_WORDS = {"Cell": "Module", "Mint": "Torch", "MintFunctional": "Functional", "MintDistributed": "Distributed"}
