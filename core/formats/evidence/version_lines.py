"""Versions that tools print one by one: drivers, CANN, CUDA, compilers, git, torch, DeepSpeed."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Version

_VALUE = r"(?P<version>[^\s,|()]*\d[^\s,|()]*)"
_SAYINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        # torch.utils.collect_env
        ("torch", rf"PyTorch version:\s*{_VALUE}"),
        ("torch", rf".*\bPyTorch version:? {_VALUE} available\."),
        ("cuda", rf"CUDA used to build PyTorch:\s*{_VALUE}"),
        ("rocm", rf"ROCM used to build PyTorch:\s*{_VALUE}"),
        ("cuda-runtime", rf"CUDA runtime version:\s*{_VALUE}"),
        ("driver", rf"Nvidia driver version:\s*{_VALUE}"),
        ("cudnn", rf"cuDNN version:\s*(?:.*libcudnn\.so\.)?{_VALUE}"),
        ("cudnn", rf".*/libcudnn\.so\.{_VALUE}"),
        ("os", r"OS:\s*(?P<version>.*\d.*)"),
        ("gcc", rf"GCC version:\s*(?:\([^)]*\)\s*)?{_VALUE}"),
        ("glibc", rf"Libc version:\s*(?:glibc-)?{_VALUE}"),
        ("python", rf"Python version:\s*{_VALUE}.*"),
        ("python", rf"Python\s+{_VALUE}"),
        # ds_report
        ("torch", rf"torch version\s*\.{{3,}}\s*{_VALUE}"),
        ("cuda", rf"torch cuda version\s*\.{{3,}}\s*{_VALUE}"),
        ("hip", rf"torch hip version\s*\.{{3,}}\s*{_VALUE}"),
        ("nvcc", rf"nvcc version\s*\.{{3,}}\s*{_VALUE}"),
        ("deepspeed", rf"deepspeed info\s*\.{{3,}}\s*{_VALUE}.*"),
        # npu-smi, nvidia-smi, nvcc
        ("driver", rf"\|\s*npu-smi\s+\S+\s+Version:\s*{_VALUE}\s*\|"),
        ("driver", rf"Software Version\s*:\s*{_VALUE}"),
        ("firmware", rf"Firmware Version\s*:\s*{_VALUE}"),
        ("driver", rf"Driver Version\s*:\s*{_VALUE}"),
        ("cuda", rf"CUDA Version\s*:\s*{_VALUE}"),
        ("nvcc", rf"Cuda compilation tools, release {_VALUE},.*"),
        ("cann", rf"CANN(?: version)?\s*[:=]?\s+{_VALUE}"),
        ("cann", rf"CANN(?: version)?[:=]{_VALUE}"),
        # version.cfg of CANN: [version of the package:release]
        ("cann", r"(?:toolkit|runtime|nnrt|nnae)_running_version=\[(?:[^\]:]*:)?(?P<version>[^\]:]+)\]"),
    )
)
_NVIDIA = re.compile(
    rf"\|\s*NVIDIA-SMI\s+\S+\s+Driver Version:\s*{_VALUE}\s+CUDA Version:\s*(?P<cuda>\S+)\s*\|"
)
_INSTALLED = re.compile(
    r"(?P<key>[Vv]ersion|package_name|package_version|innerversion|path)\s*=\s*(?P<value>\S.*)"
)
_PRODUCTS = ("driver", "firmware", "nnae", "nnrt", "kernels", "toolkit", "opp", "runtime", "compiler", "hccl")
_COMMIT = re.compile(r"commit\s+([0-9a-f]{40})(?:\s+\(.*\))?")
_REVISION = re.compile(r"(?:(?P<name>[A-Za-z][\w.\-]*)\s*[:=]?\s+)?(?P<commit>[0-9a-f]{40})")
_DESCRIBED = re.compile(
    r"(?P<name>[A-Za-z][\w.\-]*)\s*:\s*(?P<commit>[0-9a-f]{7,12})(?:\s+\((?:HEAD|main|master)[^)]*\))"
)
_FOLDER = re.compile(
    r"(?:.*\bcd\s+|.*\bgit\s+-C\s+)(?P<folder>[\w./~\-]+)(?:[;&\s].*)?|(?P<label>[\w./\-]+):"
)


_LONGEST = 300
"""Characters of a line that tells a version; longer ones are something else."""
_ANY = re.compile(
    r"[Vv]ersion|CUDA|CANN|cudnn|OS:|[Pp]ython|deepspeed info|release|commit|[0-9a-f]{7}|cd |git"
    r"|^[\w./\-]+:$|="
)
"""What one of the sayings needs; most lines hold none, and are done with by it."""


class VersionLines:
    """Takes the lines of one file, one after the other."""

    def __init__(self, file: EvidenceFile) -> None:
        self._file = file
        self._folder = PurePosixPath(file.name).stem
        self._versions: list[Version] = []
        self._installed: dict[str, tuple[str, int]] = {}

    def take(self, number: int, line: str) -> bool:
        """Return whether line *number* tells a version."""
        text = line.strip()
        if len(text) > _LONGEST or _ANY.search(text) is None:
            return False
        both = _NVIDIA.fullmatch(text)
        if both is not None:
            self._add("driver", both["version"], number)
            return self._add("cuda", both["cuda"], number)
        for name, pattern in _SAYINGS:
            found = pattern.fullmatch(text)
            if found is not None:
                return self._add(name, found["version"].strip(), number)
        return self._installation(text, number) or self._revision(text, number)

    def _installation(self, text: str, number: int) -> bool:
        """Take a line of ``version.info`` or ``ascend_toolkit_install.info``."""
        found = _INSTALLED.fullmatch(text)
        if found is None or not self._is_installation:
            return False
        self._installed.setdefault(found["key"].lower(), (found["value"], number))
        return True

    @property
    def _is_installation(self) -> bool:
        return self._file.suffix == ".info" or "package_name" in self._installed

    def _revision(self, text: str, number: int) -> bool:
        commit = _COMMIT.fullmatch(text)
        if commit is not None:
            # Of a whole history the first is the one that is checked out.
            name = f"git:{self._folder}"
            return any(item.name == name for item in self._versions) or self._add(name, commit[1], number)
        revision = _REVISION.fullmatch(text) or _DESCRIBED.fullmatch(text)
        if revision is not None:
            return self._add(f"git:{revision['name'] or self._folder}", revision["commit"], number)
        folder = _FOLDER.fullmatch(text)
        if folder is not None:
            self._folder = PurePosixPath(folder["folder"] or folder["label"]).name or self._folder
        return False

    def _add(self, name: str, version: str, number: int) -> bool:
        self._versions.append(Version(name, version, self._file.place(number)))
        return True

    @property
    def any(self) -> bool:
        """Whether there was any version so far."""
        return bool(self._versions or self._installed)

    def found(self) -> tuple[Version, ...]:
        """Return what was told, in the order of the file, each name and version once."""
        told = {(item.name, item.version): item for item in reversed(self._versions)}
        installed = self._installed.get("version") or self._installed.get("package_version")
        if installed is not None:
            version, number = installed
            item = Version(self._product(), version.strip("\"'[]"), self._file.place(number))
            told[item.name, item.version] = item
        return tuple(reversed(told.values()))

    def _product(self) -> str:
        """Return what an installation's file is of: its package or the folder that it lies in says so."""
        package = self._installed.get("package_name", ("", 0))[0].lower()
        folders = [part.lower() for part in PurePosixPath(self._file.path.replace("\\", "/")).parts[:-1]]
        for product in ("driver", "firmware"):
            if product in package or product in folders[-2:]:
                return product
        return "cann"
