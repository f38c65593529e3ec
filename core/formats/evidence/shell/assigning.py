"""What a script assigns and declares: its variables take the values, as far as they are known."""

from __future__ import annotations

from core.formats.evidence.shell.script import Script
from core.formats.evidence.shell.values import Text, doubted
from core.formats.evidence.shell.words import Assignment, Command, Literal, bare

SETTING = frozenset(("export", "declare", "typeset", "local", "readonly"))
"""Commands whose arguments are assignments too."""


class Assignments:
    """Carries assignments out on the variables of *script*."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def assign(self, assignment: Assignment, known: bool) -> None:
        """Carry out *assignment*; not *known*: only the machine can tell whether it is made."""
        variables = self._script.variables
        known = known and assignment.name not in self._script.bound
        if assignment.values is not None:
            elements = [item.segments for word in assignment.values for item in variables.fields(word)]
            if not known:
                elements = [doubted(item) for item in elements]
            if assignment.append and assignment.name in variables.arrays:
                variables.arrays[assignment.name] += elements
            else:
                old = variables.elements(assignment.name) if assignment.append else None
                variables.arrays[assignment.name] = [*(old or []), *elements]
            variables.texts.pop(assignment.name, None)
            return
        value = variables.whole(assignment.value)
        if assignment.index:
            elements = variables.arrays.setdefault(assignment.name, [])
            if assignment.index.isdigit() and int(assignment.index[:6]) == len(elements):
                elements.append(value)
            elif assignment.index.isdigit() and int(assignment.index[:6]) < len(elements):
                elements[int(assignment.index[:6])] = value
            return
        if assignment.append:
            before = variables.text(assignment.name) or ()
            variables.spend(len(before))
            variables.texts[assignment.name] = (*before, *(value if known else doubted(value)))
        else:
            self.put(assignment.name, value, known)

    def put(self, name: str, value: Text, known: bool) -> None:
        """Give *name* the text *value*; what it already is stays known."""
        variables = self._script.variables
        before = variables.texts.get(name)
        if not known and "".join(item.text for item in before or ()) != "".join(item.text for item in value):
            value = doubted(value)
        variables.arrays.pop(name, None)
        variables.texts[name] = value

    def declare(self, command: Command, known: bool) -> None:
        """Carry out ``export`` and its relatives: their arguments are assignments too."""
        head = bare(command.words[0])
        words = list(command.words[1:])
        flags = [text for word in words if (text := bare(word)) and text[:1] == "-"]
        exports = head == "export" and "-n" not in flags
        exports = exports or (head in ("declare", "typeset") and any("x" in flag for flag in flags))
        names = [assignment.name for assignment in command.assignments]
        bound = head != "export" and any(set(flag) & set("nir") for flag in flags)
        for word in words:
            first = word[0] if word else None
            if not isinstance(first, Literal) or first.quoted or first.text[:1] == "-":
                continue
            name, sign, rest = first.text.partition("=")
            append = name.endswith("+")
            name = name.rstrip("+")
            if not name.isidentifier():
                continue
            names.append(name)
            if head == "local":
                self._script.functions.keep(name, self._script.variables)
            if sign:
                value = (Literal(rest, first.line, False), *word[1:]) if rest else word[1:]
                self.assign(Assignment(name, "", append, value, None, first.line), known)
        if bound and not any("r" in flag for flag in flags):  # names another variable, or is computed
            self._script.variables.doubt((*names, *(text for name in names for text in self._held(name))))
        if bound or head == "readonly":
            self._script.bound.update(names)
        if exports:
            self._script.exported.update(dict.fromkeys(names))

    def _held(self, name: str) -> list[str]:
        """Return the variable that *name* names as its value, if it does."""
        text = "".join(item.text for item in self._script.variables.texts.get(name, ()))
        return [text] if text.isidentifier() else []
