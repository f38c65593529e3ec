"""Column names of the official comparison tools, exactly as they write them.

Sources: ``msprobe/core/common/const.py`` (mindstudio-probe 26.2.0) for the three msprobe modes, the
ptdbg_ascend 6.0 sources and manual for the legacy table. Reports begin with these columns, in this
order, so that what people built around the official files goes on working; ours follow.
"""

from __future__ import annotations

from enum import Enum

BASIC = (
    "NPU Name",
    "Bench Name",
    "NPU Dtype",
    "Bench Dtype",
    "NPU Tensor Shape",
    "Bench Tensor Shape",
    "NPU Requires_grad",
    "Bench Requires_grad",
)
TENSOR_METRICS = (
    "Cosine",
    "EucDist",
    "MaxAbsErr",
    "MaxRelativeErr",
    "One Thousandth Err Ratio",
    "Five Thousandths Err Ratio",
)
STATISTIC_DIFFERENCES = (
    "Max diff",
    "Min diff",
    "Mean diff",
    "L2norm diff",
    "MaxRelativeErr",
    "MinRelativeErr",
    "MeanRelativeErr",
    "NormRelativeErr",
)
STATISTICS = (
    "NPU max",
    "NPU min",
    "NPU mean",
    "NPU l2norm",
    "Bench max",
    "Bench min",
    "Bench mean",
    "Bench l2norm",
)
CHECKSUMS = ("NPU MD5", "BENCH MD5")
GRADING = ("Requires_grad Consistent", "Result", "Err_message")
STACK = "NPU_Stack_Info"
DATA_NAME = "Data_name"
REACHED = "Accuracy Reached or Not"

OURS = (
    "Step",
    "Rank",
    "Verdict",
    "Reason",
    "Evidence",
    "Origin",
    "Error",
    "Allowed",
    "Relative L2",
    "RMSE",
    "MAE",
    "Max abs index",
    "Max rel index",
    "Sign flips",
    "NPU zeros",
    "Bench zeros",
    "Equal",
    "Compared",
    "NPU NaN",
    "NPU +Inf",
    "NPU -Inf",
    "Bench NaN",
    "Bench +Inf",
    "Bench -Inf",
)
"""Our columns, after the official ones."""


class Mode(Enum):
    """Which official table a comparison corresponds to."""

    TENSOR = "tensor"
    STATISTICS = "statistics"
    CHECKSUM = "checksum"
    LEGACY = "legacy"
    """The table of ptdbg_ascend, for runs in its format."""


def columns_of(mode: Mode, *, with_stack: bool) -> tuple[str, ...]:
    """Return the official columns of *mode*, in order."""
    stack = (STACK,) if with_stack else ()
    if mode is Mode.TENSOR:
        return (*BASIC, *TENSOR_METRICS, *STATISTICS, *GRADING, *stack, DATA_NAME, REACHED)
    if mode is Mode.STATISTICS:
        return (*BASIC, *STATISTIC_DIFFERENCES, *STATISTICS, *GRADING, *stack)
    if mode is Mode.CHECKSUM:
        return (*BASIC, *CHECKSUMS, *GRADING, *stack)
    basic = tuple(name.replace(" Dtype", " Tensor Dtype") for name in BASIC[:6])
    metrics = tuple(name for name in TENSOR_METRICS if name != "EucDist")
    return (*basic, *metrics, *STATISTICS, REACHED, "Err_message", *stack)
