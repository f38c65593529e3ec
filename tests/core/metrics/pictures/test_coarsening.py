"""A picture made coarser is the coarser picture."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.pictures.coarsening import coarsen
from core.metrics.pictures.drawing import picture
from tests.core.metrics.pictures.planes import planes, regions
from tests.core.metrics.pictures.tensors import tensors


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(["float32", "bfloat16", "float64", "int32", "uint8", "bool"]))
def test_coarser_is_as_if_drawn_so(data: st.DataObject, name: str) -> None:
    shape = data.draw(st.lists(st.integers(1, 9), max_size=3).map(tuple) | st.tuples(st.integers(0, 60)))
    handle, _ = data.draw(tensors(name, shape))
    plane = data.draw(planes(shape))
    region = data.draw(regions(*plane.size(shape)))
    sides = region.bottom - region.top, region.right - region.left
    pixels = tuple(data.draw(st.integers(1, 12)) for _ in range(2))
    fine = picture(handle, plane, region, pixels)
    factors = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    steps = [block * factor for block, factor in zip(fine.block, factors)]
    # Pixels that make just this step; where no number does, the coarser picture cannot be asked for.
    wanted = tuple(max(-(-side // step), 1) for side, step in zip(sides, steps))
    direct = picture(handle, plane, region, wanted)
    if direct.block != tuple(steps):
        return
    made = coarsen(fine, factors)
    for field in fields(direct):
        np.testing.assert_equal(getattr(made, field.name), getattr(direct, field.name), field.name)
