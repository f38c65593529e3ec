"""Functions, subshells, ends and commands that set variables: as in bash, or marked as not known."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shell.reading import read_script
from core.formats.evidence.shell.walking import walk

BASH = shutil.which("bash")
SNIPPETS = (
    "N=8\n((N*=2))", "N=8\nlet N=N*2", "N=8\nM=$((++N))\nN=$M", "N=8\nM=$((N++))", "N=8\nM=$((--N))\nN=$M",
    "N=8\nf(){ N=9; }", "N=8\nf(){ N=9; }\nf", "N=8\nfunction f { N=9; }\nf", "N=8\nfunction f() { N=9; }",
    "N=8\nf(){ local N=9; }\nf", "N=8\nf(){ local M=$N; N=$((M+1)); }\nf", "f(){ N=$1; }\nf 7",
    "N=8\nf(){ N=9; return; N=10; }\nf", "N=8\nf(){ return 1; }\nf && N=9", "N=8\nf(){ return 0; }\nf && N=9",
    "N=8\nf(){ if [ $N = 8 ]; then N=5; return; fi; N=6; }\nf", "N=1\nf(){ N=2; g; }\ng(){ N=3; }\nf",
    "N=8\n(N=9)", "(N=9; M=3)\nN=${N:-4}", "N=8\n(cd /; (N=1); N=2)\nN=$N",
    "N=8\necho 9 | while read N; do :; done",
    "N=8\nread N <<< 9", "N=8\nread N <<EOF\n9\nEOF", "N=8\neval N=9", "N=8\neval 'N=9; M=1'",
    "N=8\nprintf -v N '%d' 9", "N=8\ndeclare -n R=N\nR=9", "declare -i N=2+3", "declare -i N\nN=2*4",
    "readonly N=8\nN=9 2>/dev/null", "set -- 1 2 3\nshift 2\nN=$1", "set -- 1 2 3\nshift\nN=$1",
    "N=0\nfor ((i=0;i<4;i++)); do N=$i; done", "f() {\n  N=3\n}\nN=1\nif true; then f; fi",
    "mapfile -t N <<< 7", "N=8\nf(){ exit 0; }\n(f)", "N=2\n{ N=4; }", "N=2\ncase x in (x) N=4;; esac",
)  # fmt: skip


@pytest.mark.skipif(BASH is None, reason="no bash")
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_value_is_that_of_bash_or_not_known(snippet: str) -> None:
    assert BASH is not None
    text = f"{snippet}\nshow $N\n"
    done = subprocess.run(
        [BASH, "--norc", "-c", 'show(){ printf "%s" "$1"; }\n' + text],
        capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    script = walk(EvidenceFile("/run.sh", content=text.encode()))
    shown = [item for item in script.started if item.fields[0].text == "show"]
    assert len(shown) == 1
    fields = shown[0].fields[1:]
    assert not all(field.known for field in fields) or [field.text for field in fields] == [done.stdout]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("torchrun t.py --lr 1 --seed 1\nexit 0\ntorchrun t.py --lr 2 --seed 1\n", 1),
        ("if [ $# -lt 1 ]; then exit 1; fi\ntorchrun t.py --lr 2 --seed 1\n", 2),
        ("main() {\n  torchrun t.py --lr $1 --seed 1\n}\nmain 3\n", 3),
        ("main() {\n  torchrun t.py --lr 4 --seed 1\n}\n$START\n", 4),
        ("a() { torchrun t.py --lr 5 --seed 1; }\nb() { torchrun t.py --lr 6 --seed 1; }\na\n", 5),
        ("f() { f; }\nf\ntorchrun t.py --lr 7 --seed 1\n", 7),
    ],
)
def test_what_is_launched_in_the_end(text: str, rate: int) -> None:
    found = read_script(EvidenceFile("/run.sh", content=text.encode()))
    assert found is not None
    assert [str(item.value) for item in found.settings if item.name == "lr"] == [str(rate)]
