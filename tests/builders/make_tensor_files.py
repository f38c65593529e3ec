"""Write the torch files of tests/data/tensors. Needs torch; the tests that read them do not.

    python tests/builders/make_tensor_files.py

Each file has an entry in expected.json: what the tensor is, with its elements in C order.
"""

from __future__ import annotations

import json
import sys
import types
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).resolve().parent.parent / "data" / "tensors"


def main() -> None:
    HERE.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(20240229)
    expected: dict[str, dict[str, Any]] = {}

    def save(name: str, tensor: torch.Tensor, thing: Any = None, **options: Any) -> None:
        torch.save(tensor if thing is None else thing, HERE / name, **options)
        expected[name] = describe(tensor)

    base = torch.randn(6, 8)
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        save(f"{dtype}.pt".removeprefix("torch."), base.to(dtype))
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        save(f"{dtype}.pt".removeprefix("torch."), base.to(dtype))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint64):
        save(f"{dtype}.pt".removeprefix("torch."), torch.arange(-4, 8).to(dtype))
    save("bool.pt", base > 0)
    save("complex64.pt", torch.complex(base, -base))
    save("complex128.pt", torch.complex(base, -base).to(torch.complex128))
    save("conjugate.pt", torch.complex(base, -base).conj())
    save("negative.pt", torch.complex(base, base + 1).conj().imag)
    save("scalar.pt", torch.tensor(0.3125))
    save("empty.pt", torch.empty(0, 3))
    save("strided.pt", base[::2, 1::3].t())
    save("expanded.pt", torch.tensor([1.5, -2.0]).unsqueeze(1).expand(2, 5))
    save("parameter.pt", base.clone(), torch.nn.Parameter(base.clone()))
    save("protocol4.pt", base, pickle_protocol=4)
    save("specials.pt", torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 3e38]))
    save("subclass.pt", base, _as_subclass(base))
    save("npu.pt", base, _from_npu(base))
    save("npu_format.pt", base.to(torch.bfloat16), _from_npu(base.to(torch.bfloat16), with_format=True))
    several = OrderedDict(weight=base, nested={"bias": [base[0], (base[1].half(),)], "step": 7, "name": "x"})
    torch.save(several, HERE / "several.pt")
    torch.save(base, HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    (HERE / "expected.json").write_text(json.dumps(expected, indent=0), encoding="utf-8")
    total = sum(path.stat().st_size for path in HERE.iterdir())
    print(f"{len(list(HERE.iterdir()))} files, {total} bytes")


def describe(tensor: torch.Tensor) -> dict[str, Any]:
    name = str(tensor.dtype).removeprefix("torch.")
    values = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    if values.is_complex():
        listed = [[complex(value).real.hex(), complex(value).imag.hex()] for value in values.tolist()]
    elif values.is_floating_point():
        listed = [float(value).hex() for value in values.to(torch.float64).tolist()]
    else:
        listed = [int(value) for value in values.tolist()]
    return {"dtype": name, "shape": list(tensor.shape), "values": listed}


class _Reduced:
    """Stands for a tensor while it is pickled: gives the call that its device's extension would write."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        self._call = function, arguments

    def __reduce_ex__(self, protocol: int) -> Any:
        return self._call


def _from_npu(tensor: torch.Tensor, with_format: bool = False) -> _Reduced:
    """Return what torch_npu's Tensor.__reduce_ex__ pickles, from stand-ins for its modules."""
    parts = ("", ".utils", ".utils.storage", ".npu", ".npu._format")
    names = [f"torch_npu{part}" for part in parts]
    for name in names:
        sys.modules.setdefault(name, types.ModuleType(name))
    storage, formats = sys.modules[names[2]], sys.modules[names[4]]

    def _rebuild_npu_tensor(*arguments: Any) -> None:
        raise AssertionError("only named, never called")

    class Format(int):
        def __reduce_ex__(self, protocol: int) -> Any:
            return Format, (int(self),)

    _rebuild_npu_tensor.__module__ = names[2]
    _rebuild_npu_tensor.__qualname__ = "_rebuild_npu_tensor"
    Format.__module__, Format.__qualname__ = names[4], "Format"
    storage._rebuild_npu_tensor, formats.Format = _rebuild_npu_tensor, Format  # type: ignore[attr-defined]
    typed = torch.storage.TypedStorage(
        wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype, _internal=True
    )
    last = Format(2) if with_format else True
    arguments = (typed, 0, tuple(tensor.size()), tensor.stride(), False, OrderedDict(), last)
    return _Reduced(_rebuild_npu_tensor, arguments)


def _as_subclass(tensor: torch.Tensor) -> _Reduced:
    typed = torch.storage.TypedStorage(
        wrap_storage=tensor.untyped_storage(), dtype=tensor.dtype, _internal=True
    )
    inner = (typed, 0, tuple(tensor.size()), tensor.stride(), False, OrderedDict())
    arguments = (torch._utils._rebuild_tensor_v2, torch.nn.Parameter, inner, {"tag": "kept"})
    return _Reduced(torch._tensor._rebuild_from_type_v2, arguments)


if __name__ == "__main__":
    main()
