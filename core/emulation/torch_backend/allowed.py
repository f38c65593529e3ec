"""Which of our names torch may be asked for, and by which function."""

from __future__ import annotations

from core.emulation.operators import OPERATORS
from core.emulation.terms.arguments import Signature, signature
from core.emulation.torch_backend.entry import Allowed
from core.emulation.torch_backend.listed import ADDED, LINALG, NN

_POOLS = ("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
_SMOOTH = (
    "binary_cross_entropy", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "instance_norm",
    "kl_div", "normalize", "pad", "smooth_l1_loss",
)  # fmt: skip
_SMOOTH_IN_TORCH = (
    "addcdiv", "addcmul", "dot", "float_power", "ger", "inner", "lerp", "logsumexp", "mv", "nansum", "outer",
    "prod", "scatter", "unbind",
)  # fmt: skip

GRADIENTS: dict[str, Allowed] = {
    **{name: Allowed(f"{NN}.{name}") for name in _SMOOTH},
    **{name: Allowed(f"{NN}.{name}", smooth=False) for name in _POOLS},
    **{name: Allowed(f"torch.{name}") for name in _SMOOTH_IN_TORCH},
    **{name: Allowed(f"torch.{name}", smooth=False) for name in ("amax", "amin", "nan_to_num")},
    "constant_pad_nd": Allowed(f"{NN}.pad"),
    "linalg_vector_norm": Allowed(f"{LINALG}.vector_norm"),
    "vector_norm": Allowed(f"{LINALG}.vector_norm"),
    "rpow": Allowed("torch.Tensor.__rpow__"),
    "rmatmul": Allowed("torch.Tensor.__rmatmul__"),
}
"""Operators of the table that may lack a gradient there."""

_BY_NAMESPACE = {
    ("Tensor", "unfold"): "tensor_unfold",
    ("Torch", "ctc_loss"): "", ("Torch", "embedding_bag"): "", ("Aten", "unfold"): "tensor_unfold",
    ("Torch", "cosine_embedding_loss"): "", ("Torch", "hinge_embedding_loss"): "",
    ("Torch", "margin_ranking_loss"): "", ("Torch", "poisson_nll_loss"): "",
    ("Torch", "triplet_margin_loss"): "", ("Tensor", "solve"): "", ("Torch", "solve"): "",
}  # fmt: skip
"""Functions whose arguments differ from those of their namesake in the list; empty: not in it."""


def allowed(name: str) -> Allowed | None:
    """Return the entry of one of our names."""
    return ADDED.get(name) or GRADIENTS.get(name)


def added_operator(prefix: str, name: str) -> str | None:
    """Return our name for a dumped API such as ``Torch`` and ``linalg.inv``; ``None`` if not in the list."""
    if prefix in ("Distributed", "MintDistributed"):
        return None
    if prefix == "Aten":
        name = name.split(".", 1)[0]
    flat = name.replace(".", "_")
    if flat.startswith("__") and flat.endswith("__"):
        flat = flat[2:-2]
    flat = _BY_NAMESPACE.get((prefix, flat), flat)
    return flat if flat in ADDED or flat in GRADIENTS else None


def added_signature(name: str) -> Signature:
    """Return the arguments of one of our names, by which a dumped call is bound."""
    found = allowed(name)
    if found is None:
        raise KeyError(name)
    return signature(found.arguments) if found.arguments else OPERATORS[name].signature
