"""Secrets are masked before anything else sees them: tokens, passwords and keys have no part in a comparison.

A secret is told by the name of what holds it, or by its own look. What takes its place is ``masked``; for
long random values ``masked:`` and 32 bits of their SHA-256, so that two sides can still be seen to hold the
same or different ones. 20 random letters and digits have over 100 bits: the 32 cannot be turned back. Short
or plain values, which could be guessed and the guess confirmed, get no such digits; nor is their length told.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise

MASKED = "masked"
_RANDOM_FROM = 20
"""Letters from which on a value of letters and digits cannot be guessed."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ALWAYS = frozenset(
    (
        "password", "passwd", "passphrase", "passcode", "secret", "secrets", "credential", "credentials",
        "authorization", "cookie", "cookies", "apikey", "accesskey", "secretkey", "authtoken", "accesstoken",
    )
)  # fmt: skip
"""Words that make any name one of a secret, whatever it holds."""
_LAST = frozenset(("token", "auth", "pat", "pwd", "sk", "ak", "pass"))
"""Words that do so at a name's end only, and not for numbers: ``pad_token_id`` is none."""
_BEFORE_KEY = frozenset(
    ("api", "access", "secret", "private", "ssh", "signing", "encryption", "license", "account", "storage")
)
"""What stands before ``key`` in the name of a secret; other keys are those of attention and of mappings."""
_VOCABULARY = frozenset(
    (
        "pad", "eos", "bos", "unk", "sep", "cls", "mask", "image", "video", "audio", "special", "max", "min",
        "num", "per", "by", "each", "end", "start", "stop", "first", "last", "next", "new", "user", "add",
        "think", "system", "assistant", "placeholder", "prepend", "extra", "eod", "eot", "drop", "is", "of",
    )
)  # fmt: skip
"""What stands before ``token`` where it is one of a vocabulary."""
_HARMLESS = re.compile(
    r"[-+]?[\d.]+(?:[eE][-+]?\d+)?|true|false|none|null|yes|no|on|off|<[^<>]*>|\[[A-Z]+\]", re.I
)
_NOT_SECRET = frozenset(("pwd", "oldpwd"))
"""The shell's working folders."""
_LOOKS = re.compile(
    r"\bhf_[A-Za-z0-9]{20,}|\bsk-[A-Za-z0-9_\-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bglpat-[A-Za-z0-9_\-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abeprs]-[A-Za-z0-9\-]{10,}"
    r"|\bAIza[A-Za-z0-9_\-]{30,}|\beyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{4,}+(?:\.[A-Za-z0-9_\-]*+)?"
)
_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*", re.S)
_BEARER = re.compile(r"(\b(?:Bearer|Basic)\s{1,4})([A-Za-z0-9+/=._\-]{8,})")
_USER = re.compile(r"(?<=://)[^\s/@'\"]{1,300}@")
_VALUE = r"(?P<value>\"[^\"]{1,1000}\"|'[^']{1,1000}'|[^\s\"',;)\]}]{1,4000})"
_ASSIGNED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.\-]{0,100}+)(?P<between>['\"]?\s{0,40}+[=:]\s{0,40}+)" + _VALUE
)
_OPTION = re.compile(r"(?<![\w\-])(?P<name>--[A-Za-z][\w.\-]{0,100}+)(?P<between>\s{1,40}+)" + _VALUE)
_QUOTES = "\"'"


def is_secret_name(name: str) -> bool:
    """Return whether what is called *name* holds a secret: ``WANDB_API_KEY``, not ``pad_token_id``."""
    return _certain(name) or _likely(name)


def mask_value(name: str, value: str) -> str:
    """Return *value* as it may be shown: masked if *name* is a secret's, else where it looks like one."""
    if not value:
        return value
    if _certain(name) or (_likely(name) and not _HARMLESS.fullmatch(value)):
        return _mask(value)
    return _mask_looks(value)


def mask_line(line: str) -> str:
    """Return a line of text or code as it may be shown: secrets that are assigned or stand in it masked.

    Time grows with the line's length, whatever is in it.
    """
    return _OPTION.sub(_mask_held, _ASSIGNED.sub(_mask_held, _mask_looks(line)))


def _mask_held(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    mark = value[0] if value[0] in _QUOTES else ""
    bare = value.strip(mark) if mark else value
    if not (_certain(name) or (_likely(name) and not _HARMLESS.fullmatch(bare))):
        return found[0]
    return f"{name}{found['between']}{mark}{_mask(bare)}{mark}"


def _mask_looks(text: str) -> str:
    if "://" in text:
        text = _USER.sub(f"{MASKED}@", text)
    if "PRIVATE KEY" in text:
        text = _BLOCK.sub(MASKED, text)
    text = _BEARER.sub(lambda found: found[1] + _mask(found[2]), text)
    return _LOOKS.sub(lambda found: _mask(found[0]), text)


def _mask(value: str) -> str:
    if value.startswith(MASKED):
        return value
    bare = value.strip()
    digits, letters = any(map(str.isdigit, bare)), any(map(str.isalpha, bare))
    if len(bare) < _RANDOM_FROM or not (digits and letters) or any(map(str.isspace, bare)):
        return MASKED
    return f"{MASKED}:{hashlib.sha256(bare.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name[:200])]


def _certain(name: str) -> bool:
    words = _words(name)
    if not _ALWAYS.isdisjoint(words):
        return True
    return any(word == "key" and before in _BEFORE_KEY for before, word in pairwise(words))


def _likely(name: str) -> bool:
    words = _words(name)
    if not words or name.lower() in _NOT_SECRET:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    return last in _LAST and before not in _VOCABULARY
