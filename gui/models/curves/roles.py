"""What a run is among several: by its role it is judged, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.messages import text
from gui.looks.theme import Colours
from gui.opening import leaning_of


class Role(StrEnum):
    """The part that a run plays."""

    TARGET = "target"
    GOLDEN = "golden"
    REPEAT = "repeat"
    """The golden once more: tells how far equal runs lie apart."""
    OTHER = "other"
    """Only looked at."""

    @property
    def word(self) -> str:
        """Its word in the language in force."""
        return text(f"gui.curves.role.{self.value}")


@dataclass(frozen=True)
class Look:
    """How a curve is drawn."""

    colour: str
    dashes: tuple[float, ...] = ()
    """Lengths of strokes and gaps in widths of the line; none: a line without gaps."""


_DASHES: tuple[tuple[float, ...], ...] = ((5, 2.5), (1.5, 2), (8, 2, 1.5, 2), (3, 2), ())
_REPEAT_DASHES = ((4, 2), (1.5, 1.5), (7, 2, 1.5, 2), (2.5, 2.5))


def looks(roles: Sequence[Role], colours: Colours) -> list[Look]:
    """Return how runs of these *roles* are drawn, in their order."""
    made, repeats, others = [], 0, 0
    for role in roles:
        if role is Role.TARGET:
            made.append(Look(colours.target))
        elif role is Role.GOLDEN:
            made.append(Look(colours.golden))
        elif role is Role.REPEAT:
            made.append(Look(colours.golden, _REPEAT_DASHES[repeats % len(_REPEAT_DASHES)]))
            repeats += 1
        else:
            dashes = _DASHES[(others + others // len(colours.others)) % len(_DASHES)]
            made.append(Look(colours.others[others % len(colours.others)], dashes))
            others += 1
    return made


def guessed_roles(paths: Sequence[str]) -> list[Role]:
    """Return the roles of runs that were brought together, by what their names say.

    One is the target; of several, the one whose name leans most to the target is it, and the one that leans
    most to the golden is that. Further ones whose names lean to the golden too are repeats of it.
    """
    leanings = list(map(leaning_of, paths))
    roles = [Role.OTHER] * len(paths)
    if not paths:
        return roles
    target = max(range(len(paths)), key=lambda at: (leanings[at], -at))
    roles[target] = Role.TARGET
    left = [at for at in range(len(paths)) if at != target]
    if left:
        golden = min(left, key=lambda at: (leanings[at], at))
        roles[golden] = Role.GOLDEN
        if leanings[golden] < 0:
            for at in left:
                if at != golden and leanings[at] < 0:
                    roles[at] = Role.REPEAT
    return roles


def roles_in_order(count: int) -> list[Role]:
    """Return the roles of *count* runs that were brought as target, golden and others."""
    return [Role.TARGET, Role.GOLDEN, *[Role.OTHER] * count][:count]


def role_for_next(taken: Sequence[Role]) -> Role:
    """Return the role of one more run, beside those of the roles *taken*."""
    return next((role for role in (Role.TARGET, Role.GOLDEN) if role not in taken), Role.OTHER)
