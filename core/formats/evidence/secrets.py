"""Secrets are masked before anything else sees them: tokens, passwords and keys have no part in a comparison.

A secret is told by the name of what holds it, or by its own look. What takes its place is ``masked``; for
long random values ``masked:`` and 32 bits of their SHA-256, so that two sides can still be seen to hold the
same or different ones. 20 random letters and digits have over 100 bits: the 32 cannot be turned back. Short
or plain values, which could be guessed and the guess confirmed, get no such digits; nor is their length told.

Every pattern has bounds: time grows with the text's length, whatever is in it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from core.formats.evidence.secret_names import holds_secret, is_secret_name

__all__ = ["is_secret_name", "mask_line", "mask_lines", "mask_value"]

MASKED = "masked"
_RANDOM_FROM = 20
"""Letters from which on a value of letters and digits cannot be guessed."""
_LOOKS = re.compile(
    r"\bhf_[A-Za-z0-9]{20,}|\bsk-[A-Za-z0-9_\-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bglpat-[A-Za-z0-9_\-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abeprs]-[A-Za-z0-9\-]{10,}"
    r"|\bAIza[A-Za-z0-9_\-]{30,}|\beyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{4,}+(?:\.[A-Za-z0-9_\-]*+)?"
    r"|(?<=hooks\.slack\.com/services/)[\w/]{8,200}"
)
_BLOCK = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*", re.S)
_BLOCK_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY-----")
_GIVEN = re.compile(
    r"(?i)(\bBearer\s{1,4}|\bBasic\s{1,4}(?=[A-Za-z0-9+/]{8,200}={0,2}(?![\w+/]))(?=\S{0,200}(?-i:[A-Z0-9=]))"
    r"|\b(?:wandb|swanlab|huggingface-cli|hf)\s{1,4}login\s{1,4}(?:--[a-z\-]{1,40}\s{1,4}){0,3}"
    r"|(?<![\w\-])-u\s{1,4}(?=[^\s:]{1,100}:)|\bmysql[^\n]{0,200}?\s-p|\bsshpass\s{1,4}-p\s{0,4})"
    r"([^\s\"'\\]{1,4000})"
)
"""What is a secret by the command or word before it."""
_HEADER = re.compile(
    r"(?i)(\b(?:(?:proxy-)?authorization|x-[\w\-]{0,40}(?:key|token)|api-key|set-cookie|cookie)"
    r"['\"]?\s{0,4}[:=]\s{0,4}['\"]?)([^'\"\n]{1,1000})"
)
_QUERY = re.compile(
    r"(?i)([?&;](?:[\w\-]{0,40}(?:token|password|passwd|pwd|secret|signature)|(?:api_?)?key|sig|sign|auth)=)"
    r"([^&\s'\"]{1,1000})"
)
_USER = re.compile(r"(?<=://)(?:[^\s/@'\"]{1,300}@|[^\s/:@'\"]{0,100}:(?!\d{1,5}/)[^\s'\"]{1,300}@)+")
_BARE_USER = re.compile(r"(?<![\w/:@.\-])[\w.\-]{1,64}:[^\s/@:'\"]{1,100}@(?!sha256)(?=[\w\-]{1,60}[.:\w])")
_QUOTED = r"[fFrRbBuU]{0,2}(?:\"\"\".{1,1000}?\"\"\"|'''.{1,1000}?'''|\"[^\"]{1,1000}\"|'[^']{1,1000}')"
_VALUE = rf"(?P<value>{_QUOTED}|\{{[^{{}}]{{1,1000}}\}}|\[[^\[\]]{{1,1000}}\]|[^\s\"',;)\]}}]{{1,4000}})"
_NAME = r"(?<![\w.])(?P<name>[A-Za-z_][\w.\-]{0,100}+)"
_HELD = tuple(
    map(
        re.compile,
        (
            # a name in quotes, then its value: environ["NAME"] = "x", getenv("NAME", "x"), default="x"
            rf"(?P<name>(?<=['\"])-{{0,2}}[A-Za-z_][\w.\-]{{0,100}}+)"
            rf"(?P<between>['\"]\s{{0,4}}\]\s{{0,4}}=\s{{0,4}})(?P<value>{_QUOTED})",
            rf"(?P<name>(?<=['\"])-{{0,2}}[A-Za-z_][\w.\-]{{0,100}}+)"
            rf"(?P<between>['\"]\s{{0,4}},[^'\"]{{0,100}})(?P<value>{_QUOTED})",
            # set_token("x")
            rf"{_NAME}(?P<between>\(\s{{0,4}})(?P<value>{_QUOTED})",
            # NAME: str = "x"
            rf"{_NAME}(?P<between>\s{{0,4}}:\s{{0,4}}[A-Za-z][\w\[\]|. ]{{0,60}}=\s{{0,4}})"
            rf"(?P<value>{_QUOTED})",
            rf"{_NAME}(?P<between>['\"]?\s{{0,40}}+[=:]\s{{0,40}}+){_VALUE}",
            rf"(?<![\w\-])(?P<name>--[A-Za-z][\w.\-]{{0,100}}+)(?P<between>\s{{1,40}}+){_VALUE}",
        ),
    )
)
"""How code, configurations and command lines say what a name holds."""
_OPENS = re.compile(
    r"(?P<name>[A-Za-z_][\w.\-]{0,100}+)(?:['\"]\s{0,4}\])?(?:\s{0,4}:\s{0,4}[\w\[\]|. ]{1,60})?"
    r"\s{0,4}[=:]\s{0,4}[fFrRbBuU]{0,2}(?P<mark>\(|\\|\"\"\"|''')[^\n]{0,1000}$"
)
_CALLED = re.compile(r"[A-Za-z_][\w.]{0,100}[(\[]")
_IDENTIFIER = re.compile(r"[A-Za-z_.]{1,100}")
_VARIABLES = frozenset(("token", "tokens", "auth", "sk", "ak"))
"""Names that code has for other things too."""
_ANY_QUOTED = re.compile(_QUOTED)
_KEY = re.compile(r"(?i)(?:.*[._\-])?key")


def mask_value(name: str, value: str) -> str:
    """Return *value* as it may be shown: masked if *name* is a secret's, else what of it is one."""
    if not value:
        return value
    return _mask(value) if _is_secret(name, value) else mask_line(value)


def mask_line(line: str) -> str:
    """Return a line of text or code as it may be shown: secrets that are assigned or stand in it masked."""
    line = _mask_looks(line)
    for pattern in _HELD:
        line = "".join(_masked_held(pattern, line))
    return line


def mask_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield *lines* as they may be shown; what begins in one and goes on in others is masked in all."""
    until = ""
    for line in lines:
        if until:
            closed = until == "\\" or until in line or (until == "-----END" and _BLOCK_END.search(line))
            yield _ANY_QUOTED.sub(MASKED, line) if until in (")", "\\") else MASKED if line.strip() else line
            until = "" if closed else until
            continue
        if _BLOCK.search(line) and not _BLOCK_END.search(line):
            until = "-----END"
        elif (found := _OPENS.search(line)) and is_secret_name(found["name"]):
            mark = found["mark"]
            rest = line[found.end("mark") :]
            close = ")" if mark == "(" else mark
            until = "" if close in rest and mark != "\\" else close
        yield mask_line(line) if until in ("", "\\", "-----END") else _opened(line)


def _opened(line: str) -> str:
    """Return a line that opens what goes on below, with all texts in it masked."""
    quoted = _ANY_QUOTED.sub(MASKED, line)
    for mark in ('"""', "'''"):
        before, found, _ = quoted.partition(mark)
        if found:
            return before + mark + MASKED
    return quoted


def _is_secret(name: str, value: str) -> bool:
    return holds_secret(name, value) or (bool(_KEY.fullmatch(name)) and _is_random(value.strip()))


def _masked_held(pattern: re.Pattern[str], line: str) -> Iterator[str]:
    """Yield the pieces of *line*; what is no secret's value may hold one further on."""
    at = done = 0
    while found := pattern.search(line, at):
        value = found["value"]
        inside, mark = _bare(value)
        if inside and _is_secret(found["name"], inside) and not (not mark and _is_code(found["name"], value)):
            yield f"{line[done : found.start('value')]}{mark}{_mask(inside)}{mark}"
            at = done = found.end()
        else:
            at = found.start("value")
    yield line[done:]


def _bare(value: str) -> tuple[str, str]:
    """Return *value* without its quotes, and the quotes."""
    bare = value.lstrip("fFrRbBuU") if value[-1] in "\"'" else value
    mark = bare[:3] if bare[:3] in ('"""', "'''") else bare[0] if bare[:1] in ('"', "'") else ""
    return (bare[len(mark) : len(bare) - len(mark)], mark) if mark else (value, "")


def _is_code(name: str, value: str) -> bool:
    """Whether *value*, without quotes, is an expression: ``token = tokens[i]`` keeps no secret."""
    return bool(_CALLED.match(value)) or (name in _VARIABLES and bool(_IDENTIFIER.fullmatch(value)))


def _mask_looks(text: str) -> str:
    if "@" in text:
        text = _BARE_USER.sub(f"{MASKED}@", _USER.sub(f"{MASKED}@", text))
    if "PRIVATE KEY" in text:
        text = _BLOCK.sub(MASKED, text)
    for pattern in (_GIVEN, _HEADER, _QUERY):
        text = pattern.sub(lambda found: found[1] + _mask(found[2]), text)
    return _LOOKS.sub(lambda found: _mask(found[0]), text)


def _mask(value: str) -> str:
    if value.startswith(MASKED):
        return value
    bare = value.strip()
    if not _is_random(bare):
        return MASKED
    return f"{MASKED}:{hashlib.sha256(bare.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _is_random(value: str) -> bool:
    digits, letters = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    return len(value) >= _RANDOM_FROM and digits and letters and not any(map(str.isspace, value))
