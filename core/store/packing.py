"""Writing packed files; see :mod:`core.store.packed` for what they are."""

from __future__ import annotations

import fnmatch
from dataclasses import replace

import h5py
import numpy as np

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import ABSENT, Interner
from core.records.dump import Dump
from core.records.run import CellKey
from core.store.schema import CELLS, DTYPE_ATTRIBUTE, MEANING_ATTRIBUTE, PACKED_PREFIX, TARGET
from core.store.tables import write_array, write_dump, write_json
from core.store.tensor_bytes import place_of


def selected(dump: Dump, pattern: str) -> Dump:
    """Return *dump* with only the operators whose names match the shell *pattern*."""
    keep = np.array(
        [fnmatch.fnmatchcase(dump.strings[name], pattern) for name in dump.operators.name.tolist()], bool
    )
    if keep.all():
        return dump
    slot_keep = keep[dump.slots.operator]
    new_row = (np.cumsum(keep) - 1).astype(np.int32)
    new_first = np.concatenate([[0], np.cumsum(slot_keep)]).astype(np.int32)
    operators = replace(dump.operators, first_slot=new_first[dump.operators.first_slot]).take(keep)
    slots = replace(dump.slots, operator=new_row[dump.slots.operator]).take(slot_keep)
    return replace(dump, operators=operators, slots=slots)


def write_packed_cell(file: h5py.File, key: CellKey, dump: Dump, problems: list[Problem]) -> Work[int]:
    """Write *dump* and its tensors as one cell; returns how many tensors went in.

    A tensor that cannot be read is left out, and its problem is added to *problems*.
    """
    strings = Interner()
    for text in dump.strings:
        strings(text)
    place = np.full(len(dump.slots), ABSENT, np.int32)
    for slot in np.flatnonzero(dump.slots.file_size >= 0).tolist():
        yield Progress(slot, len(dump.slots), Message("progress.pack", {"cell": key.label()}))
        where = place_of(dump, slot)
        if where is None:
            continue
        name = _dataset_name(dump, key, slot)
        try:
            with where.open() as handle:
                # A pending conjugation or sign change is carried out: other readers know no such thing.
                bits = handle.bits() if handle.plain else handle.read()
                stored = handle.stored.name if handle.plain else bits.dtype.name
                dataset = write_array(file, name, bits, compressed=True)
                dataset.attrs[DTYPE_ATTRIBUTE] = stored
                dataset.attrs[MEANING_ATTRIBUTE] = handle.dtype.name
        except InputError as error:
            problems.append(error.problem)
        else:
            place[slot] = strings(name)
    status = np.where(place < 0, -1, 0)
    slots = replace(dump.slots, file=place, file_size=status, file_mtime_ns=status)
    packed = replace(dump, slots=slots, strings=strings.pool(), data_dir="")
    group = file.require_group(CELLS).create_group(key.label())
    write_dump(group, TARGET, packed, compressed=True)
    write_json(group, "cell", {"key": list(key)})
    return int((place >= 0).sum())


def _dataset_name(dump: Dump, key: CellKey, slot: int) -> str:
    operator = dump.operator_name(int(dump.slots.operator[slot])).replace("/", "|")
    return f"{PACKED_PREFIX}{key.label()}/{operator}/{dump.slot_name(slot).replace('/', '|')}"
