"""What the calls in a tensor's pickle would make, worked out without calling anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.formats.tensors.symbols import Builder, Symbol


class Refused(Exception):
    """The pickle wants something that a tensor does not need; *code* and *parameters* of the problem."""

    def __init__(self, code: str, **parameters: str | int) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters


@dataclass(frozen=True, slots=True)
class Storage:
    """A persistent id: the member ``data/<key>`` with *numel* elements of *word* (bytes if untyped)."""

    word: str
    key: str
    numel: int


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor as its pickle describes it. *offset* and *stride* count elements; nothing is checked yet."""

    storage: Storage
    word: str
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    conjugate: bool = False
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Inert:
    """Stands for an object beside the tensors; it has the name of its class and nothing else."""

    name: str


_MAX_DIMENSIONS = 64
_MAX_SIZE = 1 << 62


def call(function: object, arguments: object) -> Any:
    """Return what ``function(*arguments)`` stands for.

    Raises
    ------
    Refused
        If *function* is no symbol that may be called, or the arguments do not fit it.
    """
    if not isinstance(function, Symbol):
        raise Refused("pickle_refused", name=type(function).__name__)
    if not isinstance(arguments, tuple):
        raise Refused("pickle_arguments", name=function.name)
    builder = function.builder
    if builder is Builder.TENSOR and len(arguments) >= 4:
        extra = arguments[6] if len(arguments) > 6 else None
        return _tensor(function, arguments, "", extra)
    if builder is Builder.TENSOR_V3 and len(arguments) >= 7:
        dtype = arguments[6]
        if isinstance(dtype, Symbol) and dtype.builder is Builder.DTYPE:
            return _tensor(function, arguments, dtype.word, arguments[7] if len(arguments) > 7 else None)
    if builder is Builder.FIRST and arguments and isinstance(arguments[0], TensorSpec):
        return arguments[0]
    if builder is Builder.FROM_TYPE and len(arguments) >= 3:
        inner = arguments[0]
        # Once only: a subclass of a subclass is pickled flat, so deeper nesting is an attack on the stack.
        if isinstance(inner, Symbol) and inner.builder is not Builder.FROM_TYPE:
            return call(inner, arguments[2])
    if builder is Builder.TUPLE:
        return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else arguments
    if builder is Builder.NUMBER and arguments and isinstance(arguments[0], int):
        return arguments[0]
    if builder is Builder.MAPPING and all(isinstance(argument, Symbol) for argument in arguments):
        return {}  # an OrderedDict, or a defaultdict and the class of what it would make
    if builder is Builder.INERT:
        return Inert(function.name)
    if builder is Builder.CODED and len(arguments) == 2 and all(isinstance(part, str) for part in arguments):
        return b""
    raise Refused("pickle_arguments", name=function.name)


def _tensor(function: Symbol, arguments: tuple[Any, ...], word: str, metadata: object) -> TensorSpec:
    storage, offset, shape, stride = arguments[:4]
    if not (isinstance(storage, Storage) and _numbers((offset,)) and _numbers(shape) and _numbers(stride)):
        raise Refused("pickle_arguments", name=function.name)
    if len(shape) != len(stride) or len(shape) > _MAX_DIMENSIONS:
        raise Refused("pickle_arguments", name=function.name)
    # torch_npu puts its storage format (a number) where torch has the metadata.
    flags = metadata if isinstance(metadata, dict) else {}
    return TensorSpec(
        storage,
        word or storage.word,
        offset,
        shape,
        stride,
        conjugate=flags.get("conj") is True,
        negative=flags.get("neg") is True,
    )


def _numbers(values: object) -> bool:
    return isinstance(values, tuple) and all(
        type(value) is int and 0 <= value < _MAX_SIZE for value in values
    )


def persistent(identity: object) -> Storage:
    """Return the storage that a persistent id ``("storage", class, key, location, numel)`` names."""
    if (
        isinstance(identity, tuple)
        and len(identity) >= 5
        and identity[0] == "storage"
        and isinstance(identity[1], Symbol)
        and identity[1].builder is Builder.STORAGE
        and isinstance(identity[2], str)
        and _numbers((identity[4],))
    ):
        return Storage(identity[1].word, identity[2], identity[4])
    raise Refused("pickle_arguments", name="persistent_id")
