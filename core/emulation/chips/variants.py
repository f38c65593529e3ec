"""The settings of a chip that the envelope tries: what nobody has published, and what a library may choose.

The usual setting comes first, cheap ones before dear ones; only those that can change an operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from core.emulation.arithmetic.reduction import ReductionOrder
from core.emulation.arithmetic.rounding import Rounding
from core.emulation.chips.chip import Choice, Used, usual_choice
from core.emulation.chips.profile import Profile
from core.emulation.chips.profile_values import EXACT

EXACT_BUDGET = 2**26
"""Multiply-adds that the exact paths may take a call in all: some hundredths of a second."""
FAST_BUDGET = 2**29
"""Multiply-adds that the fast paths may take a call in all, but two orders of summation are always tried."""
SUSPECT_BUDGET = 2**31
"""The same for a call that would be accused otherwise: some seconds. One adder may take more."""
MOST_FOR_SUSPECT = 2**33
"""Multiply-adds that the first adder tried on a suspect may take."""
_FEWEST_ORDERS = 2


def variants(profile: Profile, used: Used, thorough: bool = False) -> Iterator[Choice]:
    """Yield the settings beside the usual one that can change a call which made use of *used*.

    Of large products only some, unless *thorough*.
    """
    usual = usual_choice(profile)
    stored = _listed(profile, "stores_intermediates") if used.intermediates else [usual.stores_intermediates]
    if used.intermediates:
        yield from (replace(usual, stores_intermediates=flag) for flag in stored if flag)
    if used.sums:
        for order in _listed(profile, "reduction_order"):
            yield from (
                choice
                for flag in stored
                if (
                    choice := replace(usual, reduction_order=ReductionOrder(order), stores_intermediates=flag)
                )
                != usual
            )
    if used.multiply_adds:
        cost = 0 if thorough else used.multiply_adds
        yield from _orders(profile, usual, cost)
        yield from _adders(profile, usual, cost, EXACT_BUDGET)


def adders_for_suspects(profile: Profile, used: Used) -> Iterator[Choice]:
    """Yield adders to try before a call is accused, the one that truncates first."""
    if used.multiply_adds <= MOST_FOR_SUSPECT:
        budget = max(SUSPECT_BUDGET, used.multiply_adds)
        yield from _adders(profile, usual_choice(profile), used.multiply_adds, budget)


def _orders(profile: Profile, usual: Choice, cost: int) -> Iterator[Choice]:
    """Yield the orders of summation over K, by the fast path; *cost* are the multiply-adds of one."""
    others = [item for item in _sequences(profile) if item != (usual.splits, usual.reverse)]
    for tried, (splits, reverse) in enumerate(others):
        if tried >= _FEWEST_ORDERS and (tried + 1) * cost > FAST_BUDGET:
            return
        yield replace(usual, splits=splits, reverse=reverse)


def _adders(profile: Profile, usual: Choice, cost: int, budget: int) -> Iterator[Choice]:
    """Yield the adders that are possible, with each order of summation, by the exact path.

    The usual order and the rounding that strays most come first.
    """
    roundings = sorted(_listed(profile, "accumulate_rounding"), key=lambda name: name != Rounding.TOWARD_ZERO)
    orders = sorted(_sequences(profile), key=lambda item: item != (usual.splits, usual.reverse))
    spent = 0
    for splits, reverse in orders:
        for rounding, guard in product(roundings, _listed(profile, "guard_bits")):
            spent += cost
            if spent > budget:
                return
            yield replace(
                usual,
                accumulate=Rounding(rounding),
                guard_bits=None if guard == EXACT else int(guard),
                splits=splits,
                reverse=reverse,
                fused=True,
            )


def _sequences(profile: Profile) -> list[tuple[int, bool]]:
    splits, reverses = _listed(profile, "splits"), _listed(profile, "reverse")
    return [(1, True) for flag in reverses if flag] + [(count, False) for count in splits]


def _listed(profile: Profile, name: str) -> list[Any]:
    return list(profile.envelope.get(name, ()))


def described(choice: Choice, usual: Choice) -> str:
    """Return in short what a setting changes; ``usual`` if nothing."""
    guard = EXACT if choice.guard_bits is None else choice.guard_bits
    said = [
        f"accumulate_rounding={choice.accumulate.value}" if choice.accumulate != usual.accumulate else "",
        f"guard_bits={guard}" if choice.guard_bits != usual.guard_bits else "",
        f"splits={choice.splits}" if choice.splits != usual.splits else "",
        "reverse" if choice.reverse != usual.reverse else "",
        f"reduction_order={choice.reduction_order.value}"
        if choice.reduction_order != usual.reduction_order
        else "",
        "stores_intermediates" if choice.stores_intermediates != usual.stores_intermediates else "",
        "fused" if choice.fused != usual.fused and choice.accumulate == usual.accumulate else "",
    ]
    return ", ".join(filter(None, said)) or "usual"
