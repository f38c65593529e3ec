"""Arguments that calls have where they are not passed, as the documentation of torch and torch_npu says."""

from __future__ import annotations

from collections.abc import Mapping

_DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "gelu": {"approximate": "none", "1": "none"},
    "layer_norm": {"eps": 1e-5, "4": 1e-5},
    "group_norm": {"eps": 1e-5, "4": 1e-5},
    "batch_norm": {"momentum": 0.1, "6": 0.1, "eps": 1e-5, "7": 1e-5},
    "npu_rms_norm": {"epsilon": 1e-6, "2": 1e-6},
    "softmax": {"_stacklevel": 3},
    "log_softmax": {"_stacklevel": 3},
    "dropout": {"p": 0.5, "1": 0.5, "training": True, "2": True},
    "scaled_dot_product_attention": {"dropout_p": 0.0, "4": 0.0},
    "npu_fusion_attention": {
        "scale": 1.0, "8": 1.0, "keep_prob": 1.0, "9": 1.0, "pre_tockens": 2147483647, "10": 2147483647,
        "next_tockens": 2147483647, "11": 2147483647, "inner_precise": 0, "12": 0, "sparse_mode": 0, "16": 0,
    },
    "embedding": {"norm_type": 2.0, "4": 2.0},
    "cross_entropy": {
        "ignore_index": -100, "4": -100, "reduction": "mean", "6": "mean", "label_smoothing": 0.0, "7": 0.0,
    },
    "nll_loss": {"ignore_index": -100, "4": -100, "reduction": "mean", "6": "mean"},
    "mse_loss": {"reduction": "mean", "4": "mean"},
    "add": {"alpha": 1}, "sub": {"alpha": 1},
    "cat": {"dim": 0, "1": 0}, "stack": {"dim": 0, "1": 0},
    "chunk": {"dim": 0, "2": 0}, "split": {"dim": 0, "2": 0},
    "flatten": {"start_dim": 0, "1": 0, "end_dim": -1, "2": -1},
    "triu": {"diagonal": 0, "1": 0}, "tril": {"diagonal": 0, "1": 0},
}  # fmt: skip


def is_default(api: str, path: str, value: object) -> bool:
    """Return whether a call of *api* takes *value* at *path*, a keyword or a position, where it is not told.

    Switches that are off, and ``None``, are taken for defaults everywhere.
    """
    if value is None or value is False:
        return True
    known = _DEFAULTS.get(api, {})
    return path in known and known[path] == value
