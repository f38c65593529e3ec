"""What a calibration found: of each parameter, and of each group of probes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.emulation.calibration.probes import Group


class State(StrEnum):
    """What the results tell of a parameter."""

    DETERMINED = "determined"
    """One value remains."""
    NARROWED = "narrowed"
    """Some values were ruled out."""
    NOT_TOLD = "not_told"
    """All values remain, or no result depends on it."""
    NO_EFFECT = "no_effect"
    """All values remain, and with the other parameters as found it changes nothing."""
    NOT_EXPLAINED = "not_explained"
    """Groups of probes that tell it are explained by no setting, or disagree: nothing is claimed."""


@dataclass(frozen=True)
class Finding:
    """What is known of one parameter.

    ``values`` remain of those ``tried``; ``by_group`` is what each group alone would allow, where they
    disagree.
    """

    parameter: str
    state: State
    values: tuple[Any, ...] = ()
    tried: tuple[Any, ...] = ()
    by_group: Mapping[Group, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupFit:
    """How a group of probes was explained; ``share`` of its elements are equal with the ``best`` setting.

    Not ``examined``: what its operands are rounded to, or which adder sums them, is not known.
    """

    group: Group
    probes: int
    fits: bool = False
    examined: bool = True
    share: float = 0.0
    best: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Calibration:
    """What the results of a device tell.

    Attributes
    ----------
    findings : tuple of Finding
        One a parameter that the probes are for.
    groups : tuple of GroupFit
        The groups that were examined.
    setting : Mapping
        Values that together give all bits of the groups that are explained.
    orders : tuple
        (splits, reverse) that the long probes need or allow.
    order_varies : bool
        Whether no one order explains all long probes of some group.
    """

    findings: tuple[Finding, ...]
    groups: tuple[GroupFit, ...]
    setting: Mapping[str, Any]
    orders: tuple[tuple[int, bool], ...] = ()
    order_varies: bool = False

    @property
    def explained(self) -> bool:
        """Whether one setting gives all bits of all probes that came back."""
        states = {finding.state for finding in self.findings}
        return State.NOT_EXPLAINED not in states and all(group.fits for group in self.groups)

    @property
    def complete(self) -> bool:
        """Whether every parameter that has an effect is determined."""
        settled = (State.DETERMINED, State.NO_EFFECT)
        return self.explained and all(finding.state in settled for finding in self.findings)
