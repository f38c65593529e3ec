"""Whole numbers as ``$((...))`` computes them: 64 bits, as in C. Nothing of Python is evaluated."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_LONGEST = 1000
_DEEPEST = 150
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|[0-9]+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\+\+|--|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!~&|^?:]))",
    re.A,
)
_BINDING = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8,
    ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11,
}  # fmt: skip
"""How strongly an operator binds, from POSIX (2.6.4) and, for ``**``, from bash."""


class NotComputable(Exception):
    """It holds what is unknown, or is no arithmetic."""


def compute(expression: str, value_of: Callable[[str], int]) -> int:
    """Return the value of *expression*.

    Parameters
    ----------
    expression
        What stands between ``$((`` and ``))``, with ``$NAME`` already expanded.
    value_of
        Value of a variable that is named without ``$``; raises :class:`NotComputable` if it has none.

    Raises
    ------
    NotComputable
        If a variable is unknown, it divides by zero, or it is no arithmetic.
    """
    if len(expression) > _LONGEST:
        raise NotComputable
    tokens, at = [], 0
    expression = expression.rstrip()
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if not found:
            raise NotComputable
        at = found.end()
        tokens.append((found.lastgroup or "", found[found.lastgroup or 0]))
    computation = _Computation(tokens, value_of)
    result = computation.ternary(0)
    if not computation.ended:
        raise NotComputable
    return result


class _Computation:
    def __init__(self, tokens: list[tuple[str, str]], value_of: Callable[[str], int]) -> None:
        self._tokens, self._value_of, self._at = tokens, value_of, 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._tokens)

    def _take(self, sign: str) -> bool:
        if not self.ended and self._tokens[self._at] == ("sign", sign):
            self._at += 1
            return True
        return False

    def ternary(self, depth: int) -> int:
        if depth > _DEEPEST:
            raise NotComputable
        condition = self._binary(1, depth + 1)
        if not self._take("?"):
            return condition
        yes = self.ternary(depth + 1)
        if not self._take(":"):
            raise NotComputable
        no = self.ternary(depth + 1)
        return yes if condition else no

    def _binary(self, least: int, depth: int) -> int:
        left = self._unary(depth + 1)
        while not self.ended:
            kind, sign = self._tokens[self._at]
            binding = _BINDING.get(sign, 0) if kind == "sign" else 0
            if binding < least or not binding:
                break
            self._at += 1
            right = self._binary(binding + (sign != "**"), depth + 1)
            left = _wrapped(_combined(sign, left, right))
        return left

    def _unary(self, depth: int) -> int:
        if depth > _DEEPEST or self.ended:
            raise NotComputable
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _number(text)
        if kind == "name":
            return self._value_of(text)
        if text == "(":
            value = self.ternary(depth + 1)
            if not self._take(")"):
                raise NotComputable
            return value
        if text not in ("-", "+", "!", "~"):
            raise NotComputable
        value = self._unary(depth + 1)
        return _wrapped({"-": -value, "+": value, "!": int(not value), "~": ~value}[text])


def _number(text: str) -> int:
    if len(text) > 20:
        raise NotComputable
    if text[:2] in ("0x", "0X"):
        return _wrapped(int(text, 16))
    if len(text) > 1 and text[0] == "0":
        if not set(text) <= set("01234567"):
            raise NotComputable
        return int(text, 8)
    return _wrapped(int(text))


def _combined(sign: str, left: int, right: int) -> int:
    if sign in ("/", "%"):
        if not right:
            raise NotComputable
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign == "**":
        if right < 0:
            raise NotComputable
        return pow(left, right, 1 << 64)
    if sign in ("<<", ">>"):
        return left << (right & 63) if sign == "<<" else left >> (right & 63)
    operations: dict[str, Callable[[int, int], int]] = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
        "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
        "<=": operator.le, ">=": operator.ge,
        "&&": lambda a, b: bool(a) and bool(b), "||": lambda a, b: bool(a) or bool(b),
    }  # fmt: skip
    return int(operations[sign](left, right))


def _wrapped(value: int) -> int:
    """Return *value* in 64 bits of two's complement."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
