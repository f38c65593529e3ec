"""The adders of six GPUs, as published: what the model of :mod:`block_fma` is checked against.

Sources: Khattak and Mikaitis, Accurate Models of NVIDIA Tensor Cores (ACM TACO, DOI 10.1145/3830409)
and their MATLAB-tensor-core models; for V100 and A100 also Fasi, Higham, Mikaitis and Pranesh, Numerical
behavior of NVIDIA tensor cores (PeerJ Computer Science 7, 2021). float16 operands, float32 accumulators.
"""

from __future__ import annotations

from core.emulation.arithmetic.block_fma import BlockFma
from core.emulation.arithmetic.rounding import Rounding


def _tensor_core(block: int, guard_bits: int) -> BlockFma:
    """Return an adder that cuts off what it aligns away, and its result."""
    return BlockFma(block=block, guard_bits=guard_bits, accumulate=Rounding.TOWARD_ZERO)


TENSOR_CORES: dict[str, BlockFma] = {
    "V100": _tensor_core(4, 0),
    "A100": _tensor_core(8, 1),
    "Ada": _tensor_core(8, 1),
    "L40S": _tensor_core(8, 1),
    "H100": _tensor_core(16, 2),
    "B200": _tensor_core(16, 2),
}
"""Products in a block and guard bits; all cut off float32 sums rather than round them to nearest."""
