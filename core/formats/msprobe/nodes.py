"""The bodies of operators in a dump.json, turned into slots."""

from __future__ import annotations

from typing import Any

from core.formats import json_text
from core.formats.builder import DumpBuilder, Template
from core.formats.json_text import NON_FINITE, is_text
from core.formats.msprobe.leaves import (
    CHECKED_TYPES,
    STATISTIC_KEYS,
    Argument,
    count_keys,
    is_leaf,
    is_odd_argument,
    is_p2p,
    read_leaf,
)
from core.formats.odd_values import OddValues
from core.formats.values import EXACT, read_numbers, read_shape
from core.records.columns import ABSENT
from core.records.dump import SlotGroup, SlotKind

# Plain integers: the hash of an enumeration's member is a call, and each slot hashes some.
_INPUT, _KEYWORD, _PARAMETER, _OUTPUT, _PARAMETER_GRAD, _VALUE = (int(group) for group in SlotGroup)
_TENSOR, _ARGUMENT, _NONE, _UNRECORDED = (int(kind) for kind in SlotKind)
_GROUPS = {
    "input_args": _INPUT,
    "input_kwargs": _KEYWORD,
    "output": _OUTPUT,
    "input": _INPUT,
    "parameters": _PARAMETER,
    "parameters_grad": _PARAMETER_GRAD,
    "args": _INPUT,
    "kwargs": _KEYWORD,
    # Named as autograd names them: what arrives are the gradients of the outputs.
    "grad_output": _INPUT,
    "grad_input": _OUTPUT,
}
_PLAIN = ("type", "dtype", "shape", *STATISTIC_KEYS, "requires_grad")
_WITH_FILE = (*_PLAIN, "data_name")
_WITH_CHECKSUM = (*_PLAIN, "md5")
_ONLY_CHECKSUM = ("type", "dtype", "shape", "md5", "requires_grad")
_RARE_KEYS = frozenset(("datapath", "class_type", "max", "min", "mean", "norm"))
_EXTRAS = 4096
_SCALAR = ("type", "value")
_FRAMEWORKS = {"pytorch": "torch.", "mindspore": "mindspore."}
_WHOLE = {int}
_INDEX = [str(index) for index in range(1024)]


class NodeReader:
    """Adds operators to *builder*, one :meth:`add` each.

    ``keys`` counts the keys of all dicts seen, so that a caller can tell from the text whether
    some were there twice.
    """

    def __init__(self, builder: DumpBuilder) -> None:
        self.keys = 0
        self.odd = OddValues()
        self._name = ""
        self._free = False
        self._builder = builder
        # Raw values as decoded -> template; misses alone build a Template and check its parts.
        self._templates: dict[tuple[Any, ...], int] = {}
        # What tensors have beside the usual -> id of its text, and how many keys lie deeper in it.
        self._extras: dict[str, tuple[int, int]] = {}
        maxima, minima, means, norms = builder.statistics
        self._append = (builder.slots.append, maxima.append, minima.append, means.append, norms.append)

    def add(self, name: str, body: Any, *, debug: bool = False) -> None:
        """Add operator *name*; *debug* bodies are free nestings of values."""
        builder = self._builder
        row = builder.operator(name)
        self._name = name
        self._free = debug or name.endswith(".debug")
        if self._free:
            self._walk(_VALUE, "", body)
        elif ".parameters_grad" in name and isinstance(body, dict):
            self.keys += len(body)
            for key, value in body.items():
                # Each gradient sits alone in a list.
                single = isinstance(value, list) and len(value) == 1
                self._walk(_PARAMETER_GRAD, key, value[0] if single else value)
        elif isinstance(body, dict) and (not is_leaf(body) or not _GROUPS.keys().isdisjoint(body)):
            self._add_groups(row, body)
        else:
            if body is None:
                self.odd.add(name)
            self._walk(_INPUT if isinstance(body, list) else _VALUE, "", body)

    def _add_groups(self, row: int, body: dict[str, Any]) -> None:
        self.keys += len(body)
        extra: dict[str, Any] = {}
        for key, value in body.items():
            group = _GROUPS.get(key)
            if group is None:
                if _holds_leaf(value):
                    self._walk(_VALUE, key, value)
                else:
                    self.keys += count_keys(value)
                    extra[key] = value
            elif value.__class__ is list:
                self._add_list(group, value)
            elif value != {}:
                self._walk(group, "", value)
        if extra:
            self._builder.operator_extra.set(row, self._builder.strings(json_text.dumps(extra)))

    def _add_list(self, group: int, items: list[Any]) -> None:
        for index, item in enumerate(items):
            path = _INDEX[index] if index < 1024 else str(index)
            if item.__class__ is not dict or not self._add_common(group, path, item):
                self._walk(group, path, item)

    def _walk(self, group: int, path: str, value: Any) -> None:
        """Add all leaves in *value*, depth first; a loop, because nothing limits the depth."""
        pending = [(path, value)]
        while pending:
            path, value = pending.pop()
            if value.__class__ is dict:
                if self._add_common(group, path, value):
                    continue
                if not value:
                    self._add(Template(group, path, _UNRECORDED))
                elif is_p2p(value):
                    pending += self._add_p2p(group, path, value)
                elif is_leaf(value):
                    self._add_leaf(group, path, value)
                else:
                    self.keys += len(value)
                    pending += reversed(
                        [(f"{path}.{key}" if path else key, item) for key, item in value.items()]
                    )
            elif value.__class__ is list and value:
                pending += reversed(
                    [(f"{path}.{index}" if path else str(index), item) for index, item in enumerate(value)]
                )
            elif value is None:
                self._add(Template(group, path, _NONE))
            else:  # not what a dumper writes: a bare number, text, or empty list
                slot = self._add(Template(group, path, _ARGUMENT))
                self._builder.value.set(slot, self._builder.strings(json_text.dumps(value)))
                if value != [] and not self._free:
                    self.odd.add(self._name, SlotGroup(group).label, path)

    def _add(self, template: Template) -> int:
        return self._builder.slot(self._builder.template(template))

    def _add_common(self, group: int, path: str, leaf: dict[str, Any]) -> bool:
        """Add *leaf* if it is one of the usual kinds; return whether it was."""
        keys = tuple(leaf)
        builder = self._builder
        file = checksum = rest = None
        if keys == _PLAIN:
            type_, dtype, shape, high, low, mean, norm, gradient = leaf.values()
        elif keys == _SCALAR:
            return self._add_scalar(group, path, *leaf.values())
        elif keys == _WITH_FILE:
            type_, dtype, shape, high, low, mean, norm, gradient, file = leaf.values()
        elif keys == _WITH_CHECKSUM:
            type_, dtype, shape, high, low, mean, norm, gradient, checksum = leaf.values()
        elif keys == _ONLY_CHECKSUM:
            type_, dtype, shape, checksum, gradient = leaf.values()
            high = low = mean = norm = None
        elif "dtype" in leaf and "shape" in leaf and not _RARE_KEYS.intersection(keys):
            rest = dict(leaf)
            type_, dtype, shape, high, low, mean, norm, gradient = [rest.pop(key, None) for key in _PLAIN]
            checksum, file = rest.pop("md5", None), rest.pop("data_name", None)
        else:
            return False
        if (checksum is not None and (checksum.__class__ is not str or checksum in NON_FINITE)) or (
            file is not None and (file.__class__ is not str or file in NON_FINITE)
        ):
            return False
        if (
            high.__class__ is float
            and low.__class__ is float
            and mean.__class__ is float
            and norm.__class__ is float
        ):
            known = 15
        else:
            known, high, low, mean, norm, kept = read_numbers((high, low, mean, norm))
            if kept:
                return False
        if gradient.__class__ is not bool and gradient is not None:  # 1 would be found as True is
            return False
        try:
            template = self._templates.get((group, path, type_, dtype, tuple(shape), gradient, known))
            if {*map(type, shape)} - _WHOLE:
                return False
        except TypeError:
            return False
        if template is None:
            template = self._new_template(group, path, (type_, dtype, shape, gradient, known))
            if template < 0:
                return False
        self.keys += len(keys)
        append_template, append_max, append_min, append_mean, append_norm = self._append
        append_template(template)
        append_max(high)
        append_min(low)
        append_mean(mean)
        append_norm(norm)
        if rest:
            builder.extra.set(len(builder.slots) - 1, self._extra(rest))
        if checksum:
            builder.checksum.set(len(builder.slots) - 1, builder.strings(checksum))
        if file:
            builder.file.set(len(builder.slots) - 1, builder.strings(file))
        return True

    def _extra(self, rest: dict[str, Any]) -> int:
        """Return the text for what a tensor has beside the usual; sharded ones repeat their placement."""
        said = repr(rest)
        known = self._extras.get(said)
        if known is None:
            if len(self._extras) >= _EXTRAS:
                self._extras.clear()
            known = self._builder.strings(json_text.dumps(rest)), count_keys(rest) - len(rest)
            self._extras[said] = known
        self.keys += known[1]
        return known[0]

    def _new_template(self, group: int, path: str, parts: tuple[Any, ...]) -> int:
        """Return the template of a tensor with these *parts*, or -1 if they are not what they should be."""
        type_, dtype, shape, gradient, known = parts
        sizes = read_shape(shape) if isinstance(shape, list) else None
        if not is_text(type_) or not is_text(dtype) or sizes is None:
            return ABSENT
        self._sniff(type_)
        requires_grad = ABSENT if gradient is None else int(gradient)
        template = self._builder.template(
            Template(group, path, _TENSOR, type_, dtype, sizes, requires_grad, known)
        )
        self._templates[(group, path, type_, dtype, sizes, gradient, known)] = template
        return template

    def _add_scalar(self, group: int, path: str, type_: Any, value: Any) -> bool:
        if type_.__class__ is not str or type_.endswith("Tensor") or type_ in NON_FINITE:
            return False
        kind = value.__class__
        if (kind is int and -EXACT <= value <= EXACT) or (kind is float and -1e300 < value < 1e300):
            text = repr(value)
        else:
            text = json_text.dumps(value)
            self.keys += count_keys(value)
        self.keys += len(_SCALAR)
        if type_ in CHECKED_TYPES and is_odd_argument(type_, value):
            self.odd.add(self._name, SlotGroup(group).label, path, "value")
        builder = self._builder
        template = self._templates.get((group, path, type_))
        if template is None:
            template = builder.template(Template(group, path, _ARGUMENT, type_))
            self._templates[(group, path, type_)] = template
        builder.value.set(builder.slot(template), builder.strings(text))
        return True

    def _add_leaf(self, group: int, path: str, leaf: dict[str, Any]) -> None:
        builder = self._builder
        self.keys += count_keys(leaf)
        read = read_leaf(leaf)
        if isinstance(read, Argument):
            slot = self._add(Template(group, path, _ARGUMENT, read.type))
            builder.value.set(slot, builder.strings(read.value))
        else:
            self._sniff(read.type or "")
            statistics = read.statistics
            template = Template(
                group, path, _TENSOR, read.type, read.dtype, read.shape,
                read.requires_grad, statistics.known,
            )  # fmt: skip
            slot = builder.slot(builder.template(template), *statistics[1:5])
            builder.checksum.set(slot, builder.strings(read.checksum))
            builder.file.set(slot, builder.strings(read.file))
        builder.extra.set(slot, builder.strings(read.extra))
        for key in read.odd:
            self.odd.add(self._name, SlotGroup(group).label, path, key)

    def _add_p2p(self, group: int, path: str, leaf: dict[str, Any]) -> list[tuple[str, Any]]:
        """Add what a P2P operation says of itself; return its tensor as what is still to do."""
        self.keys += len(leaf)
        rest = {key: value for key, value in leaf.items() if key not in ("class_type", "tensor")}
        self.keys += count_keys(rest) - len(rest)
        slot = self._add(Template(group, path, _ARGUMENT, leaf["class_type"]))
        self._builder.value.set(slot, self._builder.strings(json_text.dumps(rest)))
        return [(f"{path}.tensor" if path else "tensor", leaf["tensor"])] if "tensor" in leaf else []

    def _sniff(self, type_: str) -> None:
        """Learn the framework from the types: headers before 2025 do not name it."""
        if not self._builder.framework:
            found = [name for name, start in _FRAMEWORKS.items() if type_.startswith(start)]
            self._builder.framework = found[0] if found else ""


def _holds_leaf(value: Any) -> bool:
    """Tell whether a value under an unknown key is one, or holds some, and so makes slots."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if is_leaf(item):
                return True
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return False
