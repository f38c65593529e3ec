"""What evidence says of state that an earlier run left: checkpoints loaded, trainings resumed, restarts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.logs import delimited_rows, document, event_records
from core.precheck.pair import Side
from core.precheck.settings.places import named_by
from core.records.curves import RunKind
from core.records.evidence import EvidenceKind, Place, Setting

STEP = "ckpt_step"
"""Which checkpoint: it must be the same one."""
_SETTINGS = frozenset(
    (
        "load", "resume", "resume_from", "resume_from_checkpoint", "auto_resume", "load_checkpoint",
        STEP, "resume_training", "resume_ckpt", "load_ckpt", "resume_path",
    )
)  # fmt: skip
"""Settings by which trainers take up a checkpoint: Megatron-LM's ``--load``, the Hugging Face Trainer's
``resume_from_checkpoint``, MindFormers' ``resume_training`` and ``load_checkpoint``, and their relatives."""
OVERWRITE = "overwrite_output_dir"
"""Without it LLaMA-Factory and the examples of transformers take up the last checkpoint in ``output_dir``."""
_OFF = frozenset(("", "false", "none", "null", "0", "no", "off"))
_ON = frozenset(("true", "yes", "on", "1"))
_OTHER_RUNS = frozenset((EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG))
_RANDOM = "random"
_MARKS = (
    ("loaded", re.compile(r"(?:successfully loaded|loading) (?:a )?checkpoint (?:from )?(\S+)", re.I)),
    (
        "loaded",
        re.compile(
            r"loading (?:model|optimizer|states?) (?:states? )?from (\S*(?:ckpt|checkpoint)\S*)", re.I
        ),
    ),
    ("resumed", re.compile(r"(?:resum(?:e|ing)|continuing) (?:the )?training (?:from|at) (.{1,80})", re.I)),
    (_RANDOM, re.compile(r"will not load any checkpoints", re.I)),
    ("arguments", re.compile(r"could not find arguments in the checkpoint", re.I)),
)
"""What Megatron-LM (``checkpointing.py``), DeepSpeed and the Hugging Face Trainer print when they do so."""
RESTART = "restart"
SIGNS = ("loaded", "resumed", "arguments", RESTART)
"""What is told by a log, and is no name of a setting."""
_MOST_LINES = 20_000
"""Lines of a log that are looked through: a checkpoint is loaded before the first step."""
_TABLES = frozenset((delimited_rows.FORM, document.FORM, event_records.FORM))
_TABLE_FILES = frozenset((".json", ".jsonl", ".csv"))
"""Logs of numbers alone: what a training says of checkpoints stands on its console."""


class Trace(NamedTuple):
    """One sign of taken-up state."""

    name: str
    value: str
    place: Place
    known: bool = True
    """False: only the machine knows the value."""

    @property
    def checkpoint(self) -> str | tuple[str, ...] | None:
        """What the place that is loaded from names; ``None`` where no place is told."""
        told = self.known and self.name not in (STEP, OVERWRITE, *SIGNS[1:])
        return named_by(self.value) if told and self.value.lower() not in _ON else None


def takes_up(found: Mapping[str, Trace]) -> bool:
    """Whether a checkpoint is loaded, or a training resumed, for sure."""
    return any(trace.known and name not in (RESTART, OVERWRITE) for name, trace in found.items())


def tells(side: Side) -> bool:
    """Whether the evidence of *side* would say that earlier state is taken up."""
    said = any(_own_name(setting) in _SETTINGS for setting in _settings(side))
    return said or bool(side.configuration.frameworks) or has_console(side)


def has_console(side: Side) -> bool:
    """Whether there is a log of more than numbers."""
    return any(
        run.kind is RunKind.LOG
        and not _TABLES.issuperset(run.forms)
        and Path(run.path).suffix.lower() not in _TABLE_FILES
        for run in side.logs()
    )


def _settings(side: Side) -> Iterator[Setting]:
    """Yield the settings of the run itself, not those of further ones."""
    for item in side.evidence:
        if _OTHER_RUNS.isdisjoint(item.kinds):
            yield from item.settings


def traces_of(side: Side) -> dict[str, Trace]:
    """Return what *side* says of earlier state, by the names of settings and the signs of a log."""
    traces = dict(_said(side))
    if traces.pop(_RANDOM, None) is not None:
        traces.pop("load", None)  # Megatron-LM found nothing there
    return traces


def _said(side: Side) -> Iterator[tuple[str, Trace]]:
    for setting in _settings(side):
        name = _own_name(setting)
        value = str(setting.value).strip()
        if (name in _SETTINGS or name == OVERWRITE) and value.lower() not in _OFF:
            yield name, Trace(name, value, setting.place, setting.known)
    for evidence in side.of_kind(EvidenceKind.LOG):
        yield from _said_in(evidence.path)
        if evidence.log is not None and evidence.log.resumes:
            first = evidence.log.resumes[0]
            yield RESTART, Trace(RESTART, str(first.step), Place(evidence.path))


def _own_name(setting: Setting) -> str:
    return setting.name.rpartition(".")[2].lstrip("-").replace("-", "_").lower()


def _said_in(path: str) -> Iterator[tuple[str, Trace]]:
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
                    yield name, Trace(name, value, file.place(number))
    except OSError:
        return
