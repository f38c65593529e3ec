"""Before a difference is told: are the bytes on disk still those that were written?"""

from __future__ import annotations

from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle

_LIMIT = 64 << 20
"""Bytes up to which a tensor's checksum is verified; a second for a larger one would be felt."""


def refuse_damaged(*tensors: TensorHandle) -> None:
    """Verify the checksums that archives hold; only for pairs that differ, as equal bytes need no proof.

    Raises
    ------
    InputError
        ``tensor_damaged``, naming the file.
    """
    for tensor in tensors:
        if tensor.damaged(_LIMIT):
            raise InputError(Problem("tensor_damaged", tensor.path))
