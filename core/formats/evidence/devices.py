"""Accelerators as ``npu-smi`` and ``nvidia-smi`` list them."""

from __future__ import annotations

import re

from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Device

_NPU = re.compile(
    r"\|\s*\d+\s+(?P<name>[A-Za-z0-9][\w\-]*)\s*\|\s*(?:OK|Warning|Alarm|Critical|UNKNOWN|Unknown)\s*\|.*\|"
)
_NPU_CHIP = re.compile(r"\|\s*\d+(?:\s+\d+)?\s*\|\s*[0-9A-Fa-f:.]+\s*\|.*?(?P<total>\d+)\s*\|")
_NPU_BOARD = re.compile(r"(?:Chip Name|NPU Name)\s*:\s*(?P<name>\S.*)")
_GPU = re.compile(r"\|\s*\d+\s+(?P<name>\S.*?)\s+(?:On|Off|N/A)\s*\|\s*[0-9A-Fa-f:.]+\s+\S+\s*\|.*\|")
_GPU_MEMORY = re.compile(r"\|.*\|\s*\d+\s*MiB\s*/\s*(?P<total>\d+\s*MiB)\s*\|.*\|")
_LISTED = re.compile(r"GPU \d+:\s*(?P<name>\S.*?)(?:\s*\(UUID:.*\))?")
_FIELD = re.compile(r"(?P<name>[a-z][a-z0-9_.]{0,60})(?: \[\w{1,9}\])?")
"""A column of what ``--query-gpu`` prints, with its unit."""
_LONGEST = 300
"""Characters of a line that tells of a device."""
_MOST = 4096
"""Devices of a file that are kept."""


class DeviceLines:
    """Takes the lines of one file, one after the other."""

    def __init__(self, file: EvidenceFile) -> None:
        self._file = file
        self._devices: list[Device] = []
        self._open = ""
        """Kind of the device whose memory is still to come."""
        self._columns: list[str] = []
        """Of the table that ``--query-gpu`` prints."""

    def take(self, number: int, line: str) -> bool:
        """Return whether line *number* tells of a device."""
        text = line.strip()
        if len(text) > _LONGEST:
            return False
        if text.startswith("|"):
            return self._table(text, number)
        if self._columns:
            cells = [cell.strip() for cell in text.split(",")]
            if len(cells) == len(self._columns):
                told = dict(zip(self._columns, cells))
                return self._add(told["name"], told.get("memory.total", ""), number)
            self._columns = []
        listed = _LISTED.fullmatch(text) or _NPU_BOARD.fullmatch(text)
        if listed is not None:
            return self._add(listed["name"], "", number)
        return "name" in text and self._heads(text)

    def _heads(self, text: str) -> bool:
        """Return whether *text* is the head of a table that ``--query-gpu`` prints."""
        fields = [_FIELD.fullmatch(cell.strip()) for cell in text.split(",")]
        columns = [field["name"] for field in fields if field is not None]
        if len(columns) == len(fields) > 1 and "name" in columns:
            self._columns = columns
        return bool(self._columns)

    def _table(self, text: str, number: int) -> bool:
        npu, gpu = _NPU.fullmatch(text), _GPU.fullmatch(text)
        if npu is not None:
            name = npu["name"]
            self._open = "npu"
            return self._add(f"Ascend {name}" if name[0].isdigit() else name, "", number)
        if gpu is not None:
            self._open = "gpu"
            return self._add(gpu["name"].rstrip(". "), "", number)
        memory = {"npu": _NPU_CHIP, "gpu": _GPU_MEMORY}.get(self._open)
        found = memory.fullmatch(text) if memory is not None else None
        if found is not None and self._devices:
            total = found["total"]
            last = self._devices[-1]
            self._devices[-1] = last._replace(memory=f"{total} MB" if total.isdigit() else total)
            self._open = ""
        return found is not None

    def _add(self, name: str, memory: str, number: int) -> bool:
        if len(self._devices) < _MOST:
            self._devices.append(Device(name, memory, self._file.place(number)))
        return True

    @property
    def any(self) -> bool:
        """Whether there was any device so far."""
        return bool(self._devices)

    def found(self) -> tuple[Device, ...]:
        """Return the devices, in the order of the file."""
        return tuple(self._devices)
