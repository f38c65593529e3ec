"""Shape and details of the model, its vocabulary with padding, its number of parameters."""

from __future__ import annotations

from core.precheck.checks.setting_findings import settings_finding
from core.precheck.finding import Finding
from core.precheck.pair import Pair


def shape(pair: Pair) -> Finding:
    """Compare sizes: layers, widths, heads, lengths, experts."""
    return settings_finding(pair, "model.shape", ("layers", "hidden_size"))


def details(pair: Pair) -> Finding:
    """Compare what the sizes do not tell: epsilon, positions, activation, biases, tied embeddings."""
    return settings_finding(pair, "model.details")


def vocabulary(pair: Pair) -> Finding:
    """Compare the vocabulary, said and as it is padded."""
    padded = all("padded_vocabulary" in side.configuration.known for side in (pair.target, pair.golden))
    return settings_finding(pair, "model.vocabulary", ("padded_vocabulary" if padded else "vocabulary",))


def parameters(pair: Pair) -> Finding:
    """Compare the numbers of parameters, printed or worked out of the shape."""
    return settings_finding(pair, "model.parameters")
