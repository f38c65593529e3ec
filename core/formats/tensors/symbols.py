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
    INERT = auto()
    """A harmless object beside the tensors of a checkpoint: it becomes its name, nothing of it is kept."""
    CODED = auto()
    """(text, encoding): bytes as protocol 2 writes them."""


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
    "collections defaultdict": Builder.MAPPING,
    "torch Size": Builder.TUPLE,
    "torch device": Builder.TUPLE,
    "torch Tensor": Builder.TYPE,
    "torch._tensor Tensor": Builder.TYPE,
    "torch.nn.parameter Parameter": Builder.TYPE,
    "torch.nn.parameter Buffer": Builder.TYPE,
}

_BESIDE = (
    # What Megatron-LM, DeepSpeed, transformers and their like save beside the weights: arguments, choices,
    # states of random generators. Each is a class of plain data; what is not here stays refused.
    "argparse Namespace", "types SimpleNamespace", "collections deque", "__builtin__ set", "builtins set",
    "__builtin__ frozenset", "builtins frozenset", "__builtin__ complex", "builtins complex",
    "__builtin__ slice", "builtins slice", "__builtin__ range", "builtins range", "__builtin__ bytearray",
    "builtins bytearray", "__builtin__ list", "builtins list", "__builtin__ dict", "builtins dict",
    "__builtin__ int", "builtins int", "__builtin__ float", "builtins float", "datetime datetime",
    "datetime date", "datetime timedelta", "decimal Decimal", "fractions Fraction", "uuid UUID",
    "pathlib PosixPath", "pathlib WindowsPath", "pathlib PurePosixPath", "pathlib._local PosixPath",
    "_io BytesIO", "io BytesIO", "numpy dtype", "numpy ndarray", "numpy.core.multiarray scalar",
    "numpy.core.multiarray _reconstruct", "numpy._core.multiarray scalar",
    "numpy._core.multiarray _reconstruct", "torch layout", "torch.serialization _get_layout",
    "torch memory_format", "torch Generator", "torch.distributed.distributed_c10d ReduceOp",
    "torch._C._distributed_c10d ReduceOp", "megatron.core.enums ModelType",
    "megatron.model.enums ModelType", "megatron.enums ModelType", "megatron.training.enums ModelType",
    "megatron.core.transformer.enums AttnMaskType", "megatron.core.transformer.enums AttnType",
    "megatron.core.transformer.enums LayerType", "megatron.core.transformer.enums AttnBackend",
    "megatron.core.transformer.enums ModelType", "megatron.core.transformer.enums CudaGraphScope",
    "megatron.model.enums AttnMaskType", "megatron.model.enums AttnType", "megatron.model.enums LayerType",
    "megatron.model.enums PositionEmbeddingType", "megatron.legacy.model.enums AttnMaskType",
    "megatron.legacy.model.enums AttnType", "megatron.legacy.model.enums LayerType",
    "megatron.legacy.model.enums PositionEmbeddingType", "megatron.core.rerun_state_machine RerunMode",
    "megatron.core.rerun_state_machine RerunState", "megatron.core.rerun_state_machine RerunDiagnostic",
    "megatron.core.optimizer.optimizer_config OptimizerConfig",
    "megatron.core.transformer.transformer_config TransformerConfig",
    "deepspeed.runtime.fp16.loss_scaler DynamicLossScaler", "deepspeed.runtime.fp16.loss_scaler LossScaler",
    "deepspeed.runtime.zero.config ZeroStageEnum", "deepspeed.utils.tensor_fragment fragment_address",
    "transformers.training_args TrainingArguments", "transformers.training_args OptimizerNames",
    "transformers.training_args_seq2seq Seq2SeqTrainingArguments",
    "transformers.trainer_utils IntervalStrategy", "transformers.trainer_utils SchedulerType",
    "transformers.trainer_utils HubStrategy", "transformers.trainer_utils EvaluationStrategy",
    "transformers.trainer_utils SaveStrategy", "transformers.trainer_utils FSDPOption",
    "transformers.trainer_pt_utils AcceleratorConfig",
    "transformers.integrations.deepspeed HfDeepSpeedConfig",
    "transformers.integrations.deepspeed HfTrainerDeepSpeedConfig", "accelerate.state PartialState",
    "accelerate.utils.dataclasses DistributedType", "accelerate.utils.dataclasses DeepSpeedPlugin",
)  # fmt: skip

SYMBOLS: dict[str, Symbol] = {
    name: Symbol(name.replace(" ", "."), builder) for name, builder in _OTHERS.items()
}
SYMBOLS.update({name: Symbol(name.replace(" ", "."), Builder.INERT) for name in _BESIDE})
SYMBOLS["_codecs encode"] = Symbol("_codecs.encode", Builder.CODED)
for _module in ("torch", "torch.storage", "torch.cuda", "torch_npu.npu"):
    for _word, _dtype in _STORAGES.items():
        _name = f"{_module} {_word}Storage"
        SYMBOLS[_name] = Symbol(_name.replace(" ", "."), Builder.STORAGE, _dtype)
for _dtype in _DTYPES:
    SYMBOLS[f"torch {_dtype}"] = Symbol(f"torch.{_dtype}", Builder.DTYPE, _dtype)
