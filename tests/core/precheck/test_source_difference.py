"""Two files beside each other: rows cover both, noise is told from what numbers depend on."""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.precheck.source.alignment import align
from core.precheck.source.comments import code_of
from core.precheck.source.difference import compare_files, compare_texts
from core.precheck.source.languages import Language
from core.precheck.source.reading import MOST_BYTES, lines_of, read_source
from core.precheck.source.records import Change, DifferenceOptions, FileDifference, SourceState, SourceText
from core.precheck.source.spans import changed_spans

PROJECT = Path(__file__).resolve().parents[3]
SUFFIXES = (".py", ".sh", ".yaml", ".toml", ".cu", ".json", "")
FOLDED = DifferenceOptions()

lines = st.lists(
    st.sampled_from(["", "a", "b = 1", "  c", "# d", '"""', "'", "x: |", "if y:", "\t}"]), max_size=30
)
texts = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20), max_size=12)


def source(content: str, name: str = "train.py") -> SourceText:
    return SourceText(name, SourceState.READ, tuple(lines_of(content)))


def compared(target: str, golden: str, name: str = "train.py", **options: object) -> FileDifference:
    return compare_texts(source(target, name), source(golden, name), DifferenceOptions(**options))  # type: ignore[arg-type]


def changes(target: str, golden: str, name: str = "train.py") -> list[str]:
    """Return what rows differ in, those that are equal left out."""
    found = compared(target, golden, name)
    return [Change(change).name for change in found.change.tolist() if change]


# ---- alignment


@given(lines, lines)
def test_applying_the_blocks_gives_the_other_file(target: list[str], golden: list[str]) -> None:
    blocks = align(target, golden)
    made: list[str] = []
    at = beside = 0
    for block in blocks:
        assert (block.target, block.golden) == (at, beside)
        part, other = target[at : block.target_end], golden[beside : block.golden_end]
        made += part if block.equal else other
        assert (part == other) == block.equal
        assert part or other
        at, beside = block.target_end, block.golden_end
    assert made == golden
    assert at == len(target)
    assert all(first.equal != second.equal for first, second in pairwise(blocks))


def test_a_huge_gap_without_anchors_is_solved_in_pieces() -> None:
    random = np.random.default_rng(5)
    target, golden = (list(map(str, random.integers(0, 3, 40_000).tolist())) for _ in range(2))
    same = sum(block.target_end - block.target for block in align(target, golden) if block.equal)
    assert same > 0.6 * len(target)  # three kinds of lines by chance have about 0.72 in common


# ---- rows


@given(texts, texts, st.sampled_from(SUFFIXES))
def test_rows_hold_each_line_once_and_in_order(target: list[str], golden: list[str], suffix: str) -> None:
    found = compared("\n".join(target), "\n".join(golden), f"x{suffix}")
    for shown, lines_there in (
        (found.target_line, found.target.lines),
        (found.golden_line, found.golden.lines),
    ):
        assert shown[shown >= 0].tolist() == list(range(len(lines_there)))
    for row, beside, change in zip(found.target_line, found.golden_line, found.change):
        assert max(row, beside) >= 0
        if change == Change.EQUAL:
            assert found.target.lines[row] == found.golden.lines[beside]
    assert (found.change == Change.EQUAL).all() == (found.target.lines == found.golden.lines)


numbers = st.one_of(
    st.integers(0, 10**6).map(str), st.floats(1e-12, 1e12, allow_nan=False).map(repr), st.just("1e-05")
)
blanks = st.sampled_from(["", " ", "  ", "\t"])


@given(
    numbers,
    numbers,
    blanks,
    blanks,
    st.sampled_from([".py", ".sh", ".yaml", ".toml", ".json", ".cu"]),
    st.data(),
)
def test_folding_never_hides_a_change_of_a_number(
    target: str, golden: str, before: str, after: str, suffix: str, data: st.DataObject
) -> None:
    form = data.draw(
        st.sampled_from(
            {
                ".py": [
                    "lr{}={}{}",
                    "f(a,{}eps={}{})  # c",
                    "x = [{}-{}{}]",
                    's = """{}a\n{} b{}"""',
                    "a/b{}*{}{}",
                ],
                ".sh": [
                    "LR={}{}{}",
                    'A="\n --lr {}{} {}\\\n"',
                    "train --lr  {}{}{}",
                    "python a/b.py {} {}{} # x",
                ],
                ".yaml": ["lr: {}{}{}", "a:\n  - {}{}{} # c", "s: |\n  {} {} {}"],
                ".toml": ["lr = {}{}{}"],
                ".json": ['{{"lr": {}{}{}}}'],
                ".cu": ["float a = {}{}{}; // c", "/* a */ b({}{}{});"],
            }[suffix]
        )
    )
    if suffix == ".sh" and form.startswith(("LR", "train")):
        before = ""
    found = compared(form.format(before, target, after), form.format(after, golden, before), f"x{suffix}")
    counted = found.marked(FOLDED).any()
    if float(target) != float(golden):
        assert counted
        assert found.marked(DifferenceOptions(only_numeric=True)).any() or '"""' in form or "|" in form


@given(st.data())
@settings(max_examples=50)
def test_comments_blanks_and_indents_of_python_do_not_count(data: st.DataObject) -> None:
    def written(step: int) -> str:
        blank = data.draw(blanks)
        words = [
            f"def f(a,{blank}b):",
            f'"""{data.draw(st.sampled_from(["Say.", "Tell more."]))}"""',
            f"for i in{blank or ' '}range(3):",
            f"  loss{blank}={blank}a @ b + 1e-5{data.draw(st.sampled_from(['', ' # add', '#1e-6']))}",
            "return loss",
        ]
        depths = [0, 1, 1, 2, 1]
        found = []
        for word, depth in zip(words, depths):
            found += data.draw(st.lists(st.sampled_from(["", "   ", "# 3"]), max_size=2))
            found.append(" " * (step * depth) + word.strip())
        return "\n".join(found)

    found = compared(written(2), written(4))
    assert not found.marked(FOLDED).any()


@pytest.mark.parametrize(
    ("target", "golden", "name", "expected"),
    [
        ("x = f(a,b)", "x = f(a, b)", "a.py", ["BLANK"]),
        ("A = [1  2]", "A = [12]", "a.py", ["NUMERIC"]),
        ("lr = 1e-5", "lr = 0.00001", "a.py", ["BLANK"]),
        ("n = 4096", "n = 4_096.0", "a.py", ["NUMERIC"]),
        ('sep = " "', 'sep = ""', "a.py", ["CODE"]),
        ("a.cuda()", "a.npu()", "a.py", ["DEVICE"]),
        ("init('hccl')", "init('nccl')", "a.py", ["DEVICE"]),
        ("import torch_npu\nx = 1", "x = 1", "a.py", ["DEVICE"]),
        ("from torch_npu.contrib import transfer_to_npu", "", "a.py", ["DEVICE"]),
        ("y = torch_npu.npu_rms_norm(x)", "y = rms_norm(x)", "a.py", ["NUMERIC"]),
        ('open("/a/b/c.json")', 'open("/x/y/b/c.json")', "a.py", ["PATH"]),
        ('open("/home/me/c.json")', 'open("/root/c.json")', "a.py", ["PATH"]),
        ('open("/data/train/x.bin")', 'open("/data/valid/x.bin")', "a.py", ["CODE"]),
        ('open("/data/iter_1000/model/x")', 'open("/data/iter_2000/model/x")', "a.py", ["CODE"]),
        ('open("/one/x.json")', 'open("/two/x.json")', "a.py", ["CODE"]),
        ("LR=$((GBS/MBS/DP))", "LR=$((TBS/MBS/DP))", "a.sh", ["NUMERIC"]),
        ("opt: fused/w", "opt: other/w", "a.yaml", ["NUMERIC"]),
        ("torch==1.10", "torch==1.1", "a.txt", ["NUMERIC"]),
        ("peft>=0.10", "peft>=0.1", "a.txt", ["NUMERIC"]),
        ('v = "0.10"', 'v = "0.1"', "a.py", ["NUMERIC"]),
        ("VERSION=0.10", "VERSION=0.1", "a.sh", ["NUMERIC"]),
        (
            "train --lr 1e-5 --beta 0.90 --clip 1.0",
            "train --lr 0.00001 --beta 0.9 --clip 1.00",
            "a.sh",
            ["BLANK"],
        ),
        ('{"lr": 1e-3}', '{"lr": 0.001}', "a.json", ["BLANK"]),
        ('open("/a/b/c.json")', 'open("/a/b/d.json")', "a.py", ["CODE"]),
        ("x = a / b", "x = b / b", "a.py", ["CODE"]),
        ("x = a + b", "x = a - b", "a.py", ["NUMERIC"]),
        ('print("a", 1)', 'print("b", 2)', "a.py", ["LOGGING"]),
        ("print(1); x = 2", "print(1); x = 3", "a.py", ["NUMERIC"]),
        ("echo step 1", "echo step 2", "a.sh", ["LOGGING"]),
        ("f() {\n echo 1e-4\n}\nLR=$(f)", "f() {\n echo 1e-3\n}\nLR=$(f)", "a.sh", ["NUMERIC"]),
        ("echo 1 && train --lr 1", "echo 1 && train --lr 2", "a.sh", ["NUMERIC"]),
        ("train --a -1", "train --a-1", "a.sh", ["NUMERIC"]),
        ("A='# 1'", "A='# 2'", "a.sh", ["NUMERIC"]),
        ("cat <<E\n# 1\nE", "cat <<E\n# 2\nE", "a.sh", ["NUMERIC"]),
        ("if a:\n  f()\n  g()", "if a:\n  f()\ng()", "a.py", ["CODE"]),
        ("for i in a:\n  f()\n  opt.step()", "for i in a:\n  f()\nopt.step()", "a.py", ["NUMERIC"]),
        ("a: 1 # x", "a: 1 # y", "a.yaml", ["COMMENT"]),
        ("a: '# x'", "a: '# y'", "a.yaml", ["CODE"]),
        ("x(); // 1\n/* 2\n 3 */ y();", "x(); // 2\n/* 4\n 5 */ y();", "a.cu", ["COMMENT"] * 3),
        ("dropout: 0.1", "", "a.yaml", ["NUMERIC"]),
        ("model.train()", "", "a.py", ["CODE"]),
        ("--use-flash-attn \\", "", "a.sh", ["NUMERIC"]),
        ("x = 'unended\ny = 1", "x = 'unended\ny = 2", "a.py", ["NUMERIC"]),
    ],
)
def test_what_a_line_differs_in(target: str, golden: str, name: str, expected: list[str]) -> None:
    assert changes(target, golden, name) == expected
    assert changes(golden, target, name) == expected


@pytest.mark.parametrize(
    ("target", "golden", "name"),
    [
        ('print(f"{loss.item():>9.4f}", len(x), file=log)', 'print("loss")', "a.py"),
        ("print('%s %s' % (a, b), x if y in (1, 2) else z)", "print(x)", "a.py"),
        ('logger.info("n %d", sum(p.numel() for p in model.parameters()))', "print(1)", "a.py"),
        ("print(loss.detach().cpu().numpy(), os.environ.get('A'))", "print(x.sum((1, 2)))", "a.py"),
        ('echo "loss ${LOSS} 3"', 'echo "b"', "a.sh"),
    ],
)
def test_lines_that_only_print_do_not_count(target: str, golden: str, name: str) -> None:
    assert changes(target, golden, name) == ["LOGGING"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *(
            (f"print({words})", "a.py")
            for words in (
                "torch.rand(1)", "model.load_state_dict(sd, strict=False)", "model.eval()", "model.half()",
                "x.mul_(2)", "items.pop()", "lr := 1e-3", "next(data)", "list(loader)", 'f"{model.train()}"',
                "(model.eval)()", "hooks[0]()", "torch.add(x, y, out=x)", "queue.get()", "model.float()",
            )
        ),
        ("logger.info(torch.nn.utils.clip_grad_norm_(p, 1.0))", "a.py"),
        ("logging.info('a') or opt.step()", "a.py"),
        ("import logging, ours", "a.py"),
        ("printf(\"%d\", n++);", "a.cpp"),
        ('echo "$(python train.py)"', "a.sh"),
        ('echo "${LR:=1}"', "a.sh"),
        ("echo 1 > a.cfg", "a.sh"),
        ("echo 1 | sh", "a.sh"),
        ("echo `run`", "a.sh"),
        ('printf -v LR "%s" 1', "a.sh"),
        ('echo "$LR"', "a.sh"),
    ],
)  # fmt: skip
def test_lines_that_do_more_than_print_count(line: str, name: str) -> None:
    word = "echo a 1" if name.endswith("sh") else 'print("1")'
    for pair in ((line, word), (word, line), (line, ""), (line, line.replace("1", "2"))):
        if pair[0] != pair[1]:
            assert not {"LOGGING", "BLANK"} & set(changes(*pair, name)), pair


def test_mapped_folders_do_not_part_lines() -> None:
    found = compared(
        "cd /root/npu/code",
        "cd /home/me/gpu_code",
        "a.sh",
        mapping=(("/home/me/gpu_code", "/root/npu/code"),),
    )
    assert found.change.tolist() == [Change.PATH]


def test_lines_that_changed_stand_beside_each_other() -> None:
    target = "alpha = 1\nself.norm = RMSNorm(hidden, eps=1e-6)\nomega = 3"
    golden = "alpha = 1\nnew_one = True\nself.norm = RMSNorm(hidden, eps=1e-5)\nomega = 3"
    found = compared(target, golden)
    assert list(zip(found.target_line.tolist(), found.golden_line.tolist())) == [
        (0, 0),
        (-1, 1),
        (1, 2),
        (2, 3),
    ]


def test_options_only_say_which_rows_count() -> None:
    found = compared("a=1 # x\nb.cuda()\nc = 3\nd()", "a=1\nb.npu()\nc = 4\ne()")
    assert found.marked(FOLDED).tolist() == [False, False, True, True]
    assert found.marked(DifferenceOptions(ignore_comments=False)).tolist() == [True, False, True, True]
    assert found.marked(DifferenceOptions(device_words=False)).tolist() == [False, True, True, True]
    assert found.marked(DifferenceOptions(only_numeric=True)).tolist() == [False, False, True, False]
    assert found.places(FOLDED).tolist() == [2]


# ---- comments, against Python's own parser


def without_texts(tree: ast.AST) -> str:
    """Return *tree* without statements that are only a text."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(
                    node,
                    name,
                    [
                        item
                        for item in body
                        if not (
                            isinstance(item, ast.Expr)
                            and isinstance(item.value, ast.Constant)
                            and isinstance(item.value.value, str)
                        )
                    ],
                )
    return ast.dump(tree)


def test_python_without_comments_is_the_same_program() -> None:
    parsed = 0
    for file in sorted((PROJECT / "core" / "metrics").rglob("*.py")):
        content = file.read_text("utf-8")
        left = "\n".join(line.code for line in code_of(content.splitlines(), Language.PYTHON))
        try:
            tree = ast.parse(left)
        except SyntaxError:  # a body that was nothing but a text
            continue
        kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(left + "\n").readline)]
        assert tokenize.COMMENT not in kinds
        assert without_texts(tree) == without_texts(ast.parse(content)), file
        parsed += 1
    assert parsed > 20


# ---- files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("feed", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_do_not_count(tmp_path: Path, encoding: str, feed: str) -> None:
    content = ["# 训练脚本：学习率与标杆一致", "lr = 1e-5", "", "print('完成')"] * 20
    (tmp_path / "a.py").write_text("\n".join(content), "utf-8")
    (tmp_path / "b.py").write_bytes(feed.join(content).encode(encoding))
    found = compare_files(str(tmp_path / "a.py"), str(tmp_path / "b.py"))
    assert found.golden.lines == tuple(content)
    assert not found.change.any()


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "large.py").write_bytes(b"x" * (MOST_BYTES + 1))
    (tmp_path / "folder.py").mkdir()
    states = {
        name: read_source(str(tmp_path / name)).state
        for name in ("binary.py", "large.py", "folder.py", "no.py")
    }
    assert [state.value for state in states.values()] == ["binary", "too_large", "unreadable", "absent"]
    assert read_source("").state is SourceState.ABSENT


def test_secrets_are_masked_and_still_compared() -> None:
    found = compared("api_key = 'sk-abcdefghijklmnop123456'", "api_key = 'sk-zyxwvutsrqponmlk654321'")
    assert found.marked(FOLDED).all()
    assert "abcdef" not in "".join(found.target.lines + found.golden.lines)


# ---- parts of lines


@given(st.text("ab 1.=", max_size=30), st.text("ab 1.=", max_size=30))
def test_what_is_left_beside_changed_parts_is_the_same(target: str, golden: str) -> None:
    left = []
    for line, spans in zip((target, golden), changed_spans(target, golden)):
        assert all(0 <= start < end <= len(line) for start, end in spans)
        assert all(before[1] < after[0] for before, after in pairwise(spans))
        kept, at = "", 0
        for start, end in spans:
            kept, at = kept + line[at:start], end
        left.append(kept + line[at:])
    assert left[0] == left[1]


def test_very_long_lines_differ_in_their_middle() -> None:
    assert changed_spans("a" * 5000 + "x" + "b" * 5000, "a" * 5000 + "yz" + "b" * 5000) == (
        ((5000, 5001),),
        ((5000, 5002),),
    )
