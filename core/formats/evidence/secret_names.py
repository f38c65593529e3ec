"""Which names are those of secrets: ``WANDB_API_KEY`` is, ``pad_token_id`` is not."""

from __future__ import annotations

import re
from itertools import pairwise

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ALWAYS = frozenset(
    (
        "password", "passwords", "passwd", "passphrase", "passcode", "secret", "secrets", "credential",
        "credentials", "authorization", "cookie", "cookies", "apikey", "accesskey", "secretkey", "authtoken",
        "accesstoken", "sshpass",
    )
)  # fmt: skip
"""Words that make any name one of a secret, whatever it holds."""
_LAST = frozenset(("token", "tokens", "auth", "pat", "pwd", "pw", "sk", "ak", "pass"))
"""Words that do so at a name's end only, and not for plain values: ``max_tokens`` is a number."""
_ENDINGS = ("password", "passwd", "pwd", "token", "tokens", "secret")
"""What the last word may end in, where the words before are written together with it: ``PGPASSWORD``."""
_BEFORE_KEY = frozenset(
    (
        "api", "access", "secret", "private", "ssh", "signing", "encryption", "license", "account", "storage",
        "wandb", "swanlab", "comet", "neptune", "openai", "modelscope", "aws", "azure", "obs", "oss",
    )
)  # fmt: skip
"""What stands before ``key`` or ``login`` in the name of a secret; other keys are those of attention."""
_VOCABULARY = frozenset(
    (
        "pad", "eos", "bos", "unk", "sep", "cls", "mask", "image", "video", "audio", "special", "max", "min",
        "num", "per", "by", "each", "end", "start", "stop", "first", "last", "next", "new", "user", "add",
        "think", "system", "assistant", "placeholder", "prepend", "extra", "eod", "eot", "drop", "is", "of",
        "bypass", "compass",
    )
)  # fmt: skip
"""What stands before ``token`` where it is one of a vocabulary."""
_NOT_SECRET = frozenset(("pwd", "oldpwd"))
"""The shell's working folders."""
_HARMLESS = re.compile(
    r"[-+]?[\d.]+(?:[eE][-+]?\d+)?|true|false|none|null|yes|no|on|off|<[^<>]*>|\[[A-Z]+\]", re.I
)


def is_secret_name(name: str) -> bool:
    """Return whether what is called *name* holds a secret."""
    return _certain(name) or _likely(name)


def holds_secret(name: str, value: str) -> bool:
    """Return whether *value* is the secret that *name* promises; a likely name may hold a plain value."""
    return _certain(name) or (_likely(name) and not _HARMLESS.fullmatch(value))


def _words(name: str) -> list[str]:
    words = [word.lower() for word in _WORDS.findall(name[:200])]
    while words and words[-1].isdigit():  # HF_TOKEN_1
        words.pop()
    return words


def _certain(name: str) -> bool:
    words = _words(name)
    if not _ALWAYS.isdisjoint(words):
        return True
    return any(word in ("key", "login") and before in _BEFORE_KEY for before, word in pairwise(words))


def _likely(name: str) -> bool:
    if name.lower() in _NOT_SECRET:
        return False
    parts = name[:200].split(".")  # a section of secrets holds them under any name
    return any(_ends_like_one(_words(part)) for part in parts)


def _ends_like_one(words: list[str]) -> bool:
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    return (
        (last in _LAST or last.endswith(_ENDINGS)) and before not in _VOCABULARY and last not in _VOCABULARY
    )
