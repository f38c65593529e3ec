"""Environment variables and devices, as each shell and tool prints them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.facts import read_facts
from core.formats.evidence.text_kinds import read_json
from core.records.evidence import Evidence, EvidenceKind


def facts(text: str, name: str = "env.txt") -> Evidence:
    found = read_facts(EvidenceFile(f"/x/{name}", content=text.encode()))
    assert found is not None
    return found


def variables(text: str) -> dict[str, str]:
    return {item.name: item.value for item in facts(text).environment}


@pytest.mark.parametrize(
    "text",
    [
        "PATH=/bin:/usr/bin\nHCCL_DETERMINISTIC=true\nEMPTY=\nA=b=c d\n_=/usr/bin/env\n",
        'declare -x PATH="/bin:/usr/bin"\ndeclare -x HCCL_DETERMINISTIC="true"\ndeclare -x EMPTY=""\n'
        'declare -x A="b=c d"\n',
        "PATH='/bin:/usr/bin'\nHCCL_DETERMINISTIC=true\nEMPTY=\nA='b=c d'\n",
    ],
    ids=["env", "export -p", "set"],
)
def test_shells(text: str) -> None:
    expected = {"PATH": "/bin:/usr/bin", "HCCL_DETERMINISTIC": "true", "EMPTY": "", "A": "b=c d"}
    assert variables(text) == expected
    assert variables(text.replace("\n", "\r\n")) == expected


def test_windows_set() -> None:
    text = "ALLUSERSPROFILE=C:\\ProgramData\nPath=C:\\Windows\nProgramFiles(x86)=C:\\Program Files (x86)\n"
    assert variables(text)["ProgramFiles(x86)"] == "C:\\Program Files (x86)"
    assert variables(text)["Path"] == "C:\\Windows"


def test_json_of_os_environ_and_of_a_container() -> None:
    saved = json.dumps({"PATH": "/bin", "INF_NAN_MODE_ENABLE": "1"})
    container = json.dumps([{"Id": "x", "Config": {"Env": ["PATH=/bin", "INF_NAN_MODE_ENABLE=1"]}}])
    for text in (saved, container):
        found = read_json(EvidenceFile("/x/env", content=text.encode()))
        assert found is not None
        assert found.kinds == (EvidenceKind.ENVIRONMENT,)
        assert {item.name: item.value for item in found.environment} == {
            "PATH": "/bin",
            "INF_NAN_MODE_ENABLE": "1",
        }


def test_secrets_are_masked_and_a_private_key_leaves_nothing() -> None:
    text = (
        "PATH=/bin\nWANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\n"
        "https_proxy=http://u:p@proxy:80\n"
        "DEPLOY=-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabc\nlastLine==\n"
        "-----END RSA PRIVATE KEY-----\n"
        "HOME=/root\n"
    )
    found = variables(text)
    assert found["WANDB_API_KEY"].startswith("masked:")
    assert found["https_proxy"] == "http://masked@proxy:80"
    assert found["DEPLOY"] == "masked"
    assert found["HOME"] == "/root"
    assert "MIIE" not in str(found)
    assert "lastLine" not in str(found)


def test_shell_functions_are_left_out() -> None:
    text = "PATH=/bin\nBASH_FUNC_ml%%=() {  eval $($LMOD_CMD bash)\n}\nHOME=/root\n"
    assert variables(text) == {"PATH": "/bin", "HOME": "/root"}


def test_settings_are_no_environment() -> None:
    for text in ("lr=0.1\nbatch=2\nseed=3\n", "x = 1\ny = 2\n"):
        found = read_facts(EvidenceFile("/x/a.txt", content=text.encode()))
        assert found is None or not found.environment


@given(
    st.dictionaries(
        st.from_regex(r"[A-Z][A-Z0-9_]{0,20}", fullmatch=True),
        st.from_regex(r"[a-z0-9./:,][a-z0-9./:,=]{0,30}", fullmatch=True),
    )
)
def test_what_env_prints_comes_back(values: dict[str, str]) -> None:
    kept = {name: value for name, value in values.items() if mask_free(name, value)}
    text = "PATH=/bin\n" + "".join(f"{name}={value}\n" for name, value in kept.items() if name != "PATH")
    assert variables(text) == {
        "PATH": "/bin",
        **{name: value for name, value in kept.items() if name != "PATH"},
    }


def mask_free(name: str, value: str) -> bool:
    from core.formats.evidence.secrets import mask_value

    return mask_value(name, value) == value


NPU = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 23.0.rc3                 Version: 23.0.rc3                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.5        36                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3345 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Warning       | 90.1        35                0    / 0             |
| 0                         | 0000:01:00.0  | 0           0    / 0          3345 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 0                                                            |
"""
GPU = """\
Mon Jan  1 10:00:00 2024
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:10:1C.0 Off |                    0 |
| N/A   31C    P0              62W / 400W |      2MiB / 81920MiB |      0%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
"""


def test_npu_smi() -> None:
    found = facts(NPU, "npu.txt")
    assert [(item.name, item.memory) for item in found.devices] == [("Ascend 910B3", "65536 MB")] * 2
    assert [(item.name, item.version) for item in found.versions] == [("driver", "23.0.rc3")]
    assert set(found.kinds) == {EvidenceKind.DEVICES, EvidenceKind.PACKAGES}


def test_nvidia_smi() -> None:
    found = facts(GPU, "gpu.txt")
    assert [(item.name, item.memory) for item in found.devices] == [("NVIDIA A100-SXM4-80GB", "81920MiB")]
    assert [(item.name, item.version) for item in found.versions] == [
        ("driver", "535.129.03"),
        ("cuda", "12.2"),
    ]


def test_nvidia_lists() -> None:
    listed = facts("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-6f4f)\nGPU 1: NVIDIA H100 (UUID: GPU-1)\n")
    assert [item.name for item in listed.devices] == ["NVIDIA A100-SXM4-80GB", "NVIDIA H100"]
    queried = facts("index, name, memory.total [MiB]\n0, NVIDIA A100-SXM4-80GB, 81920 MiB\n")
    assert [(item.name, item.memory) for item in queried.devices] == [("NVIDIA A100-SXM4-80GB", "81920 MiB")]
