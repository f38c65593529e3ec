"""What an ulpscope HDF5 file looks like: the one place for names and versions.

::

    userblock (512 bytes)       one line of JSON: what the file is, schema version, digest of the rest
    /info                       JSON text: ResultInfo (result files only)
    /diagnosis                  JSON text: suspects and remarks (result files that have one)
    /emulation                  MessagePack: calls under a chip's arithmetic (result files that have one)
    /cells/<cell>/target        a dump: its tables and pools, one dataset a column
    /cells/<cell>/golden        the same (result files only)
    /cells/<cell>/rows          RowTable (result files only)
    /cells/<cell>/class_counts  ClassCountTable (result files only)
    /cells/<cell>/kept/<row>    what is kept of a row's tensors: arrays, and MessagePack that names them
                                (result files that are to be taken away from the dumps)
    /tensors/<cell>/...         tensor bytes by operator and slot (packed files only)

``<cell>`` is the cell's label: ``step0/rank0``, or ``generate/step0/rank0`` in a phase.
"""

from enum import StrEnum

SCHEMA_VERSION = 1
"""Raised when the layout changes. A cache of another version is made anew; result and packed files of an
older version are migrated when read."""


class FileKind(StrEnum):
    """What an ulpscope file is for."""

    CACHE = "cache"
    RESULT = "result"
    PACKED = "packed"


CELLS = "cells"
TARGET = "target"
GOLDEN = "golden"
ROWS = "rows"
CLASS_COUNTS = "class_counts"
KEPT = "kept"
TENSORS = "tensors"
PACKED_PREFIX = f"/{TENSORS}/"
"""Begins the name of a tensor in a packed file; a file in a dump's data folder has no absolute name."""
INFO = "info"
DIAGNOSIS = "diagnosis"
EMULATION = "emulation"
META = "meta"
DTYPE_ATTRIBUTE = "dtype"
"""Attribute of a tensor dataset that holds bf16 or fp8 bits in an integer dtype: the real dtype."""
MEANING_ATTRIBUTE = "meaning"
"""Attribute of a tensor dataset: the dtype of the numbers, whose bits may be wider. Can be absent."""
