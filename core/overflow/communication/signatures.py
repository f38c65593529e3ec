"""What ``torch.distributed`` calls take and give: the one table of that knowledge.

Signatures are those of https://pytorch.org/docs/stable/distributed.html; MindSpore's ``mint.distributed``
follows them.
"""

from __future__ import annotations

from dataclasses import dataclass

PREFIXES = ("Distributed.", "MintDistributed.")
WORLD: tuple[int, ...] = ()
"""The group of a call that names none: all ranks."""


@dataclass(frozen=True)
class Signature:
    """Positions (and keywords) of what is sent and received; ``root`` is the rank that directs the call."""

    sent: tuple[str, ...]
    received: tuple[str, ...]
    root: tuple[str, ...] = ()
    root_sends: bool = False
    """The root is the only sender (broadcast, scatter); else the only receiver (reduce, gather)."""
    default_root: int = 0


TENSOR = ("0", "tensor")
_INTO = Signature(("1", "input", "input_tensor"), ("0", "output", "output_tensor"))
COLLECTIVES = {
    "all_reduce": Signature(TENSOR, TENSOR),
    "all_reduce_coalesced": Signature(("0", "tensors"), ("0", "tensors")),
    "all_gather": Signature(("1", "tensor"), ("0", "tensor_list")),
    "all_gather_into_tensor": _INTO,
    "_all_gather_base": _INTO,
    "reduce_scatter": Signature(("1", "input_list"), ("0", "output")),
    "reduce_scatter_tensor": _INTO,
    "_reduce_scatter_base": _INTO,
    "all_to_all": Signature(("1", "input_tensor_list"), ("0", "output_tensor_list")),
    "all_to_all_single": _INTO,
    "broadcast": Signature(TENSOR, TENSOR, ("1", "src"), root_sends=True),
    "scatter": Signature(("1", "scatter_list"), TENSOR, ("2", "src"), root_sends=True),
    "reduce": Signature(TENSOR, TENSOR, ("1", "dst")),
    "gather": Signature(TENSOR, ("1", "gather_list"), ("2", "dst")),
}
SENDS = {"send": ("1", "dst"), "isend": ("1", "dst")}
RECEIVES = {"recv": ("1", "src"), "irecv": ("1", "src")}
TAG = ("3", "tag")
BATCH = "batch_isend_irecv"
ASYNCHRONOUS = ("isend", "irecv", BATCH)
"""Calls that return before anything has arrived; collectives do with ``async_op``."""
