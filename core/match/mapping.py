"""What a user says about names: which cell, API, layer or call of the target is which of the golden."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field, replace
from functools import cached_property

from core.errors import Problem

# Read from the right, as names of modules may hold any of these words.
_ITEM = re.compile(
    r"^(?P<call>.+\.(?:forward|backward)(?:\.\d+)?)"
    r"\.(?P<group>input|output|kwargs|parameters|parameters_grad)\.(?P<path>.+)$",
    re.S,
)
_GRADIENT = re.compile(r"^(?P<call>.+\.parameters_grad(?:\.\d+)?)\.(?P<path>.*[^\d].*)$", re.S)
_DEBUG = re.compile(r"^(?P<call>.+\.\d+\.debug)\.(?P<path>.+)$", re.S)
_TYPES = ("Cell.", "Module.")


@dataclass(frozen=True)
class ApiRule:
    """An API that is called ``new`` on the golden side, and how its slots are called there."""

    old: str
    new: str
    slots: Dictionary[str, str] | None = None
    """Golden slot of each target slot; slots that are not named have no partner. None: the names agree."""


@dataclass(frozen=True)
class Mapping:
    """All that the user said, of the target's names as keys and the golden's as values."""

    cells: Dictionary[str, str] = field(default_factory=dict)
    """``fc1.Dense`` -> ``fc1.Linear``, without ``Cell.``/``Module.``; a part of a name counts, too."""
    apis: tuple[ApiRule, ...] = ()
    layers: Dictionary[str, Dictionary[str, str]] = field(default_factory=dict)
    """For each class the new names of its children, ``a`` or ``a.b``; the root is ``TopLayer``."""
    items: Dictionary[str, str] = field(default_factory=dict)
    """Full names of values, ``Functional.linear.0.forward.input.0``."""
    picked: Dictionary[str, str] = field(default_factory=dict)
    """Names of calls, picked by hand."""
    problems: tuple[Problem, ...] = ()

    @property
    def operators(self) -> dict[str, str]:
        """Names of calls that are said to be pairs, picked ones first."""
        found = dict(self.picked)
        for old, new in self.items.items():
            ours, theirs = split_item(old), split_item(new)
            if ours and theirs:
                found.setdefault(ours[0], theirs[0])
        return found

    def slots_of(self, operator: str, golden_operator: str, stem: str) -> Dictionary[str, str] | None:
        """Return golden slot by target slot of one pair of calls as far as it is said, None if nothing is."""
        said: dict[str, str] = {}
        for rule in self.apis:
            if rule.old == stem and rule.slots is not None:
                said.update(rule.slots)
        said.update(self._item_slots.get((operator, golden_operator), {}))
        return said or None

    @cached_property
    def exclusive(self) -> frozenset[str]:
        """APIs of the target whose unnamed slots have no partner."""
        return frozenset(rule.old for rule in self.apis if rule.slots is not None)

    @cached_property
    def _item_slots(self) -> dict[tuple[str, str], dict[str, str]]:
        found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for old, new in self.items.items():
            ours, theirs = split_item(old), split_item(new)
            if ours and theirs:
                found[ours[0], theirs[0]][ours[1]] = theirs[1]
        return found

    def renamer(self, stems: Iterable[str]) -> Callable[[str], str]:
        """Return a function from a stem of the target to the golden's; *stems* are all there are."""
        apis = {rule.old: rule.new for rule in self.apis}
        classes = _classes(stems) if self.layers else {}

        def rename(stem: str) -> str:
            if stem in apis:
                return apis[stem]
            if not stem.startswith(_TYPES):
                return stem
            kind, _, path = stem.partition(".")
            changed = self._layered(path, classes) if self.layers else path
            changed = self.cells.get(changed) or self._partly(changed)
            return stem if changed == path else f"{kind}.{changed}"

        return rename

    def _partly(self, path: str) -> str:
        for old, new in self.cells.items():
            path = path.replace(old, new, 1)
        return path

    def _layered(self, path: str, classes: Dictionary[tuple[str, ...], str]) -> str:
        """Return *path* with each child renamed by the class that it is a child of."""
        *names, of_class = path.split(".")
        changed: list[str] = []
        place = 0
        while place < len(names):
            above = classes.get(tuple(names[:place]), "") if place else "TopLayer"
            rules = self.layers.get(above, {})
            step, new = 1, [names[place]]
            for old, replacement in sorted(rules.items(), key=lambda rule: -rule[0].count(".")):
                parts = old.split(".")
                if names[place : place + len(parts)] == parts:
                    step, new = len(parts), replacement.split(".")
                    break
            changed += new
            place += step
        return ".".join([*changed, of_class])

    def inverted(self) -> Mapping:
        """Return the same for swapped sides."""
        return replace(
            self,
            cells={new: old for old, new in self.cells.items()},
            apis=tuple(
                ApiRule(
                    rule.new,
                    rule.old,
                    None if rule.slots is None else {new: old for old, new in rule.slots.items()},
                )
                for rule in self.apis
            ),
            layers={
                of_class: {new: old for old, new in children.items()}
                for of_class, children in self.layers.items()
            },
            items={new: old for old, new in self.items.items()},
            picked={new: old for old, new in self.picked.items()},
        )

    def joined(self, other: Mapping) -> Mapping:
        """Return what both say; *other* wins where they contradict."""
        old_apis = {rule.old for rule in other.apis}
        layers = {name: {**self.layers.get(name, {}), **children} for name, children in other.layers.items()}
        return Mapping(
            cells={**self.cells, **other.cells},
            apis=(*(rule for rule in self.apis if rule.old not in old_apis), *other.apis),
            layers={**self.layers, **layers},
            items={**self.items, **other.items},
            picked={**self.picked, **other.picked},
            problems=(*self.problems, *other.problems),
        )


def split_item(name: str) -> tuple[str, str] | None:
    """Return call and slot of a value's full name, ``None`` if it is not one."""
    if found := _ITEM.match(name):
        group = "input" if found["group"] == "kwargs" else found["group"]
        return found["call"], f"{group}.{found['path']}"
    if found := _GRADIENT.match(name):
        return found["call"], f"parameters_grad.{found['path']}"
    if found := _DEBUG.match(name):
        return found["call"], f"value.{found['path']}"
    return None


def _classes(stems: Iterable[str]) -> dict[tuple[str, ...], str]:
    """Return the class of each module, by its path."""
    found = {}
    for stem in stems:
        if stem.startswith(_TYPES):
            _, *path, of_class = stem.split(".")
            found[tuple(path)] = of_class
    return found
