"""Call stacks: frames, innermost first, and their text form in a dump's pool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_FRAMEWORK = re.compile(
    r"(^|/)(site-packages|dist-packages|lib/python\d[.\d]*|python[\d.]*/lib"
    r"|torch|torch_npu|torchvision|msprobe|ptdbg_ascend|mindspore)/|^<",
    re.IGNORECASE,
)
"""What tells code of the framework by its path: packages that were installed, Python's own library, the
frameworks and dumpers themselves where they were built from source, what is no file (``<frozen ...>``)."""


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


def is_own(frame: Frame) -> bool:
    """Whether *frame* is of the user's own code: it has a path, and that is none of the framework's."""
    return bool(frame.path) and _FRAMEWORK.search(frame.path.replace("\\", "/")) is None


def own_frames(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames of the user's own code, innermost first; see :func:`is_own`."""
    return [frame for frame in frames if frame.line and is_own(frame)]


def calling_frame(text: str) -> Frame | None:
    """Return the innermost frame of the user's own code, else the innermost one; ``None`` for no stack."""
    frames = decode_stack(text)
    return next(iter([*own_frames(frames), *frames]), None)
