"""The noise table: shipped, changed, saved, and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.dtypes import DTYPES
from core.errors import InputError
from core.metrics.noise import NoiseTable, load_noise


def test_the_shipped_table_covers_every_floating_format() -> None:
    table = NoiseTable.default()
    for name, dtype in DTYPES.items():
        noise = table.of(dtype)
        assert bool(noise.relative_l2_factor) == bool(dtype.precision), name
    assert table.allowed_relative_l2(DTYPES["float32"]) == 256 * 2.0**-24
    assert table.of(DTYPES["complex64"]) == table.of(DTYPES["float32"])


def test_the_coarser_format_of_a_pair_decides() -> None:
    noise, unit = NoiseTable.default().of_pair(DTYPES["float32"], DTYPES["float16"])
    assert (noise.relative_l2_factor, unit, noise.absolute_floor) == (16.0, 2.0**-11, 2.0**-25)
    noise, unit = NoiseTable.default().of_pair(DTYPES["bfloat16"], DTYPES["float64"])
    assert (noise.max_factor, unit, noise.absolute_floor) == (32.0, 2.0**-8, 2.0**-53)


def test_a_saved_table_loads_again(tmp_path: Path) -> None:
    table = NoiseTable.default()
    table.save(tmp_path / "noise.toml")
    assert load_noise(tmp_path / "noise.toml") == table


def test_what_a_file_does_not_name_stays(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[bfloat16]\nrelative_l2_factor = 3\n", "utf-8")
    table, shipped = load_noise(path), NoiseTable.default()
    assert table.of(DTYPES["bfloat16"]).relative_l2_factor == 3.0
    assert table.of(DTYPES["bfloat16"]).max_factor == shipped.of(DTYPES["bfloat16"]).max_factor
    assert table.of(DTYPES["float16"]) == shipped.of(DTYPES["float16"])


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("[float32\n", "noise_syntax", "TOML"),
        ("[int8]\nmax_factor = 1\n", "noise_unknown_format", "int8"),
        ("float32 = 1\n", "noise_unknown_format", "float32"),
        ("[float32]\nfactor = 1\n", "noise_unknown_key", "float32.factor"),
        ("[float32]\nmax_factor = -1\n", "noise_bad_number", "-1"),
        ("[float32]\nmax_factor = inf\n", "noise_bad_number", "inf"),
        ("[float32]\nmax_factor = nan\n", "noise_bad_number", "nan"),
        ("[float32]\nmax_factor = true\n", "noise_bad_number", "True"),
        ("[float32]\nmax_factor = '3'\n", "noise_bad_number", "3"),
    ],
)
def test_a_wrong_file_is_refused_whole(text: str, code: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_noise(path)
    assert caught.value.problem.code == code
    for language in ("en", "zh_CN"):
        sentence = caught.value.problem.sentence(language)
        assert said in sentence
        assert "wrong.toml" in sentence


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_noise(tmp_path / "absent.toml")
    assert caught.value.problem.code == "noise_unreadable"
