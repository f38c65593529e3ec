"""Secrets never come through, and what is none stays readable."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.secrets import is_secret_name, mask_line, mask_lines, mask_value

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


@pytest.mark.parametrize(
    "piece",
    [
        'a="',
        "password ",
        "--",
        "eyJ",
        "://a",
        "x:",
        "key='",
        "Bearer ",
        "a=",
        "a:b@",
        "?key=",
        '"a",',
        "-u ",
        "mysql ",
        "token(",
        "{",
        "cookie:",
    ],
)
def test_time_does_not_explode(piece: str) -> None:
    line = (piece * (1 << 16))[: 1 << 16]
    began = time.perf_counter()
    mask_line(line)
    assert time.perf_counter() - began < 5


SHORT = "hunter2x"


@pytest.mark.parametrize(
    "name",
    [
        "PGPASSWORD", "SSHPASS", "ROOTPWD", "HF_TOKENS", "MYTOKENS", "HF_HUB_TOKEN_1", "wandb.key",
        "WANDB_KEY", "MY_SWANLAB_KEY", "--wandb-login", "passwords", "tokens.github", "secret.value", "db.pw",
    ],
)  # fmt: skip
def test_further_names_of_secrets(name: str) -> None:
    assert SHORT not in mask_value(name, SHORT)


@pytest.mark.parametrize("name", ["max_tokens", "consumed_tokens", "num_tokens.train", "lr_warmup_tokens"])
def test_numbers_of_tokens_are_none(name: str) -> None:
    assert mask_value(name, "4096") == "4096"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"password": "{SHORT}"}}', f"{{'api_key': '{SHORT}'}}", f"run --password {SHORT}",
        f"curl -u admin:{SHORT} https://h", f"mysql -p{SHORT} db", f"sshpass -p {SHORT} ssh h",
        f"https://h/x?access_token={SHORT}&x=1", f"https://h/v1?key={SHORT}", f"h/db?user=a&password={SHORT}",
        f"AccountName=a;AccountKey={SHORT};x=y", f"https://hooks.slack.com/services/T0/B0/{SHORT}",
        f"https://u:a@{SHORT}@host:80", f"user:{SHORT}@proxy.local:80", f"s3://AK:{SHORT}/x@bucket/y",
        f"Authorization: token {SHORT}", f"bearer {SHORT}{SHORT}", f"X-Api-Key: {SHORT}",
        f"X-Auth-Token: {SHORT}", f"wandb login {SHORT}", f'os.environ["WANDB_API_KEY"] = "{SHORT}"',
        f"cfg['password']='{SHORT}'", f'os.environ.setdefault("HF_TOKEN", "{SHORT}")',
        f'os.getenv("HF_TOKEN", "{SHORT}")',
        f'parser.add_argument("--hf-token", type=str, default="{SHORT}")',
        f'run(["--token", "{SHORT}"])', f'PASSWORD: str = "{SHORT}"', f'password = f"""{SHORT}"""',
        f'connect(passwd="{SHORT} with space")', f"set_token('{SHORT}')",
        f'kw = dict(api_key="{SHORT}", lr=1)',
        f"auth: [user, {SHORT}]", f"credentials: {{user: a, name: {SHORT}}}",
        f'URL="Endpoint=https;AccountKey={SHORT};x"', f'login(key="{SHORT}0123456789abcdef")',
    ],
)  # fmt: skip
def test_secrets_inside_of_texts(text: str) -> None:
    assert SHORT not in mask_line(text)
    assert SHORT not in mask_value("CMD", text)


@pytest.mark.parametrize(
    "text",
    [
        "token = tokens[i]", "tokens = tokenizer(x)", "token = next_token", "git+https://github.com/o/r@v1.0",
        "https://host:8080/path@v2", "image:tag@sha256:abcdef", "basic training", "a:b", "docker.io/x:1.2",
        "tokenizer.add_token(tok)", "python -u train.py", "key = some_key", "torch==2.1.0", "user@host:/data",
    ],
)  # fmt: skip
def test_texts_without_secrets_stay(text: str) -> None:
    assert mask_line(text) == text


@pytest.mark.parametrize(
    "lines",
    [
        ("-----BEGIN RSA PRIVATE KEY-----", SHORT, f"{SHORT}==", "-----END RSA PRIVATE KEY-----"),
        ('api_key = ("x"', f'           "{SHORT}")'),
        ("secret_key = \\", f'    "{SHORT}"'),
        ('password = """', SHORT, '"""'),
        (f'password = """{SHORT}', f"{SHORT}", '"""'),
    ],
)
def test_secrets_over_several_lines(lines: tuple[str, ...]) -> None:
    shown = list(mask_lines((*lines, "lr = 1e-5")))
    assert not any(SHORT in line for line in shown)
    assert shown[-1] == "lr = 1e-5"
    assert len(shown) == len(lines) + 1
