"""Einstein sums by matrix products alone give what numpy's own give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.emulation.operators.contraction import parse_contraction

EQUATIONS = (
    "ij,jk->ik", "ij,kj->ik", "bij,bjk->bik", "bhqd,bhkd->bhqk", "i,j->ij", "i,i->", "ij,ij->", "ij,j",
    "ij,ij->ij", "ij,jk", "...ij,...jk->...ik", "...ij,jk->...ik", "ijk,kl->lij", "abc,cd->abd", "iij,jk->ik",
    "ij,kl->ik", "bnd,hd->bnh", " ij , jk -> ki ", "ab...,b->a...",
)  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS)
def test_it_gives_what_numpy_gives(equation: str) -> None:
    draw = np.random.default_rng(1)
    sizes = dict(zip("abcdhijklnq", (2, 3, 4, 5, 2, 3, 4, 3, 2, 3, 4)))
    shapes = []
    for letters in equation.replace(" ", "").split("->")[0].split(","):
        spelled = letters.replace("...", "ab" if "ij" in letters or "jk" in letters else "cd")
        shapes.append(tuple(sizes[letter] for letter in spelled))
    a, b = (draw.standard_normal(shape) for shape in shapes)
    found = parse_contraction(equation, a.ndim, b.ndim)
    products: list[tuple[int, ...]] = []

    def multiply(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        products.append(left.shape)
        return np.matmul(left, right)

    np.testing.assert_allclose(found(a, b, multiply), np.einsum(equation, a, b), rtol=1e-12)
    assert len(products) == 1


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4),
    st.data(),
)
def test_any_equation(first: list[str], second: list[str], data: st.DataObject) -> None:
    present = sorted(set(first) | set(second))
    result = data.draw(st.lists(st.sampled_from(present), unique=True, max_size=len(present)))
    equation = f"{''.join(first)},{''.join(second)}->{''.join(result)}"
    sizes = {"a": 2, "b": 3, "c": 1, "d": 4}
    draw = np.random.default_rng(2)
    a, b = (draw.standard_normal([sizes[letter] for letter in side]) for side in (first, second))
    found = parse_contraction(equation, a.ndim, b.ndim)
    np.testing.assert_allclose(found(a, b, np.matmul), np.einsum(equation, a, b), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("equation", ["ij,jk->iz", "ij,jkl->il", "ijk,jk->i", "ij->j", "ij,jk,kl->il"])
def test_an_equation_that_does_not_fit(equation: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_contraction(equation, 2, 2)(np.ones((2, 2)), np.ones((2, 2)), np.matmul)
