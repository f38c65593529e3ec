"""An emulation in a result file, written with it or added to it."""

from __future__ import annotations

from pathlib import Path

import h5py
import msgspec
import numpy as np

from core.records.emulation import Emulation
from core.store.integrity import sealed_reader, sealed_writer
from core.store.schema import EMULATION, FileKind
from core.store.tables import write_array


def write_emulation(file: h5py.File, emulation: Emulation) -> None:
    """Store *emulation* in an open result file, as MessagePack: JSON has no NaN and no infinity."""
    text = msgspec.msgpack.encode(emulation)
    write_array(file, EMULATION, np.frombuffer(text, np.uint8), compressed=True)


def load_emulation(path: str | Path) -> Emulation | None:
    """Return the emulation in the result at *path*, ``None`` if it holds none.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    """
    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        if EMULATION not in file:
            return None
        return msgspec.msgpack.decode(file[EMULATION][()].tobytes(), type=Emulation)


def add_emulation(path: str | Path, emulation: Emulation) -> None:
    """Put *emulation* into the result at *path*, in place of one that is there.

    The file is written anew beside and renamed: it is whole at any time.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    OSError
        If it cannot be written.
    """
    with (
        sealed_reader(Path(path), (FileKind.RESULT,)) as source,
        sealed_writer(Path(path), FileKind.RESULT) as made,
    ):
        for name in source:
            if name != EMULATION:
                source.copy(name, made)
        write_emulation(made, emulation)
