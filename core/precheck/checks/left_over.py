"""State that an earlier run left and this one took up: checkpoints loaded, restarts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from core.formats.evidence.evidence_file import EvidenceFile
from core.messages import Message
from core.precheck.checks.logs import main_log
from core.precheck.checks.missing import without_logs
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.records.evidence import EvidenceKind, Place, Setting
from core.records.precheck import Item, Outcome, Standing

_STEP = "ckpt_step"
"""Which checkpoint: it must be the same one."""
_SETTINGS = frozenset(
    (
        "load", "resume", "resume_from", "resume_from_checkpoint", "auto_resume", "load_checkpoint",
        _STEP, "resume_training", "resume_ckpt", "load_ckpt", "resume_path",
    )
)  # fmt: skip
"""Settings by which trainers take up a checkpoint: Megatron-LM's ``--load``, the Hugging Face Trainer's
``resume_from_checkpoint``, MindFormers' ``resume_training`` and ``load_checkpoint``, and their relatives."""
_OFF = frozenset(("", "false", "none", "null", "0", "no", "off"))
_MARKS = (
    ("loaded", re.compile(r"(?:successfully loaded|loading) (?:a )?checkpoint (?:from )?(\S+)", re.I)),
    (
        "loaded",
        re.compile(
            r"loading (?:model|optimizer|states?) (?:states? )?from (\S*(?:ckpt|checkpoint)\S*)", re.I
        ),
    ),
    ("resumed", re.compile(r"(?:resum(?:e|ing)|continuing) (?:the )?training (?:from|at) (.{1,80})", re.I)),
    ("arguments", re.compile(r"could not find arguments in the checkpoint", re.I)),
)
"""What Megatron-LM (``checkpointing.py``), DeepSpeed and the Hugging Face Trainer print when they do so."""
_RESTART = "restart"
_SIGNS = ("loaded", "resumed", "arguments", _RESTART)
"""What is told by a log, and is no name of a setting."""
_MOST_LINES = 20_000
"""Lines of a log that are looked through: a checkpoint is loaded before the first step."""


class _Trace(NamedTuple):
    """One sign of taken-up state."""

    name: str
    value: str
    place: Place


def left_over(pair: Pair) -> Finding:
    """Check that no side takes up a checkpoint, or is restarted, where the other one is not."""
    logs = [main_log(side) for side in (pair.target, pair.golden)]
    looked = [
        logs[0] is not None or _has_settings(pair.target),
        logs[1] is not None or _has_settings(pair.golden),
    ]
    if not all(looked):
        return without_logs(target=looked[0], golden=looked[1])
    found = [dict(_traces(side)) for side in (pair.target, pair.golden)]
    takes_up = [any(name != _RESTART for name in side) for side in found]
    items = []
    for name in dict.fromkeys((*found[0], *found[1])):
        ours, theirs = found[0].get(name), found[1].get(name)
        standing = Standing.REMARK
        if ours is not None and theirs is not None:
            standing = Standing.DIFFERS if name == _STEP and ours.value != theirs.value else standing
        elif name == _RESTART or not all(takes_up):
            # What one side says in its log the other may say in its settings.
            standing = Standing.TARGET_ONLY if theirs is None else Standing.GOLDEN_ONLY
        remark = Message(f"precheck.flow.left_over.sign.{name}") if name in _SIGNS else None
        shown = ours.value if ours else "", theirs.value if theirs else ""
        places = ours.place if ours else None, theirs.place if theirs else None
        items.append(Item(name, *shown, standing, *places, remark))
    files = [tuple(_files(side)) for side in (pair.target, pair.golden)]
    alone = [item for item in items if item.standing is not Standing.REMARK]
    if alone:
        which = "golden" if alone[0].standing is Standing.GOLDEN_ONLY else "target"
        told = {"name": alone[0].name, "value": alone[0].target or alone[0].golden}
        message = Message(f"precheck.flow.left_over.fail.{which}", told)
        return Finding(Outcome.FAIL, message, items, (), files[0], files[1])
    word = "both" if items else "pass"
    return Finding(Outcome.PASS, Message(f"precheck.flow.left_over.{word}"), items, (), files[0], files[1])


def _has_settings(side: Side) -> bool:
    return next(side.settings(), None) is not None


def _files(side: Side) -> Iterator[str]:
    for evidence in side.evidence:
        if evidence.settings or EvidenceKind.LOG in evidence.kinds:
            yield evidence.path


def _traces(side: Side) -> Iterator[tuple[str, _Trace]]:
    """Yield each sign once, by its name."""
    for setting in side.settings():
        name = _own_name(setting)
        value = str(setting.value).strip()
        if name in _SETTINGS and value.lower() not in _OFF:
            yield name, _Trace(name, value, setting.place)
    for evidence in side.of_kind(EvidenceKind.LOG):
        yield from _said_in(evidence.path)
        if evidence.log is not None and evidence.log.resumes:
            first = evidence.log.resumes[0]
            yield _RESTART, _Trace(_RESTART, str(first.step), Place(evidence.path))


def _own_name(setting: Setting) -> str:
    return setting.name.rpartition(".")[2].lstrip("-").replace("-", "_").lower()


def _said_in(path: str) -> Iterator[tuple[str, _Trace]]:
    """Yield what the beginning of the log at *path* says of checkpoints; nothing for what is no text."""
    if not Path(path).is_file():
        return
    file = EvidenceFile(path)
    try:
        if b"\0" in file.head:
            return
        for number, line in islice(file.lines(), _MOST_LINES):
            for name, mark in _MARKS:
                if (said := mark.search(line)) is not None:
                    value = said[1].strip() if mark.groups else said[0]
                    yield name, _Trace(name, value, file.place(number))
    except OSError:
        return
