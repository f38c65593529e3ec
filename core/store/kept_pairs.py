"""What a result file keeps of single pairs of tensors: any frozen dataclass, its arrays as datasets.

The store knows nothing of what is kept: a value is its arrays, each a dataset named after the field it stands
in, and a tree in MessagePack that holds everything else. It is decoded by the declared types of the dataclass
that the reader asks for; nothing is unpickled.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import h5py
import msgspec
import numpy as np

from core.errors import InputError, Problem
from core.records.run import CellKey
from core.store.integrity import sealed_reader
from core.store.schema import CELLS, KEPT, FileKind
from core.store.tables import write_array

Value = TypeVar("Value")

_TREE = "tree"


def write_kept(file: h5py.File, key: CellKey, row: int, value: object) -> None:
    """Store *value*, a dataclass of arrays, dataclasses and plain values, for *row* of a written cell.

    Raises
    ------
    TypeError
        If *value* holds something else.
    """
    group = file.require_group(f"{CELLS}/{key.label()}/{KEPT}").create_group(str(row))
    tree = msgspec.msgpack.encode(_plain(group, "", value))  # JSON has no NaN
    write_array(group, _TREE, np.frombuffer(tree, np.uint8), compressed=True)


def kept_rows(cell: h5py.Group) -> tuple[int, ...]:
    """Return the rows of which *cell*, a cell's group, keeps more than numbers; ascending."""
    return tuple(sorted(int(name) for name in cell[KEPT])) if KEPT in cell else ()


def load_kept(path: str | Path, key: CellKey, row: int, kind: type[Value]) -> Value:
    """Return what the result at *path* keeps of *row* in the cell *key*.

    Datasets are checked by their own checksums; the whole file is not, which took as long as reading it.

    Raises
    ------
    InputError
        If it is no result file, nothing is kept of the row, or what is kept is damaged or of another kind.
    """
    name = f"{CELLS}/{key.label()}/{KEPT}/{row}"
    with sealed_reader(Path(path), (FileKind.RESULT,), whole=False) as file:
        if name not in file:
            raise InputError(Problem("not_kept", str(path)))
        group = file[name]

        def decode(wanted: type, said: Any) -> Any:
            if getattr(wanted, "__origin__", wanted) is not np.ndarray:
                raise NotImplementedError(f"a result keeps no {wanted}")
            return np.asarray(group[said][()])

        tree = group[_TREE][()].tobytes()
        try:
            return msgspec.msgpack.decode(tree, type=kind, dec_hook=decode)
        except msgspec.MsgspecError:  # of another version, or not what it says
            raise InputError(Problem("kept_unreadable", str(path))) from None


def _plain(group: h5py.Group, name: str, value: object) -> Any:
    """Return *value* as MessagePack holds it; its arrays go into *group*, and their names stand for them."""
    if isinstance(value, np.ndarray):
        write_array(group, name, value, compressed=True)
        return name
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        return {item.name: _plain(group, _joined(name, item.name), getattr(value, item.name))
                for item in fields(value)}  # fmt: skip
    if isinstance(value, tuple | list):
        return [_plain(group, _joined(name, str(at)), item) for at, item in enumerate(value)]
    return value


def _joined(name: str, part: str) -> str:
    return f"{name}/{part}" if name else part
