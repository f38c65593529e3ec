"""The values in a dump.json: what the dict that stands for one says.

A dict is a leaf, and not a container of leaves, when it has a ``type`` that is a string. Three kinds do
without: P2P operations (``class_type``), the older dumps that leave the type out but give dtype and shape,
and single-tensor files with statistics in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.formats import json_text
from core.formats.values import Statistics, read_shape, read_statistics
from core.records.columns import ABSENT

STATISTIC_KEYS = ("Max", "Min", "Mean", "Norm")
_LOWER_KEYS = tuple(key.lower() for key in STATISTIC_KEYS)
_FILE_KEYS = ("data_name", "datapath")


class Tensor(NamedTuple):
    """A tensor record as the dump spells it; ``None`` where it does not say."""

    type: str | None
    dtype: str | None
    shape: tuple[int, ...] | None
    statistics: Statistics
    requires_grad: int
    checksum: str | None
    file: str | None
    extra: str | None


class Argument(NamedTuple):
    """A value that is no tensor. ``value`` and ``extra`` are JSON texts."""

    type: str | None
    value: str | None
    extra: str | None


def is_leaf(value: Mapping[str, Any]) -> bool:
    """Tell whether a dict stands for one value; see the module's sentence."""
    if "type" not in value and "shape" not in value and "class_type" not in value:
        return False
    if isinstance(value.get("type"), str) or is_p2p(value):
        return True
    shape = value.get("shape")
    if isinstance(value.get("dtype"), str) and isinstance(shape, (list, str)):
        return True
    return isinstance(shape, list) and any(isinstance(value.get(key), (int, float)) for key in _LOWER_KEYS)


def is_p2p(value: Mapping[str, Any]) -> bool:
    """Tell whether a dict stands for a ``P2POp``, which wraps a tensor leaf."""
    kind = value.get("class_type")
    return isinstance(kind, str) and kind.endswith("P2POp")


def read_leaf(leaf: dict[str, Any]) -> Tensor | Argument:
    """Read a dict for which :func:`is_leaf` holds (and :func:`is_p2p` does not)."""
    type_ = leaf.get("type")
    if ("dtype" in leaf and "shape" in leaf) or type_ is None or type_.endswith("Tensor"):
        return _read_tensor(leaf)
    rest = {key: value for key, value in leaf.items() if key != "type"}
    for key in ("value", "format"):
        if key in rest:
            return Argument(type_, json_text.dumps(rest.pop(key)), json_text.dumps(rest) if rest else None)
    return Argument(type_, json_text.dumps(rest) if rest else None, None)


def _read_tensor(leaf: dict[str, Any]) -> Tensor:
    rest = dict(leaf)
    type_ = rest.pop("type", None)
    dtype = _take_text(rest, "dtype")
    shape = read_shape(rest.get("shape"))
    if shape is not None or rest.get("shape") is None:
        rest.pop("shape", None)
    keys = STATISTIC_KEYS if any(key in rest for key in STATISTIC_KEYS) else _LOWER_KEYS
    statistics = read_statistics(tuple(rest.pop(key, None) for key in keys))
    for index, value in statistics.kept.items():
        rest[keys[index]] = value
    gradient = rest.get("requires_grad")
    if gradient is None or isinstance(gradient, bool):
        rest.pop("requires_grad", None)
    checksum = rest.get("md5")
    if checksum.__class__ in (int, float, bool):  # the xor of a 0-d tensor is its value
        checksum = json_text.dumps(rest.pop("md5"))
    else:
        checksum = _take_text(rest, "md5")
    file = next((text for key in _FILE_KEYS if (text := _take_text(rest, key))), None)
    return Tensor(
        type_,
        dtype,
        shape,
        statistics,
        int(gradient) if isinstance(gradient, bool) else ABSENT,
        checksum or None,
        file,
        json_text.dumps(rest) if rest else None,
    )


def _take_text(rest: dict[str, Any], key: str) -> str | None:
    """Take *key* out of *rest* if it is a text or null; anything else stays there."""
    value = rest.get(key)
    if value is None or isinstance(value, str):
        rest.pop(key, None)
    return value if isinstance(value, str) else None


def count_keys(value: Any) -> int:
    """Return how many keys all dicts inside of *value* have together."""
    count, todo = 0, [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            count += len(item)
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return count
