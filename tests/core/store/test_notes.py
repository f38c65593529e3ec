"""Notes on a pair: whatever stands in their file, what is sound of it is kept and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.notes import Notes
from core.store.notes import DIRECTORY_VARIABLE, load_notes, save_notes

PAIR = ("/runs/npu", "/runs/gpu")
RULE = IgnoreRule(IgnoreKind.TYPE, "dropout", "random")
SOUND = Notes({"a": "on purpose"}, {"x": "y"}, {"z": "seen before"}, (RULE,))
PARTS = ("explained", "pairs", "remarks", "ignored")

TEXTS = st.text(st.characters(codec=None), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
RULES = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from([*map(str, IgnoreKind), "planet"]) | VALUES,
        "value": TEXTS | VALUES,
        "reason": TEXTS | VALUES,
        "until": VALUES,
    },
)
FILES = VALUES | st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(PARTS[:3], st.dictionaries(TEXTS, TEXTS | VALUES, max_size=3) | VALUES),
        "ignored": st.lists(RULES | VALUES, max_size=3) | VALUES,
        "target": VALUES,
        "of a later version": VALUES,
    },
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder in which notes are kept."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    return tmp_path


def file_of_notes(folder: Path) -> Path:
    """Return the file of the notes on the pair, which is there."""
    save_notes(*PAIR, SOUND)
    (place,) = folder.rglob("*.json")
    return place


@settings(max_examples=300)
@given(said=FILES)
def test_of_any_json_the_sound_parts_are_kept_and_the_rest_is_put_aside(
    tmp_path_factory: pytest.TempPathFactory, said: Any
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("notes")
        patched.setenv(DIRECTORY_VARIABLE, str(folder))
        place = file_of_notes(folder)
        written = json.dumps(said)
        place.write_text(written, "utf-8")
        found = load_notes(*PAIR)
        parts = said if isinstance(said, dict) else {}
        for part in PARTS[:3]:
            there = parts.get(part) if isinstance(parts.get(part), dict) else {}
            assert getattr(found, part) == {key: one for key, one in there.items() if isinstance(one, str)}
        rules = parts.get("ignored") if isinstance(parts.get("ignored"), list) else []
        sound = [one for one in rules if _is_rule(one)]
        assert [(str(one.kind), one.value, one.reason) for one in found.ignored] == [
            (one["kind"], one["value"], one["reason"]) for one in sound
        ]
        aside = save_notes(*PAIR, found)
        assert load_notes(*PAIR) == found
        if aside:
            assert Path(aside).read_text("utf-8") == written
        else:  # nothing that was said is missing now
            now = json.loads(place.read_text("utf-8"))
            assert all(now[part] == said[part] for part in said if part not in ("target", "golden"))
        assert save_notes(*PAIR, found) == ""


def _is_rule(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and all(isinstance(one.get(part), str) for part in ("kind", "value", "reason"))
        and one["kind"] in list(map(str, IgnoreKind))
    )


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe" * 50, b"[" * 100_000, b'{"pairs":' * 100_000, b"null", b"9" * 5000, b'"\\ud800"'],
)
def test_what_is_no_such_file_is_put_aside_whole(folder: Path, content: bytes) -> None:
    place = file_of_notes(folder)
    for number in range(3):
        place.write_bytes(content)
        assert load_notes(*PAIR) == Notes()
        aside = Path(save_notes(*PAIR, SOUND))
        assert aside.read_bytes() == content
        assert aside.suffix == ".broken"
        assert len(list(folder.rglob("*.broken"))) == number + 1  # those before stay
        assert load_notes(*PAIR) == SOUND


def test_one_broken_part_costs_no_other(folder: Path) -> None:
    place = file_of_notes(folder)
    sound = json.loads(place.read_text("utf-8"))
    for part in PARTS:
        for broken in (None, 3, "text", [[1]], {"a": 1}):
            place.write_text(json.dumps({**sound, part: broken}), "utf-8")
            found = load_notes(*PAIR)
            assert not getattr(found, part)
            assert all(getattr(found, other) == getattr(SOUND, other) for other in PARTS if other != part)
        place.write_text(json.dumps({name: one for name, one in sound.items() if name != part}), "utf-8")
        assert load_notes(*PAIR) == found
        assert save_notes(*PAIR, SOUND) == ""  # a part that is not there is not lost


def test_sound_notes_are_written_over(folder: Path) -> None:
    assert save_notes(*PAIR, SOUND) == ""
    assert save_notes(*PAIR, Notes()) == ""
    assert load_notes(*PAIR) == Notes()
    assert not list(folder.rglob("*.broken"))
