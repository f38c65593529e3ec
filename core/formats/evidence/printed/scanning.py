"""Settings that a training printed into its log, read line by line."""

from __future__ import annotations

import re

from core.formats.evidence.documents.dialects import dialect_of
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.naming import MOST_SETTINGS, setting
from core.formats.evidence.printed.braces import Braces, members_of
from core.formats.evidence.printed.facts import HINTS, facts_of
from core.formats.evidence.printed.values import keywords, printed_values
from core.records.evidence import Dialect, Evidence, EvidenceKind, Setting, Value

_MOST_LINES = 400_000
"""Lines of a log that are looked at; a training prints its settings before it begins."""
_MOST_CHARACTERS = 128 << 20
_NO_LOGS = frozenset(
    (
        ".py",
        ".sh",
        ".json",
        ".jsonl",
        ".yaml",
        ".yml",
        ".toml",
        ".ini",
        ".csv",
        ".tsv",
        ".md",
        ".html",
        ".xml",
        ".rst",
    )
)
_RANK = re.compile(r"^\s*(?:\[(?:default|rank)\s*\d{1,6}\]:?|\d{1,5}:(?= ))(?: (?=\S))?")
_PREFIX = re.compile(
    r"\s*(?:\[(?:[^\[\]']{1,120})\](?::|(?=\s|\[))|\d{4}[-/]\d\d[-/]\d\d[T ,]+[\d:.,]+Z?|\d\d:\d\d:\d\d\S*"
    r"|INFO|WARNING|DEBUG|\w+(?:\.\w+)+(?=\s+[-|])|\w+\[[^\]\s]{1,120}\]|[-|>:]|\S{1,100}\.py:\d+\S{0,60}"
    r"|\(\S{1,60} pid=\d+\))(?=\s|$|\{|\[)"
)
_DOTTED = re.compile(r"(?:^|\]|:|\s)\s*(?P<name>[A-Za-z_][\w.\-]{0,100}) \.{2,} ?(?P<value>.*)$")
_BEGIN = re.compile(r"-{5,} ?(?:\w+ )?arguments ?-{5,}")
_END = re.compile(r"-{5,} ?end of (?:\w+ )?arguments ?-{5,}")
_DEEPSPEED = re.compile(r"\[config\.py:\d{1,6}:\w{1,40}\]\s*(?P<rest>.*)$")
_CALL = re.compile(r"\b(?P<name>[A-Z]\w{0,80}(?:Arguments|Args|Config)|Namespace)\((?P<rest>.*)$")
_CONFIG = re.compile(r"\b(?P<name>[A-Z]\w{0,80}Config) ?\{\s*$")
_MEMBER = re.compile(r"\s*(?P<name>[A-Za-z_]\w{0,100})=(?P<value>.*?),?\s*$")
_LOSS = re.compile(
    r"\{\s*['\"](?:\w*loss|grad_norm|step|epoch|iteration|global_step|current_steps|eval_\w+)['\"]"
)
_DICTIONARY = re.compile(r"\{\s*(?:['\"][A-Za-z_]\w{0,100}['\"]\s*:|$)")
_LEFT_OUT = frozenset(("GenerationConfig", "BitsAndBytesConfig", "QuantizationConfig"))
"""What is printed like a configuration of the model and says nothing of the training."""


def scan_arguments(file: EvidenceFile) -> Evidence | None:
    """Return the settings that the training printed into the log *file*, ``None`` if it printed none.

    Megatron's list of arguments and what it says it settled on, transformers' ``TrainingArguments``,
    configurations of models, the head of its training, DeepSpeed's configuration, ``Namespace(...)`` of
    argparse, dictionaries as MindFormers prints them. Memory does not grow with the log; only its beginning
    is read.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    if file.suffix in _NO_LOGS:
        return None
    scan = _Scan(file)
    characters = 0
    for number, line in file.lines():
        scan.take(number, line)
        characters += len(line)
        if number > _MOST_LINES or characters > _MOST_CHARACTERS or scan.full:
            break
    if not scan.settings:
        return None
    return Evidence(file.path, (EvidenceKind.ARGUMENTS,), settings=tuple(scan.settings))


class _Scan:
    """What was found so far, and which block is open."""

    def __init__(self, file: EvidenceFile) -> None:
        self._file = file
        self.settings: list[Setting] = []
        self._said: dict[tuple[str, Dialect], Value] = {}
        self._megatron = False
        self._call = ""
        """Name of the open ``TrainingArguments(``."""
        self._members: list[tuple[int, str, str]] = []
        self._last = 0
        """Line of the last member of it."""
        self._braces: Braces | None = None

    @property
    def full(self) -> bool:
        """Whether there are as many settings as are kept."""
        return len(self.settings) >= MOST_SETTINGS

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        if self._braces is not None:
            self._go_on(line)
        elif self._call:
            self._member(number, line)
        elif self._megatron and " .." in line:
            if found := _DOTTED.search(line):
                self._put(number, found["name"], found["value"], Dialect.MEGATRON)
        elif "arguments" in line and _BEGIN.search(line):
            self._megatron = True
        elif "end of" in line and _END.search(line):
            self._megatron = False
        elif "[config.py:" in line:
            self._deepspeed(number, line)
        elif ("(" in line and self._opens_call(number, line)) or (
            "{" in line and self._opens_braces(number, line)
        ):
            pass
        elif any(hint in line for hint in HINTS):
            for name, value, dialect in facts_of(line):
                self._keep(number, name, value, dialect)

    def _put(self, number: int, name: str, text: str, dialect: Dialect) -> None:
        for inner, value in printed_values(name, text):
            self._keep(number, inner, value, dialect)

    def _keep(self, number: int, name: str, value: Value, dialect: Dialect) -> None:
        """Keep a setting, but not again what another rank prints too."""
        key = (name, dialect)
        if key in self._said and repr(self._said[key]) == repr(value):
            return
        self._said[key] = value
        if not self.full:
            self.settings.append(setting(name, value, self._file.place(number), dialect))

    def _deepspeed(self, number: int, line: str) -> None:
        found = _DEEPSPEED.search(line)
        if not found:
            return
        rest = found["rest"].strip()
        if rest.startswith("json = {"):
            self._open(Braces(number, Dialect.DEEPSPEED), rest[len("json = ") :])
        elif entry := _DOTTED.search(rest):
            if entry["value"].strip() == "{":
                self._open(Braces(number, Dialect.DEEPSPEED, entry["name"]), "{")
            else:
                self._put(number, entry["name"], entry["value"], Dialect.DEEPSPEED)
        elif (pieces := rest.split(None, 1)) and len(pieces) == 2 and pieces[1] == "{":
            self._open(Braces(number, Dialect.DEEPSPEED, pieces[0]), "{")

    def _opens_call(self, number: int, line: str) -> bool:
        found = _CALL.search(line)
        if not found or found["name"] in _LEFT_OUT:
            return False
        rest = found["rest"].strip()
        if not rest:
            self._call, self._members, self._last = found["name"], [], number
            return True
        pairs = list(keywords(rest))
        if len(pairs) < 3:
            return False
        dialect = _dialect(found["name"], [name for name, _ in pairs])
        for name, value in pairs:
            self._put(number, name, value, dialect)
        return True

    def _member(self, number: int, line: str) -> None:
        bare = _RANK.sub("", line, count=1)
        if found := _MEMBER.fullmatch(bare):
            self._members.append((number, found["name"], found["value"]))
            self._last = number
            if len(self._members) < MOST_SETTINGS:
                return
        elif bare.strip() not in (")", "),") and number - self._last < 50:
            return  # a line of another rank in between; after so many of them nothing closes this
        dialect = _dialect(self._call, [name for _, name, _ in self._members])
        for at, name, value in self._members:
            self._put(at, name, value, dialect)
        self._call = ""

    def _opens_braces(self, number: int, line: str) -> bool:
        if (found := _CONFIG.search(line)) and found["name"] not in _LEFT_OUT:
            self._open(Braces(number, Dialect.MODEL), "{")
            return True
        bare = _unprefixed(line)
        if _DICTIONARY.match(bare) and not _LOSS.match(bare):
            self._open(Braces(number, None), bare)
            return True
        return False

    def _open(self, braces: Braces, line: str) -> None:
        self._braces = braces
        self._step(line)

    def _go_on(self, line: str) -> None:
        self._step(_RANK.sub("", line, count=1))

    def _step(self, line: str) -> None:
        braces = self._braces
        if braces is None or braces.take(line):
            return
        self._braces = None
        for number, name, value, dialect in members_of(braces):
            self._keep(number, name, value, dialect)


def _dialect(call: str, names: list[str]) -> Dialect:
    dialect = dialect_of(names)
    if dialect is Dialect.PLAIN and call != "Namespace" and call.endswith(("Arguments", "Args")):
        return Dialect.HUGGING_FACE
    return dialect


def _unprefixed(line: str) -> str:
    """Return *line* without ranks, times and levels before what it says."""
    bare = _RANK.sub("", line, count=1)
    for _ in range(8):
        found = _PREFIX.match(bare)
        if not found or not found.end():
            break
        bare = bare[found.end() :]
    return bare.lstrip()
