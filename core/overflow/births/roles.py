"""What operators do with special values, by the name of the API: the one table of that knowledge.

Names are those of torch (https://pytorch.org/docs/stable/torch.html); MindSpore's ``mint`` follows them.
``msprobe`` itself leaves out uninitialised memory and ``masked_fill_`` when it looks for overflow (its
``ignore_rules.yaml``); the other rows are our own.
"""

from __future__ import annotations

from core.records.dump import SlotGroup

UNINITIALISED = frozenset(
    ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
)
"""Return memory as it happens to be."""

SELECTING = frozenset(
    (
        "where", "masked_fill", "masked_fill_", "masked_select", "nan_to_num", "nan_to_num_", "__getitem__",
        "index_select", "gather", "fmax", "fmin", "nansum", "nanmean", "isnan", "isinf", "isfinite",
    )
)  # fmt: skip
"""Can leave bad elements out."""

LOGARITHMS = frozenset(("log", "log_", "log2", "log2_", "log10", "log10_", "log1p", "log1p_", "xlogy"))
"""Give −Inf for an input of 0 (−1 for ``log1p``)."""

MASKING = frozenset(
    (
        "add", "add_", "__add__", "__iadd__", "__radd__", "sub", "sub_", "__sub__", "__isub__", "__rsub__",
        "mul", "mul_", "__mul__", "__imul__", "__rmul__", "to", "type", "half", "bfloat16", "type_as",
    )
)  # fmt: skip
"""How an attention mask of large negative numbers is made, cast and added."""

MIXING = frozenset(
    (
        "linear", "matmul", "__matmul__", "mm", "bmm", "addmm", "baddbmm", "einsum", "conv1d", "conv2d",
        "conv3d", "layer_norm", "group_norm", "batch_norm", "rms_norm", "npu_rms_norm", "mean", "sum", "norm",
        "gelu", "relu", "silu", "dropout", "embedding",
    )
)  # fmt: skip
"""Never take a mask: −Inf that goes in here is an error."""

IN_PLACE_DUNDERS = frozenset(
    ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__ipow__", "__setitem__")
)

OVERWRITING = frozenset(
    (
        "copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_",
        "trunc_normal_", "set_",
    )
)  # fmt: skip
"""Change their first operand whatever was in it."""

CLAMPING = frozenset(("nan_to_num", "nan_to_num_", "clamp", "clamp_", "clip", "clip_", "hardtanh"))
"""May put the limit of a format where it was not, and are meant to."""

LOSSES = ("loss", "cross_entropy", "nll", "kl_div", "bce")
"""Parts of the names of loss operators."""

_OUT = "out"


def is_overwritten(api: str, group: int, path: str) -> bool:
    """Whether the call writes into this input without reading it."""
    if group == SlotGroup.KEYWORD and path.partition(".")[0] == _OUT:
        return True
    return api in OVERWRITING and group == SlotGroup.INPUT and path.partition(".")[0] in ("", "0")


def changes_operand(api: str) -> bool:
    """Whether the API changes its first operand in place: ``add_``, ``__iadd__``."""
    return api in IN_PLACE_DUNDERS or (api.endswith("_") and not api.endswith("__"))


def takes_mask(api: str, path: str) -> bool:
    """Whether −Inf at *path* may be a mask's."""
    return "mask" in path or api not in MIXING


def is_loss(api: str) -> bool:
    """Whether the API computes a loss."""
    return any(word in api.lower() for word in LOSSES)
