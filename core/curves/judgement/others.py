"""Values beside the loss: validation results are judged as it is, the gradient norm warns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.curves.judgement.context import Context, PairView
from core.curves.judgement.excess import Excess
from core.curves.judgement.over_limit import excess_findings
from core.curves.judgement.telling import told
from core.records.curves import CurveFinding, FindingName
from core.records.series import Series
from core.records.training import Weight

JUDGED = (Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY)
"""Judged like the loss wherever both runs log them."""
_TELLING = re.compile(r"loss|acc(uracy)?\b|ppl|perplexity", re.I)
"""Other values that are looked at: they warn."""
_NORM_LIMITS = 5.0
"""Limits of the loss that the gradient norm may differ by: it amplifies what the loss averages away."""


def other_findings(context: Context, wanted: Sequence[str] = ()) -> Iterator[CurveFinding]:
    """Yield what differs beside the loss; the series *wanted* are judged like it."""
    for name in dict.fromkeys((*JUDGED, *wanted)):
        view = context.pair(name)
        if view is not None and name != Series.LOSS:
            yield from excess_findings(context, Excess(view), Weight.FAULT)
    for name, view in context.pairs.items():
        if _TELLING.search(name) and name not in (Series.LOSS, *JUDGED, *wanted) and "scale" not in name:
            yield from excess_findings(context, Excess(view), Weight.WARNING)
    norm = context.pair(Series.GRAD_NORM)
    if norm is not None and Series.GRAD_NORM not in wanted:
        yield from _norm(norm)


def _norm(view: PairView) -> Iterator[CurveFinding]:
    """Yield where the gradient norm begins to differ for good, or jumps."""
    limits = replace(view.limits, limit=view.limits.limit * _NORM_LIMITS)
    view = replace(view, limits=limits)
    excess = Excess(view)
    starts = [stretch.first for stretch in (*excess.lasting[:1], *excess.spikes[:1])]
    if not starts:
        return
    first = min(starts)
    known = np.where(np.isfinite(view.relative), np.abs(view.relative), np.nan)
    worst = int(np.nanargmax(known))
    yield told(
        "curves.grad_norm",
        FindingName.METRIC,
        Weight.WARNING,
        step=int(view.steps[first]),
        series=view.name,
        relative=float(view.relative[first]),
        largest=float(known[worst]),
        largest_step=int(view.steps[worst]),
    )
