"""Secrets never come through, and what is none stays readable."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.secrets import is_secret_name, mask_line, mask_value

LONG = "a9Xk3LmQ0zR8vT2yW7bN4cD6"


@pytest.mark.parametrize(
    "name",
    [
        "WANDB_API_KEY", "HF_TOKEN", "hub_token", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD", "OBS_AK", "OBS_SK", "MYSQL_PWD", "GITHUB_TOKEN", "client-secret", "Cookie",
        "Authorization", "proxyPassword", "ssh_key", "MODELSCOPE_API_TOKEN", "redisAuth",
        "swanlab_api_key", "ACCOUNT_KEY", "token",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)
    assert LONG not in mask_value(name, LONG)
    assert "hunter2" not in mask_value(name, "hunter2")


@pytest.mark.parametrize(
    "name",
    [
        "KEYBOARD", "PWD", "OLDPWD", "max_tokens", "pad_token", "eos_token_id", "tokenizer_type",
        "kv_channels", "num_query_groups", "key_dim", "HCCL_WHITELIST_DISABLE", "PATH", "tokens_per_step",
        "author", "image_token", "add_bos_token", "MASTER_ADDR", "query_key_layer_scaling", "label_key",
        "normalized_key_size",
    ],
)  # fmt: skip
def test_names_that_are_none(name: str) -> None:
    assert not is_secret_name(name)
    assert mask_value(name, "/home/user/work") == "/home/user/work"


@pytest.mark.parametrize(
    "value",
    [
        "hf_" + "aB3" * 10,
        "sk-" + "aB3x" * 8,
        "ghp_" + "aB3x" * 9,
        "AKIA" + "ABCD1234" * 2,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_DEF-123",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA",
        "glpat-" + "aB3x_" * 5,
    ],
)
def test_a_secret_is_told_by_its_look(value: str) -> None:
    masked = mask_value("ANYTHING", f"before {value}")
    assert value not in masked
    assert masked.startswith("before masked")


def test_the_user_of_an_address_is_masked_and_the_host_stays() -> None:
    assert mask_value("http_proxy", "http://bob:pa55@proxy.corp:8080/x") == "http://masked@proxy.corp:8080/x"
    assert mask_value("https_proxy", "http://proxy.corp:8080") == "http://proxy.corp:8080"


def test_equal_secrets_stay_equal_and_different_ones_differ() -> None:
    other = LONG[::-1]
    assert mask_value("API_KEY", LONG) == mask_value("API_KEY", LONG) != mask_value("API_KEY", other)
    # What could be guessed gets no digits by which a guess could be confirmed.
    assert mask_value("PASSWORD", "123456") == mask_value("PASSWORD", "qwerty") == "masked"
    assert mask_value("PASSWORD", "correct horse battery staple") == "masked"


@pytest.mark.parametrize("value", ["True", "none", "0", "2", "1e-5", "<s>", "[PAD]", "<PUSH_TO_HUB_TOKEN>"])
def test_a_likely_name_may_hold_a_plain_value(value: str) -> None:
    assert mask_value("use_auth_token", value) == value


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (f'wandb.login(key="x", api_key="{LONG}")', "wandb.login("),
        (f"export WANDB_API_KEY={LONG}", "export WANDB_API_KEY="),
        (f"python train.py --hub-token {LONG} --lr 1e-5", "--lr 1e-5"),
        (f"python train.py --hub_token={LONG} --lr 1e-5", "--lr 1e-5"),
        (f"my password: {LONG}", "my password: "),
        (f"{{'access_token': '{LONG}', 'lr': 1}}", "'lr': 1"),
        (f"curl -H 'Authorization: Bearer {LONG}' https://x", "https://x"),
        (f"git clone https://bob:{LONG}@host/x.git", "@host/x.git"),
    ],
)
def test_secrets_in_a_line(line: str, kept: str) -> None:
    masked = mask_line(line)
    assert LONG not in masked
    assert kept in masked


@pytest.mark.parametrize(
    "line", ["key = query @ weight", "pad_token = '</s>'", "self.key_proj(x)", "lr: 1e-5  # the token rate"]
)
def test_code_stays_as_it_is(line: str) -> None:
    assert mask_line(line) == line


@given(st.text(max_size=300))
def test_any_line_comes_back(line: str) -> None:
    assert isinstance(mask_line(line), str)
    assert isinstance(mask_value(line, line), str)


@given(st.text("abcdefghijkXYZ0123456789", min_size=20, max_size=40))
def test_masking_twice_is_masking_once(secret: str) -> None:
    once = mask_line(f"API_KEY={secret}")
    assert secret not in once
    assert mask_line(once) == once


@pytest.mark.parametrize("piece", ['a="', "password ", "--", "eyJ", "://a", "x:", "key='", "Bearer "])
def test_time_does_not_explode(piece: str) -> None:
    line = (piece * (1 << 16))[: 1 << 16]
    began = time.perf_counter()
    mask_line(line)
    assert time.perf_counter() - began < 5
