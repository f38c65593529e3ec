"""What the names in monitor files say: which kind of number, of which layer, and when a step computes it."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

_SLOT = re.compile(
    r"(?P<layer>.+)\.(?P<slot>(?:grad_)?(?:input|output)|(?:input|output)_grad)(?:[._](?P<index>\d{1,6}))?",
    re.S,
)
_OF_MODULES = frozenset(
    ("actv", "actv_grad", "module.forward", "module.backward", "forward", "backward", "recompute")
)
"""Kinds whose names end with the slot of a module; a parameter may be called ``output`` itself."""
_V1 = re.compile(r"(?P<kind>.+)_\d+-\d+")
_V2 = re.compile(r"(?P<kind>.+?)(?:_step-?\d+-\d+)?")
_PROBE = re.compile(r"grad_summary_(?P<step>\d{1,18})")


class Phase(IntEnum):
    """When a step computes a number."""

    BEFORE = 0
    FORWARD = 1
    BACKWARD = 2
    OPTIMIZER = 3
    AFTER = 4


def phase_of(kind: str) -> Phase:
    """Return when numbers of *kind* come to be; what is not known counts as forward."""
    if "param_origin" in kind:
        return Phase.BEFORE
    if "param_updated" in kind:
        return Phase.AFTER
    if "exp_avg" in kind or kind.startswith("optimizer"):
        return Phase.OPTIMIZER
    after_forward = "grad" in kind or "backward" in kind or kind.startswith("cc.")
    return Phase.BACKWARD if after_forward else Phase.FORWARD


def placed(kind: str, name: str) -> tuple[str, str]:
    """Return layer and kind of a row: ``("fc1", "actv.output")`` of ``actv`` and ``fc1.output``.

    The first slot of its sort goes without a number, as msprobe's first monitor numbers them only where there
    are several.
    """
    found = _SLOT.fullmatch(name) if kind in _OF_MODULES else None
    if found is None:
        return name, kind
    index = int(found["index"] or 0)
    return found["layer"], f"{kind}.{found['slot']}.{index}" if index else f"{kind}.{found['slot']}"


def kind_of_v1(path: str) -> str:
    """Return the kind that the name of a file says: ``grad_reduced`` of ``grad_reduced_0-99.csv``."""
    stem = Path(path).stem
    found = _V1.fullmatch(stem)
    return found["kind"] if found else stem


def kind_of_v2(path: str) -> str:
    """Return the kind that the name of a file says: ``module`` of ``module_step0-99.csv``."""
    found = _V2.fullmatch(Path(path).stem)
    return found["kind"] if found else Path(path).stem


def step_of_probe(path: str) -> int | None:
    """Return the step of ``grad_summary_7.csv``, ``None`` if the name has none."""
    found = _PROBE.fullmatch(Path(path).stem)
    return int(found["step"]) if found else None
