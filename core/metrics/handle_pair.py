"""Two tensors, as far as they are there."""

from __future__ import annotations

from dataclasses import dataclass

from core.dtypes import DType, coarser
from core.formats.tensors.handle import TensorHandle
from core.metrics.shapes import Shape


@dataclass(frozen=True, slots=True)
class HandlePair:
    """The tensors of one slot; a golden that is comparable has the target's shape."""

    target: TensorHandle | None
    golden: TensorHandle | None

    @property
    def shape(self) -> Shape | None:
        """Dimensions of the target, or of the golden where there is no target."""
        first = self.target or self.golden
        return first.shape if first is not None else None

    @property
    def both(self) -> tuple[TensorHandle, TensorHandle] | None:
        """Target and golden where they can be compared element by element."""
        target, golden = self.target, self.golden
        if target is None or golden is None or target.shape != golden.shape:
            return None
        return target, golden

    @property
    def coarser(self) -> DType | None:
        """The dtype that decides what can be expected of the pair."""
        return coarser(self.target.dtype, self.golden.dtype) if self.target and self.golden else None
