"""Make the dumps under ``tests/data/msprobe`` anew with the official dumper.

Needs the extra ``integration``::

    python tests/builders/make_dumps.py

Everything is seeded; on one machine and with the pinned versions the files come out byte for byte the same,
apart from checksums of operands that an operator changes in place (the dumper takes them late).
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from builders.official_dumper import (  # noqa: E402 - found by the line above
    dump,
    dump_ranks,
    official_overflow_check,
    settings,
)

STATISTICS = {"summary_mode": "statistics"}
DUMPS = {
    "statistics_mix": (
        settings("statistics", "mix", **STATISTICS),
        ["golden", "broken_gelu", "bf16", "extra_call"],
    ),
    "md5_mix": (settings("statistics", "mix", summary_mode="md5"), ["golden", "broken_gelu"]),
    "xor_L1": (settings("statistics", "L1", summary_mode="xor"), ["golden", "broken_gelu"]),
    "structure_mix": (settings("structure", "mix"), ["golden"]),
    "tensor_L0": (settings("tensor", "L0", **STATISTICS), ["golden", "broken_gelu"]),
    "tensor_L1": (settings("tensor", "L1", **STATISTICS), ["golden", "bf16"]),
    "debug": (settings("tensor", "debug", **STATISTICS), ["golden", "broken_gelu"]),
}
"""Folder by folder: the dumper's settings and the variants of the training."""

OPTIONS = {
    "statistics_mix": ["--optimizer"],
    "md5_mix": ["--optimizer"],
    "debug": ["--save"],
    "tensor_L0": ["--fine-tune"],
    "tensor_L1": ["--fine-tune"],
}
TWO_RANKS = {"golden": ["device", "device"], "broken_gelu": ["device", "broken_gelu"]}
"""Two ranks with a batch each; what is wrong is wrong on rank 1 only."""
FOUR_RANKS = {
    "four_ranks": (settings("statistics", "L1", **STATISTICS), ["golden", "overflow"]),
    "four_ranks_tensor": (settings("tensor", "L1", **STATISTICS), ["overflow"]),
}
"""Ranks that communicate; rank 2 overflows in float16."""


def make_dumps(folder: Path) -> None:
    """Write every dump of this module under *folder*, replacing those that are there."""
    for name, (config, variants) in DUMPS.items():
        for variant in variants:
            dump(folder / name / variant, [variant], config, OPTIONS.get(name, []))
    for name, ranks in TWO_RANKS.items():
        dump(folder / "two_ranks" / name, ranks, settings("statistics", "L1", **STATISTICS), ["--fine-tune"])
    make_rank_dumps(folder)


def make_rank_dumps(folder: Path) -> None:
    """Write the dumps of the ranks that communicate."""
    for name, (config, variants) in FOUR_RANKS.items():
        for variant in variants:
            dump_ranks(folder / name / variant, variant, config)
    answer = folder.parent / "anomaly_analyze.json"
    official_overflow_check(folder / "four_ranks" / "overflow" / "step0", answer)


if __name__ == "__main__":
    make_dumps(TESTS / "data" / "msprobe")
