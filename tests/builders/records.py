"""Dumps of one slot, straight from its statistics."""

from __future__ import annotations

from core.formats.builder import DumpBuilder, Template
from core.formats.data_folder import DataFolder
from core.records.dump import Dump, Known, SlotGroup, SlotKind


def one_slot_dump(
    shape: tuple[int, ...], high: float, low: float, norm: float, dtype: str = "torch.float32"
) -> Dump:
    """Return a dump of one call with one output tensor of which these statistics are known."""
    builder = DumpBuilder("msprobe", "", DataFolder(""))
    builder.operator("Torch.relu.0.forward")
    known = int(Known.MAX | Known.MIN | Known.NORM)
    template = Template(
        int(SlotGroup.OUTPUT), "0", int(SlotKind.TENSOR), "torch.Tensor", dtype, shape, known=known
    )
    builder.slot(builder.template(template), high, low, 0.0, norm)
    return builder.build()
