"""One way to a slot's tensor, whether it lies in a file of the dump or in a packed file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from core.formats.tensors.handle import TensorHandle
from core.formats.tensors.opening import open_tensor
from core.records.dump import Dump, SlotKind
from core.store.schema import PACKED_PREFIX


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Where a slot's tensor lies; small and picklable, for workers."""

    folder: str
    """The dump's data folder, or the packed file."""
    name: str
    """File in the folder, or dataset in the packed file, which begins with :data:`PACKED_PREFIX`."""
    dtype: str
    """What the dump calls the dtype; empty when it does not say."""
    size: int
    mtime_ns: int

    @property
    def packed(self) -> bool:
        """Whether the bytes lie in a packed file."""
        return self.name.startswith(PACKED_PREFIX)

    @property
    def path(self) -> str:
        """The file that holds the bytes."""
        return self.folder if self.packed else os.path.join(self.folder, self.name)  # noqa: PTH118 - hot

    def open(self) -> TensorHandle:
        """Map the tensor.

        Raises
        ------
        InputError
            With a problem that says what is wrong with the file.
        """
        if self.packed:
            from core.store.packed import open_packed_tensor  # with h5py, which a window has no use for

            return open_packed_tensor(self.folder, self.name)
        return open_tensor(self.path, dtype=self.dtype or None, size=self.size, mtime_ns=self.mtime_ns)


def place_of(dump: Dump, slot: int) -> TensorPlace | None:
    """Return where the tensor of row *slot* lies; ``None`` when the dump has only its record."""
    slots = dump.slots
    if slots.file[slot] < 0 or slots.file_size[slot] < 0 or slots.kind[slot] != SlotKind.TENSOR:
        return None
    return TensorPlace(
        dump.data_dir,
        dump.strings[int(slots.file[slot])],
        dump.dtype(slot),
        int(slots.file_size[slot]),
        int(slots.file_mtime_ns[slot]),
    )
