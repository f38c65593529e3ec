"""The lines of a ptdbg_ascend ``.pkl``: JSON arrays, never a pickle.

``[prefix, dump_step, md5, dtype, shape, summary]`` is a value, ``[name_stack_info, frames]`` a stack.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from core.formats import json_text
from core.formats.values import Statistics, read_shape, read_statistics
from core.records.dump import STATISTICS, SlotGroup
from core.records.stacks import Frame

_SLOT = re.compile(
    r"^(?P<operator>.+[._](?:forward|backward))[._](?P<group>input|output)(?P<path>(?:\.[^.]+)*)$", re.S
)
_STACK = re.compile(r"^(?P<operator>.+)[._]stack_info$", re.S)
_GROUPS = {"input": SlotGroup.INPUT, "output": SlotGroup.OUTPUT}


class ValueLine(NamedTuple):
    """One value. ``value`` is the JSON text of a Python scalar, ``None`` for a tensor."""

    prefix: str
    step: Any
    scalar: bool
    dtype: str | None
    shape: tuple[int, ...] | None
    statistics: Statistics
    checksum: str | None
    value: str | None
    extra: str | None


class StackLine(NamedTuple):
    """The call stack of one operator."""

    operator: str
    frames: list[Frame]


def split_prefix(prefix: str) -> tuple[str, SlotGroup, str]:
    """Return operator, group and path that the name of a value says, all as spelled in the dump."""
    found = _SLOT.match(prefix)
    if found is None:
        return prefix, SlotGroup.VALUE, ""
    return found["operator"], _GROUPS[found["group"]], found["path"][1:]


def read_line(line: bytes) -> ValueLine | StackLine:
    """Read one line.

    Raises
    ------
    ValueError
        If it is of neither kind.
    """
    items = json_text.loads(line)
    if not isinstance(items, list) or len(items) not in (2, 6) or not isinstance(items[0], str):
        raise ValueError("neither a value nor a stack")
    return _stack(*items) if len(items) == 2 else _value(*items)


def _stack(name: str, frames: Any) -> StackLine:
    found = _STACK.match(name)
    listed = frames if isinstance(frames, list) else [frames]
    return StackLine(found["operator"] if found else name, [_frame(frame) for frame in listed if frame])


def _frame(frame: Any) -> Frame:
    if not isinstance(frame, list) or len(frame) != 4:
        return Frame("", 0, "", frame if isinstance(frame, str) else json_text.dumps(frame))
    path, line, function, code = frame
    digits = str(line)
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
    return Frame(str(path), number, str(function), str(code or "").strip())


def _value(prefix: str, step: Any, checksum: Any, dtype: Any, shape: Any, summary: Any) -> ValueLine:
    extra: dict[str, Any] = {}
    numbers = list(summary) if isinstance(summary, list) else []
    if len(numbers) > len(STATISTICS) or not isinstance(summary, list):
        extra["summary"] = summary
    scalar = isinstance(dtype, str) and dtype.startswith("<class")
    value = json_text.dumps(numbers[0]) if scalar and numbers else None
    # The text "Nan" says that there is no norm; a NaN is a bare token.
    given = [None if number in ("Nan", []) else number for number in numbers[: len(STATISTICS)]]
    padded = given + [None] * (len(STATISTICS) - len(given))
    statistics = read_statistics((None,) * len(STATISTICS) if scalar else tuple(padded))
    extra |= {STATISTICS[index]: kept for index, kept in statistics.kept.items()}
    sizes = read_shape(shape)
    if sizes is None:
        extra["shape"] = shape
    return ValueLine(
        prefix,
        step,
        scalar,
        dtype if isinstance(dtype, str) else json_text.dumps(dtype),
        sizes,
        statistics,
        checksum if isinstance(checksum, str) and checksum else None,
        value,
        json_text.dumps(extra) if extra else None,
    )
