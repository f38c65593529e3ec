"""Programs that start a training, and how their own options are told from the training's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.formats.evidence.shell.embedded import words_in
from core.formats.evidence.shell.launcher_tables import (
    ALIASES,
    COUNTED_WRAPPERS,
    FLAGS,
    MODULES,
    PLAIN_WRAPPERS,
    RUNS_COMMANDS,
    TRAINERS,
    TWO_VALUES,
    VALUED,
)
from core.formats.evidence.shell.script import Started
from core.formats.evidence.shell.values import Field, Text

_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*")
_OTHER_WORK = re.compile(
    r"(?i)(?:^|[/_\-.])(?:preprocess|convert|ckpt_convert|eval(?:uate|uation)?|infer(?:ence)?|test|tests"
    r"|tokeni[sz]e|download|serve|server|export|merge|plot|setup|install|pip|prepare|split|check|api|chat|webui)(?=[_\-./]|$)"
)
_TRAINS = re.compile(r"(?i)train|tune|sft|lora|dpo|ppo|grpo|rlhf|run_|main")
_NOT_ALIKE = re.compile(r".*\.(?:py|pyc)|(?:.*/)?python[\d.]*")


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts a Python program."""

    program: str
    launcher: tuple[Field, ...]
    """Options of the launchers."""
    own: tuple[Field, ...]
    """Arguments of the program."""
    environment: tuple[tuple[str, Text], ...]
    rank: int
    """How surely it is the training: 0 other work, 1 a program, 2 a training by its name or launcher."""


def launch_of(started: Started) -> Launch | None:
    """Return what *started* launches, ``None`` if it is no Python program."""
    environment = list(started.environment)
    launcher: list[Field] = []
    fields = list(started.fields)
    distributed = False
    for _ in range(10):
        fields = _unwrapped(fields, environment)
        if not fields:
            return None
        name = ALIASES.get(word := fields[0].text.rpartition("/")[2], word)
        if name in ("eval", "bash", "sh"):
            fields = _inner(fields)
            continue
        if name == "docker":
            fields = next((fields[at:] for at, item in enumerate(fields) if item.text in ("bash", "sh")), [])
            continue
        if name in TRAINERS:
            trains = len(fields) > 1 and fields[1].text in TRAINERS[name]
            own = fields[2 if trains else 1 :]
            return Launch(name, tuple(launcher), tuple(own), tuple(environment), 2 if trains else 0)
        module = fields[0].text
        if _PYTHON.fullmatch(module):
            program, own, is_module = _python(fields)
            if is_module and program in MODULES:
                name, fields = MODULES[program], [fields[0], *own]
            else:
                return _launched(program, launcher, own, environment, distributed)
        if name == "accelerate":
            at = next((at for at, item in enumerate(fields[:3]) if item.text == "launch"), 0)
            fields = fields[at:]
        if name not in FLAGS:
            return None
        options, rest = _options(name, fields[1:])
        launcher += options
        distributed = True
        if name in RUNS_COMMANDS:
            fields = rest
            continue
        if not rest:
            return None
        if _PYTHON.fullmatch(rest[0].text):
            fields = rest
            continue
        return _launched(rest[0].text, launcher, rest[1:], environment, distributed)
    return None


def _launched(
    program: str,
    launcher: Sequence[Field],
    own: Sequence[Field],
    environment: Sequence[tuple[str, Text]],
    distributed: bool,
) -> Launch | None:
    if not program:
        return None
    name = program.rpartition("/")[2]
    trains = distributed or _TRAINS.search(name)
    rank = 0 if _OTHER_WORK.search(name) and not re.search("(?i)train", name) else 2 if trains else 1
    return Launch(program, tuple(launcher), tuple(own), tuple(environment), rank)


def _unwrapped(fields: list[Field], environment: list[tuple[str, Text]]) -> list[Field]:
    """Return *fields* without programs that only run what follows; what they set goes to *environment*."""
    while fields:
        text = fields[0].text
        name = text.rpartition("/")[2]
        head, sign, _ = text.partition("=")
        if sign and head.isidentifier():
            environment.append((head, _after(fields[0], len(head) + 1)))
            fields = fields[1:]
        elif name in PLAIN_WRAPPERS:
            fields = fields[1:]
        elif name in COUNTED_WRAPPERS:
            fields = fields[1:]
            while fields and fields[0].text[:1] == "-":
                fields = fields[2 if fields[0].text in VALUED.get(name, ()) else 1 :]
            counted = COUNTED_WRAPPERS[name]
            if name == "taskset" and fields and _PYTHON.fullmatch(fields[0].text):
                counted = 0
            fields = fields[counted:]
        else:
            break
    return fields


def _after(field: Field, length: int) -> Text:
    """Return the text of *field* from its character *length* on."""
    kept = []
    for segment in field.segments:
        if length < len(segment.text):
            kept.append(segment._replace(text=segment.text[length:]))
        length = max(length - len(segment.text), 0)
    return tuple(kept)


def _inner(fields: list[Field]) -> list[Field]:
    """Return the command line that ``eval`` or ``bash -c`` runs."""
    rest = fields[1:]
    if fields[0].text.rpartition("/")[2] == "eval":
        return words_in(rest)
    at = next((at for at, item in enumerate(rest) if item.text[:1] == "-" and item.text.endswith("c")), -1)
    return words_in(rest[at + 1 : at + 2]) if at >= 0 else []


def _python(fields: list[Field]) -> tuple[str, list[Field], bool]:
    """Return the program that Python runs, its arguments, and whether it is a module."""
    at = 1
    while at < len(fields):
        text = fields[at].text
        if text == "-m" and at + 1 < len(fields):
            return fields[at + 1].text, fields[at + 2 :], True
        if text == "-c":
            return "", [], False
        if text in ("-X", "-W"):
            at += 2
        elif text[:1] == "-":
            at += 1
        else:
            return text, fields[at + 1 :], False
    return "", [], False


def _options(launcher: str, fields: Sequence[Field]) -> tuple[list[Field], list[Field]]:
    """Return the options of *launcher* at the beginning of *fields*, and what it starts."""
    at = 0
    while at < len(fields):
        text = fields[at].text
        if text == "--":
            return list(fields[:at]), list(fields[at + 1 :])
        if text[:1] != "-" or text == "-":
            break
        name = text.lstrip("-")
        at += 1
        if "=" in name or name in FLAGS[launcher] or at >= len(fields):
            continue
        if name in TWO_VALUES:
            at += 2
        elif not _NOT_ALIKE.fullmatch(fields[at].text) and fields[at].text[:2] != "--":
            at += 1
    return list(fields[:at]), list(fields[at:])
