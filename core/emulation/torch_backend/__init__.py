"""References by torch, from an explicit list of functions. Torch is imported at the first use only."""

from core.emulation.torch_backend.allowed import added_operator, added_signature
from core.emulation.torch_backend.reference import (
    added_operators,
    torch_available,
    torch_control,
    torch_reference,
)

__all__ = [
    "added_operator",
    "added_operators",
    "added_signature",
    "torch_available",
    "torch_control",
    "torch_reference",
]
