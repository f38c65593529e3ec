"""``anomaly_analyze_*.json``: the calls that the official overflow analyser accuses, by rank.

``{"rank_0": [{"op_name": .., "data_info": {..}, "construct_info": [..], "stack_info": [..]}]}``, where
``data_info`` is the call's entry in its dump.json and ``construct_info`` ends in the call itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.errors import InputError, Problem
from core.formats import json_text
from core.formats.builder import DumpBuilder
from core.formats.data_folder import DataFolder
from core.formats.msprobe.nodes import NodeReader
from core.formats.msprobe.stacks import parse_frame
from core.records.dump import Dump
from core.records.stacks import encode_stack

NAME = "anomaly_analyze"
_START = re.compile(rb'\s*\{\s*"rank_?\d*"\s*:\s*\[')
_RANK = re.compile(r"rank_?(\d*)")
_LONGEST = 1 << 28
"""Bytes; the analyser writes a few calls."""


def is_anomalies(path: str | Path) -> bool:
    """Whether the file at *path* begins as the official analyser's answer does."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(4096).removeprefix(b"\xef\xbb\xbf")
    except OSError:
        return False
    return _START.match(head) is not None


def read_anomalies(path: str | Path) -> dict[int, Dump]:
    """Return the accused calls of each rank as a dump of these calls alone.

    Raises
    ------
    InputError
        ``not_readable``, or ``anomalies_broken`` if it is cut or of another form.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _LONGEST:
            raise InputError(Problem("anomalies_broken", str(path)))
        said = json_text.decode(place.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem("not_readable", str(path), {"reason": reason})) from None
    except (ValueError, RecursionError, json_text.TooDeep):
        raise InputError(Problem("anomalies_broken", str(path))) from None
    found = {}
    for name, calls in said.items() if isinstance(said, dict) else ():
        rank = _RANK.fullmatch(name)
        if rank is None or not isinstance(calls, list):
            raise InputError(Problem("anomalies_broken", str(path)))
        found[int(rank[1] or 0)] = _dump_of(calls, str(path))
    if not found:
        raise InputError(Problem("anomalies_broken", str(path)))
    return found


def _dump_of(calls: list[Any], path: str) -> Dump:
    builder = DumpBuilder(NAME, "", DataFolder(""))
    reader = NodeReader(builder)
    odd = 0
    for call in calls:
        name: Any = call.get("op_name") if isinstance(call, dict) else None
        if not json_text.is_text(name):
            odd += 1
            continue
        reader.add(name, call.get("data_info") or {})
        row = builder.row_of(name)
        around = [item for item in _texts(call.get("construct_info")) if item != name]
        if around:
            builder.parent.set(row, builder.strings(around[-1]))
        frames = _texts(call.get("stack_info"))
        if frames:
            builder.stack.set(row, builder.stacks(encode_stack([parse_frame(frame) for frame in frames])))
    if odd:
        builder.problem("anomalies_without_name", path, count=odd)
    return builder.build()


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if json_text.is_text(item)]
