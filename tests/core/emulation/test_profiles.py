"""Chip profiles: the shipped ones are complete and honest, those of a user are checked word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.emulation.chips.profile import (
    Basis,
    find_profile,
    load_profile,
    profile_names,
    shipped_profile,
    shipped_profiles,
)
from core.emulation.chips.profile_values import PARAMETERS
from core.errors import InputError
from core.messages import LANGUAGES, text


@pytest.mark.parametrize("name", profile_names())
def test_a_shipped_profile_says_how_it_knows_each_parameter(name: str) -> None:
    profile = shipped_profile(name)
    assert set(profile.parameters) == set(PARAMETERS)
    for parameter in profile.parameters.values():
        assert parameter.source, parameter.name
        assert parameter.basis is not Basis.GIVEN
        for language in LANGUAGES:
            assert (
                text(f"emulation.parameter.{parameter.name}", language)
                != f"emulation.parameter.{parameter.name}"
            )


def test_what_is_published_nowhere_is_called_so_and_varied() -> None:
    for profile in shipped_profiles():
        for name in ("guard_bits", "accumulate_rounding"):
            assert profile.parameters[name].basis is not Basis.DOCUMENTED
            assert len(profile.envelope[name]) > 1


def test_facts_of_the_chips() -> None:
    a, b, newest = (shipped_profile(name) for name in ("910A", "910B", "950"))
    assert (a["float32_product"], b["float32_product"]) == ("float16", "float32")
    assert (b["float32_convolution"], b["hf32_format"], newest["hf32_format"]) == ("hf32", "hf32", "hf32_10")
    assert (a["overflow"], b["overflow"], newest["overflow"]) == ("saturate", "inf_nan", "inf_nan")
    assert b["overflow_modes"] == ["inf_nan", "saturate"]
    assert (b["block_half"], b["block_float32"], b["block_hf32"], newest["block_float32"]) == (16, 4, 8, 1)
    assert "bfloat16" in b["operand_formats"]
    assert "bfloat16" not in a["operand_formats"]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("910b", "910B"),
        ("A2", "910B"),
        ("a3", "910B"),
        ("Ascend910B1", "910B"),
        ("Ascend910A", "910A"),
        ("950", "950"),
    ],
)
def test_a_chip_is_found_by_any_of_its_names(said: str, name: str) -> None:
    assert find_profile(said).name == name


def test_the_first_generation_that_its_software_calls_910b_is_not_guessed() -> None:
    with pytest.raises(InputError, match="Ascend910B"):
        find_profile("Ascend910B")


def written(folder: Path, text_of_it: str) -> Path:
    place = folder / "mine.toml"
    place.write_text(text_of_it, encoding="utf-8")
    return place


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    place = written(
        tmp_path,
        """[profile]
title = "our board"
based_on = "910B"
[parameters]
accumulate_rounding = "toward_zero"
guard_bits = { value = 2, basis = "inferred", source = "calibrated" }
[envelope]
guard_bits = [2]
""",
    )
    profile = find_profile(str(place))
    assert (profile.name, profile.title) == ("mine", "our board")
    assert profile["accumulate_rounding"] == "toward_zero"
    assert profile.parameters["accumulate_rounding"].basis is Basis.GIVEN
    assert profile.parameters["guard_bits"].source == "calibrated"
    assert profile.envelope["guard_bits"] == (2,)
    assert profile["block_half"] == 16


BASED = '[profile]\nbased_on = "910B"\n'
PARAMETERS_OF = f"{BASED}[parameters]\n"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[profile", "profile_syntax"),
        ("[profiles]", "profile_unknown_key"),
        ("[profile]\nname = 3", "profile_unknown_key"),
        ('[profile]\nbased_on = "911"', "profile_bad_value"),
        ("[profile]\nbased_on = 3", "profile_bad_value"),
        (BASED + 'title = 4', "profile_bad_value"),
        (PARAMETERS_OF + 'block = 16', "profile_unknown_key"),
        (PARAMETERS_OF + 'block_half = 0', "profile_bad_value"),
        (PARAMETERS_OF + 'block_half = true', "profile_bad_value"),
        (PARAMETERS_OF + 'guard_bits = "some"', "profile_bad_value"),
        (PARAMETERS_OF + 'operand_formats = "half"', "profile_bad_value"),
        (PARAMETERS_OF + 'bf16_rounding = { layer_norm = "up?" }', "profile_bad_value"),
        (PARAMETERS_OF + 'overflow = { value = "saturate", basis = "rumour" }', "profile_bad_value"),
        ('[profile]\nbased_on = "950"\n[parameters]\noverflow = "saturate"', "profile_bad_value"),
        (BASED + '[envelope]\nsplits = 2', "profile_bad_value"),
        (BASED + '[envelope]\nsplits = [0]', "profile_bad_value"),
        (BASED + '[envelope]\nblocks = [2]', "profile_unknown_key"),
        ('parameters = 3\n[profile]\nbased_on = "910B"', "profile_bad_value"),
        ("", "profile_missing"),
    ],
)  # fmt: skip
def test_a_wrong_profile_is_told_and_not_used(tmp_path: Path, content: str, code: str) -> None:
    place = written(tmp_path, content)
    with pytest.raises(InputError) as found:
        load_profile(place)
    assert found.value.problem.code == code
    for language in LANGUAGES:
        assert str(place) in found.value.problem.sentence(language)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for place in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(InputError) as found:
            load_profile(place)
        assert found.value.problem.code == "profile_unreadable"


def test_an_option_that_the_chip_does_not_have() -> None:
    with pytest.raises(InputError, match="inf_nan"):
        shipped_profile("950").with_values("--overflow-mode", overflow="saturate")
    changed = shipped_profile("910B").with_values("--overflow-mode", overflow="saturate")
    assert changed.parameters["overflow"].basis is Basis.GIVEN
