"""The only names that a tensor's pickle may hold, and what each one stands for.

A name is never imported and never called. Most are symbols for a builder of :mod:`.rebuild`; a storage
class stands for the dtype of its elements; a dtype object for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Builder(Enum):
    """What a call of a symbol makes; see :func:`core.formats.tensors.rebuild.call`."""

    TENSOR = auto()
    """(storage, offset, size, stride, requires_grad, hooks[, metadata])"""
    TENSOR_V3 = auto()
    """(untyped storage, offset, size, stride, requires_grad, hooks, dtype[, metadata])"""
    FIRST = auto()
    """The first argument, a tensor: parameters, tensors moved from a device."""
    FROM_TYPE = auto()
    """(function, type, arguments, state): a subclass; what *function* makes of *arguments*."""
    TUPLE = auto()
    NUMBER = auto()
    MAPPING = auto()
    TYPE = auto()
    """A class that is only mentioned, never called."""
    STORAGE = auto()
    DTYPE = auto()


@dataclass(frozen=True, slots=True)
class Symbol:
    """One allowed name. *word* is torch's short name of the dtype for storages and dtypes."""

    name: str
    builder: Builder
    word: str = ""


_STORAGES = {
    "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
    "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool",
    "ComplexFloat": "complex64", "ComplexDouble": "complex128", "Untyped": "",
}  # fmt: skip
_DTYPES = (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn_x2", "complex32", "complex64", "complex128",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
)  # fmt: skip
_OTHERS = {
    "torch._utils _rebuild_tensor": Builder.TENSOR,
    "torch._utils _rebuild_tensor_v2": Builder.TENSOR,
    "torch._utils _rebuild_tensor_v3": Builder.TENSOR_V3,
    "torch_npu.utils.storage _rebuild_npu_tensor": Builder.TENSOR,
    "torch._utils _rebuild_parameter": Builder.FIRST,
    "torch._utils _rebuild_parameter_with_state": Builder.FIRST,
    "torch._utils _rebuild_device_tensor_from_cpu_tensor": Builder.FIRST,
    "torch._tensor _rebuild_from_type_v2": Builder.FROM_TYPE,
    "torch_npu.npu._format Format": Builder.NUMBER,
    "collections OrderedDict": Builder.MAPPING,
    "torch Size": Builder.TUPLE,
    "torch device": Builder.TUPLE,
    "torch Tensor": Builder.TYPE,
    "torch._tensor Tensor": Builder.TYPE,
    "torch.nn.parameter Parameter": Builder.TYPE,
    "torch.nn.parameter Buffer": Builder.TYPE,
}

SYMBOLS: dict[str, Symbol] = {
    name: Symbol(name.replace(" ", "."), builder) for name, builder in _OTHERS.items()
}
for _module in ("torch", "torch.storage", "torch.cuda", "torch_npu.npu"):
    for _word, _dtype in _STORAGES.items():
        _name = f"{_module} {_word}Storage"
        SYMBOLS[_name] = Symbol(_name.replace(" ", "."), Builder.STORAGE, _dtype)
for _dtype in _DTYPES:
    SYMBOLS[f"torch {_dtype}"] = Symbol(f"torch.{_dtype}", Builder.DTYPE, _dtype)
