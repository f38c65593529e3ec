"""The functions of torch that the table of references lacks: nothing else is ever called by a dumped name.

All are pure and deterministic. Left out on purpose: what draws numbers, works in place or communicates;
decompositions that are not unique (QR, SVD and eigenvectors, LU); the order of equal elements; counts
that turn on the last bit (histc); matrix_exp, which torch gets wrong in half formats on a CPU.
"""

from __future__ import annotations

from typing import Any

from core.emulation.torch_backend.entry import Allowed, each

NN = "torch.nn.functional"
LINALG = "torch.linalg"
_LOSS = "size_average=None, reduce=None, reduction=mean"
_RESIZED: dict[str, Any] = {"steps": True, "coarse_inside": False}
_PLACES: dict[str, Any] = {"steps": True, "gradient_in_half": False}
_LABELLED: dict[str, Any] = {"steps": True, "constants": ("target",)}
_FIRST: dict[str, Any] = {"moves": True, "judged": 1}
_LAYERS = "has_biases, num_layers, dropout, train, bidirectional, batch_first"
_CELL = "input, hx, w_ih, w_hh, b_ih=None, b_hh=None"
_FFT_ONE = "input, n=None, dim=-1, norm=None"
_FFT_TWO = "input, s=None, dim=None, norm=None"

_ELEMENTWISE = {
    **each("torch", "input", "acosh arccosh asinh arcsinh atanh arctanh digamma lgamma erfinv i0 sinc"),
    **each("torch", "input", "deg2rad rad2deg angle"),
    **each("torch", "input", "real imag view_as_real view_as_complex", moves=True),
    **each("torch", "input", "frac", smooth=False),
    **each("torch", "input", "signbit isneginf isposinf isreal", moves=True, gradient=False),
    **each("torch", "input, eps=None", "logit", **_PLACES),
    **each("torch", "input, other", "atan2 arctan2 hypot logaddexp logaddexp2 xlogy ldexp"),
    **each("torch", "input, other", "copysign fmax fmin", smooth=False),
    **each("torch", "input, other", "fmod remainder", smooth=False, gradient_in_half=False),
    **each("torch", "input, other", "heaviside gcd lcm", moves=True, gradient=False),
    **each("torch", "input, other", "bitwise_left_shift bitwise_right_shift", moves=True, gradient=False),
    **each("torch", "input, other", "igamma igammac", gradient=False),
    **each("torch", "input, other, rtol=1e-05, atol=1e-08, equal_nan=False", "isclose", gradient=False),
    **each("torch", "input, p", "mvlgamma"),
    **each("torch", "n, input", "polygamma"),
    **each("torch", "abs, angle", "polar"),
    **each("torch", "real, imag", "complex", moves=True),
    "mod": Allowed("torch.remainder", "input, other", smooth=False, gradient_in_half=False),
    "rmod": Allowed("torch.Tensor.__rmod__", "input, other", smooth=False, gradient=False),
    "lshift": Allowed("torch.bitwise_left_shift", "input, other", moves=True, gradient=False),
    "rshift": Allowed("torch.bitwise_right_shift", "input, other", moves=True, gradient=False),
}

_ACTIVATION = {
    **each(NN, "input, threshold, value, inplace=False", "threshold", smooth=False),
    **each(NN, "input, dim=-1", "glu"),
    **each(NN, "input, alpha=1.0, inplace=False", "celu"),
    **each(NN, "input, weight", "prelu"),
    **each(NN, "input, lambd=0.5", "hardshrink softshrink", smooth=False),
    **each(NN, "input", "tanhshrink", steps=True),
    **each(NN, "input, dim=None, _stacklevel=3, dtype=None", "softmin", steps=True),
    **each(NN, "input, size, alpha=0.0001, beta=0.75, k=1.0", "local_response_norm", steps=True),
}

_LOSSES = {
    **each(
        NN,
        "log_probs, targets, input_lengths, target_lengths, blank=0, reduction=mean, zero_infinity=False",
        "ctc_loss",
        steps=True,
    ),
    **each(
        NN,
        "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
        "reduction=mean",
        "poisson_nll_loss",
        steps=True,
    ),
    **each(
        NN,
        "input, target, var, full=False, eps=1e-06, reduction=mean",
        "gaussian_nll_loss",
        steps=True,
    ),
    **each(NN, f"input1, input2, target, margin=0.0, {_LOSS}", "margin_ranking_loss", **_LABELLED),
    **each(NN, f"input, target, margin=1.0, {_LOSS}", "hinge_embedding_loss", **_LABELLED),
    **each(NN, f"input1, input2, target, margin=0.0, {_LOSS}", "cosine_embedding_loss", **_LABELLED),
    **each(NN, f"input, target, {_LOSS}", "multilabel_margin_loss soft_margin_loss", **_LABELLED),
    **each(NN, f"input, target, weight=None, {_LOSS}", "multilabel_soft_margin_loss", **_LABELLED),
    **each(NN, f"input, target, p=1, margin=1.0, weight=None, {_LOSS}", "multi_margin_loss", steps=True),
    **each(NN, "input, target, reduction=mean, delta=1.0, weight=None", "huber_loss", steps=True),
    **each(
        NN,
        f"anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, {_LOSS}",
        "triplet_margin_loss",
        steps=True,
    ),
}

_VISION = {
    **each(
        NN,
        "input, size=None, scale_factor=None, mode=nearest, align_corners=None, "
        "recompute_scale_factor=None, antialias=False",
        "interpolate",
        **_RESIZED,
    ),
    **each(
        NN, "input, size=None, scale_factor=None, mode=nearest, align_corners=None", "upsample", **_RESIZED
    ),
    **each(NN, "input, size=None, scale_factor=None", "upsample_nearest upsample_bilinear", **_RESIZED),
    **each(
        NN,
        "input, grid, mode=bilinear, padding_mode=zeros, align_corners=None",
        "grid_sample",
        **_PLACES,
    ),
    **each(
        "torch",
        "input, grid, interpolation_mode, padding_mode, align_corners",
        "grid_sampler grid_sampler_2d grid_sampler_3d",
        **_PLACES,
    ),
    **each(NN, "theta, size, align_corners=None", "affine_grid", steps=True),
    **each(NN, "input, upscale_factor", "pixel_shuffle", moves=True),
    **each(NN, "input, downscale_factor", "pixel_unshuffle", moves=True),
    **each("torch", "input, groups", "channel_shuffle", moves=True),
    **each(NN, "input, kernel_size, dilation=1, padding=0, stride=1", "unfold", moves=True),
    **each(NN, "input, output_size, kernel_size, dilation=1, padding=0, stride=1", "fold", steps=True),
    "tensor_unfold": Allowed("torch.Tensor.unfold", "input, dimension, size, step", moves=True),
    **each(NN, "input, norm_type, kernel_size, stride=None, ceil_mode=False", "lp_pool1d", steps=True),
    **each(NN, "input, norm_type, kernel_size, stride=None, ceil_mode=False", "lp_pool2d", steps=True),
    **each(NN, "input, norm_type, kernel_size, stride=None, ceil_mode=False", "lp_pool3d", steps=True),
    **each(
        NN,
        "input, indices, kernel_size, stride=None, padding=0, output_size=None",
        "max_unpool1d max_unpool2d max_unpool3d",
        moves=True,
    ),
    **each("torch", "input, weight, bias, pad=0", "conv_tbc", steps=True),
    **each(NN, "input1, input2, weight, bias=None", "bilinear", steps=True),
    **each(
        NN,
        "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode=mean, "
        "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None",
        "embedding_bag",
    ),
}

_RECURRENT = {
    **each("torch", f"input, hx, params, {_LAYERS}", "lstm gru rnn_tanh rnn_relu", steps=True),
    **each("torch", _CELL, "lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell", steps=True),
    **each(
        NN,
        "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, "
        "add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, "
        "need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, "
        "k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, "
        "is_causal=False",
        "multi_head_attention_forward",
        steps=True,
    ),
}

_REDUCTION = {
    **each("torch", "input, dim, dtype=None", "cumprod", steps=True),
    **each("torch", "input, dim", "logcumsumexp", steps=True),
    **each("torch", "input, dim", "cummax cummin", **_FIRST),
    **each("torch", "input, n=1, dim=-1, prepend=None, append=None", "diff", steps=True),
    **each("torch", "input, correction=1, fweights=None, aweights=None", "cov", steps=True),
    **each("torch", "input", "corrcoef trace", steps=True),
    **each("torch", "input, other, p=2", "dist", steps=True),
    **each("torch", "input, q, dim=None, keepdim=False, interpolation=linear", "quantile nanquantile"),
    **each("torch", "input, dim=None, keepdim=False, dtype=None", "nanmean", steps=True),
    **each("torch", "input, k, dim=-1, keepdim=False", "kthvalue", **_FIRST),
    **each("torch", "input, dim=None, keepdim=False", "median nanmedian", **_FIRST),
    **each("torch", "input, dim=-1, keepdim=False", "mode", gradient=False, **_FIRST),
    **each("torch", "input, dim=-1, descending=False, stable=None", "sort", **_FIRST),
    **each("torch", "input", "msort", moves=True),
    **each("torch", "input, k, dim=-1, largest=True, sorted=True", "topk", **_FIRST),
    **each("torch", "input, dim=None, keepdim=False", "aminmax", moves=True),
    **each("torch", "input, dim=None", "count_nonzero", moves=True, gradient=False),
    **each("torch", "input, weights=None, minlength=0", "bincount", gradient=False),
    **each("torch", "input, boundaries, right=False", "bucketize", moves=True, gradient=False),
    **each("torch", "sorted_sequence, input, right=False", "searchsorted", moves=True, gradient=False),
    **each("torch", "elements, test_elements", "isin", moves=True, gradient=False),
    **each("torch", "input, as_tuple=False", "nonzero", moves=True, gradient=False),
    **each("torch", "input", "argwhere", moves=True, gradient=False),
    **each("torch", "input, return_inverse=False, return_counts=False, dim=None", "unique_consecutive",
            moves=True, gradient=False),
    **each("torch", "input, p, dim, maxnorm", "renorm", steps=True),
    **each("torch", "v, g, dim=0", "_weight_norm", steps=True),
}  # fmt: skip

_PRODUCT = {
    **each(NN, "x1, x2, p=2.0, eps=1e-06, keepdim=False", "pairwise_distance", steps=True),
    **each(NN, "x1, x2, dim=1, eps=1e-08", "cosine_similarity", steps=True),
    **each(NN, "input, p=2.0", "pdist"),
    **each("torch", "x1, x2, p=2.0, compute_mode=use_mm_for_euclid_dist_if_necessary", "cdist", steps=True),
    **each("torch", "input, other, dim=None", "cross", steps=True),
    **each("torch", "input, other", "vdot kron"),
    **each("torch", "a, b, dims=2", "tensordot"),
    **each("torch", "input, batch1, batch2, beta=1, alpha=1", "addbmm", steps=True),
    **each("torch", "input, mat, vec, beta=1, alpha=1", "addmv"),
    **each("torch", "input, vec1, vec2, beta=1, alpha=1", "addr", steps=True),
    **each("torch", "x, N=None, increasing=False", "vander", steps=True, gradient=False),
    **each("torch", "y, x=None, dim=-1", "trapz trapezoid cumulative_trapezoid", steps=True),
    **each(LINALG, "A", "inv det slogdet", "linalg_", steps=True),
    **each(LINALG, "A, B", "solve", "linalg_", steps=True),
    **each(LINALG, "A, n", "matrix_power", "linalg_", steps=True),
    **each(LINALG, "A, rtol=None", "pinv", "linalg_", steps=True),
    **each(LINALG, "A", "svdvals cholesky eigvalsh cond", "linalg_", steps=True),
    **each(LINALG, "A, ord=fro, dim=None, keepdim=False", "matrix_norm", "linalg_", **_PLACES),
    **each(LINALG, "input, other, dim=-1", "cross", "linalg_", steps=True),
    **each(LINALG, "x, y, dim=-1", "vecdot", "linalg_", steps=True),
    **each(LINALG, "tensors", "multi_dot", "linalg_", steps=True),
    **each(
        LINALG, "A, B, upper=None, left=True, unitriangular=False", "solve_triangular", "linalg_", steps=True
    ),
    **each("torch", "input", "inverse det logdet slogdet pinverse", steps=True),
    **each("torch", "input, n", "matrix_power", steps=True),
    **each("torch", "input, upper=False", "cholesky cholesky_inverse", steps=True),
    **each("torch", "input, input2, upper=False", "cholesky_solve", steps=True),
    "chain_matmul": Allowed("torch.chain_matmul", "*matrices", steps=True),
}

_MOVING = {
    **each("torch", "input", "ravel fliplr flipud adjoint atleast_1d atleast_2d atleast_3d", moves=True),
    **each("torch", "input, k=1, dims=None", "rot90", moves=True),
    **each("torch", "input, diagonal=0", "diag", moves=True),
    **each("torch", "input, offset=0", "diagflat", moves=True),
    **each("torch", "input, offset=0, dim1=-2, dim2=-1", "diag_embed", moves=True),
    **each("torch", "input, indices_or_sections", "hsplit vsplit dsplit", moves=True),
    **each("torch", "input, indices_or_sections, dim=0", "tensor_split", moves=True),
    **each("torch", "input, split_size, dim=0", "unsafe_split", moves=True),
    **each("torch", "input, chunks, dim=0", "unsafe_chunk", moves=True),
    **each("torch", "tensors", "hstack vstack dstack column_stack row_stack", moves=True),
    "block_diag": Allowed("torch.block_diag", "*tensors", moves=True),
    "cartesian_prod": Allowed("torch.cartesian_prod", "*tensors", moves=True),
    "broadcast_tensors": Allowed("torch.broadcast_tensors", "*tensors", moves=True),
    **each("torch", "input, r=2, with_replacement=False", "combinations", moves=True),
    **each("torch", "input, index", "take", moves=True),
    **each("torch", "input, indices, dim=None", "take_along_dim", moves=True),
    **each("torch", "input, dim, index, value", "index_fill", moves=True),
    **each("torch", "input, dim, index, source", "index_copy", moves=True),
    **each("torch", "input, dim, index, source, alpha=1", "index_add", steps=True),
    **each("torch", "input, dim, index, src", "scatter_add", steps=True),
    **each("torch", "input, dim, index, src, reduce, include_self=True", "scatter_reduce", steps=True),
    **each("torch", "input, indices, values, accumulate=False", "index_put", steps=True),
    **each("torch", "input, mask, source", "masked_scatter", moves=True),
    **each("torch", "input, src, dim=0, start=None, end=None, step=1", "slice_scatter", moves=True),
    **each("torch", "input, src, dim, index", "select_scatter", moves=True),
    **each("torch", "input, src, offset=0, dim1=0, dim2=1", "diagonal_scatter", moves=True),
    "sum_to_size": Allowed("torch.Tensor.sum_to_size", "input, *size", steps=True),
    "reshape_as": Allowed("torch.Tensor.reshape_as", "input, other", moves=True),
}

_FOURIER = {
    **each("torch.fft", _FFT_ONE, "fft ifft rfft irfft hfft ihfft", "fft_", steps=True),
    **each("torch.fft", _FFT_TWO, "fft2 ifft2 rfft2 irfft2", "fft_", steps=True),
    **each("torch.fft", "input, s=None, dim=None, norm=None", "fftn ifftn rfftn irfftn", "fft_", steps=True),
    **each("torch.fft", "input, dim=None", "fftshift ifftshift", "fft_", moves=True),
    **each(
        "torch",
        "input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode=reflect, "
        "normalized=False, onesided=None, return_complex=None",
        "stft",
        steps=True,
    ),
}

_ATEN = "torch.ops.aten"
_BACKWARD_CALLS: dict[str, Any] = {"gradient": False, "steps": True}
_GRADIENT_KERNELS = {
    **each(_ATEN, "grad_output, output", "tanh_backward sigmoid_backward", **_BACKWARD_CALLS),
    **each(_ATEN, "grad_output, input", "silu_backward hardswish_backward mish_backward", **_BACKWARD_CALLS),
    **each(_ATEN, "grad_output, input, approximate=none", "gelu_backward", **_BACKWARD_CALLS),
    **each(_ATEN, "grad_output, input, threshold", "threshold_backward", **_BACKWARD_CALLS),
    **each(
        _ATEN,
        "grad_output, output, dim, input_dtype",
        "_softmax_backward_data _log_softmax_backward_data",
        **_BACKWARD_CALLS,
    ),
    **each(_ATEN, "grad_output, input, target, reduction", "mse_loss_backward", **_BACKWARD_CALLS),
    **each(
        _ATEN,
        "grad_output, indices, num_weights, padding_idx, scale_grad_by_freq",
        "embedding_dense_backward",
        **_BACKWARD_CALLS,
    ),
}
"""Backward kernels that dumps of the lowest level hold as calls of their own."""

ADDED: dict[str, Allowed] = {
    **_ELEMENTWISE, **_ACTIVATION, **_LOSSES, **_VISION, **_RECURRENT, **_REDUCTION, **_PRODUCT, **_MOVING,
    **_FOURIER, **_GRADIENT_KERNELS,
}  # fmt: skip
"""Functions that the table of references lacks, by our name."""
