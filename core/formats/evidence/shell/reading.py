"""Shell scripts that launch a training, as settings and environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.errors import Problem
from core.formats.evidence.documents.dialects import dialect_of
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.naming import each_once, setting
from core.formats.evidence.secrets import mask_value
from core.formats.evidence.shell.configurations import configurations
from core.formats.evidence.shell.launcher_tables import OPTION_NAMES
from core.formats.evidence.shell.launchers import Launch, launch_of
from core.formats.evidence.shell.options import Option, has_options, options_of
from core.formats.evidence.shell.script import Script
from core.formats.evidence.shell.values import Field, Segment, joined, place_of, split, text_of
from core.formats.evidence.shell.walking import walk
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting, Variable

_SUFFIXES = frozenset((".sh", ".bash", ".slurm", ".sbatch", ".zsh", ".ksh"))
_OTHERS = frozenset(
    (".py", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".csv", ".log", ".md", ".html", ".xml")
)  # fmt: skip
"""Endings of what is no script, whatever it looks like."""
_SHEBANG = re.compile(rb"#!\s*/[\w/.\-]*(?:env\s+(?:-S\s+)?)?\b(?:ba|z|da|k)?sh\b")
_STARTS = re.compile(
    rb"^[ \t]*(?:nohup +|sudo +|\w+=\S* +){0,5}"
    rb"(?:torchrun|msrun|deepspeed|accelerate +launch|llamafactory-cli|python[\d.]* +\S+|mpirun|srun)[ \t]",
    re.M,
)
_ARGUMENTS = re.compile(rb"^[ \t]*(?:export +)?\w*ARGS\w*\+?=[\"'(]", re.M)
_PRINTED = re.compile(rb"^\s*(?:\[|\+ |\d{4}-\d\d-\d\d|.*\biteration +\d+/)", re.M)
"""A log that quotes its command."""
_BATCH = re.compile(r"#SBATCH\s+(?P<options>\S.*)")
_MEGATRON = re.compile(r"(?:.*/)?pretrain_\w+\.py|(?:.*/)?posttrain_\w+\.py")
_MINDFORMERS = re.compile(r"(?:.*/)?run_mindformer\.py")
_LONGEST_VARIABLE = 1000


def read_script(file: EvidenceFile) -> Evidence | None:
    """Return what the launch script *file* sets, ``None`` if it is no script.

    Its settings are, in this order: variables (:attr:`Dialect.ENVIRONMENT`); arguments that no launch line
    uses; configurations that it writes or names and that lie beside it; options of the launcher; the
    training's own. Of several launch lines the last that trains counts. Where there is one, what it does not
    use is not known to hold.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    if not _is_script(file):
        return None
    try:
        script = walk(file)
    except Unreadable as wrong:
        return Evidence(file.path, (), problems=(wrong.problem(file.path),))
    launch = _training(script)
    problems = list(script.problems)
    of_launcher = list(options_of(launch.launcher)) if launch else []
    own = list(options_of(launch.own)) if launch else []
    unfilled = _unfilled(script)
    problems += [
        Problem("script_unfilled", place.path, {"name": name, "line": place.line})
        for name, place in unfilled.items()
    ]
    program = launch.program if launch else ""
    settings = [
        *_variables(script),
        *_unused(script, launch),
        *configurations(file, script, [*of_launcher, *own], problems),
        *_batch_options(file),
        *_settings(of_launcher, Dialect.LAUNCHER),
        *_settings(own, _dialect(program, own)),
        *(setting(name, name, place, _dialect(program, own), False) for name, place in unfilled.items()),
    ]
    environment = tuple(_environment(script, launch))
    kinds = (EvidenceKind.SCRIPT, EvidenceKind.ENVIRONMENT) if environment else (EvidenceKind.SCRIPT,)
    return Evidence(
        file.path,
        kinds,
        settings=each_once(settings),
        program=program,
        environment=environment,
        problems=tuple(problems),
    )


def _unfilled(script: Script) -> dict[str, Place]:
    """Return the variables of arguments that nothing in *script* sets, with where they stand first."""
    variables = script.variables
    set_here = variables.texts.keys() | variables.arrays.keys()
    return {f"${name}": place for name, place in variables.unfilled.items() if name not in set_here}


def _is_script(file: EvidenceFile) -> bool:
    head = file.head
    if file.suffix in _SUFFIXES or _SHEBANG.match(head.removeprefix(b"\xef\xbb\xbf")):
        return b"\0" not in head[:1000] or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if file.suffix in _OTHERS or b"\0" in head or head.lstrip()[:1] in (b"{", b"[", b"<"):
        return False
    signs = len(_STARTS.findall(head)) + len(_ARGUMENTS.findall(head))
    return bool(signs) and len(_PRINTED.findall(head)) <= signs


def _training(script: Script) -> Launch | None:
    """Return the last of the launches that look most like the training."""
    launches = [launch for started in script.started if (launch := launch_of(started)) is not None]
    best = max((launch.rank for launch in launches), default=0)
    return next((launch for launch in reversed(launches) if launch.rank == best), None)


def _dialect(program: str, options: Sequence[Option]) -> Dialect:
    dialect = dialect_of(option.name for option in options)
    if _MEGATRON.fullmatch(program):
        return Dialect.MEGATRON
    if _MINDFORMERS.fullmatch(program):
        return Dialect.MINDFORMERS
    if dialect in (Dialect.MEGATRON, Dialect.HUGGING_FACE, Dialect.MINDFORMERS):
        return dialect
    return Dialect.HUGGING_FACE if program.startswith(("llamafactory", "swift")) else Dialect.PLAIN


def _settings(options: Iterable[Option], dialect: Dialect, known: bool = True) -> Iterator[Setting]:
    for option in options:
        if option.name:
            yield setting(option.name, option.value, option.place, dialect, option.known and known)


def _variables(script: Script) -> Iterator[Setting]:
    """Yield the variables that hold one value, in the order in which they were set first."""
    for name, value in script.variables.texts.items():
        text = text_of(value)
        if (
            "\n" in text
            or len(text) > _LONGEST_VARIABLE
            or " --" in text
            or has_options(_fields(split(value)))
        ):
            continue
        place = place_of(value)
        if place.path:
            yield setting(name, text, place, Dialect.ENVIRONMENT, all(item.known for item in value))


def _unused(script: Script, launch: Launch | None) -> Iterator[Setting]:
    """Yield options that stand in variables which the launch line does not use."""
    used = {item.place for item in (*launch.launcher, *launch.own)} if launch else set()
    arrays = script.variables.arrays
    held = [_fields(split(value)) for value in script.variables.texts.values()]
    held += [_fields(array) for array in arrays.values()]
    for fields in held:
        if not has_options(fields):
            continue
        options = [option for option in options_of(fields) if option.place not in used]
        names = {option.name.replace("-", "_") for option in options}
        dialect = Dialect.LAUNCHER if len(names & OPTION_NAMES) * 2 > len(names) else _dialect("", options)
        yield from _settings(options, dialect, known=launch is None)


def _fields(words: Iterable[tuple[Segment, ...]]) -> list[Field]:
    return [Field(tuple(word)) for word in words]


def _batch_options(file: EvidenceFile) -> Iterator[Setting]:
    """Yield what ``#SBATCH`` lines ask of the scheduler."""
    if b"#SBATCH" not in file.head:
        return
    for number, line in enumerate(file.head.decode("utf-8", "replace").split("\n"), 1):
        if found := _BATCH.match(line.strip()):
            words = split((Segment(found["options"][:1000], file.place(number)),))
            yield from _settings(options_of(_fields(words)), Dialect.LAUNCHER)


def _environment(script: Script, launch: Launch | None) -> Iterator[Variable]:
    values = {}
    for name in script.exported:
        value = script.variables.text(name)
        if name in script.variables.arrays:
            value = joined(script.variables.arrays[name])
        if value is not None:
            values[name] = value
    values.update(launch.environment if launch else ())
    for name, value in values.items():
        yield Variable(name, mask_value(name, text_of(value)), place_of(value))
