"""stack.json: where in the user's code each forward call was made."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from core.formats import json_text
from core.formats.builder import DumpBuilder
from core.formats.msprobe.side_files import decode_or_none, read_map
from core.formats.odd_values import OddValues
from core.messages import Message
from core.progress import Progress, Work
from core.records.stacks import Frame, encode_stack

_FRAME = re.compile(
    r"File (?P<path>.*?), line (?P<line>\d{1,9}), in (?P<function>.*?), ?\n ?(?P<code>.*)", re.S
)


@lru_cache(maxsize=4096)
def parse_frame(text: str) -> Frame:
    r"""Return the frame that ``File {path}, line {n}, in {function}, \n {code}`` says; a text of
    another form (the dumper's failure message) becomes the code of a frame without a place.
    """
    found = _FRAME.match(text)
    if found is None:
        return Frame("", 0, "", text.strip())
    return Frame(found["path"], int(found["line"]), found["function"], found["code"].strip())


def read_stacks(path: str, builder: DumpBuilder, *, add_operators: bool = False) -> Work[None]:
    """Give the operators of *builder* their stacks from the stack.json at *path*.

    Both forms are read: ``{id: [[names], [frames]]}`` and, before 2025-05, ``{name: [frames]}``. A
    backward call gets the stack of its forward call. *add_operators* makes operators of names that the
    dump does not have.
    """
    known: dict[bytes, int] = {}
    odd = OddValues()
    for members in read_map(path, builder):
        for name, raw in members:
            text = bytes(raw)
            stack = known.get(text)
            if stack is not None:  # the older form repeats a stack for each call
                _give(builder, [name], stack, add_operators)
                continue
            names, frames, whole = _parts(name, decode_or_none(raw))
            if not whole:
                odd.add(name)
            if frames is None:
                continue
            stack = builder.stacks(encode_stack([parse_frame(frame) for frame in frames]))
            if names == [name] and whole:
                known[text] = stack
            _give(builder, names, stack, add_operators)
        yield Progress(0, 0, Message("progress.read", {"path": path}))
    builder.problems += odd.problems(path)
    builder.share_stacks()


def _parts(name: str, value: Any) -> tuple[list[str], list[str] | None, bool]:
    """Return names and frames of one member of either form (no frames if it is of neither), and whether
    all of it is of the type it should be.
    """
    names: Any = [name]
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], list):
        names, value = value
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return [], None, False
    kept = [item for item in names if json_text.is_text(item)]
    frames = [frame for frame in value if json_text.is_text(frame)]
    whole = len(kept) == len(names) and len(frames) == len(value)
    return kept, frames if frames or not value else None, whole


def _give(builder: DumpBuilder, names: list[str], stack: int, add_operators: bool) -> None:
    for name in names:
        row = builder.row_of(name)
        if row < 0 and add_operators:
            row = builder.operator(name)
        if row >= 0:
            builder.stack.set(row, stack)
