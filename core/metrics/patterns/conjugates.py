"""Complex conjugates."""

from __future__ import annotations

import numpy as np

from core.messages import Message
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.places import marks_of
from core.metrics.patterns.scaling import nearer, verified
from core.metrics.patterns.trial import Trial, chance_of
from core.progress import Work


def find_conjugate(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return whether what differs is the conjugate of the golden."""
    if not pair.complex:
        return []
    _, t, g = pair.sample.finite()
    bad = np.abs(t - g) > pair.tolerance(g)
    trial = Trial(pair)
    trial.add(t, g, nearer(t, g, np.conj(g)))
    chance = chance_of(pair, t[bad], np.conj(g[bad]))
    if not trial.convincing(chance):
        return []
    whole = yield from verified(pair, np.conj, 1.0)
    if not whole.convincing(chance):
        return []
    numbers: dict[str, Number] = {"count": evidence.bad, "elements": pair.size}
    message = Message("pattern.conjugate", {"percent": 100.0 * evidence.bad / pair.size})
    return [Pattern(PatternName.CONJUGATE, message, numbers, marks_of(pair, evidence), whole.share)]
