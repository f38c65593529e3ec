"""One call or more of each operator that torch gives a reference for: small and well conditioned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.dtypes import DTYPES, DType
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.formats import round_to

_random = np.random.default_rng(7)


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


def within(low: float, high: float, *shape: int) -> np.ndarray:
    return _random.uniform(low, high, shape)


def whole(high: int, *shape: int) -> np.ndarray:
    return _random.integers(0, high, shape)


def definite(size: int = 4) -> np.ndarray:
    half = normal(size, size)
    return half @ half.T + size * np.eye(size)


def invertible(size: int = 4) -> np.ndarray:
    return normal(size, size) + size * np.eye(size)


def same(names: str, **arguments: Any) -> dict[str, list[dict[str, Any]]]:
    return {name: [arguments] for name in names.split()}


X, Y, Z = normal(3, 4), normal(3, 4), normal(3, 4)
POSITIVE = within(0.5, 2.0, 3, 4)
INSIDE = within(-0.9, 0.9, 3, 4)
IMAGE = normal(2, 3, 5, 6)
COMPLEX = normal(3, 4) + 1j * normal(3, 4)
SIGNS = np.where(normal(3, 4) > 0, 1.0, -1.0)
UNEQUAL = (_random.permutation(12).reshape(3, 4) - 5) * 0.37
GRID = within(-0.95, 0.95, 2, 4, 4, 2)


def recurrent(gates: int, cells: bool) -> dict[str, Any]:
    state = normal(1, 2, 3)
    return {
        "input": normal(4, 2, 5) * 0.5, "hx": [state, normal(1, 2, 3)] if cells else state,
        "params": [normal(gates * 3, 5) * 0.3, normal(gates * 3, 3) * 0.3, normal(gates * 3) * 0.1,
                   normal(gates * 3) * 0.1],
        "has_biases": True, "num_layers": 1, "dropout": 0.0, "train": True, "bidirectional": False,
        "batch_first": False,
    }  # fmt: skip


def cell(gates: int, cells: bool) -> dict[str, Any]:
    state = normal(2, 3)
    return {
        "input": normal(2, 5), "hx": [state, normal(2, 3)] if cells else state,
        "w_ih": normal(gates * 3, 5) * 0.3, "w_hh": normal(gates * 3, 3) * 0.3, "b_ih": normal(gates * 3),
        "b_hh": normal(gates * 3),
    }  # fmt: skip


CALLS: dict[str, list[dict[str, Any]]] = {
    **same("arcsinh asinh deg2rad rad2deg angle sinc i0", input=X),
    **same("acosh arccosh", input=within(1.2, 3.0, 3, 4)),
    **same("atanh arctanh erfinv", input=INSIDE),
    **same("digamma lgamma", input=POSITIVE + 1.0),
    **same("real imag view_as_real", input=COMPLEX), "view_as_complex": [{"input": normal(3, 2)}],
    **same("frac signbit isneginf isposinf isreal", input=X),
    "logit": [{"input": within(0.1, 0.9, 5)}, {"input": within(0.0, 1.0, 5), "eps": 0.2}],
    **same("atan2 arctan2 hypot logaddexp logaddexp2 copysign fmax fmin", input=X, other=Y),
    "xlogy": [{"input": X, "other": POSITIVE}], "ldexp": [{"input": X, "other": whole(4, 3, 4)}],
    **same("fmod remainder mod", input=X * 5, other=POSITIVE), "rmod": [{"input": POSITIVE, "other": 7.5}],
    "heaviside": [{"input": np.round(X), "other": np.full((1,), 0.5)}],
    **same("gcd lcm", input=whole(20, 6), other=whole(9, 6) + 1),
    **same("bitwise_left_shift bitwise_right_shift lshift rshift", input=whole(99, 5), other=whole(4, 5)),
    **same("igamma igammac", input=POSITIVE, other=POSITIVE[::-1].copy()),
    "isclose": [{"input": X, "other": np.where(X > 0, X, Y)}],
    "mvlgamma": [{"input": POSITIVE + 2, "p": 2}], "polygamma": [{"n": 1, "input": POSITIVE}],
    "polar": [{"abs": POSITIVE, "angle": X}], "complex": [{"real": X, "imag": Y}],
    "threshold": [{"input": X, "threshold": 0.1, "value": 3.0}],
    "glu": [{"input": X}, {"input": normal(4, 3), "dim": 0}], "celu": [{"input": X, "alpha": 1.5}],
    "prelu": [{"input": X, "weight": normal(4)}], **same("hardshrink softshrink", input=X, lambd=0.3),
    "tanhshrink": [{"input": X + 2}], "softmin": [{"input": X, "dim": 1}],
    "local_response_norm": [{"input": IMAGE, "size": 2}],
    "ctc_loss": [{
        "log_probs": np.log(np.exp(z := normal(6, 2, 4)) / np.exp(z).sum(-1, keepdims=True)),
        "targets": whole(3, 2, 3) + 1, "input_lengths": np.array([6, 6]), "target_lengths": np.array([3, 2]),
    }],
    "poisson_nll_loss": [{"input": X, "target": POSITIVE},
        {"input": X, "target": POSITIVE, "reduction": "none"}],
    "gaussian_nll_loss": [{"input": X, "target": Y, "var": POSITIVE}],
    "margin_ranking_loss": [{"input1": X, "input2": Y, "target": SIGNS, "margin": 0.1}],
    "hinge_embedding_loss": [{"input": X, "target": SIGNS}],
    "cosine_embedding_loss": [{"input1": X, "input2": Y, "target": SIGNS[:, 0].copy()}],
    "multilabel_margin_loss": [{"input": X,
            "target": np.array([[0, 2, -1, 1], [3, -1, 0, 0], [1, 2, 3, -1]])}],
    "soft_margin_loss": [{"input": X, "target": SIGNS}],
    "multilabel_soft_margin_loss": [{"input": X, "target": (SIGNS + 1) / 2}],
    "multi_margin_loss": [{"input": X, "target": whole(4, 3)}],
    "huber_loss": [{"input": X, "target": Y, "delta": 0.7}],
    "triplet_margin_loss": [{"anchor": X, "positive": Y, "negative": Z}],
    "interpolate": [
        {"input": IMAGE, "size": [7, 9]}, {"input": IMAGE, "scale_factor": 2.0, "mode": "bilinear"},
        {"input": IMAGE, "size": [10, 4], "mode": "bicubic", "align_corners": True},
        {"input": normal(1, 2, 5), "size": 8, "mode": "linear"},
        {"input": IMAGE, "size": [2, 3], "mode": "area"},
    ],
    "upsample": [{"input": IMAGE, "scale_factor": 2, "mode": "bilinear"}],
    **same("upsample_nearest upsample_bilinear", input=IMAGE, size=[8, 8]),
    "grid_sample": [
        {"input": IMAGE, "grid": GRID, "align_corners": False},
        {"input": IMAGE, "grid": GRID, "padding_mode": "reflection", "align_corners": True},
    ],
    **same("grid_sampler grid_sampler_2d", input=IMAGE, grid=GRID, interpolation_mode=0, padding_mode=0,
           align_corners=False),
    "grid_sampler_3d": [{"input": normal(1, 2, 3, 4, 5), "grid": within(-0.9, 0.9, 1, 2, 3, 4, 3),
                         "interpolation_mode": 0, "padding_mode": 1, "align_corners": True}],
    "affine_grid": [{"theta": normal(2, 2, 3), "size": [2, 3, 4, 5], "align_corners": False}],
    "pixel_shuffle": [{"input": normal(1, 8, 2, 3), "upscale_factor": 2}],
    "pixel_unshuffle": [{"input": normal(1, 2, 4, 6), "downscale_factor": 2}],
    "channel_shuffle": [{"input": normal(1, 6, 2, 2), "groups": 3}],
    "unfold": [{"input": IMAGE, "kernel_size": [2, 3], "padding": 1, "stride": 2}],
    "fold": [{"input": normal(1, 8, 12), "output_size": [4, 5], "kernel_size": 2}],
    "tensor_unfold": [{"input": normal(3, 7), "dimension": 1, "size": 3, "step": 2}],
    "lp_pool1d": [{"input": within(0.5, 2, 2, 3, 6), "norm_type": 2.0, "kernel_size": 2}],
    "lp_pool2d": [{"input": within(0.5, 2, 2, 3, 6, 6), "norm_type": 3.0, "kernel_size": 2, "stride": 1}],
    "lp_pool3d": [{"input": within(0.5, 2, 1, 2, 4, 4, 4), "norm_type": 2.0, "kernel_size": 2}],
    "max_unpool1d": [{"input": normal(1, 2, 3), "indices": np.array([[[0, 3, 4], [1, 2, 5]]]),
            "kernel_size": 2}],
    "max_unpool2d": [{"input": normal(1, 1, 2, 2), "indices": np.array([[[[0, 3], [9, 14]]]]),
            "kernel_size": 2}],
    "max_unpool3d": [{"input": normal(1, 1, 1, 1, 2), "indices": np.array([[[[[1, 14]]]]]),
            "kernel_size": 2}],
    "conv_tbc": [{"input": normal(6, 2, 3), "weight": normal(3, 3, 4), "bias": normal(4), "pad": 1}],
    "bilinear": [{"input1": normal(5, 3), "input2": normal(5, 4), "weight": normal(2, 3, 4),
            "bias": normal(2)}],
    "embedding_bag": [{"input": whole(6, 3, 4), "weight": normal(6, 5), "mode": mode} for mode in ("sum",
            "mean")],
    "lstm": [recurrent(4, True)], "gru": [recurrent(3, False)], **same("rnn_tanh", **recurrent(1, False)),
    "rnn_relu": [recurrent(1, False)], "lstm_cell": [cell(4, True)], "gru_cell": [cell(3, False)],
    "rnn_tanh_cell": [cell(1, False)], "rnn_relu_cell": [cell(1, False)],
    "multi_head_attention_forward": [{
        "query": normal(4, 2, 6), "key": normal(5, 2, 6), "value": normal(5, 2, 6), "embed_dim_to_check": 6,
        "num_heads": 2, "in_proj_weight": normal(18, 6) * 0.3, "in_proj_bias": normal(18) * 0.1,
        "bias_k": None,
        "bias_v": None, "add_zero_attn": False, "dropout_p": 0.0, "out_proj_weight": normal(6, 6) * 0.3,
        "out_proj_bias": normal(6), "need_weights": True,
    }],
    "cumprod": [{"input": within(0.5, 1.5, 3, 4), "dim": 1}], "logcumsumexp": [{"input": X, "dim": 1}],
    **same("cummax cummin", input=UNEQUAL, dim=1), "diff": [{"input": X}, {"input": X, "n": 2, "dim": 0}],
    **same("cov corrcoef", input=X), "trace": [{"input": X}],
    "dist": [{"input": X, "other": Y}, {"input": X, "other": Y, "p": 1.0}],
    "quantile": [{"input": UNEQUAL, "q": 0.3, "dim": 1}], "nanquantile": [{"input": UNEQUAL, "q": 0.7}],
    "nanmean": [{"input": np.where(X > 1, np.nan, X)}, {"input": X, "dim": 1}],
    "kthvalue": [{"input": UNEQUAL, "k": 2}], **same("median nanmedian", input=UNEQUAL, dim=1),
    "mode": [{"input": np.round(X)}], "sort": [{"input": UNEQUAL, "descending": True}],
    "msort": [{"input": UNEQUAL}], "topk": [{"input": UNEQUAL, "k": 2}],
    "aminmax": [{"input": UNEQUAL, "dim": 1}],
    "count_nonzero": [{"input": np.round(X)}],
    "bincount": [{"input": whole(5, 9)}, {"input": whole(5, 9), "weights": normal(9), "minlength": 7}],
    "bucketize": [{"input": X, "boundaries": np.array([-1.0, 0.0, 1.0])}],
    "searchsorted": [{"sorted_sequence": np.array([-1.0, 0.0, 1.0]), "input": X, "right": True}],
    "isin": [{"elements": whole(9, 5), "test_elements": whole(9, 3)}], "nonzero": [{"input": np.round(X)}],
    "argwhere": [{"input": np.round(X)}], "renorm": [{"input": X * 3, "p": 2.0, "dim": 0, "maxnorm": 1.5}],
    "unique_consecutive": [{"input": np.array([1.0, 1, 2, 2, 2, 3, 1])}],
    "_weight_norm": [{"v": X, "g": within(0.5, 2, 3, 1)}], "pairwise_distance": [{"x1": X, "x2": Y}],
    "cosine_similarity": [{"x1": X, "x2": Y}], "pdist": [{"input": X}],
    "cdist": [{"x1": normal(3, 5), "x2": normal(4, 5)}, {"x1": normal(3, 5), "x2": normal(4, 5), "p": 1.0}],
    **same("cross linalg_cross", input=normal(4, 3), other=normal(4, 3), dim=1),
    "vdot": [{"input": normal(6), "other": normal(6)}],
    "kron": [{"input": normal(2, 3), "other": normal(3, 2)}],
    "tensordot": [{"a": normal(2, 3, 4), "b": normal(3, 4, 5), "dims": 2}],
    "addbmm": [{"input": normal(2, 4), "batch1": normal(5, 2, 3), "batch2": normal(5, 3, 4), "alpha": 0.5}],
    "addmv": [{"input": normal(3), "mat": X, "vec": normal(4)}],
    "addr": [{"input": X, "vec1": normal(3), "vec2": normal(4), "beta": 0.5}],
    "vander": [{"x": within(0.5, 1.5, 3), "N": 3}],
    **same("trapz trapezoid cumulative_trapezoid", y=X),
    **same("linalg_inv linalg_det linalg_slogdet linalg_cond", A=invertible()),
    "linalg_solve": [{"A": invertible(), "B": normal(4, 2)}],
    "linalg_matrix_power": [{"A": invertible() / 4, "n": 3}], "linalg_pinv": [{"A": normal(5, 3)}],
    "linalg_svdvals": [{"A": X}], **same("linalg_cholesky linalg_eigvalsh", A=definite()),
    "linalg_matrix_norm": [{"A": X}, {"A": normal(2, 3, 4), "ord": 1}],
    "linalg_vecdot": [{"x": X, "y": Y}], "linalg_multi_dot": [{"tensors": [X, normal(4, 2), normal(2, 3)]}],
    "linalg_solve_triangular": [{"A": np.triu(invertible()), "B": normal(4, 2), "upper": True}],
    **same("inverse det slogdet pinverse", input=invertible()), "logdet": [{"input": definite()}],
    "matrix_power": [{"input": invertible() / 4, "n": 2}],
    "cholesky": [{"input": definite()}], "cholesky_inverse": [{"input": np.linalg.cholesky(definite())}],
    "cholesky_solve": [{"input": normal(4, 2), "input2": np.linalg.cholesky(definite())}],
    "chain_matmul": [{"matrices": (X, normal(4, 5), normal(5, 2))}],
    **same("ravel fliplr flipud adjoint atleast_1d atleast_2d atleast_3d", input=X),
    "rot90": [{"input": X}, {"input": X, "k": 3, "dims": [1, 0]}],
    "diag": [{"input": normal(4), "diagonal": 1}],
    "diagflat": [{"input": X}], "diag_embed": [{"input": X, "offset": -1}],
    "hsplit": [{"input": X, "indices_or_sections": 2}],
    "vsplit": [{"input": X, "indices_or_sections": [1, 2]}],
    "dsplit": [{"input": normal(2, 2, 4), "indices_or_sections": 2}],
    "tensor_split": [{"input": X, "indices_or_sections": 3, "dim": 1}],
    "unsafe_split": [{"input": X, "split_size": 2}], "unsafe_chunk": [{"input": X, "chunks": 2, "dim": 1}],
    **same("hstack vstack dstack column_stack row_stack", tensors=[X, Y]),
    "block_diag": [{"tensors": (X, normal(2, 2))}], "cartesian_prod": [{"tensors": (normal(3), normal(2))}],
    "broadcast_tensors": [{"tensors": (normal(3, 1), normal(1, 4))}], "combinations": [{"input": normal(4)}],
    "take": [{"input": X, "index": whole(12, 5)}],
    "take_along_dim": [{"input": X, "indices": whole(4, 3, 2), "dim": 1}],
    "index_fill": [{"input": X, "dim": 1, "index": np.array([0, 2]), "value": 1.5}],
    "index_copy": [{"input": X, "dim": 0, "index": np.array([2, 0]), "source": normal(2, 4)}],
    "index_add": [{"input": X, "dim": 0, "index": np.array([2, 0, 2]), "source": Y, "alpha": 2}],
    "scatter_add": [{"input": X, "dim": 1, "index": whole(4, 3, 4), "src": Y}],
    "scatter_reduce": [{"input": X, "dim": 1, "index": whole(4, 3, 4), "src": Y, "reduce": "mean"}],
    "index_put": [{"input": X, "indices": [np.array([0, 2, 0])], "values": Y, "accumulate": True}],
    "masked_scatter": [{"input": X, "mask": Y > 0, "source": Z}],
    "slice_scatter": [{"input": X, "src": normal(3, 2), "dim": 1, "start": 1, "end": 3}],
    "select_scatter": [{"input": X, "src": normal(3), "dim": 1, "index": 2}],
    "diagonal_scatter": [{"input": X, "src": normal(3)}],
    "sum_to_size": [{"input": X, "size": (1, 4)}], "reshape_as": [{"input": X, "other": normal(4, 3)}],
    **same("fft_rfft fft_ihfft fft_rfft2 fft_rfftn", input=X),
    **same("fft_fft fft_ifft fft_irfft fft_hfft fft_fft2 fft_ifft2 fft_irfft2 fft_fftn fft_ifftn fft_irfftn",
           input=COMPLEX),
    **same("fft_fftshift fft_ifftshift", input=X),
    "stft": [{"input": normal(2, 24), "n_fft": 8, "window": within(0.2, 1, 8), "return_complex": True}],
    "tanh_backward": [{"grad_output": X, "output": np.tanh(Y)}],
    "sigmoid_backward": [{"grad_output": X, "output": 1 / (1 + np.exp(-Y))}],
    **same("silu_backward hardswish_backward mish_backward gelu_backward", grad_output=X, input=Y),
    "threshold_backward": [{"grad_output": X, "input": Y, "threshold": 0}],
    **same("_softmax_backward_data", grad_output=X, output=np.exp(Y) / np.exp(Y).sum(1, keepdims=True), dim=1,
           input_dtype=None),
    **same("_log_softmax_backward_data", grad_output=X, output=Y - np.log(np.exp(Y).sum(1, keepdims=True)),
        dim=1,
           input_dtype=None),
    "mse_loss_backward": [{"grad_output": X, "input": Y, "target": Z, "reduction": 0}],
    "embedding_dense_backward": [{"grad_output": normal(5, 3), "indices": whole(4, 5), "num_weights": 4,
                                  "padding_idx": -1, "scale_grad_by_freq": False}],
    # ---- gradients of the table's operators
    **same("adaptive_max_pool2d", input=(_random.permutation(180).reshape(2, 3, 5, 6) - 90) * 0.11,
           output_size=[2, 3]),
    "adaptive_max_pool1d": [{"input": UNEQUAL[None], "output_size": 2}],
    "adaptive_max_pool3d": [{"input": (_random.permutation(64).reshape(1, 4, 4, 4) - 30) * 0.1,
            "output_size": 2}],
    **same("pad constant_pad_nd", input=X, pad=[1, 2]),
    "binary_cross_entropy": [{"input": within(0.2, 0.8, 3, 4), "target": within(0, 1, 3, 4)}],
    "conv_transpose1d": [{"input": normal(1, 2, 5), "weight": normal(2, 3, 2), "stride": 2}],
    "conv_transpose2d": [{"input": normal(1, 2, 3, 4), "weight": normal(2, 3, 2, 2), "bias": normal(3)}],
    "conv_transpose3d": [{"input": normal(1, 2, 2, 3, 2), "weight": normal(2, 1, 2, 2, 2)}],
    "instance_norm": [{"input": IMAGE, "weight": normal(3), "bias": normal(3), "running_mean": normal(3),
                       "running_var": within(0.5, 2, 3)}],
    "kl_div": [{"input": np.log(POSITIVE), "target": POSITIVE, "reduction": "batchmean"}],
    "normalize": [{"input": X}], "smooth_l1_loss": [{"input": X, "target": Y, "beta": 0.5}],
    "addcdiv": [{"input": X, "tensor1": Y, "tensor2": POSITIVE, "value": 0.5}],
    "addcmul": [{"input": X, "tensor1": Y, "tensor2": Z}], **same("amax amin", input=UNEQUAL, dim=1),
    **same("dot inner", input=normal(6), other=normal(6)),
    "float_power": [{"input": POSITIVE, "exponent": 1.5}],
    **same("ger outer", input=normal(3), vec2=normal(4)), "lerp": [{"input": X, "end": Y, "weight": 0.3}],
    "logsumexp": [{"input": X, "dim": 1}], "mv": [{"input": X, "other": normal(4)}],
    "nan_to_num": [{"input": X}], "nansum": [{"input": X}], "prod": [{"input": POSITIVE, "dim": 1}],
    "scatter": [{"input": X, "dim": 1, "index": np.array([[0, 1], [2, 3], [1, 0]]), "src": normal(3, 2)}],
    "unbind": [{"input": X}], **same("linalg_vector_norm vector_norm", input=X, dim=1),
    "rpow": [{"input": X, "exponent": 2.5}], "rmatmul": [{"input": X, "mat2": normal(4, 2)}],
}  # fmt: skip


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every call: the name and the arguments as numpy arrays and Python values."""
    for name, calls in CALLS.items():
        for arguments in calls:
            yield name, arguments


def as_dumped(value: Any, dtype: DType) -> Any:
    """Return arguments as a dump of a run in *dtype* holds them."""
    if isinstance(value, Mapping):
        return {name: as_dumped(item, dtype) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_dumped(item, dtype) for item in value]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "f":
        return Tensor(round_to(value, dtype), dtype)
    if value.dtype.kind == "c":
        name = "complex128" if dtype.name == "float64" else "complex64"
        part = DTYPES["float64" if dtype.name == "float64" else "float32"]
        return Tensor(round_to(value.real, part) + 1j * round_to(value.imag, part), DTYPES[name])
    return Tensor(value, DTYPES["bool" if value.dtype.kind == "b" else "int64"])
