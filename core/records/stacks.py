"""Call stacks: frames, innermost first, and their text form in a dump's pool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple


class Frame(NamedTuple):
    """One frame of a Python stack. ``line`` is 0 and ``path`` empty where the dumper knew no better."""

    path: str
    line: int
    function: str
    code: str


def encode_stack(frames: Sequence[Frame]) -> str:
    """Return *frames* as the JSON text that a dump's ``stacks`` pool holds."""
    return json.dumps([list(frame) for frame in frames], ensure_ascii=False, separators=(",", ":"))


def decode_stack(text: str) -> list[Frame]:
    """Return the frames of a text made by :func:`encode_stack`; none for an empty text."""
    return [Frame(*frame) for frame in json.loads(text)] if text else []
