"""From the dumped slots of a call to named arguments.

A signature is written as in torch's documentation, ``"input, other, *, alpha=1"``; ``*shape`` takes the
rest of the positional arguments. A default is a JSON value; an argument without one must be there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from core.dtypes import DType
from core.emulation.terms.computing import Array
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.records.dump import Dump, SlotGroup, SlotKind


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A dumped tensor: float64, int64, bool or complex128 numbers, and the format they had."""

    array: Array
    dtype: DType

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions."""
        return self.array.shape


class _Unrecorded:
    """An object the dumper could not describe, such as a dtype given by position."""

    def __repr__(self) -> str:
        return "UNRECORDED"


UNRECORDED = _Unrecorded()
_REQUIRED = object()


@dataclass(frozen=True)
class Signature:
    """Names of the arguments in order, and what they are when not given."""

    names: tuple[str, ...]
    defaults: Mapping[str, Any]
    rest: str = ""
    """Name of the argument that takes the remaining positional ones."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names under which APIs of one meaning call an argument, and the one used here."""

    def required(self, name: str) -> bool:
        """Whether the argument has no default."""
        return self.defaults.get(name, _REQUIRED) is _REQUIRED


@lru_cache(maxsize=1024)
def signature(text: str) -> Signature:
    """Parse a signature; ``mat2|other`` is one argument with two names, of which the first is used."""
    names: list[str] = []
    aliases = {"self": "input"}
    defaults: dict[str, Any] = {}
    rest = ""
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, default = part.partition("=")
        name, *others = name.split("|")
        aliases.update(dict.fromkeys(others, name))
        if name == "*":
            continue
        if name.startswith("*"):
            rest = name[1:]
            defaults[rest] = ()
            continue
        names.append(name)
        if default:
            defaults[name] = _python(default)
    return Signature(tuple(names), defaults, rest, aliases)


def _python(text: str) -> Any:
    named = {"None": None, "True": True, "False": False}
    if text in named:
        return named[text]
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Given:
    """What the dump says was passed: by position, by keyword, and a module's parameters."""

    positional: Mapping[int, Any]
    keywords: Mapping[str, Any]
    parameters: Mapping[str, Any]
    complete: bool = True
    """Whether what is absent here was not passed: legacy dumps leave out keywords and None."""


@dataclass(frozen=True)
class Bound:
    """Arguments by name. ``assumed`` are defaults that stand for what the dump does not tell."""

    values: Mapping[str, Any]
    assumed: frozenset[str] = field(default_factory=frozenset)


Open = Callable[[int], Tensor]
"""Reads the tensor of a slot; raises :class:`NotReplayable`."""


def read_group(dump: Dump, slots: range, group: SlotGroup, open_tensor: Open) -> dict[str, Any]:
    """Return the values of one *group* of a call's *slots* as nested lists and dicts, by first path part."""
    tree: dict[str, Any] = {}
    for slot in slots:
        if dump.slots.group[slot] != group:
            continue
        parts = dump.strings[int(dump.slots.path[slot])].split(".")
        node = tree
        for part in parts[:-1]:
            below = node.setdefault(part, {})
            if not isinstance(below, dict):
                raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, dump.slot_name(slot))
            node = below
        node[parts[-1]] = _leaf(dump, slot, open_tensor)
    return {name: _listed(value) for name, value in tree.items()}


def read_given(dump: Dump, operator: int, open_tensor: Open) -> Given:
    """Return the arguments of a call as the dump has them."""
    slots = dump.slots_of(operator)
    inputs = read_group(dump, slots, SlotGroup.INPUT, open_tensor)
    positional = {int(name or 0): value for name, value in inputs.items() if not name or name.isdecimal()}
    keywords = {name: value for name, value in inputs.items() if name and not name.isdecimal()}
    keywords |= read_group(dump, slots, SlotGroup.KEYWORD, open_tensor)
    parameters = read_group(dump, slots, SlotGroup.PARAMETER, open_tensor)
    return Given(positional, keywords, parameters, complete=dump.format != "ptdbg")


def bind(given: Given, form: Signature) -> Bound:
    """Give the recorded arguments the names of *form*.

    Raises
    ------
    NotReplayable
        AMBIGUOUS_ARGUMENTS when one that is needed is missing, or one is not known.
    """
    values: dict[str, Any] = {}
    known = {*form.names, form.rest} - {""}
    for spelled, value in given.keywords.items():
        name = spelled if spelled in known else form.aliases.get(spelled, spelled)
        if name not in known or name in values:
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        values[name] = value
    remaining = [value for index, value in sorted(given.positional.items()) if index >= len(form.names)]
    for index, name in enumerate(form.names):
        if index in given.positional:
            if name in values:
                raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
            values[name] = given.positional[index]
    if form.rest:
        values.setdefault(form.rest, tuple(remaining))
    elif remaining:
        raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, str(len(form.names)))
    assumed = set()
    for name in form.names:
        if name in values:
            continue
        if form.required(name):
            raise NotReplayable(NotReplayed.AMBIGUOUS_ARGUMENTS, name)
        # Legacy dumps leave out None: a gap before another argument was one.
        gap = not given.complete and form.names.index(name) < max(given.positional, default=-1)
        values[name] = None if gap and form.defaults[name] is None else form.defaults[name]
        if not given.complete and not gap:
            assumed.add(name)
    return Bound(values, frozenset(assumed))


def _leaf(dump: Dump, slot: int, open_tensor: Open) -> Any:
    kind = dump.slots.kind[slot]
    if kind == SlotKind.TENSOR:
        return open_tensor(slot)
    if kind == SlotKind.NONE:
        return None
    if kind == SlotKind.ARGUMENT:
        text = dump.strings[int(dump.slots.value[slot])]
        spelled = dump.strings[int(dump.slots.type[slot])]
        try:
            value = json.loads(text)
        except ValueError:
            return UNRECORDED
        if spelled == "slice" and isinstance(value, list) and len(value) == 3:
            return slice(*value)
        if spelled == "ellipsis":
            return Ellipsis
        return value
    return UNRECORDED


def _listed(value: Any) -> Any:
    """Turn dicts whose keys are 0, 1, 2 ... into lists, all the way down."""
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(item) for name, item in value.items()}
    if inner and set(inner) == {str(index) for index in range(len(inner))}:
        return [inner[str(index)] for index in range(len(inner))]
    return inner
