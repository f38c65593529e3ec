"""The patterns of two arrays, as tests look at them."""

from __future__ import annotations

import numpy as np
from builders.noise_pairs import handle

from core.messages import LANGUAGES, render
from core.metrics.patterns.engine import find_patterns
from core.metrics.patterns.pattern import Pattern
from core.progress import run_to_end


def patterns_of(target: object, golden: object) -> tuple[Pattern, ...]:
    """Return the patterns, best first; each must have a whole sentence in every language."""
    found = run_to_end(find_patterns(handle(np.asarray(target)), handle(np.asarray(golden))))
    for pattern in found:
        for language in LANGUAGES:
            sentence = render(pattern.message, language)
            assert "{" not in sentence
            assert pattern.message.code not in sentence
        assert 0.0 <= pattern.share <= 1.0
    return found


def names_of(target: object, golden: object) -> list[str]:
    """Return the names of the patterns, best first."""
    return [str(pattern.name) for pattern in patterns_of(target, golden)]


def the_pattern(target: object, golden: object, name: str) -> Pattern:
    """Return the pattern called *name*, which must be the best one."""
    found = patterns_of(target, golden)
    assert found, f"nothing found, wanted {name}"
    assert found[0].name == name, [pattern.name for pattern in found]
    return found[0]
