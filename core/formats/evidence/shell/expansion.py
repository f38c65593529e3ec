"""Words with their variables put in, as far as the script itself tells what these are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from core.formats.evidence.shell.arithmetic import NotComputable, compute
from core.formats.evidence.shell.text_changes import changed, no_number
from core.formats.evidence.shell.touching import counted_in
from core.formats.evidence.shell.values import Field, Segment, Text, doubted, joined, split, text_of
from core.formats.evidence.shell.words import Arithmetic, Literal, Opaque, Parameter, Part, Word
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Place

_MOST_CHARACTERS = 16 << 20
"""Characters that all expansions of a script may make; ``A=$A$A`` doubles each time."""
_OF_SEGMENT = 50
"""Characters that a piece of text counts besides its own, for the memory that it takes."""
_FURTHER = re.compile(r"(?i).*(?:args?|opts?|options?|flags?|params?|overrides?)|extra.*|[@*]")
"""Variables that hold further options; where nobody set them, they hold none."""


class _Building:
    """Arguments as they are put together from pieces."""

    def __init__(self) -> None:
        self.done: list[Field] = []
        self._current: list[Segment] | None = None

    def add(self, piece: Text) -> None:
        """Go on with *piece*; an empty one is an argument too."""
        if self._current is None:
            self._current = []
        self._current += piece

    def end(self) -> None:
        """Begin another argument, if one is begun."""
        if self._current is not None:
            self.done.append(Field(tuple(self._current)))
            self._current = None

    def add_split(self, text: Text) -> None:
        """Go on with *text*, whose blanks part arguments."""
        if text and text[0].known and text[0].text[:1].isspace():
            self.end()
        for number, piece in enumerate(split(text)):
            if number:
                self.end()
            self.add(piece)
        if text and text[-1].known and text[-1].text[-1:].isspace():
            self.end()


@dataclass
class Variables:
    """What the script has set so far."""

    place: Callable[[int], Place]
    texts: dict[str, Text] = field(default_factory=dict)
    arrays: dict[str, list[Text]] = field(default_factory=dict)
    positional: list[Text] | None = None
    """``$1`` and on; ``None`` while only the caller knows them."""
    unfilled: dict[str, Place] = field(default_factory=dict)
    """Variables of further options that were not set where they stand, and the first such place."""
    _made: int = field(default=0, init=False, repr=False)

    def text(self, name: str) -> Text | None:
        """Return the value of *name*, ``None`` if the script never set it."""
        if name.isdigit() and self.positional is not None and name != "0":
            number = int(name) if len(name) < 6 else 0
            return self.positional[number - 1] if 0 < number <= len(self.positional) else ()
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else ()
        return self.texts.get(name)

    def put(self, name: str, text: Text | None, elements: list[Text] | None) -> None:
        """Give *name* that value; ``None`` twice takes it away."""
        self.texts.pop(name, None)
        self.arrays.pop(name, None)
        if elements is not None:
            self.arrays[name] = elements
        elif text is not None:
            self.texts[name] = text

    def elements(self, name: str) -> list[Text] | None:
        """Return the elements of the array *name*."""
        if name in ("@", "*"):
            return self.positional
        if name in self.arrays:
            return self.arrays[name]
        return [self.texts[name]] if name in self.texts else None

    def fields(self, word: Word) -> list[Field]:
        """Return the arguments that *word* becomes: none, one, or several where a value is split.

        Raises
        ------
        Unreadable
            If expansions make more text than any script means.
        """
        building = _Building()
        for part in word:
            split_here = not part.quoted and not isinstance(part, Literal)
            for number, group in enumerate(self._groups(part)):
                if number:
                    building.end()
                if split_here:
                    building.add_split(group)
                else:
                    building.add(group)
        building.end()
        return building.done

    def whole(self, word: Word) -> Text:
        """Return *word* as one text, as in an assignment: nothing is split."""
        segments: list[Segment] = []
        for part in word:
            segments += joined(self._groups(part))
        return tuple(segments)

    def _groups(self, part: Part) -> list[Text]:
        """Return what *part* stands for: one text, or the elements of an array."""
        place = self.place(part.line)
        if isinstance(part, Literal):
            return [(Segment(part.text, place),)]
        if isinstance(part, Arithmetic):
            groups = [self._computed(part, place)]
        elif isinstance(part, Opaque):
            groups = [(Segment(part.source, place, False),)]
        else:
            groups = self._parameter(part, place)
        self.spend(sum(len(segment.text) + _OF_SEGMENT for group in groups for segment in group))
        return groups

    def spend(self, characters: int) -> None:
        """Count what an expansion makes.

        Raises
        ------
        Unreadable
            If it is more than any script means.
        """
        self._made += characters
        if self._made > _MOST_CHARACTERS:
            raise Unreadable("evidence_bomb", limit=_MOST_CHARACTERS)

    def _parameter(self, part: Parameter, place: Place) -> list[Text]:
        many = part.index in ("@", "*") or part.name in ("@", "*")
        if many:
            elements = self.elements(part.name)
            if part.operator == "length":
                return (
                    [(Segment(str(len(elements)), place),)]
                    if elements is not None
                    else [_unknown(part, place)]
                )
            if elements is None:
                return self._missing(part, place)
            if not part.operator:
                return elements if part.index != "*" and part.name != "*" else [joined(elements)]
            if part.operator in (":-", "-"):
                return elements or [self.whole(part.operand)]
            return [_unknown(part, place)]
        value = self._indexed(part) if part.index else self.text(part.name)
        if part.name == "#" and self.positional is not None:
            value = (Segment(str(len(self.positional)), place),)
        if part.operator in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
            return [self._default(part, value, place)]
        if value is None:
            return self._missing(part, place)
        if not part.operator:
            return [value]
        if not all(segment.known for segment in value):
            return [_unknown(part, place)]
        text = changed(part.operator, text_of(value), text_of(self.whole(part.operand)))
        first = value[0].place if value else place
        return [(Segment(text, first),)] if text is not None else [_unknown(part, place)]

    def _indexed(self, part: Parameter) -> Text | None:
        elements = self.elements(part.name)
        try:
            number = compute(part.index, self._number)
            return elements[number] if elements is not None else None
        except (NotComputable, IndexError):
            return None

    def _missing(self, part: Parameter, place: Place) -> list[Text]:
        if _FURTHER.fullmatch(part.name) and not part.operator:
            if part.name not in ("@", "*"):
                self.unfilled.setdefault(part.name, place)
            return []
        return [_unknown(part, place)]

    def _default(self, part: Parameter, value: Text | None, place: Place) -> Text:
        empty = value is None or ((part.operator[0] == ":" and value == ()) or text_of(value) == "")
        kind = part.operator[-1]
        if part.operator[0] != ":":
            empty = value is None
        if kind == "+":
            return () if empty else self.whole(part.operand)
        if not empty and value is not None:
            return value
        if kind == "?":
            return _unknown(part, place)
        default = self.whole(part.operand)
        if kind == "=":
            self.texts[part.name] = default
        return default

    def _computed(self, part: Arithmetic, place: Place) -> Text:
        inner = self.whole(part.expression)
        if all(segment.known for segment in inner):
            try:
                return (Segment(str(compute(text_of(inner), self._number)), place),)
            except NotComputable:
                pass
        self.doubt(counted_in(text_of(inner)))
        return (Segment(part.source, place, False),)

    def doubt(self, names: Iterable[str]) -> None:
        """Take the values of *names* for not known from here on."""
        for name in names:
            if name in self.arrays:
                self.arrays[name] = [doubted(item) for item in self.arrays[name]]
            else:
                unsure = (Segment(f"${name}", self.place(0), False),)
                self.texts[name] = doubted(self.texts.get(name) or unsure)

    def _number(self, name: str) -> int:
        value = self.text(name)
        if value is None or not all(segment.known for segment in value):
            raise NotComputable
        return compute(text_of(value) or "0", no_number)


def _unknown(part: Parameter, place: Place) -> Text:
    return (Segment(part.source, place, False),)
