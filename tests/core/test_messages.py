"""The catalogues and the source agree: every code has its sentences, every sentence its code."""

from __future__ import annotations

import importlib.util
import re
import string
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from builders.message_calls import Source, scan

from core import messages
from core.messages import LANGUAGES, Message, render, set_language, text
from core.records.result import Evidence, Origin, Reason, Verdict

PROJECT = Path(__file__).resolve().parents[2]
FAMILIES: dict[str, type[Enum]] = {
    "reason": Reason,
    "verdict": Verdict,
    "evidence": Evidence,
    "origin": Origin,
}
NAMES = {"English", "NaN", "Inf", "MAE", "RMSE", "msprobe", "ptdbg_ascend", "rank", "step", "ulpscope"}
"""Words that are the same in both languages."""


def po_file(language: str) -> Path:
    return PROJECT / "resources" / "messages" / language / "ulpscope.po"


def read(language: str) -> Catalog:
    with po_file(language).open("rb") as stream:
        return read_po(stream, locale=language, abort_invalid=True)


def sentences(language: str) -> dict[str, tuple[str, ...]]:
    """Return all sentences by code, a tuple of the plural forms."""
    table = {}
    for entry in read(language):
        if entry.id:
            code = entry.id if isinstance(entry.id, str) else entry.id[0]
            table[code] = (entry.string,) if isinstance(entry.string, str) else tuple(entry.string)
    return table


def fields(forms: Iterable[str]) -> set[str]:
    """Return the names of all {fields} in any of *forms*."""
    names = [name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name is not None]
    return {re.split(r"[.\[]", name)[0] for name in names}


@pytest.fixture(scope="module")
def catalogues() -> dict[str, dict[str, tuple[str, ...]]]:
    return {language: sentences(language) for language in LANGUAGES}


@pytest.fixture(scope="module")
def source() -> Source:
    files = [file for folder in ("core", "gui") for file in (PROJECT / folder).rglob("*.py")]
    assert len(files) > 20
    return scan(files, PROJECT)


def test_every_code_in_the_source_is_in_both_catalogues(
    source: Source, catalogues: dict[str, dict[str, tuple[str, ...]]]
) -> None:
    wanted = {}
    for use in source.uses:
        codes = [use.code] if use.kind == "message" else [f"problem.{use.code}", f"problem.{use.code}.remedy"]
        wanted.update(dict.fromkeys(codes, use.place))
    for family, enum in FAMILIES.items():
        wanted.update({f"{family}.{member.name.lower()}": str(enum) for member in enum})
    # A table of codes: a constant that begins as codes do and is spelled like one.
    heads = {code.split(".")[0] for code in catalogues["en"]} - {"problem"}
    for constant, place in source.constants.items():
        spelled = re.fullmatch(r"[a-z]\w*(\.\w+)+", constant)
        if spelled and constant.split(".")[0] in heads and not _is_module(constant):
            wanted.setdefault(constant, place)
    missing = {
        f"{code} ({place}) in {language}"
        for code, place in wanted.items()
        for language in LANGUAGES
        if code not in catalogues[language]
    }
    assert not missing, "\n".join(sorted(missing))


def _is_module(dotted: str) -> bool:
    place = PROJECT.joinpath(*dotted.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_codes_put_together_find_entries(
    source: Source, catalogues: dict[str, dict[str, tuple[str, ...]]]
) -> None:
    lost = [
        f"{pattern} ({place})"
        for pattern, place in source.patterns.items()
        if not any(re.fullmatch(pattern, code) for code in catalogues["en"])
    ]
    assert not lost, "\n".join(lost)


def test_no_entry_is_unused(source: Source, catalogues: dict[str, dict[str, tuple[str, ...]]]) -> None:
    patterns = [
        re.compile(pattern)
        for pattern in source.patterns
        if not pattern.startswith((r"problem\.", *(rf"{family}\." for family in FAMILIES)))
    ]
    members = {f"{family}.{member.name.lower()}" for family, enum in FAMILIES.items() for member in enum}

    def used(code: str) -> bool:
        if code.startswith("problem."):
            name = code.removeprefix("problem.").removesuffix(".remedy")
            return name in source.constants
        if code in members or code in source.constants:
            return True
        return any(pattern.fullmatch(code) for pattern in patterns)

    unused = [code for code in catalogues["en"] if not used(code)]
    assert not unused, "\n".join(unused)


def test_both_languages_have_the_same_codes_and_fields(
    catalogues: dict[str, dict[str, tuple[str, ...]]],
) -> None:
    english, chinese = catalogues["en"], catalogues["zh_CN"]
    assert set(english) == set(chinese)
    different = [code for code in english if fields(english[code]) != fields(chinese[code])]
    assert not different, different
    empty = [code for table in catalogues.values() for code, forms in table.items() if not all(forms)]
    assert not empty, empty


def test_every_use_gives_what_its_sentence_asks_for(
    source: Source, catalogues: dict[str, dict[str, tuple[str, ...]]]
) -> None:
    lacking = []
    for use in source.uses:
        codes = [use.code] if use.kind == "message" else [f"problem.{use.code}", f"problem.{use.code}.remedy"]
        for code in codes:
            asked = fields(catalogues["en"].get(code, ()))
            if use.given is not None and not asked <= use.given:
                lacking.append(f"{use.place}: {code} asks for {sorted(asked - use.given)}")
    assert not lacking, "\n".join(lacking)


def test_chinese_is_translated(catalogues: dict[str, dict[str, tuple[str, ...]]]) -> None:
    def may_be_same(sentence: str) -> bool:
        bare = re.sub(r"\{[^}]*\}", "", sentence)
        return not (set(re.findall(r"[A-Za-z]\w*", bare)) - NAMES)

    english, chinese = catalogues["en"], catalogues["zh_CN"]
    same = [
        code for code, forms in english.items() if chinese[code][0] == forms[0] and not may_be_same(forms[0])
    ]
    assert not same, "\n".join(same)


@pytest.fixture(scope="module")
def compiler() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "compile_messages", PROJECT / "packaging" / "compile_messages.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_catalogue_is_up_to_date(compiler: ModuleType, language: str) -> None:
    compiled = po_file(language).with_suffix(".mo").read_bytes()
    assert compiled == compiler.compiled(po_file(language)), (
        "run `python dev.py messages` and commit the .mo files"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_no_entry_twice_and_no_fuzzy_one(language: str) -> None:
    content = po_file(language).read_text(encoding="utf-8")
    codes = re.findall(r'^msgid "(.+)"$', content, re.MULTILINE)
    assert sorted(codes) == sorted(set(codes))
    assert not [entry.id for entry in read(language) if entry.id and entry.fuzzy]


def test_an_unknown_code_renders_as_itself() -> None:
    assert render(Message("no.such.code")) == "no.such.code"
    assert render(Message("no.such.code", {"name": 1})) == "no.such.code {'name': 1}"
    assert render(Message("no.such.code", {"count": 2})) == "no.such.code {'count': 2}"


def test_language_follows_the_environment_until_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert messages.current_language() == "en"
    for wish in ("zh_CN.UTF-8", "zh-Hans", "Chinese (Simplified)_China.936"):
        monkeypatch.setenv("ULPSCOPE_LANGUAGE", wish)
        assert messages.current_language() == "zh_CN"
    set_language("en")
    assert messages.current_language() == "en"
    with pytest.raises(ValueError, match="no catalogue"):
        set_language("fr")


def test_verdicts_are_rendered_in_both_languages() -> None:
    assert text("verdict.equal", "en") != text("verdict.equal", "zh_CN")
    assert text("verdict.equal", "en") != "verdict.equal"
