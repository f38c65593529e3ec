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
    odd: tuple[str, ...] = ()
    """Keys whose value is of no type that the format foresees; what they hold is in ``extra``."""


class Argument(NamedTuple):
    """A value that is no tensor. ``value`` and ``extra`` are JSON texts."""

    type: str | None
    value: str | None
    extra: str | None
    odd: tuple[str, ...] = ()


def is_leaf(value: Mapping[str, Any]) -> bool:
    """Tell whether a dict stands for one value; see the module's sentence."""
    if "type" not in value and "shape" not in value and "class_type" not in value:
        return False
    if isinstance(value.get("type"), str) or is_p2p(value) or _has_odd_type(value):
        return True
    shape = value.get("shape")
    if isinstance(value.get("dtype"), str) and isinstance(shape, (list, str)):
        return True
    return isinstance(shape, list) and any(isinstance(value.get(key), (int, float)) for key in _LOWER_KEYS)


def _has_odd_type(value: Mapping[str, Any]) -> bool:
    """Tell whether ``type`` is no text, and yet *value* no container with something of that name in it:
    what containers hold are leaves, lists and null, never bare numbers or texts.
    """
    if value.get("type") is None:
        return False
    return any(isinstance(item, (str, int, float)) for item in value.values())


def is_p2p(value: Mapping[str, Any]) -> bool:
    """Tell whether a dict stands for a ``P2POp``, which wraps a tensor leaf."""
    kind = value.get("class_type")
    return isinstance(kind, str) and kind.endswith("P2POp")


def read_leaf(leaf: dict[str, Any]) -> Tensor | Argument:
    """Read a dict for which :func:`is_leaf` holds (and :func:`is_p2p` does not)."""
    said = leaf.get("type")
    type_ = said if json_text.is_text(said) else None
    if _is_tensor(leaf, type_):
        return _read_tensor(leaf)
    rest = {key: value for key, value in leaf.items() if key != "type" or type_ is None}
    for key in ("value", "format"):
        if key in rest:
            value = rest.pop(key)
            odd = (*(("type",) if type_ is None else ()), *((key,) if is_odd_argument(type_, value) else ()))
            return Argument(type_, json_text.dumps(value), json_text.dumps(rest) if rest else None, odd)
    return Argument(type_, json_text.dumps(rest) if rest else None, None, () if type_ else ("type",))


def _is_tensor(leaf: dict[str, Any], type_: str | None) -> bool:
    if ("dtype" in leaf and "shape" in leaf) or (type_ is not None and type_.endswith("Tensor")):
        return True
    return type_ is None and not ("type" in leaf and "shape" not in leaf)


CHECKED_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int, str),  # NaN and infinities stand as texts
    "bool": (bool,),
    "str": (str,),
}


def is_odd_argument(type_: str | None, value: Any) -> bool:
    """Tell whether *value* is not what an argument of the plain type *type_* can be."""
    expected = CHECKED_TYPES.get(type_ or "")
    if expected is None:
        return False
    return value.__class__ not in expected or (expected == (str,) and not json_text.is_text(value))


def _read_tensor(leaf: dict[str, Any]) -> Tensor:
    rest = dict(leaf)
    type_ = _take_text(rest, "type")
    dtype = _take_text(rest, "dtype")
    shape = read_shape(rest.get("shape"))
    measured = any(rest.get(key) is not None for key in STATISTIC_KEYS)
    # A null shape beside a dtype and statistics is no way to say nothing.
    if shape is not None or (rest.get("shape") is None and not (dtype and measured)):
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
    unread = ("type", "dtype", "shape", "requires_grad", "md5", *_FILE_KEYS)
    exact = [key for index, key in enumerate(keys) if statistics.known & (1 << index)]
    odd = tuple(key for key in (*unread, *keys) if key in rest and key not in exact)
    return Tensor(
        type_,
        dtype,
        shape,
        statistics,
        int(gradient) if isinstance(gradient, bool) else ABSENT,
        checksum or None,
        file,
        json_text.dumps(rest) if rest else None,
        odd,
    )


def _take_text(rest: dict[str, Any], key: str) -> str | None:
    """Take *key* out of *rest* if it is a text or null; anything else stays there."""
    value = rest.get(key)
    text = json_text.is_text(value)
    if value is None or text:
        rest.pop(key, None)
    return value if text else None


def count_keys(value: Any) -> int:
    """Return how many keys all dicts inside of *value* have together."""
    count, pending = 0, [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            count += len(item)
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return count
