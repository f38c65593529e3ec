"""Call stacks: frames, innermost first, and their text form in a dump's pool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LIBRARIES = ("site-packages", "dist-packages", "/torch/", "\\torch\\")
"""Parts of the paths of installed packages."""


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


def own_frames(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames of the user's own code, those outside of installed packages, innermost first."""
    return [frame for frame in frames if frame.line and not any(part in frame.path for part in _LIBRARIES)]


def calling_frame(text: str) -> Frame | None:
    """Return the innermost frame of the user's own code, else the innermost one; ``None`` for no stack."""
    frames = decode_stack(text)
    return next(iter([*own_frames(frames), *frames]), None)
