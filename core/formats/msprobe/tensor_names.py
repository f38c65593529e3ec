"""A view of a dump whose dump.json is lost (or never was: aclgraph), from the names of its tensor files."""

from __future__ import annotations

import re

from core.formats.builder import DumpBuilder, Template
from core.records.dump import SlotGroup, SlotKind

_GROUPS = {
    "input": SlotGroup.INPUT,
    "kwargs": SlotGroup.KEYWORD,
    "input_kwargs": SlotGroup.KEYWORD,
    "output": SlotGroup.OUTPUT,
    "parameters": SlotGroup.PARAMETER,
}
_PARTS = rf"\.(?P<group>{'|'.join(_GROUPS)})(?:\.(?P<path>.+))?$"
_FORMS = (
    re.compile(r"^(?P<operator>.+\.parameters_grad(?:\.\d+)?)\.(?P<path>(?!\d+$).+)$", re.S),
    re.compile(r"^(?P<operator>.+\.\d+\.debug)(?:\.(?P<path>.+))?$", re.S),
    re.compile(rf"^(?P<operator>.+\.(?:forward|backward)(?:\.\d+)?){_PARTS}", re.S),
    re.compile(rf"^(?P<operator>.+?\.\d+){_PARTS}", re.S),  # aclgraph tensors have no direction
)
_FORM_GROUPS = (SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)


def split_name(stem: str) -> tuple[str, SlotGroup, str]:
    """Return operator, group and path of a tensor file's name without its suffix.

    A name of no known form is an operator with one bare value.
    """
    for form, group in zip(_FORMS, (*_FORM_GROUPS, None, None)):
        if found := form.match(stem):
            return found["operator"], group or _GROUPS[found["group"]], found["path"] or ""
    return stem, SlotGroup.VALUE, ""


def add_tensors(builder: DumpBuilder) -> None:
    """Add an operator and a slot for each tensor file in the builder's folder."""
    names = builder.folder.in_written_order()
    for name in names:
        operator, group, path = split_name(name.rpartition(".")[0])
        row = builder.row_of(operator)
        if row < 0:
            builder.operator(operator)
        else:
            builder.resume(row)
        slot = builder.slot(builder.template(Template(int(group), path, int(SlotKind.TENSOR))))
        builder.file.set(slot, builder.strings(name))
    builder.problem("only_tensor_files", builder.folder.path, count=len(names))
