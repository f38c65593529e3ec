"""Configurations written in Python: read by their syntax, never run."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.python_config import read_python_config
from core.records.evidence import Dialect, Evidence, EvidenceKind, Value


def read(text: str, name: str = "config.py") -> Evidence | None:
    return read_python_config(
        EvidenceFile("/jobs/" + name, content=dedent(text).encode("utf-8", "surrogatepass"))
    )


def values(found: Evidence | None) -> dict[str, Value]:
    assert found is not None
    return {item.name: item.value for item in found.settings if item.known}


def test_an_mmengine_config() -> None:
    found = read("""
        from mmengine.config import read_base
        from mmengine.optim import AmpOptimWrapper

        _base_ = ["../default_runtime.py"]
        max_epochs, batch_size = 3, 2 * 8
        lr = 2e-5
        betas = (0.9, 0.999)
        decay = -lr
        optim_wrapper = dict(
            type=AmpOptimWrapper,
            optimizer=dict(type="AdamW", lr=lr * batch_size, betas=betas, weight_decay=0),
            clip_grad={"max_norm": 1, "error_if_nonfinite": False},
            dtype="float16",
        )
        hooks = [dict(type="A", interval=10), dict(type="B")]
        param = torch.bfloat16
        seed = int(os.environ["SEED"])
        optim_wrapper["loss_scale"] = "dynamic"
        __version__ = "1"
        """)
    assert found is not None
    assert found.kinds == (EvidenceKind.CONFIG,)
    assert values(found) == {
        "_base_": ("../default_runtime.py",),
        "max_epochs": 3,
        "batch_size": 16,
        "lr": 2e-5,
        "betas": (0.9, 0.999),
        "decay": -2e-5,
        "optim_wrapper.optimizer.type": "AdamW",
        "optim_wrapper.type": "AmpOptimWrapper",
        "optim_wrapper.optimizer.lr": 2e-5 * 16,
        "optim_wrapper.optimizer.betas": (0.9, 0.999),
        "optim_wrapper.optimizer.weight_decay": 0,
        "optim_wrapper.clip_grad.max_norm": 1,
        "optim_wrapper.clip_grad.error_if_nonfinite": False,
        "optim_wrapper.dtype": "float16",
        "optim_wrapper.loss_scale": "dynamic",
        "hooks.0.type": "A",
        "hooks.0.interval": 10,
        "hooks.1.type": "B",
        "param": "torch.bfloat16",
    }
    unknown = {item.name: (item.value, item.place.line) for item in found.settings if not item.known}
    assert unknown == {"seed": ('int(os.environ["SEED"])', 18)}


def test_defaults_of_data_classes() -> None:
    found = read("""
        from dataclasses import dataclass, field

        @dataclass
        class TrainConfig:
            micro_batch_size: int = 4
            global_batch_size: int = 4 * 16
            num_layers: int = field(default=32)
            seq_length: int
            names: list = field(default_factory=list)
        """)
    assert values(found) == {
        "TrainConfig.micro_batch_size": 4, "TrainConfig.global_batch_size": 64, "TrainConfig.num_layers": 32,
    }  # fmt: skip
    assert found is not None
    assert {item.dialect for item in found.settings} == {Dialect.MEGATRON}


def test_keywords_of_a_call_are_settings() -> None:
    found = read('args = TrainingArguments(output_dir="x", learning_rate=1e-4, bf16=True)\n')
    assert values(found) == {"args.output_dir": "x", "args.learning_rate": 1e-4, "args.bf16": True}


def test_a_program_is_no_configuration() -> None:
    assert (
        read("""
        import argparse
        BATCH = 4
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--lr", default=1e-3)
            args = parser.parse_args()
        if __name__ == "__main__":
            main()
        """)
        is None
    )
    assert read("lr = 1\n", "config.txt") is None
    assert read("import os\n") is None


def test_nothing_runs(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    found = read(f"""
        lr = 1
        one, two, three, four = 1, 2, 3, 4
        x = y = z = 0
        u = 1
        a = open({str(marker)!r}, "w")
        b = __import__("os").system("touch {marker}")
        c = [open({str(marker)!r}, "w") for _ in range(3)]
        """)
    assert values(found)["lr"] == 1
    assert {item.name for item in found.settings if not item.known} == {"a", "b", "c"} if found else False
    assert not marker.exists()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("lr = (\n", ["settings_broken"]),
        ("print 'lr'\nlr = 1\n", ["settings_python_two"]),
        ("a = " + "(" * 5000 + ")" * 5000, ["settings_deep"]),
        ("a = " + "-" * 100_000 + "1", ["settings_deep"]),
        ("a = " + "[" * 150 + "]" * 150, ["settings_deep"]),
        ("a = '\0'", ["settings_broken"]),
        ("a = " + "9" * 5000, ["settings_broken"]),
    ],
)
def test_what_cannot_be_read_is_a_problem(text: str, codes: list[str]) -> None:
    found = read(text)
    assert found is not None
    assert found.kinds == ()
    # How deep Python's own parser goes depends on its version; beyond that it complains.
    assert [problem.code for problem in found.problems] in (codes, ["settings_broken"])


@pytest.mark.parametrize(
    "text",
    [
        "a = 10**10**10",
        "a = 9**9**9**9",
        "a = 'x' * 10**9",
        "a = 2**-5000.5",
        "a = 1/0",
        "a = 1 << 10**9",
        "a = 5 % 0",
        "a = (-8)**0.5",
        "a = 10**40 * 10**40 * 10**40",
    ],
)
def test_arithmetic_is_bounded(text: str) -> None:
    found = read(text)
    assert found is not None
    assert [(item.name, item.known) for item in found.settings] == [("a", False)]


def test_arithmetic_gives_what_python_gives() -> None:
    terms = [
        "2**10",
        "7 // 2",
        "-7 % 3",
        "1e-5 * 2",
        "3 / 4",
        "2.5 - 1",
        "'a' + 'b'",
        "+3",
        "2**-1",
        "True + 1",
    ]
    found = read("".join(f"v{number} = {term}\n" for number, term in enumerate(terms)))
    assert values(found) == {f"v{number}": eval(term) for number, term in enumerate(terms)}


def test_secrets_are_masked() -> None:
    assert "hf_abc" not in repr(read("lr = 1\nhub_token = 'hf_abcdefghijklmnopqrstuvwxyz01'\n"))


@given(st.binary(max_size=200))
def test_no_bytes_raise(content: bytes) -> None:
    read_python_config(EvidenceFile("/jobs/a.py", content=content))


@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "b",
                "=",
                " ",
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                "**",
                "*",
                "1",
                "'x'",
                ",",
                ":",
                "dict(",
                "\n",
                "class A:\n ",
                ".",
                "-",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_no_text_raises(text: str) -> None:
    read(text)
