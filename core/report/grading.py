"""The official ``Result`` and ``Accuracy Reached or Not``, computed as the official tools do.

They stand beside our verdict for those who need them; nothing of ours depends on them. Rules:
``msprobe/core/compare/indicator_analysis/algorithm.py`` (mindstudio-probe 26.2.0), which look at all rows
of one call together, and the accuracy standard of the ptdbg_ascend 6.0 manual. Where the official
documents and the official code disagree, the code is followed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Float64
from core.report.official import Mode

Bool = NDArray[np.bool_]

_MESSAGES = (
    "error: There is nan/inf/-inf in the maximum or minimum value of NPU.",
    "error: The NormRelativeErr of output is greater than 0.5.",
    "error: The input/parameters of One Thousandth Err Ratio > 0.9 while the output < 0.6.",
    "error: The Required_Grad of NPU and Bench are inconsistent",
    "error: The scalar parameters of NPU and Bench are inconsistent.",
    "error: The CRC-32 value of NPU differs from that of the bench.",
    "warning: The parameter of NPU does not match the bench.",
    "error: The dtype of NPU and Bench are inconsistent.",
    "error: The shape of NPU and Bench are inconsistent.",
    "warning: The norm relative error of output is 10 times that of input.",
    "warning: The input/parameters of Cosine > 0.9, and input/parameters - output > 0.1",
)
_WARNINGS = (6, 9, 10)

# APIs whose result is not meant to be compared, and those whose inputs are not (calculator.py).
IGNORED_APIS = frozenset(
    [
        "empty",
        "empty_like",
        "numpy",
        "to",
        "__setitem__",
        "empty_with_format",
        "new_empty_strided",
        "new_empty",
        "empty_strided",
    ]
)
IGNORED_INPUTS = frozenset(
    ["_reduce_scatter_base", "_all_gather_base", "all_to_all_single", "batch_isend_irecv"]
)


@dataclass(frozen=True)
class Facts:
    """What the rules look at, an array a fact, a row each; NaN where a number is not defined."""

    call: NDArray[np.int64]
    """Number of the call a row belongs to; the rows of a call are neighbours."""
    matched: Bool
    is_output: Bool
    ignored: Bool
    target_extremes: Float64
    """Rows × 2: Max and Min of the target; NaN-valued statistics are NaN, missing ones 0."""
    golden_extremes: Float64
    norm_relative: Float64
    """|target − golden| / |golden| of the norms; inf where only the golden's is 0."""
    below_thousandth: Float64
    cosine: Float64
    max_abs: Float64
    gradients_differ: Bool
    scalars_differ: Bool
    checksums_differ: Bool
    dtypes_differ: Bool
    shapes_differ: Bool
    fused_name: Bool
    """The name contains ``qkv`` or ``gate_up``: its dtype is not judged."""


def grade(facts: Facts, mode: Mode) -> tuple[list[str], list[str]]:
    """Return ``Result`` and ``Err_message`` (a JSON list) of each row."""
    hits = np.zeros((len(facts.call), len(_MESSAGES)), bool)
    if mode is Mode.CHECKSUM:
        hits[:, 5] = facts.matched & facts.checksums_differ
        hits[:, 6] = ~facts.matched
    else:
        bad_target = ~np.isfinite(facts.target_extremes).all(axis=1)
        bad_golden = ~np.isfinite(facts.golden_extremes).all(axis=1)
        hits[:, 0] = bad_target & ~bad_golden
        hits[:, 3] = facts.gradients_differ
        hits[:, 4] = facts.scalars_differ
        hits[:, 7] = facts.dtypes_differ & ~facts.fused_name
        hits[:, 8] = facts.shapes_differ
        if mode is Mode.STATISTICS:
            _grade_statistics(facts, hits)
        else:
            _grade_tensors(facts, hits)
        hits &= facts.matched[:, None]
    hits &= ~facts.ignored[:, None]
    codes = hits @ (1 << np.arange(len(_MESSAGES)))
    different, inverse = np.unique(codes, return_inverse=True)
    results, messages = [], []
    for code in different.tolist():
        found = [index for index in range(len(_MESSAGES)) if code >> index & 1]
        errors = [index for index in found if index not in _WARNINGS]
        results.append("error" if errors else "warning" if found else "pass")
        messages.append(json.dumps([_MESSAGES[index] for index in found]))
    return [results[i] for i in inverse], [messages[i] for i in inverse]


def reached(facts: Facts, has_tensors: Bool, rows: NDArray[np.int64]) -> list[str]:
    """Return the legacy judgement of each of the *rows*: ``Yes``, ``No``, ``Unmatched`` or ``None``.

    Not reached: cosine < 0.99 and max abs error > 0.001, or cosine < 0.9, or max abs error > 1, or
    one of the two is not a number.
    """
    cosine, max_abs = facts.cosine[rows], facts.max_abs[rows]
    no = ((cosine < 0.99) & (max_abs > 0.001)) | (cosine < 0.9) | (max_abs > 1)
    no |= np.isnan(cosine) | np.isnan(max_abs)
    words = np.where(no, "No", "Yes")
    words = np.where(facts.shapes_differ[rows], "Unmatched", words)
    return [str(word) for word in np.where(has_tensors, words, "None")]


def _per_call(facts: Facts, values: Float64, chosen: Bool, start: float, *, largest: bool) -> Float64:
    """Return for each row the largest (or smallest) of the *chosen* finite *values* of its call."""
    calls = int(facts.call[-1]) + 1 if len(facts.call) else 0
    reduced = np.full(calls, start)
    take = chosen & np.isfinite(values)
    (np.maximum if largest else np.minimum).at(reduced, facts.call[take], values[take])
    return reduced[facts.call]


def _first_output(facts: Facts) -> Bool:
    """Return which rows are the first output of their call; rules over a whole call mark these."""
    same_call = np.r_[False, facts.call[1:] == facts.call[:-1]]
    follows = same_call & np.r_[False, facts.is_output[:-1]]
    first: Bool = facts.is_output & ~follows
    return first


def _grade_statistics(facts: Facts, hits: Bool) -> None:
    error = facts.norm_relative
    inputs = _per_call(facts, error, ~facts.is_output, 0.0, largest=True)
    hits[:, 1] = facts.is_output & (inputs < 0.1) & (error > 0.5)
    outputs = _per_call(facts, error, facts.is_output, 0.0, largest=True)
    grown = np.where(inputs == 0, outputs > 0.1, outputs > 10 * inputs)
    hits[:, 9] = _first_output(facts) & grown


def _grade_tensors(facts: Facts, hits: Bool) -> None:
    share = facts.below_thousandth
    share_in = _per_call(facts, share, ~facts.is_output, 1.0, largest=False)
    share_out = _per_call(facts, share, facts.is_output, 1.0, largest=False)
    first_output = _first_output(facts)
    hits[:, 2] = first_output & (share_in > 0.9) & (share_out < 0.1)
    cosine_in = _per_call(facts, facts.cosine, ~facts.is_output, 1.0, largest=False)
    cosine_out = _per_call(facts, facts.cosine, facts.is_output, 1.0, largest=False)
    hits[:, 10] = first_output & (cosine_in > 0.9) & (cosine_in - cosine_out > 0.1)
