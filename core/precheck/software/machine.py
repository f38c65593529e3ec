"""Which kind of machine a side ran on, by all that it tells."""

from __future__ import annotations

import re
from collections import Counter

from core.precheck.pair import Side
from core.precheck.software.packages import package_table
from core.precheck.software.releases import local_of
from core.precheck.software.variables import Maker, variable_table

_NPU = re.compile(r"ascend|\bnpu|^(?:910|310|950)", re.IGNORECASE)
_GPU = re.compile(r"nvidia|tesla|geforce|quadro|rtx|amd|instinct|\b[avhbl]\d{2,3}\b", re.IGNORECASE)
_CUDA = re.compile(r"(?:cu|rocm)\d")


def maker_of(side: Side) -> Maker | None:
    """Return the kind of machine of *side*; ``None`` where nothing tells, or things contradict each other.

    Devices tell most surely, then software that only one kind has (torch_npu before all, for packages of a
    GPU come with torch on any machine), then the environment's variables.
    """
    return _by_devices(side) or _by_software(side) or _by_environment(side)


def _by_devices(side: Side) -> Maker | None:
    names = [device.name for item in side.evidence for device in item.devices]
    if not names:
        return None
    if all(_NPU.search(name) for name in names):
        return Maker.NPU
    return Maker.GPU if all(_GPU.search(name) for name in names) else None


def _by_software(side: Side) -> Maker | None:
    table = package_table()
    versions = {table.known_name(item.name): item.version for item in side.versions()}
    if not versions.keys().isdisjoint(("torch-npu", "cann", "mindspeed", "triton-ascend")):
        return Maker.NPU
    if not versions.keys().isdisjoint(("cuda", "nccl", "cudnn", "nvcc")):
        return Maker.GPU
    return Maker.GPU if _CUDA.match(local_of(versions.get("torch", ""))) else None


def _by_environment(side: Side) -> Maker | None:
    table = variable_table()
    votes = Counter(table.maker_of(item.name) for item in side.environment())
    npu, gpu = votes[Maker.NPU], votes[Maker.GPU]
    return Maker.NPU if npu > gpu else Maker.GPU if gpu > npu else None
