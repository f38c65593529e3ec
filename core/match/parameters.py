"""Where calls take parameters: the positions of weights and running statistics among their inputs.

Names are those of torch (https://pytorch.org/docs/stable/torch.html); MindSpore's ``mint`` follows them.
"""

from __future__ import annotations

from core.records.dump import SlotGroup
from core.records.names import parse_operator_name, without_namespace

_POSITIONS = {
    "linear": (1, 2), "conv1d": (1, 2), "conv2d": (1, 2), "conv3d": (1, 2), "conv_transpose1d": (1, 2),
    "conv_transpose2d": (1, 2), "conv_transpose3d": (1, 2), "layer_norm": (2, 3), "group_norm": (2, 3),
    "batch_norm": (1, 2, 3, 4), "instance_norm": (1, 2, 3, 4), "rms_norm": (2,), "npu_rms_norm": (1,),
    "embedding": (1,), "prelu": (1,), "bilinear": (2, 3),
}  # fmt: skip
_WORDS = frozenset(("weight", "bias", "running_mean", "running_var"))


def api_of(operator: str) -> str:
    """Return ``softmax`` for ``Functional.softmax.3.forward``, and for ``Functional_softmax_3_forward``."""
    stem = parse_operator_name(operator).stem
    return stem.rpartition(".")[2] if "." in stem else without_namespace(stem)


def takes_parameter(api: str, group: int, path: str) -> bool:
    """Whether the slot takes a parameter, by its place in the call."""
    if group == SlotGroup.PARAMETER:
        return True
    if group == SlotGroup.KEYWORD and not path.isdecimal():
        return path in _WORDS
    return path.isdecimal() and int(path) in _POSITIONS.get(api, ())
