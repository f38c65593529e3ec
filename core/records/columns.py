"""Columns: one numpy array a fact, the shape in which a million rows stay cheap.

A table is a frozen dataclass of equally long arrays, each declared with :func:`column`. Tables are
filled row by row through a :class:`TableBuilder`, stored as one dataset a column, and sent between
processes as they are. Texts are interned in a :class:`StringPool`, shapes in a :class:`ShapePool`;
a column then holds ids, and -1 says "absent".
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

Int8 = NDArray[np.int8]
UInt8 = NDArray[np.uint8]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

ABSENT = -1
"""The id of a text, shape or operator that is not there."""


def column(dtype: DTypeLike, *, width: int = 0, default: float = 0) -> Any:
    """Declare a column of *dtype*; *width* > 0 makes it two-dimensional, rows × width.

    *default* is what a row gets that does not name the column.
    """
    return field(metadata={"dtype": np.dtype(dtype), "width": width, "default": default})


def constant(value: float, dtype: DTypeLike, rows: int) -> NDArray[Any]:
    """Return a read-only column of *rows* times *value* that takes no memory."""
    return np.broadcast_to(np.array(value, dtype), rows)


def _is_constant(values: NDArray[Any]) -> bool:
    return len(values) > 1 and values.ndim == 1 and values.strides == (0,)


class _Constant(NamedTuple):
    """A constant column on its way to another process."""

    value: Any
    rows: int


@dataclass(frozen=True)
class Table:
    """Base of all tables; see the module's sentence."""

    def __post_init__(self) -> None:
        lengths = {len(values) for values in self.columns().values()}
        if len(lengths) > 1:
            raise ValueError(f"{type(self).__name__}: columns of different lengths {sorted(lengths)}")

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, in declaration order."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def take(self, index: Any) -> Self:
        """Return the rows that *index* (integers, mask or slice) selects."""
        return type(self)(**{name: values[index] for name, values in self.columns().items()})

    @classmethod
    def empty(cls, rows: int = 0) -> Self:
        """Return a table of *rows* rows, each column filled with its default."""
        made = {}
        for item in fields(cls):
            width = item.metadata["width"]
            shape = (rows, width) if width else (rows,)
            made[item.name] = np.full(shape, item.metadata["default"], item.metadata["dtype"])
        return cls(**made)

    @classmethod
    def defaults(cls, rows: int) -> Self:
        """Return a one-dimensional table of *rows* rows with constant columns; see :meth:`writable`."""
        return cls(
            **{
                item.name: constant(item.metadata["default"], item.metadata["dtype"], rows)
                for item in fields(cls)
            }
        )

    def writable(self, names: Iterable[str]) -> Self:
        """Return the table with columns *names* that can be written to; constant ones are copied."""
        made = {name: getattr(self, name) for name in names}
        return replace(
            self,
            **{name: values if values.flags.writeable else values.copy() for name, values in made.items()},
        )

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: _Constant(values[:1].copy(), len(values)) if _is_constant(values) else values
            for name, values in self.columns().items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, values in state.items():
            whole = np.broadcast_to(values.value[0], values.rows) if isinstance(values, _Constant) else values
            object.__setattr__(self, name, whole)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all *parts*, in order."""
        if not parts:
            return cls.empty()
        names = [item.name for item in fields(cls)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


TableType = TypeVar("TableType", bound=Table)


class TableBuilder(Generic[TableType]):
    """Collects rows of a one-dimensional table in flat buffers, a few bytes a row and column."""

    def __init__(self, table: type[TableType]) -> None:
        self._table = table
        self._items = [item for item in fields(table) if not item.metadata["width"]]
        self._buffers = [array(item.metadata["dtype"].char) for item in self._items]
        self._appenders = [buffer.append for buffer in self._buffers]

    def __len__(self) -> int:
        return len(self._buffers[0])

    def append(self, *values: float) -> None:
        """Add a row; one value for each column, in declaration order."""
        for appender, value in zip(self._appenders, values, strict=True):
            appender(value)

    def build(self) -> TableType:
        """Return the rows as a table (the buffers are shared, not copied)."""
        return self._table(
            **{
                item.name: np.frombuffer(buffer, item.metadata["dtype"])
                if buffer
                else np.empty(0, item.metadata["dtype"])
                for item, buffer in zip(self._items, self._buffers)
            }
        )


@dataclass(frozen=True)
class StringPool:
    """Texts stored end to end as UTF-8: ``data`` holds the bytes, text *i* ends at ``ends[i]``.

    Lone surrogates (a dump may hold them) survive, by the ``surrogatepass`` handler.
    """

    data: UInt8
    ends: Int64
    _ENCODING: ClassVar[tuple[str, str]] = ("utf-8", "surrogatepass")

    @classmethod
    def of(cls, texts: Iterable[str]) -> StringPool:
        """Intern *texts* in order (duplicates are kept: ids are positions)."""
        encoded = [text.encode(*cls._ENCODING) for text in texts]
        ends = np.cumsum([len(item) for item in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> str:
        """Return text *index*; :data:`ABSENT` gives the empty string."""
        return self._texts[index] if index >= 0 else ""

    def alone(self, index: int) -> str:
        """Return text *index* without decoding the others, which takes long in a large dump."""
        if index < 0:
            return ""
        start = int(self.ends[index - 1]) if index else 0
        return self.data[start : int(self.ends[index])].tobytes().decode(*self._ENCODING)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    @cached_property
    def _texts(self) -> list[str]:
        whole = self.data.tobytes()
        bounds = pairwise(chain((0,), self.ends.data))
        return [whole[start:end].decode(*self._ENCODING) for start, end in bounds]

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "ends": self.ends}  # the decoded list is not sent to other processes

    def find(self, text: str) -> int:
        """Return the id of *text*, or :data:`ABSENT`."""
        return self._ids.get(text, ABSENT)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {text: index for index, text in enumerate(self._texts)}


class Interner:
    """Gives each different text an id; builds a :class:`StringPool`."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        """Return the id of *text*, new if need be; ``None`` gives :data:`ABSENT`."""
        if text is None:
            return ABSENT
        return self.ids.setdefault(text, len(self.ids))

    def pool(self) -> StringPool:
        """Return the texts seen so far; ids stay valid."""
        return StringPool.of(self.ids)


@dataclass(frozen=True)
class ShapePool:
    """Different tensor shapes: shape *i* is ``dims[ends[i-1]:ends[i]]``."""

    dims: Int64
    ends: Int64

    @classmethod
    def of(cls, shapes: Iterable[tuple[int, ...]]) -> ShapePool:
        """Intern *shapes* in order."""
        kept = list(shapes)
        flat = [size for shape in kept for size in shape]
        return cls(np.array(flat, np.int64), np.cumsum([len(shape) for shape in kept], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> tuple[int, ...] | None:
        """Return shape *index*; :data:`ABSENT` gives ``None``."""
        return self.shapes[index] if index >= 0 else None

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """All shapes, by id."""
        bounds = [0, *self.ends.tolist()]
        dims = self.dims.tolist()
        return [tuple(dims[start:end]) for start, end in pairwise(bounds)]

    @cached_property
    def sizes(self) -> Int64:
        """Number of elements of each shape, by id (0-d: 1)."""
        return np.array([int(np.prod(shape, dtype=object)) for shape in self.shapes], np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"dims": self.dims, "ends": self.ends}


class ShapeInterner:
    """Gives each different shape an id; builds a :class:`ShapePool`."""

    def __init__(self) -> None:
        self.ids: dict[tuple[int, ...], int] = {}

    def __call__(self, shape: tuple[int, ...] | None) -> int:
        """Return the id of *shape*, new if need be; ``None`` gives :data:`ABSENT`."""
        if shape is None:
            return ABSENT
        return self.ids.setdefault(shape, len(self.ids))

    def pool(self) -> ShapePool:
        """Return the shapes seen so far; ids stay valid."""
        return ShapePool.of(self.ids)


def is_same_everywhere(values: NDArray[Any]) -> bool:
    """Return whether *values* is a column of equal bytes, so that NaN counts as well.

    Arrays of another rank, of objects, of other than 1, 2, 4 or 8 bytes an element, or empty are not.
    """
    if values.ndim != 1 or not len(values) or values.dtype.hasobject or values.itemsize not in (1, 2, 4, 8):
        return False
    bits = np.ascontiguousarray(values).view(f"u{values.itemsize}")
    return bool(bits[-1] == bits[0] and (bits == bits[0]).all())
