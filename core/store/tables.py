"""Tables, pools and dumps to HDF5 groups and back: one dataset a column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from core.errors import Problem
from core.records.columns import ShapePool, StringPool, Table
from core.records.dump import Dump, OperatorTable, ScopeTable, SlotTable
from core.store.schema import META

_CHUNK_BYTES = 1 << 20

TableType = TypeVar("TableType", bound=Table)


def write_array(
    group: h5py.Group, name: str, values: NDArray[Any], *, compressed: bool = False
) -> h5py.Dataset:
    """Store *values* with a fletcher32 checksum for each chunk of about a mebibyte.

    *compressed* adds shuffle and deflate level 1, which every HDF5 reader knows.
    """
    if values.size == 0 or values.ndim == 0:
        return group.create_dataset(name, data=values)  # nothing to chunk; the file's digest covers it
    row = max(1, values[0].nbytes)
    rows = min(len(values), max(1, _CHUNK_BYTES // row))
    chunks = (rows, *values.shape[1:])
    if rows == 1 and row > _CHUNK_BYTES:  # one row is larger than a chunk should be: split it as well
        chunks = _split(values.shape, values.dtype.itemsize)
    packing: dict[str, Any] = (
        {"compression": "gzip", "compression_opts": 1, "shuffle": True} if compressed else {}
    )
    return group.create_dataset(name, data=values, chunks=chunks, fletcher32=True, **packing)


def _split(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return a chunk of at most a mebibyte made of whole trailing dimensions and a part of one."""
    left = _CHUNK_BYTES // itemsize
    chunk = [1] * len(shape)
    for axis in range(len(shape) - 1, -1, -1):
        chunk[axis] = max(1, min(shape[axis], left))
        left //= max(1, chunk[axis])
    return tuple(chunk)


def write_json(group: h5py.Group, name: str, value: object) -> None:
    """Store *value* as JSON text (UTF-8 bytes, so that lone surrogates survive)."""
    text = json.dumps(value, ensure_ascii=True).encode("ascii")
    write_array(group, name, np.frombuffer(text, np.uint8))


def read_json(group: h5py.Group, name: str) -> Any:
    """Return what :func:`write_json` stored."""
    return json.loads(group[name][()].tobytes())


def write_table(group: h5py.Group, name: str, table: Table, *, compressed: bool = False) -> None:
    """Store *table* as group *name*, one dataset a column."""
    target = group.create_group(name)
    for column, values in table.columns().items():
        write_array(target, column, values, compressed=compressed)


def read_table(group: h5py.Group, name: str, table: type[TableType]) -> TableType:
    """Return the table stored as group *name*. A column the file lacks holds its default."""
    source = group[name]
    rows = len(next(iter(source.values()))) if len(source) else 0
    missing = [item.name for item in fields(table) if item.name not in source]
    filler = table.empty(rows) if missing else None
    return table(
        **{
            item.name: getattr(filler, item.name) if item.name in missing else source[item.name][()]
            for item in fields(table)
        }
    )


def write_dump(group: h5py.Group, name: str, dump: Dump, *, compressed: bool = False) -> None:
    """Store *dump* as group *name*."""
    target = group.create_group(name)
    write_table(target, "operators", dump.operators, compressed=compressed)
    write_table(target, "slots", dump.slots, compressed=compressed)
    write_table(target, "scopes", dump.scopes, compressed=compressed)
    for pool in ("strings", "stacks"):
        held: StringPool = getattr(dump, pool)
        write_array(target, f"{pool}_data", held.data, compressed=compressed)
        write_array(target, f"{pool}_ends", held.ends, compressed=compressed)
    write_array(target, "shapes_dims", dump.shapes.dims, compressed=compressed)
    write_array(target, "shapes_ends", dump.shapes.ends, compressed=compressed)
    meta = {name: getattr(dump, name) for name in _META_FIELDS}
    write_json(
        target, META, {**meta, "header": dict(dump.header), "problems": encode_problems(dump.problems)}
    )


_META_FIELDS = ("format", "framework", "task", "level", "data_dir")


def read_dump(group: h5py.Group, name: str) -> Dump:
    """Return the dump stored as group *name*."""
    source = group[name]
    meta = read_json(source, META)
    return Dump(
        **{field: meta[field] for field in _META_FIELDS},
        operators=read_table(source, "operators", OperatorTable),
        slots=read_table(source, "slots", SlotTable),
        scopes=read_table(source, "scopes", ScopeTable),
        strings=StringPool(source["strings_data"][()], source["strings_ends"][()]),
        shapes=ShapePool(source["shapes_dims"][()], source["shapes_ends"][()]),
        stacks=StringPool(source["stacks_data"][()], source["stacks_ends"][()]),
        problems=decode_problems(meta["problems"]),
        header=meta["header"],
    )


def encode_problems(problems: Iterable[Problem]) -> list[Mapping[str, Any]]:
    """Return *problems* as plain values for :func:`write_json`."""
    return [{"code": item.code, "path": item.path, "parameters": dict(item.parameters)} for item in problems]


def decode_problems(stored: Iterable[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Return the problems that :func:`encode_problems` encoded."""
    return tuple(Problem(item["code"], item["path"], item["parameters"]) for item in stored)
