"""Einstein sums of two operands as matrix products, so that any matrix unit can compute them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from string import ascii_letters

import numpy as np

from core.emulation.terms.computing import Array, Multiply


@dataclass(frozen=True)
class Contraction:
    """An equation of two operands without ellipsis: ``bij,bjk->bik``."""

    first: str
    second: str
    result: str

    @property
    def summed(self) -> set[str]:
        """Letters that are summed over."""
        return (set(self.first) | set(self.second)) - set(self.result)

    def terms(self, first: tuple[int, ...], second: tuple[int, ...]) -> int:
        """Return how many products are summed an element, for operands of these shapes."""
        sizes = dict(zip(self.first, first)) | dict(zip(self.second, second))
        return max(1, prod(sizes[letter] for letter in self.summed))

    def __call__(self, a: Array, b: Array, multiply: Multiply) -> Array:
        """Return the sums, computed by one product (batch, rows, K) · (batch, K, columns)."""
        a, first = _own(a, self.first, set(self.second) | set(self.result))
        b, second = _own(b, self.second, set(self.first) | set(self.result))
        batch = [letter for letter in first if letter in second and letter in self.result]
        inner = [letter for letter in first if letter in second and letter not in self.result]
        rows = [letter for letter in first if letter not in second]
        columns = [letter for letter in second if letter not in first]
        sizes = dict(zip(first, a.shape)) | dict(zip(second, b.shape))

        def folded(array: Array, letters: str, *groups: list[str]) -> Array:
            order = [letters.index(letter) for group in groups for letter in group]
            shape = [prod(sizes[letter] for letter in group) for group in groups]
            return array.transpose(order).reshape(shape)

        made = multiply(folded(a, first, batch, rows, inner), folded(b, second, batch, inner, columns))
        present = [*batch, *rows, *columns]
        whole = made.reshape([sizes[letter] for letter in present])
        return whole.transpose([present.index(letter) for letter in self.result])


def _own(array: Array, letters: str, others: set[str]) -> tuple[Array, str]:
    """Take diagonals of repeated letters, and sum over those that only this operand has."""
    kept = "".join(letter for letter in dict.fromkeys(letters) if letter in others)
    return (array, letters) if kept == letters else (np.einsum(f"{letters}->{kept}", array), kept)


def parse_contraction(equation: str, first_rank: int, second_rank: int) -> Contraction:
    """Return the equation of two operands of these numbers of dimensions, ellipses spelled out.

    Raises
    ------
    ValueError
        The equation does not have two operands of these ranks.
    """
    inputs, arrow, result = equation.replace(" ", "").partition("->")
    first, second = inputs.split(",")
    free = [letter for letter in ascii_letters if letter not in equation]
    hidden = [
        "".join(free[: rank - len(text) + 3]) for text, rank in ((first, first_rank), (second, second_rank))
    ]
    if "..." in first and "..." in second and len(hidden[0]) != len(hidden[1]):
        raise ValueError(equation)
    first, second = (text.replace("...", letters) for text, letters in zip((first, second), hidden))
    if not arrow:
        joined = inputs.replace("...", "")
        named = "".join(sorted(letter for letter in set(joined) - {","} if joined.count(letter) == 1))
        result = ("..." if "..." in inputs else "") + named
    ellipsis = hidden[0] if "..." in inputs.split(",")[0] else hidden[1]
    result = result.replace("...", ellipsis)
    if len(first) != first_rank or len(second) != second_rank or not set(result) <= set(first + second):
        raise ValueError(equation)
    return Contraction(first, second, result)
