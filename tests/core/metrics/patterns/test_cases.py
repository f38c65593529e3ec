"""The shared pairs: in each the pattern that an expert would name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.compare.tensor_files import compare_tensor_files
from core.metrics.noise import shipped_noise
from core.progress import run_to_end

WANTED = {
    "C01_signed_inf": "inf_sign",
    "C04_nan_gold_only": "special_values",
    "C05_gold_zero": "single_element",
    "C09_mask_flip": "mask_flips",
    "C09b_mask_inverted": "inverted_mask",
    "C10_conj": "conjugate",
    "C11_bf16_round": "rounding_only",
    "C13_ratio_ga4": "constant_ratio",
    "C14_pre_post_norm": "row_column_factor",
    "C15_transpose": "transpose",
    "C17_rope_bf16": "growth",
    "C18_mask_past_512": "zero_filled",
    "C20_outlier": "single_element",
    "C22_padding": "index_range",
    "C24_ln_eps": "row_factor",
    "C25_tf32": "lower_precision",
    "C27_square_fp16": "overflow",
    "C32_bf16_sum": "low_precision_accumulator",
    "C34_downcast": "downcast_grid",
}
NOTHING = [
    "C02_nan_both",
    "C06_zero_both",
    "C07_scalar",
    "C28_cos_gt_1",
    "C29_huge",
    "C30_zero_div_zero",
    "C33_in",
]


@pytest.mark.parametrize("name", [*WANTED, *NOTHING])
def test_shared_pairs(cases: Path, name: str) -> None:
    folder = cases / "pairs" / name
    wanted = json.loads((folder / "expect.json").read_text())
    work = compare_tensor_files(str(folder / "tgt.npy"), str(folder / "gold.npy"), shipped_noise())
    (found,) = run_to_end(work)
    assert found.judgement.verdict.name.lower() in wanted["accept"]
    names = [pattern.name for pattern in found.patterns]
    if name in WANTED:
        assert WANTED[name] in names
    else:
        assert names == []
