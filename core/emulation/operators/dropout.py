"""Dropout, which is replayed only where it drops nothing."""

from __future__ import annotations

from core.emulation.operators.matmul import Gradients, needed
from core.emulation.operators.table import Outputs, gradient, reference
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import Call
from core.emulation.terms.outcome import NotReplayable, NotReplayed

_NAMES = (
    "dropout alpha_dropout feature_dropout dropout1d dropout2d dropout3d feature_alpha_dropout npu_dropout"
)


def _require_identity(call: Call) -> None:
    if call.arguments["training"] is not False and call.number("p") != 0.0:
        raise NotReplayable(NotReplayed.RANDOM, "p")


@reference(_NAMES, "input, p=0.5, training|train=True, inplace=False")
def dropout(call: Call) -> Outputs:
    """Return the input, where p is 0 or the model is evaluated."""
    _require_identity(call)
    return call.tensor("input")


@gradient(_NAMES)
def dropout_backward(call: Call, grads: Gradients) -> Gradients:
    """Return the gradient."""
    _require_identity(call)
    return [Bounded(needed(grads).value)]


RANDOM = frozenset(
    (
        "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal",
        "normal_", "uniform_", "bernoulli", "bernoulli_", "multinomial", "random_", "exponential_",
        "poisson", "rrelu", "gumbel_softmax", "native_dropout", "_fused_dropout", "npu__dropout",
        "npu_dropout_gen_mask", "xavier_uniform_", "kaiming_uniform_", "trunc_normal_", "log_normal_",
        "cauchy_", "geometric_",
    )
)  # fmt: skip
"""Operators that draw numbers."""
