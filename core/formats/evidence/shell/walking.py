"""A script walked through once, from its first line to its last; nothing of it is run.

Branches whose condition the script itself decides are taken or left; of others all are walked, and what they
set is marked as not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from core.errors import Problem
from core.formats.evidence.beside import named_beside
from core.formats.evidence.evidence_file import EvidenceFile, TooLarge
from core.formats.evidence.shell.assigning import SETTING, Assignments
from core.formats.evidence.shell.branches import Branches
from core.formats.evidence.shell.embedded import arguments
from core.formats.evidence.shell.expansion import Variables
from core.formats.evidence.shell.functions import Ended, Returned
from core.formats.evidence.shell.launchers import launch_of
from core.formats.evidence.shell.parsing import Parser
from core.formats.evidence.shell.scanning import Scanner
from core.formats.evidence.shell.script import Script, Started, Written
from core.formats.evidence.shell.testing import decide
from core.formats.evidence.shell.touching import counted_in, touched_by
from core.formats.evidence.shell.values import Field, Text, joined
from core.formats.evidence.shell.words import (
    Command,
    HereDocument,
    Keyword,
    Statement,
)
from core.formats.evidence.unreadable import Unreadable

MOST_SCRIPT = 1 << 20
"""Characters of a script that are read."""
_DEEPEST, _MOST_FILES = 4, 20
"""Scripts that call scripts, and how many of them are read."""
_LONGEST_NAME = 200
_OF_MACHINE = re.compile(
    r"(?:^|/)(?:set_?(?:env|vars)|\.?(?:bash|z|k)?(?:rc|profile|_profile)|activate|conda|modules?|init|environ)"
    r"(?:\.\w+)?$|^/(?:etc|usr)/"
)
"""Files that make a machine ready, as CANN's ``set_env.sh``: no training keeps its settings there."""
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))


def walk(file: EvidenceFile) -> Script:
    """Return what the script *file* sets and starts.

    Raises
    ------
    OSError
        If it cannot be read.
    Unreadable
        If it is too large, or unfolds to too much.
    """
    script = Script(Variables(lambda line: file.place(line)))
    root = _Walk(script, file, 0)
    with suppress(Ended):
        root.run()
    if not any(map(launch_of, script.started)):
        root.run_uncalled()
    return script


class _Walk:
    """One file of the script."""

    def __init__(self, script: Script, file: EvidenceFile, depth: int, unsure: int = 0) -> None:
        self._script, self._file, self._depth = script, file, depth
        self._assignments = Assignments(script)
        self._branches = Branches()
        self._last: bool | None = None
        """What the command before answered."""
        self._was_test = False
        self._negated = False
        self._unsure = unsure
        """Calls that are open of which only the machine can tell whether they are made."""
        self._outside: list[tuple[dict[str, Text], dict[str, list[Text]]]] = []
        """Of each open subshell the variables before it."""

    def run(self) -> None:
        self._script.files[self._file.path] = None
        try:
            text = self._file.text()
        except TooLarge:
            text = None
        if text is None or len(text) > MOST_SCRIPT:
            raise Unreadable("settings_too_large", limit=MOST_SCRIPT >> 20)
        before = self._script.variables.place
        self._script.variables.place = self._file.place
        scanner = Scanner(text)
        try:
            for statement in Parser(scanner.tokens()).statements():
                if not self._script.functions.takes(statement):
                    self._statement(statement)
        except Returned:
            pass  # a file that is read in may return too
        finally:
            self._script.variables.place = before
        if scanner.open_since:
            self._script.problems.append(
                Problem("settings_open_quote", self._file.path, {"line": scanner.open_since})
            )

    def run_uncalled(self) -> None:
        """Walk through the functions that nothing here calls: only the machine can tell whether they run."""
        functions = self._script.functions
        for name in [name for name in functions.bodies if name not in functions.called]:
            with suppress(Ended):
                self._invoke(name, [], known=False)

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Keyword):
            self._keyword(statement)
        else:
            self._command(statement)

    def _invoke(self, name: str, arguments: Sequence[Field], *, known: bool) -> None:
        """Walk through the function *name*."""
        functions, variables = self._script.functions, self._script.variables
        body, depth = functions.enter(name), self._branches.depth
        before, variables.positional = variables.positional, [item.segments for item in arguments]
        self._unsure += not known
        try:
            for statement in body:
                if not functions.takes(statement):
                    self._statement(statement)
        except Returned:
            self._branches.cut(depth)
        finally:
            self._unsure -= not known
            variables.positional = before
            functions.leave(variables)
        self._last, self._was_test = None, True  # what it answers is not followed

    def _subshell(self, word: str) -> None:
        """Begin or end what runs in a process of its own, whose variables nobody else sees."""
        variables = self._script.variables
        if word == "(":
            variables.spend(len(variables.texts) + len(variables.arrays))
            self._outside.append((dict(variables.texts), dict(variables.arrays)))
        elif self._outside:
            variables.texts, variables.arrays = self._outside.pop()

    def _keyword(self, keyword: Keyword) -> None:
        word = keyword.word
        if word in ("if", "while", "until", "case"):
            self._branches.open(word, keyword.line)
            self._last = None
        elif word == "for":
            self._for(keyword)
        elif word in ("elif", "else"):
            self._branches.other(conditional=word == "elif")
            self._last = None
        elif word in ("then", "do"):
            self._branches.enter(self._last)
        elif word in ("fi", "done", "esac"):
            self._branches.close()
        elif word == "!":
            self._negated = True
        elif word in ("(", ")"):
            self._subshell(word)

    def _for(self, keyword: Keyword) -> None:
        counts = self._branches.count
        self._branches.open("for", keyword.line)
        values = [item for word in keyword.values for item in self._script.variables.fields(word)]
        self._script.variables.doubt(counted_in(keyword.name) if keyword.name.startswith("((") else ())
        if keyword.name and values and counts is not False:
            self._assignments.put(
                keyword.name, values[-1].segments, known=counts is True and len(values) == 1
            )

    def _command(self, command: Command) -> None:
        negated, self._negated = self._negated, False
        skipped = self._branches.count is False
        if command.before == "&&":
            skipped = skipped or self._last is False
        elif command.before == "||":
            skipped = skipped or self._last is True
        if skipped:
            return
        guarded = self._last is None and (
            command.before == "||" or (command.before == "&&" and self._was_test)
        )
        known = self._branches.count is True and not guarded and not self._unsure
        fields = [item for word in command.words for item in self._script.variables.fields(word)]
        self._was_test = bool(fields) and fields[0].text in ("[", "[[", "test")
        answer = decide(fields) if fields else True
        if negated and answer is not None:
            answer = not answer
        if self._last is None and (command.before, answer) in (("&&", True), ("||", False)):
            answer = None  # it hangs on what only the machine can tell
        self._last = answer
        for redirect in command.redirects:
            if redirect.document is not None:
                self._document(command, fields, redirect.document)
        if not fields:
            for assignment in command.assignments:
                self._assignments.assign(assignment, known)
            return
        if command.assignments and fields[0].text not in SETTING:
            environment = tuple(
                (item.name, self._script.variables.whole(item.value)) for item in command.assignments
            )
        else:
            environment = ()
            for assignment in command.assignments:
                self._assignments.assign(assignment, known)
        self._run(command, fields, environment, known)

    def _run(
        self, command: Command, fields: list[Field], environment: tuple[tuple[str, Text], ...], known: bool
    ) -> None:
        name = fields[0].text
        functions, variables = self._script.functions, self._script.variables
        variables.doubt(touched_by(fields))
        if name in ("exit", "return"):
            if known and not self._outside:
                raise Ended if name == "exit" else Returned
        elif fields[0].known and functions.may_call(name):
            self._invoke(name, fields[1:], known=known)
        elif name in SETTING:
            self._assignments.declare(command, known)
        elif name in ("source", ".") and len(fields) > 1:
            self._read_in(fields[1])
        elif name == "set" and len(fields) > 1 and fields[1].text == "--":
            variables.positional = [item.segments for item in fields[2:]]
        elif name == "shift":
            count = int(fields[1].text) if len(fields) > 1 and fields[1].text.isdecimal() else 1
            if variables.positional is not None:
                variables.positional = variables.positional[count:]
        elif name == "unset":
            for item in fields[1:]:
                self._script.variables.texts.pop(item.text, None)
                self._script.variables.arrays.pop(item.text, None)
                self._script.exported.pop(item.text, None)
        elif name in _SHELLS and len(fields) > 1 and fields[1].text[:1] != "-":
            self._call(fields)
        elif name.endswith(".sh") and "/" in name:
            self._call([fields[0], *fields])
        elif name in ("echo", "printf") and command.redirects:
            self._echo(command, fields)
        elif not name.startswith("(("):
            self._script.started.append(Started(tuple(fields), environment))

    def _read_in(self, named: Field) -> None:
        """Read a file of settings into this one."""
        name = named.text if named.known else named.text.rpartition("/")[2]
        if named_beside(self._file, name) is None and not _OF_MACHINE.search(name):
            told: dict[str, str | int | float] = {
                "name": named.text[:_LONGEST_NAME],
                "line": named.place.line,
            }
            self._script.problems.append(Problem("script_part_missing", self._file.path, told))
        self._further(name)

    def _call(self, fields: Sequence[Field]) -> None:
        """Read a script that is started, with its arguments; its variables are the script's own."""
        variables = self._script.variables
        name = fields[1].text if fields[1].known else fields[1].text.rpartition("/")[2]
        before = variables.positional
        variables.positional = [item.segments for item in arguments(fields[2:])]
        try:
            found = self._further(name)
        except Ended:
            found = True  # that script ends, not this one
        if not found:
            self._script.started.append(Started(tuple(fields), ()))
        variables.positional = before

    def _further(self, name: str) -> bool:
        script = self._script
        if self._depth >= _DEEPEST or len(script.files) >= _MOST_FILES:
            return False
        found = named_beside(self._file, name)
        if found is None or found.path in script.files:
            return False
        try:
            _Walk(script, found, self._depth + 1, self._unsure).run()
        except OSError:
            return False
        except Unreadable as wrong:
            script.problems.append(wrong.problem(found.path))
        return True

    def _document(self, command: Command, fields: Sequence[Field], document: HereDocument) -> None:
        target = self._target(command)
        if target is None and fields and fields[0].text == "tee":
            target = next((item.text for item in fields[1:] if item.text[:1] != "-"), None)
        if target is not None:
            self._script.written.append(Written(target, self._script.variables.whole(document.text)))

    def _echo(self, command: Command, fields: Sequence[Field]) -> None:
        target = self._target(command)
        words = [item for item in fields[1:] if item.text[:1] != "-"]
        if target is not None and words:
            self._script.written.append(Written(target, joined(item.segments for item in words)))

    def _target(self, command: Command) -> str | None:
        for redirect in command.redirects:
            if redirect.operator in (">", ">|", ">>"):
                return "".join(item.text for item in self._script.variables.whole(redirect.target))
        return None
