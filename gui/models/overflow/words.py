"""The words of the overflow analysis in the language in force. Imports no Qt."""

from __future__ import annotations

from core.messages import Parameter, render, text
from core.records.overflow import Birth, BirthKind, Level, Mode, Special, Way
from gui.models.pair.suspects import fact_value
from gui.names import shown

_VALUES = {
    Special.NAN: "overflow.values.nan",
    Special.PLUS_INF: "overflow.values.plus_inf",
    Special.MINUS_INF: "overflow.values.minus_inf",
    Special.SATURATED: "overflow.values.saturated",
}


def kind_word(kind: BirthKind) -> str:
    """Return how bad values came in, in a word or two."""
    return text(f"overflow.kind.{kind.value}")


def kind_help(kind: BirthKind) -> str:
    """Return what *kind* means, in a sentence."""
    return text(f"overflow.kind.{kind.value}.help")


def level_word(level: Level) -> str:
    """Return the official analyser's word for how severe a call is."""
    return text(f"overflow.level.{level.value}")


def level_help(level: Level) -> str:
    """Return what *level* means, in a sentence."""
    return text(f"overflow.level.{level.value}.help")


def way_word(way: Way) -> str:
    """Return how bad values came to a call."""
    return text(f"overflow.way.{way.value}")


def mode_word(mode: Mode) -> str:
    """Return what a device writes where a result is too large."""
    return text(f"overflow.mode.{mode.value}")


def mode_help(mode: Mode) -> str:
    """Return what *mode* means, in a sentence."""
    return text(f"overflow.mode.{mode.value}.help")


def value_words(values: Special) -> list[str]:
    """Return a word for each kind of value in *values*, NaN first."""
    return [text(code) for flag, code in _VALUES.items() if values & flag]


def fact_text(name: str, value: Parameter) -> str:
    """Return the evidence *name* as it is read."""
    if name == "evidence":
        return text(f"evidence.{value}")
    words = fact_value(value)
    return words.removeprefix("torch.") if name == "dtype" else words


def sentence_of(birth: Birth) -> str:
    """Return the sentence as plain text: names without the backticks around them."""
    return shown(render(birth.message).replace("`", ""))
