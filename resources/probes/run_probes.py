"""Run the probes of `ulpscope calibrate probes` on a device, and write the results beside them.

    python run_probes.py                    on the NPU, if torch_npu is there; else CUDA; else the CPU
    python run_probes.py --device npu:3
    python run_probes.py --device cpu --folder DIR

It needs torch (and torch_npu for an NPU) and numpy, nothing else; it takes seconds. Each probe is one
operation on operands from .npy files, described in probes.json. Its result goes to NAME.result.npy (float32,
which holds every float16 and bfloat16 number exactly). device.json says what ran them: device, versions,
and the switches that change the arithmetic.

No switch is touched: set them before, as your training does, such as INF_NAN_MODE_ENABLE in the
environment, or HF32 by the options below. If sums of products turn out to fit nothing, try once more with
CLOSE_MATMUL_K_SHIFT=1 in the environment: no core then begins in the middle of K.

Afterwards, where ulpscope is: `ulpscope calibrate fit DIR`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

torch: Any = importlib.import_module("torch")

ENVIRONMENT = (
    "INF_NAN_MODE_ENABLE",
    "INF_NAN_MODE_FORCE_DISABLE",
    "ACL_PRECISION_MODE",
    "ACL_OP_SELECT_IMPL_MODE",
    "CLOSE_MATMUL_K_SHIFT",
    "NVIDIA_TF32_OVERRIDE",
    "CUBLAS_WORKSPACE_CONFIG",
)
SWITCHES = (
    "torch.npu.matmul.allow_hf32",
    "torch.npu.conv.allow_hf32",
    "torch.npu.utils.is_support_inf_nan",
    "torch.npu.is_jit_compile_false",
    "torch.backends.cuda.matmul.allow_tf32",
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "torch.backends.cudnn.allow_tf32",
)

OPERATIONS: dict[str, Any] = {
    "matmul": lambda a, b: torch.matmul(a, b),
    "convolution": lambda image, kernel: torch.nn.functional.conv2d(image, kernel),
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "sqrt": lambda a: torch.sqrt(a),
    "exp": lambda a: torch.exp(a),
    "layer_norm": lambda x, weight, bias: torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias),
    "sum": lambda a: torch.sum(a, dim=-1),
}


def find_device(wanted: str) -> Any:
    """Return the device to run on; imports torch_npu for an NPU."""
    if wanted in ("", "npu") or wanted.startswith("npu:"):
        try:
            importlib.import_module("torch_npu")
            if torch.npu.is_available():
                return torch.device(wanted or "npu")
        except ImportError:
            if wanted:
                sys.exit("run_probes.py: torch_npu is not installed here")
        if wanted:
            sys.exit("run_probes.py: torch_npu finds no NPU")
    if not wanted:
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(wanted)


def name_of(device: Any) -> str:
    """Return the device's own name."""
    if device.type == "npu":
        return str(torch.npu.get_device_name(device))
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    return platform.processor() or platform.machine()


def version_of(module: str) -> Any:
    """Return the version of an imported module, None if it is not there."""
    return getattr(sys.modules.get(module), "__version__", None)


def switches() -> dict[str, Any]:
    """Return what changes the arithmetic: torch's switches, and variables of the environment."""
    found = {}
    for path in SWITCHES:
        try:
            value: Any = torch
            for part in path.split(".")[1:]:
                value = getattr(value, part)
            found[path] = value() if callable(value) else value
        except Exception as error:  # noqa: BLE001 - a switch that cannot be read must not stop the probes
            found[path] = "not readable: " + type(error).__name__
    found.update({name: os.environ.get(name, "not set") for name in ENVIRONMENT})
    return found


def run(probe: dict[str, Any], folder: Path, device: Any) -> Any:
    """Return the result of one probe as a float32 array."""
    dtype = getattr(torch, probe["dtype"])
    # The cast is exact; it is done on the CPU so that the device has no part in it.
    operands = [torch.from_numpy(np.load(folder / name)).to(dtype) for name in probe["operands"]]
    result = OPERATIONS[probe["operation"]](*[operand.to(device) for operand in operands])
    if result.dtype != dtype:
        raise TypeError("the result is " + str(result.dtype) + ", not " + str(dtype))
    return result.cpu().to(torch.float32).contiguous().numpy()


def main() -> None:
    """Run all probes."""
    parser = argparse.ArgumentParser(description="Run the probes of ulpscope on a device.")
    parser.add_argument("--device", default="", help="npu, cuda or cpu, with a number if wanted: npu:1")
    parser.add_argument("--folder", default=str(Path(__file__).resolve().parent), help="where probes.json is")
    parser.add_argument("--allow-hf32-matmul", action="store_true", help="torch.npu.matmul.allow_hf32 = True")
    parser.add_argument(
        "--forbid-hf32-convolution", action="store_true", help="torch.npu.conv.allow_hf32 = False"
    )
    chosen = parser.parse_args()
    folder = Path(chosen.folder)
    kit = json.loads((folder / "probes.json").read_text(encoding="utf-8"))
    device = find_device(chosen.device)
    if device.type == "npu":
        torch.npu.set_device(device)
        if chosen.allow_hf32_matmul:
            torch.npu.matmul.allow_hf32 = True
        if chosen.forbid_hf32_convolution:
            torch.npu.conv.allow_hf32 = False
    results: dict[str, dict[str, Any]] = {}
    with torch.no_grad():
        for probe in kit["probes"]:
            name = probe["name"]
            try:
                made = run(probe, folder, device)
            except Exception as error:  # noqa: BLE001 - a dtype or operation that the device does not have
                lines = str(error).splitlines() or [""]
                results[name] = {"error": type(error).__name__ + ": " + lines[0][:200]}
                print(f"{name}: {results[name]['error']}", file=sys.stderr)  # noqa: T201
                continue
            np.save(folder / probe["result"], made)
            results[name] = {"dtype": probe["dtype"], "shape": list(made.shape)}
    about = {
        "format": "ulpscope calibration results",
        "version": 1,
        "digest": kit["digest"],
        "device": name_of(device),
        "kind": device.type,
        "torch": torch.__version__,
        "torch_npu": version_of("torch_npu"),
        "numpy": np.__version__,
        "switches": switches(),
        "results": results,
    }
    (folder / "device.json").write_text(json.dumps(about, indent=1, default=str) + "\n", encoding="utf-8")
    failed = sum("error" in entry for entry in results.values())
    print(f"{about['device']}: {len(results) - failed} probes ran, {failed} did not")  # noqa: T201


if __name__ == "__main__":
    main()
