"""Words of shell scripts, against shlex and against a real bash."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shell.arithmetic import NotComputable, compute
from core.formats.evidence.shell.expansion import Variables
from core.formats.evidence.shell.parsing import Parser
from core.formats.evidence.shell.reading import read_script
from core.formats.evidence.shell.scanning import Scanner
from core.formats.evidence.shell.walking import walk
from core.formats.evidence.shell.words import Command
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Place

BASH = shutil.which("bash")
VARIABLES = {"A": "one", "B": "two words", "C": "", "N": "7", "P": "dir/file.tar.gz", "M": "Mixed Case"}


def words(text: str) -> list[str]:
    """Return the arguments of the last command of *text*, without its name."""
    script = walk(EvidenceFile("/run.sh", content=text.encode("utf-8", "surrogatepass")))
    return [item.text for item in script.started[-1].fields[1:]]


def by_bash(script: str) -> list[list[str]]:
    """Return what each line of *script*, which calls ``show``, shows."""
    assert BASH is not None
    head = r"""show() { [ $# -gt 0 ] && printf '%s\0' "$@"; printf '\1'; }""" + "\nset -f\n"
    done = subprocess.run([BASH, "--norc", "-c", head + script], capture_output=True, timeout=60, check=False)
    calls = done.stdout.decode("utf-8", "surrogateescape").split("\1")[:-1]
    return [call.split("\0")[:-1] for call in calls]


plain = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0\x1b", exclude_categories=("Cc", "Cs", "Zl", "Zp")),
    min_size=1,
    max_size=12,
)


@given(st.lists(plain, max_size=8))
def test_quoted_words_come_back(values: list[str]) -> None:
    assert words("torchrun " + shlex.join(values)) == values


quoted = st.sampled_from(
    [
        "'a b'",
        '"a b"',
        '"it\'s"',
        r"\$x",
        r"a\ b",
        '"\\"q\\""',
        "$'t\\tb'",
        '"a\\\nb"',
        "x#y",
        "''",
        '""',
        '"\\n"',
    ]
)
expanded = st.sampled_from(
    [
        "${A}",
        "${B}",
        '"$B"',
        "${C}",
        '"$C"',
        "${N}",
        "$((N*2+1))",
        "$((10/3))",
        "$((-7 % 3))",
        "$((2**5))",
        "${P%.gz}",
        "${P%%.*}",
        "${P##*/}",
        "${P#*/}",
        "${C:-dflt}",
        "${C-dflt}",
        "${UNSET_X:-a b}",
        '"${UNSET_X:-a b}"',
        "${A:+set}",
        "${C:+set}",
        "${C+set}",
        "${#A}",
        "${A:1:2}",
        "${A:1}",
        "${P/file/x}",
        "${P//./_}",
        "${M^^}",
        "${M,,}",
        "pre$A.",
        "${A}post",
        '"$A-$B"',
        "$A${B}",
        "$B${B}",
        "${UNSET_Y:=made}",
        "${UNSET_Z-x}",
    ]
)
arrays = st.sampled_from(
    [
        '"${L[@]}"',
        "${L[@]}",
        '"${L[*]}"',
        "${#L[@]}",
        "${L[1]}",
        '"x${L[@]}y"',
        '"${EMPTY[@]}"',
        "${EMPTY[@]}",
        "${L}",
    ]
)
word = st.lists(
    quoted | expanded | arrays | st.sampled_from(["a", "-b", "--c=d", "1e-5"]), min_size=1, max_size=3
).map("".join)


@pytest.mark.skipif(BASH is None, reason="no bash")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(word, max_size=5), min_size=10, max_size=40))
def test_words_expand_as_in_bash(lines: list[list[str]]) -> None:
    head = "".join(f"{name}={shlex.quote(value)}\n" for name, value in VARIABLES.items())
    head += "L=(first 'second one' third) # three\nEMPTY=()\n"
    body = "\n".join("show " + " ".join(line) for line in lines)
    script = walk(EvidenceFile("/run.sh", content=(head + body).encode()))
    assert [[item.text for item in one.fields[1:]] for one in script.started] == by_bash(head + body)


number = st.integers(0, 100).map(str)
expression = st.recursive(
    number | st.sampled_from(["N", "0x1f", "017"]),
    lambda inner: (
        st.tuples(
            inner,
            st.sampled_from(
                [
                    "+",
                    "-",
                    "*",
                    "/",
                    "%",
                    "**",
                    "<<",
                    ">>",
                    "<",
                    ">",
                    "<=",
                    ">=",
                    "==",
                    "!=",
                    "&",
                    "|",
                    "^",
                    "&&",
                    "||",
                ]
            ),
            inner,
        ).map(" ".join)
        | inner.map("({})".format)
        | inner.map("- {}".format)
        | inner.map("!{}".format)
        | inner.map("~{}".format)
        | st.tuples(inner, inner, inner).map("({0[0]} ? {0[1]} : {0[2]})".format)
    ),
    max_leaves=8,
)


@pytest.mark.skipif(BASH is None, reason="no bash")
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(expression, min_size=10, max_size=60))
def test_arithmetic_computes_as_in_bash(expressions: list[str]) -> None:
    # Each in a shell of its own: dividing by zero ends it.
    lines = [f"(show $(({item})))" for item in expressions]
    shown = by_bash("N=7\n" + "\n".join(f"{line} 2>/dev/null || printf '\\1'" for line in lines))
    ours = []
    for item in expressions:
        try:
            ours.append([str(compute(item, lambda name: 7))])
        except NotComputable:
            ours.append([])
    for item, own, real in zip(expressions, ours, shown, strict=True):
        # bash leaves out what && and || need not look at, which may divide by zero.
        assert own == real or (own == [] and "/" in item + item.replace("%", "/").replace("**", "/")), item


test_of = st.builds(
    "[ {} {} {} ]".format,
    st.sampled_from(["$V", "$W", "3"]),
    st.sampled_from(["-eq", "-ne", "-gt", "-ge", "-lt", "-le", "=", "!="]),
    st.integers(0, 5),
)
condition = st.one_of(
    test_of,
    test_of.map("! {}".format),
    st.builds("{} {} {}".format, test_of, st.sampled_from(["&&", "||"]), test_of),
    st.sampled_from(['[ -z "$V" ]', '[ -n "$E" ]', "[[ $V == [1-3] ]]", "[[ $W != 2 ]]", "true", "false"]),
)
setting = st.builds("{}={}".format, st.sampled_from(["V", "W", "E"]), st.integers(0, 5))
statement = st.recursive(
    setting | st.builds("{} {} {}".format, test_of, st.sampled_from(["&&", "||"]), setting),
    lambda inner: (
        st.builds("if {}; then\n{}\nfi".format, condition, inner)
        | st.builds("if {}; then {}; else {}; fi".format, condition, inner, inner)
        | st.builds(
            "if {}\nthen {}\nelif {}; then {}\nelse {}\nfi".format, condition, inner, condition, inner, inner
        )
        | st.builds("for V in {}; do {}; done".format, st.integers(0, 5), inner)
        | st.builds("{}\n{}".format, inner, inner)
    ),
    max_leaves=6,
)


@pytest.mark.skipif(BASH is None, reason="no bash")
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(statement, min_size=10, max_size=30))
def test_conditions_go_as_in_bash(statements: list[str]) -> None:
    text = "".join(f'V=1\nW=2\nE=\n{item}\nshow "$V" "$W" "$E"\n' for item in statements)
    script = walk(EvidenceFile("/run.sh", content=text.encode()))
    shown = [one.fields[1:] for one in script.started if one.fields[0].text == "show"]
    assert [[item.text for item in fields] for fields in shown] == by_bash(text)
    assert all(item.known for fields in shown for item in fields)


def test_unknown_values_are_told_apart() -> None:
    script = walk(
        EvidenceFile(
            "/run.sh", content=b'X=$(nproc)\ntorchrun --a $X --b "${Y}" --c ${Z:-3} --d $((X+1)) `date`\n'
        )
    )
    fields = script.started[-1].fields
    assert [(item.text, item.known) for item in fields[1:]] == [
        ("--a", True), ("$(nproc)", False), ("--b", True), ("${Y}", False), ("--c", True), ("3", True),
        ("--d", True), ("$((X+1))", False), ("`date`", False),
    ]  # fmt: skip


@given(st.text(st.sampled_from(list("aA \n\t\\\"'$`(){}[]<>|&;=#%/:-+*!~01")), max_size=60))
def test_nothing_that_is_written_raises(text: str) -> None:
    statements = list(Parser(Scanner(text).tokens()).statements())
    variables = Variables(lambda line: Place("x", line))
    for statement in statements:
        if isinstance(statement, Command):
            for item in statement.words:
                variables.fields(item)


@given(st.binary(max_size=300))
def test_no_bytes_raise(content: bytes) -> None:
    walk(EvidenceFile("/run.sh", content=content))


def test_values_that_double_are_refused() -> None:
    text = "A=xxxxxxxxxxxxxxxx\n" + 'A="$A$A"\n' * 60 + "torchrun $A\n"
    with pytest.raises(Unreadable) as caught:
        walk(EvidenceFile("/run.sh", content=text.encode()))
    assert caught.value.code == "evidence_bomb"


@pytest.mark.parametrize(
    "text",
    ["${a:-" * 5000, "$(" * 5000, '"$(' * 3000, "$((" * 3000, "((" * 5000, "((1+" * 100 + "1", "`" * 999],
)
def test_nesting_without_end_is_refused_or_read(text: str) -> None:
    found = read_script(EvidenceFile("/run.sh", content=("A=" + text).encode()))
    assert found is not None
    assert {problem.code for problem in found.problems} <= {"settings_deep", "settings_open_quote"}


@pytest.mark.parametrize("text", ["(" * 400 + "1" + ")" * 400, "9" * 900, "1 +", "1/0", "a b", "1 ? 2", "$"])
def test_what_cannot_be_computed_is_not(text: str) -> None:
    with pytest.raises(NotComputable):
        compute(text, lambda name: 1)


def test_powers_wrap_as_in_c() -> None:
    assert compute("10**10**10", lambda name: 1) == 0
    assert compute("3**63", lambda name: 1) == pow(3, 63, 1 << 64) - (1 << 64)
