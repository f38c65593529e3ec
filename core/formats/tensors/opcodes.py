"""A reader for the pickle opcodes that a file of tensors needs. It builds data, it never runs anything.

Protocols 2 to 5 as torch writes them. Names become :class:`~.symbols.Symbol` or are refused by name;
calls are worked out by :mod:`.rebuild`. The opcodes are described in CPython's ``pickletools``.

Hostile input is bounded: every opcode makes at most one object no larger than its own bytes, numbers are
short, dictionary keys are plain (hashing a tuple of tuples can take for ever), and nothing recurses.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NoReturn

from core.formats.tensors.rebuild import Inert, Refused, TensorSpec, call, persistent
from core.formats.tensors.symbols import SYMBOLS

MAX_PICKLE = 32 << 20
"""Bytes of a pickle that are read; a checkpoint of 100 000 tensors has some 20 MB."""

MAX_OPCODES = 5_000_000
"""Opcodes that are run, not counting the two cheapest; a tensor takes about 30."""

_NUMBER_BYTES = 16
_KEYS = (str, int, float, bool, type(None))


class Interpreter:
    """Runs over one pickle; :meth:`run` returns the object it describes."""

    __slots__ = ("at", "data", "marks", "memo", "stack")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        """Return what the pickle describes: tensors as :class:`TensorSpec`, containers, plain values.

        Raises
        ------
        Refused
            ``pickle_refused`` (a name or opcode that no tensor needs), ``pickle_arguments``,
            ``pickle_limit``, ``pickle_broken``.
        """
        data, stack, memo, handlers = self.data, self.stack, self.memo, _HANDLERS
        at = 0
        left = MAX_OPCODES
        try:
            while True:
                code = data[at]
                at += 1
                # The three that make up half of every pickle, inline.
                if code == 0x71:  # BINPUT
                    memo[data[at]] = stack[-1]
                    at += 1
                elif code == 0x4B:  # BININT1
                    stack.append(data[at])
                    at += 1
                elif code == 0x2E:  # STOP
                    return stack.pop()
                else:
                    handler = handlers.get(code)
                    if handler is None:
                        raise Refused("pickle_refused", name=_opcode_name(code))
                    self.at = at
                    handler(self)
                    at = self.at
                    left -= 1
                    if not left:
                        raise Refused("pickle_limit", limit=MAX_OPCODES)
        except (IndexError, KeyError, struct.error, UnicodeDecodeError, ValueError):
            raise Refused("pickle_broken", offset=at) from None

    def take(self, count: int) -> bytes:
        """Return the next *count* bytes."""
        end = self.at + count
        if end > len(self.data):
            raise IndexError
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def number(self, count: int) -> int:
        """Return the next *count* bytes as an unsigned number."""
        return int.from_bytes(self.take(count), "little")

    def line(self) -> bytes:
        """Return the bytes up to the next newline, without it."""
        end = self.data.index(b"\n", self.at)
        piece = self.data[self.at : end]
        self.at = end + 1
        return piece

    def marked(self) -> list[Any]:
        """Take everything above the last mark off the stack."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items


def _proto(machine: Interpreter) -> None:
    if machine.number(1) > 5:
        raise ValueError


def _frame(machine: Interpreter) -> None:
    machine.take(8)


def _global(machine: Interpreter) -> None:
    module, name = machine.line(), machine.line()
    machine.stack.append(_symbol(f"{module.decode()} {name.decode()}"))


def _stack_global(machine: Interpreter) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if not (isinstance(name, str) and isinstance(module, str)):
        raise ValueError
    machine.stack.append(_symbol(f"{module} {name}"))


def _symbol(name: str) -> Any:
    found = SYMBOLS.get(name)
    if found is None:
        raise Refused("pickle_refused", name=name[:200].replace(" ", ".", 1))
    return found


def _inst(machine: Interpreter) -> NoReturn:
    module, name = machine.line(), machine.line()
    raise Refused("pickle_refused", name=f"{module[:100].decode()}.{name[:100].decode()}")


def _mark(machine: Interpreter) -> None:
    machine.marks.append(len(machine.stack))


def _pop(machine: Interpreter) -> None:
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.stack.pop()


def _pop_mark(machine: Interpreter) -> None:
    machine.marked()


def _dup(machine: Interpreter) -> None:
    machine.stack.append(machine.stack[-1])


def _constant(make: Callable[[], Any]) -> Callable[[Interpreter], None]:
    def push(machine: Interpreter) -> None:
        machine.stack.append(make())

    return push


def _unsigned(count: int) -> Callable[[Interpreter], None]:
    def push(machine: Interpreter) -> None:
        machine.stack.append(machine.number(count))

    return push


def _binint(machine: Interpreter) -> None:
    machine.stack.append(int.from_bytes(machine.take(4), "little", signed=True))


def _long(machine: Interpreter) -> None:
    _push_long(machine, machine.number(1))


def _long4(machine: Interpreter) -> None:
    _push_long(machine, machine.number(4))


def _push_long(machine: Interpreter, count: int) -> None:
    if count > _NUMBER_BYTES:
        raise ValueError
    machine.stack.append(int.from_bytes(machine.take(count), "little", signed=True))


def _binfloat(machine: Interpreter) -> None:
    machine.stack.append(struct.unpack(">d", machine.take(8))[0])


def _text(width: int) -> Callable[[Interpreter], None]:
    def push(machine: Interpreter) -> None:
        machine.stack.append(machine.take(machine.number(width)).decode("utf-8", "surrogatepass"))

    return push


def _bytes(width: int) -> Callable[[Interpreter], None]:
    def push(machine: Interpreter) -> None:
        machine.stack.append(machine.take(machine.number(width)))

    return push


def _tuple_of(count: int) -> Callable[[Interpreter], None]:
    def push(machine: Interpreter) -> None:
        stack = machine.stack
        if len(stack) < count:
            raise IndexError
        stack[-count:] = [tuple(stack[-count:])]

    return push


def _tuple(machine: Interpreter) -> None:
    machine.stack.append(tuple(machine.marked()))


def _list(machine: Interpreter) -> None:
    machine.stack.append(machine.marked())


def _dict(machine: Interpreter) -> None:
    items = machine.marked()
    machine.stack.append({})
    _set_items(machine.stack[-1], items)


def _append(machine: Interpreter) -> None:
    value = machine.stack.pop()
    _extend(machine.stack[-1], [value])


def _appends(machine: Interpreter) -> None:
    items = machine.marked()
    _extend(machine.stack[-1], items)


def _extend(target: Any, items: list[Any]) -> None:
    if not isinstance(target, Inert):
        _expect(target, list).extend(items)


def _setitem(machine: Interpreter) -> None:
    value, key = machine.stack.pop(), machine.stack.pop()
    _set_items(machine.stack[-1], [key, value])


def _setitems(machine: Interpreter) -> None:
    items = machine.marked()
    _set_items(machine.stack[-1], items)


def _set_items(target: Any, items: list[Any]) -> None:
    if isinstance(target, Inert):
        return
    mapping = _expect(target, dict)
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, _KEYS):
            raise ValueError
        mapping[key] = value


def _expect(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError
    return value


def _put(width: int) -> Callable[[Interpreter], None]:
    def store(machine: Interpreter) -> None:
        machine.memo[machine.number(width)] = machine.stack[-1]

    return store


def _get(width: int) -> Callable[[Interpreter], None]:
    def load(machine: Interpreter) -> None:
        machine.stack.append(machine.memo[machine.number(width)])

    return load


def _memoize(machine: Interpreter) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _binpersid(machine: Interpreter) -> None:
    machine.stack.append(persistent(machine.stack.pop()))


def _reduce(machine: Interpreter) -> None:
    arguments = machine.stack.pop()
    machine.stack[-1] = call(machine.stack[-1], arguments)


def _build(machine: Interpreter) -> None:
    # Attributes of a parameter, an OrderedDict or what stands beside: nothing that the numbers depend on.
    machine.stack.pop()
    if not isinstance(machine.stack[-1], (Inert, TensorSpec, dict)):
        raise Refused("pickle_refused", name=type(machine.stack[-1]).__name__)


def _opcode_name(code: int) -> str:
    return _REFUSED.get(code, f"0x{code:02x}")


# Opcodes that only foreign code needs, so that a refusal can name them.
_REFUSED = {
    ord("o"): "OBJ", 0x92: "NEWOBJ_EX", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", ord("P"): "PERSID",
    0x90: "ADDITEMS", 0x8F: "EMPTY_SET", 0x91: "FROZENSET", 0x96: "BYTEARRAY8", 0x97: "NEXT_BUFFER",
    0x98: "READONLY_BUFFER", ord("I"): "INT", ord("L"): "LONG", ord("F"): "FLOAT", ord("S"): "STRING",
    ord("V"): "UNICODE", ord("p"): "PUT", ord("g"): "GET", ord("T"): "BINSTRING", ord("U"): "SHORT_BINSTRING",
}  # fmt: skip

_HANDLERS: dict[int, Callable[[Interpreter], None]] = {
    0x80: _proto, 0x95: _frame, ord("c"): _global, 0x93: _stack_global, ord("i"): _inst,
    ord("("): _mark, ord("0"): _pop, ord("1"): _pop_mark, ord("2"): _dup,
    ord("N"): _constant(lambda: None), 0x88: _constant(lambda: True), 0x89: _constant(lambda: False),
    ord(")"): _constant(tuple), ord("]"): _constant(list), ord("}"): _constant(dict),
    ord("M"): _unsigned(2), ord("J"): _binint, 0x8A: _long, 0x8B: _long4, ord("G"): _binfloat,
    ord("X"): _text(4), 0x8C: _text(1), 0x8D: _text(8),
    ord("C"): _bytes(1), ord("B"): _bytes(4), 0x8E: _bytes(8),
    0x85: _tuple_of(1), 0x86: _tuple_of(2), 0x87: _tuple_of(3), ord("t"): _tuple, ord("l"): _list,
    ord("d"): _dict, ord("a"): _append, ord("e"): _appends, ord("s"): _setitem, ord("u"): _setitems,
    ord("r"): _put(4), 0x94: _memoize, ord("h"): _get(1), ord("j"): _get(4),
    ord("Q"): _binpersid, ord("R"): _reduce, 0x81: _reduce, ord("b"): _build,
}  # fmt: skip
