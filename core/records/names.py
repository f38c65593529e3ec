"""How operator names are built, read from the right.

A name ends in a fixed way and begins with whatever a user's module or registered API is called, digits
and the word ``forward`` included; so only its end is parsed::

    Functional.conv2d.0.forward              api       count before direction
    Module.net.fc1.Linear.backward.0         module    direction before count
    Module.net.fc1.Linear.parameters_grad    gradients of a module's parameters
    my_value.0.debug                         a value the user saved
    Torch_conv2d_0_forward                   ptdbg_ascend before 6.0.T3: underscores
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum


class OperatorKind(IntEnum):
    """What kind of call a name denotes."""

    API = 0
    MODULE = 1
    PARAMETERS_GRAD = 2
    DEBUG = 3
    OTHER = 4


class Direction(IntEnum):
    """Which pass a call belongs to."""

    NONE = 0
    FORWARD = 1
    BACKWARD = 2


@dataclass(frozen=True, slots=True)
class OperatorName:
    """An operator name taken apart.

    ``stem`` is the name without direction and occurrence (``Functional.conv2d``,
    ``Module.net.fc1.Linear``); ``occurrence`` the call count, -1 where the name has none.
    """

    stem: str
    kind: OperatorKind
    direction: Direction
    occurrence: int


_DIRECTIONS = {"forward": Direction.FORWARD, "backward": Direction.BACKWARD, "pre_forward": Direction.FORWARD}
_API = re.compile(
    r"^(?P<stem>.+)(?P<sep>[._])(?P<count>\d+)(?P=sep)(?P<way>pre_forward|forward|backward)$", re.S
)
_MODULE = re.compile(r"^(?P<stem>.+)\.(?P<way>forward|backward)\.(?P<count>\d+|abnormal)$", re.S)
_GRADIENT = re.compile(r"^(?P<stem>.+)\.parameters_grad(?:\.(?P<count>\d+))?$", re.S)
_DEBUG = re.compile(r"^(?P<stem>.+)\.(?P<count>\d+)\.debug$", re.S)
_MODULE_PREFIXES = ("Module.", "Cell.")
_NAMESPACES = frozenset(
    ("Functional", "Tensor", "Torch", "NPU", "VF", "Aten", "Distributed", "MindSpeed", "Mint",
     "MintFunctional", "MintDistributed", "Primitive", "API")
)  # fmt: skip
"""What the dumpers put before the name of an API."""
_COUNT_DIGITS = 9
"""Counts beyond are not call counts, and would not fit a column."""


def parse_operator_name(name: str) -> OperatorName:
    """Take *name* apart; a name that fits no pattern is of kind OTHER with the whole name as stem."""
    if found := _MODULE.match(name):
        count = found["count"]
        return OperatorName(
            found["stem"],
            OperatorKind.MODULE,
            _DIRECTIONS[found["way"]],
            _count(count),
        )
    if found := _API.match(name):
        # ptdbg's module dumps also put the count first, without a prefix that would tell them apart.
        kind = OperatorKind.MODULE if name.startswith(_MODULE_PREFIXES) else OperatorKind.API
        return OperatorName(found["stem"], kind, _DIRECTIONS[found["way"]], _count(found["count"]))
    if found := _GRADIENT.match(name):
        count = found["count"] or ""
        return OperatorName(found["stem"], OperatorKind.PARAMETERS_GRAD, Direction.BACKWARD, _count(count))
    if found := _DEBUG.match(name):
        return OperatorName(found["stem"], OperatorKind.DEBUG, Direction.NONE, _count(found["count"]))
    return OperatorName(name, OperatorKind.OTHER, Direction.NONE, -1)


def _count(digits: str) -> int:
    return int(digits) if digits.isdigit() and len(digits) <= _COUNT_DIGITS else -1


def classify_name(name: str) -> tuple[OperatorKind, Direction, int]:
    """Return kind, direction and occurrence of *name*: :func:`parse_operator_name`, five times as fast."""
    head, _, last = name.rpartition(".")
    if last in ("forward", "backward"):
        stem, _, count = head.rpartition(".")
        if stem and count.isascii() and count.isdecimal():
            kind = OperatorKind.MODULE if name.startswith(_MODULE_PREFIXES) else OperatorKind.API
            return kind, _DIRECTIONS[last], _count(count)
    elif last.isascii() and last.isdecimal():
        stem, _, way = head.rpartition(".")
        if stem and way in ("forward", "backward"):
            return OperatorKind.MODULE, _DIRECTIONS[way], _count(last)
    parsed = parse_operator_name(name)
    return parsed.kind, parsed.direction, parsed.occurrence


def forward_name(name: str) -> str | None:
    """Return the name of the forward call that a backward call *name* belongs to, by its spelling."""
    parsed = parse_operator_name(name)
    if parsed.direction is not Direction.BACKWARD or parsed.kind not in (
        OperatorKind.API,
        OperatorKind.MODULE,
    ):
        return None
    head, middle, tail = name.rpartition("backward")
    return f"{head}forward{tail}" if middle else None


def without_namespace(stem: str) -> str:
    """Return the API's own name: ``gelu`` of ``Functional.gelu``, or of the older ``Functional_gelu``."""
    head, _, own = stem.partition("." if "." in stem else "_")
    return own if own and head in _NAMESPACES else stem


def short_name(name: str) -> str:
    """Return what a person calls the operator: ``conv2d.0`` or ``fc1 Linear.0``, without prefixes."""
    parsed = parse_operator_name(name)
    parts = parsed.stem.split(".")
    label = " ".join(parts[-2:]) if parsed.kind is OperatorKind.MODULE and len(parts) > 2 else parts[-1]
    if parsed.kind is OperatorKind.API and len(parts) == 1:
        label = without_namespace(label)
    return f"{label}.{parsed.occurrence}" if parsed.occurrence >= 0 else label
