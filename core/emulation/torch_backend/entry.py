"""One function of torch that may be called, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Allowed:
    """One function of torch.

    Attributes
    ----------
    path
        Where it lies, from ``torch`` on.
    arguments
        Its arguments as :func:`core.emulation.terms.arguments.signature` writes them, by torch's names; empty
        for an operator of the table, whose arguments are known.
    moves
        Whether it only moves or selects elements, which is exact.
    steps
        Whether usual implementations store tensors between their steps.
    coarse_inside
        Whether what they compute inside may have the format of the operands, and so amplify its roundings;
        kernels that find places in float32 do not.
    smooth
        Whether a change of the last bit of an operand changes the result as little.
    gradient
        Whether its gradient may be asked for.
    gradient_in_half
        Whether that is so in 16-bit formats too: places that are computed in the format of the operands, or
        the largest of computed numbers, jump from one to the next.
    judged
        How many of its outputs are defined; those behind are the places of equal elements, or scratch.
    constants
        Float operands that have no gradient and of which the last bit matters, such as labels of ±1.
    renamed
        Torch's names of arguments that the table calls otherwise.
    """

    path: str
    arguments: str = ""
    moves: bool = False
    steps: bool = False
    coarse_inside: bool = True
    smooth: bool = True
    gradient: bool = True
    gradient_in_half: bool = True
    judged: int | None = None
    constants: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


def each(module: str, arguments: str, names: str, prefix: str = "", **flags: Any) -> dict[str, Allowed]:
    """Return an entry for each of *names*, all of one module and with the same arguments."""
    return {f"{prefix}{name}": Allowed(f"{module}.{name}", arguments, **flags) for name in names.split()}
