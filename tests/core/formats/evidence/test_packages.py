"""Lists of packages and printed versions, as each tool writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.facts import read_facts
from core.formats.evidence.read import read_evidence
from core.formats.evidence.text_kinds import read_json
from core.progress import run_to_end
from core.records.evidence import EvidenceKind, Given, Place


def versions(text: str, name: str = "versions.txt") -> dict[str, str]:
    found = read_facts(EvidenceFile(f"/x/{name}", content=text.encode()))
    return {} if found is None else {item.name: item.version for item in found.versions}


PIP_LIST = """\
Package                  Version          Editable project location
------------------------ ---------------- -------------------------
torch                    2.1.0+cu121
torch-npu                2.1.0.post3
megatron_core            0.6.0            /workspace/Megatron-LM
Jinja2                   3.1.2
zipp                     3.17.0
"""
FREEZE = """\
accelerate==0.25.0
# Editable install with no version control (mindspeed==0.7)
-e /workspace/MindSpeed
apex @ file:///tmp/apex-0.1%2Bascend-cp38-cp38-linux_aarch64.whl#sha256=aa
-e git+https://github.com/NVIDIA/Megatron-LM.git@0123456789abcdef0123456789abcdef01234567#egg=megatron_core
transformers @ git+https://github.com/huggingface/transformers@abcdef0123456789abcdef0123456789abcdef01
flash_attn==2.3.6 ; python_version >= "3.8"
numpy===1.26.4
"""
CONDA_LIST = """\
# packages in environment at /opt/conda:
#
# Name                    Version                   Build  Channel
_libgcc_mutex             0.1                 conda_forge    conda-forge
numpy                     1.26.4          py310hb13e2d6_0    conda-forge
torch                     2.1.0                    pypi_0    pypi
"""
CONDA_EXPORT = """\
name: train
channels:
  - defaults
dependencies:
  - python=3.10.13=h955ad1f_0
  - conda-forge::numpy=1.26.4=py310
  - pip:
    - transformers==4.36.2
    - torch-npu==2.1.0.post3
prefix: /opt/conda
"""
COLLECT_ENV = """\
Collecting environment information...
PyTorch version: 2.1.0+cu121
Is debug build: False
CUDA used to build PyTorch: 12.1
ROCM used to build PyTorch: N/A

OS: Ubuntu 22.04.3 LTS (x86_64)
GCC version: (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0
Libc version: glibc-2.35

Python version: 3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0] (64-bit runtime)
Is CUDA available: True
CUDA runtime version: 12.1.105
GPU models and configuration:
GPU 0: NVIDIA A100-SXM4-80GB
GPU 1: NVIDIA A100-SXM4-80GB

Nvidia driver version: 535.129.03
cuDNN version: Probably one of the following:
/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.2

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] triton==2.1.0
[conda] mkl                       2023.1.0         h213fc3f_46344
"""
DS_REPORT = """\
DeepSpeed general environment info:
torch install path ............... ['/usr/lib/python3/dist-packages/torch']
torch version .................... 2.1.0
deepspeed install path ........... ['/usr/lib/python3/dist-packages/deepspeed']
deepspeed info ................... 0.12.6, unknown, unknown
torch cuda version ............... 12.1
torch hip version ................ None
nvcc version ..................... 12.1
"""
INSTALL = """\
package_name=Ascend-cann-toolkit
version=8.0.RC2
innerversion=V100R001C18SPC001B217
compatible_version=[V100R001C29],[V100R001C30]
arch=aarch64
os=linux
path=/usr/local/Ascend/ascend-toolkit/8.0.RC2/aarch64-linux
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PIP_LIST, {"torch": "2.1.0+cu121", "torch-npu": "2.1.0.post3", "megatron_core": "0.6.0",
                    "Jinja2": "3.1.2", "zipp": "3.17.0"}),
        (FREEZE, {"accelerate": "0.25.0", "mindspeed": "0.7", "apex": "0.1+ascend",
                  "megatron_core": "0123456789abcdef0123456789abcdef01234567",
                  "transformers": "abcdef0123456789abcdef0123456789abcdef01", "flash_attn": "2.3.6",
                  "numpy": "1.26.4"}),
        (CONDA_LIST, {"_libgcc_mutex": "0.1", "numpy": "1.26.4", "torch": "2.1.0"}),
        (CONDA_EXPORT, {"python": "3.10.13", "numpy": "1.26.4", "transformers": "4.36.2",
                        "torch-npu": "2.1.0.post3"}),
        (COLLECT_ENV, {"torch": "2.1.0+cu121", "cuda": "12.1", "os": "Ubuntu 22.04.3 LTS (x86_64)",
                       "gcc": "11.4.0", "glibc": "2.35", "python": "3.10.12", "cuda-runtime": "12.1.105",
                       "driver": "535.129.03", "cudnn": "8.9.2", "numpy": "1.26.4",
                       "triton": "2.1.0", "mkl": "2023.1.0"}),
        (DS_REPORT, {"torch": "2.1.0", "deepspeed": "0.12.6", "cuda": "12.1", "nvcc": "12.1"}),
    ],
    ids=["pip list", "pip freeze", "conda list", "conda export", "collect_env", "ds_report"],
)  # fmt: skip
def test_each_tool_is_understood(text: str, expected: dict[str, str]) -> None:
    assert versions(text) == expected
    assert versions(text.replace("\n", "\r\n")) == expected


def test_the_line_of_each_package_is_told() -> None:
    found = read_facts(EvidenceFile("/x/pip.txt", content=PIP_LIST.encode()))
    assert found is not None
    assert found.kinds == (EvidenceKind.PACKAGES,)
    assert found.versions[1].place == Place("/x/pip.txt", 4)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/usr/local/Ascend/ascend-toolkit/latest/ascend_toolkit_install.info", "cann"),
        ("/usr/local/Ascend/driver/version.info", "driver"),
        ("/usr/local/Ascend/firmware/version.info", "firmware"),
    ],
)
def test_what_an_installation_says_of_itself(path: str, name: str) -> None:
    text = INSTALL if name == "cann" else "Version=8.0.RC2\nascendhal_version=7.35.23\n"
    found = read_facts(EvidenceFile(path, content=text.encode()))
    assert found is not None
    assert [(item.name, item.version) for item in found.versions] == [(name, "8.0.RC2")]


def test_json_lists() -> None:
    listed = [{"name": "torch", "version": "2.1.0"}, {"name": "numpy", "version": "1.26.4", "build": "x"}]
    inspected = {"version": "1", "installed": [{"metadata": item} for item in listed]}
    for value in (listed, inspected):
        found = read_json(EvidenceFile("/x/pip.json", content=json.dumps(value).encode()))
        assert found is not None
        assert [(item.name, item.version) for item in found.versions] == [
            ("torch", "2.1.0"),
            ("numpy", "1.26.4"),
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("commit 0123456789abcdef0123456789abcdef01234567 (HEAD -> main)\nAuthor: a <a@b>\nDate:   x\n",
         {"git:versions": "0123456789abcdef0123456789abcdef01234567"}),
        ("Megatron-LM: 0123456789abcdef0123456789abcdef01234567\n",
         {"git:Megatron-LM": "0123456789abcdef0123456789abcdef01234567"}),
        ("$ cd /home/me/MindSpeed && git rev-parse HEAD\n0123456789abcdef0123456789abcdef01234567\n",
         {"git:MindSpeed": "0123456789abcdef0123456789abcdef01234567"}),
        ("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.1, V12.1.105\n",
         {"nvcc": "12.1"}),
        ("        Software Version         : 23.0.rc3\n        Firmware Version         : 7.1.0.1.3\n",
         {"driver": "23.0.rc3", "firmware": "7.1.0.1.3"}),
        ("CANN 8.0.RC2\n", {"cann": "8.0.RC2"}),
        ("Python 3.10.12\n", {"python": "3.10.12"}),
    ],
)  # fmt: skip
def test_versions_that_stand_alone(text: str, expected: dict[str, str]) -> None:
    assert versions(text) == expected


def test_names_and_versions_as_the_config_check_packs_them(tmp_path: Path) -> None:
    assert versions("numpy=1.26.4\ntorch=2.1.0\nmindspeed=0.7\n") == {
        "numpy": "1.26.4", "torch": "2.1.0", "mindspeed": "0.7",
    }  # fmt: skip


def test_of_a_history_the_first_commit_counts() -> None:
    text = "".join(f"commit {number:040x}\nAuthor: a <a@b>\n\n    words\n\n" for number in range(3, 50))
    assert versions(text) == {"git:versions": f"{3:040x}"}


def test_a_version_in_a_long_text_is_chance() -> None:
    assert versions("Python 3.10.12\n" + "words and more words\n" * 100) == {}


def test_prose_has_no_packages() -> None:
    assert versions("We used a version of the tool.\nThe commit is old.\nx = 1\nloss: 2.0\n") == {}


@pytest.mark.parametrize(
    ("line", "name", "version"),
    [
        ("numpy @ file:///croot/numpy_1701296/work", "numpy", "@ file:///croot/numpy_1701296/work"),
        ("apex @ file:///opt/apex-0.1", "apex", "0.1"),
        ("apex @ https://a.org/apex-0.1.tar.gz#sha256=1", "apex", "0.1"),
        ("megatron-core @ git+https://me:pass@a.org/M.git@core_v0.8.0", "megatron-core", "@core_v0.8.0"),
        ("x @ git+https://token@a.org/M.git", "x", "@ git+https://a.org/M.git"),
        ("-e git+ssh://git@a.org/M.git@feature/x#egg=M", "M", "@feature/x"),
        ("-e /workspace/MindSpeed", "MindSpeed", "@ /workspace/MindSpeed"),
        ("x @ http://[", "x", ""),
    ],
)
def test_an_address_tells_version_tag_or_itself(line: str, name: str, version: str) -> None:
    assert versions(f"torch==2.1.0\n{line}\n") == {"torch": "2.1.0", name: version}


NVCC = """\
nvcc: NVIDIA (R) Cuda compiler driver
Copyright (c) 2005-2023 NVIDIA Corporation
Built on Mon_Apr__3_17:16:06_PDT_2023
Cuda compilation tools, release 12.1, V12.1.105
Build cuda_12.1.r12.1/compiler.32688072_0
"""
VERSION_CFG = """\
# version: 1.0
runtime_running_version=[7.5.0.1.129:8.0.RC3]
toolkit_running_version=[7.5.0.1.129:8.0.RC3]
opp_running_version=[7.5.0.1.129:8.0.RC3]
toolkit_upgrade_version=[7.3.0.1.231:8.0.RC2]
toolkit_installed_version=[7.3.0.1.231:8.0.RC2][7.5.0.1.129:8.0.RC3]
"""


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (NVCC, "nvcc.txt", {"nvcc": "12.1"}),
        (f"$ nvcc --version\n{NVCC}", "versions.log", {"nvcc": "12.1"}),
        (VERSION_CFG, "version.cfg", {"cann": "8.0.RC3"}),
        (VERSION_CFG.replace("toolkit_", "nnrt_"), "cann.txt", {"cann": "8.0.RC3"}),
    ],
)
def test_what_toolkits_print_of_themselves(
    tmp_path: Path, text: str, name: str, expected: dict[str, str]
) -> None:
    place = tmp_path / name
    place.write_text(text, "utf-8")
    (found,) = run_to_end(read_evidence(Given(str(place))))
    assert found.kinds == (EvidenceKind.PACKAGES,)
    assert {item.name: item.version for item in found.versions} == expected
