"""Tensor files as mapped bytes: ``.pt``, ``.npy``, ``.npz``, ``.safetensors``. Nothing in them is run."""

from core.formats.tensors.errors import TensorError
from core.formats.tensors.handle import TensorHandle
from core.formats.tensors.opening import list_tensors, open_tensor, open_tensors

__all__ = ["TensorError", "TensorHandle", "list_tensors", "open_tensor", "open_tensors"]
