"""CRC-32C (Castagnoli) of many records at once, as TFRecord files use it.

Polynomial 0x1EDC6F41, reflected, all ones before and after (RFC 3720, appendix B.4). TFRecord masks it:
rotated right by 15 bits, plus 0xA282EAD8 (tensorflow/core/lib/hash/crc32c.h).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_ONES = np.uint32(0xFFFFFFFF)


def _table() -> NDArray[np.uint32]:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(_POLYNOMIAL), values >> 1)
    return values.astype(np.uint32)


_TABLE = _table()


def _shifted(state: NDArray[np.uint32], rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the register of each row after its bytes (rows × length), from *state* on."""
    for column in np.ascontiguousarray(rows.T):
        state = _TABLE[(state ^ column) & np.uint32(0xFF)] ^ (state >> np.uint32(8))
    return state


def crc32c(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the CRC-32C of each of *rows*, records × bytes, uint8."""
    return _shifted(np.full(len(rows), _ONES), rows) ^ _ONES


def crc32c_of(data: NDArray[np.uint8]) -> int:
    """Return the CRC-32C of one long record *data*, uint8.

    It is cut into pieces that are computed side by side, from an empty register each; then each piece is
    appended to those before: the register moves on by the length of a piece, which is linear.
    """
    if len(data) < 64:
        return int(crc32c(data[np.newaxis])[0])
    size = math.isqrt(len(data))
    count = -(-len(data) // size)
    padded = np.zeros(count * size, np.uint8)  # zeros before the data leave an empty register empty
    padded[-len(data) :] = data
    padded[-len(data) :][:4] ^= 0xFF  # the same as a register of ones
    pieces = _shifted(np.zeros(count, np.uint32), padded.reshape(count, size))
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    moved = _shifted(bits, np.zeros((32, size), np.uint8)).tolist()
    register = 0
    for piece in pieces.tolist():
        register = piece ^ _linear(register, moved)
    return register ^ 0xFFFFFFFF


def _linear(register: int, moved: list[int]) -> int:
    made = 0
    for bit in range(32):
        if register >> bit & 1:
            made ^= moved[bit]
    return made


def masked(crc: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return *crc* as TFRecord files store it."""
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(_MASK_DELTA)
