"""What is remembered comes back; what is broken does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from gui.paths import pair_label, short_names
from gui.session import guess_order
from gui.settings import RECENT_LIMIT, Settings, SettingsFile


def keeper(path: Path) -> SettingsFile:
    return SettingsFile(QSettings(str(path), QSettings.Format.IniFormat))


def test_settings_come_back(tmp_path: Path) -> None:
    settings = Settings(theme="dark", language="zh_CN", filter_text='err>1e-4 "a b"', detail_tab="stack")
    settings.column_widths = {"operator": 333}
    settings.remember_pair("/数据/npu 1", "/数据/gpu")
    keeper(tmp_path / "a.ini").save(settings)
    assert keeper(tmp_path / "a.ini").load() == settings


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\xff\xfe garbage",
        b"[window]\ntheme=purple\nrecent=[[1]]\n",
        b'[window]\ntheme="\\"neon\\""\nrecent="[[\\"a\\"]]"\ncolumn_widths="{\\"operator\\": -5}"\n',
        b'[window]\ndetail_tab="7"\nhidden_columns="[1, 2]"\n',
    ],
)
def test_a_broken_file_gives_the_defaults(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.ini").write_bytes(content)
    assert keeper(tmp_path / "a.ini").load() == Settings()


def test_recent_pairs_are_few_and_different() -> None:
    settings = Settings()
    for number in range(2 * RECENT_LIMIT):
        settings.remember_pair(f"/t{number}", "/g")
    settings.remember_pair("/t15", "/g")
    assert len(settings.recent) == RECENT_LIMIT
    assert settings.recent[0] == ["/t15", "/g"]
    assert settings.recent.count(["/t15", "/g"]) == 1


@pytest.mark.parametrize(
    ("target", "golden", "names"),
    [
        ("/d/npu_dump", "/d/gpu_dump", ("npu_dump", "gpu_dump")),
        ("/d/npu/step0", "/d/gpu/step0", ("npu/step0", "gpu/step0")),
        ("/d/one", "", ("one", "")),
        ("/d/same", "/d/same", ("same", "same")),
    ],
)
def test_runs_are_called_by_what_tells_them_apart(target: str, golden: str, names: tuple[str, str]) -> None:
    assert short_names(target, golden) == names
    assert pair_label(target, golden).startswith(names[0])


@pytest.mark.parametrize(
    ("first", "second", "swapped"),
    [
        ("/d/npu_dump", "/d/gpu_dump", False),
        ("/d/gpu_dump", "/d/npu_dump", True),
        ("/d/golden", "/d/target", True),
        ("/d/run_a100", "/d/run_910B", True),
        ("/d/a", "/d/b", False),
        ("/d/bench", "/d/gelu_tanh", True),
        ("/d/input", "/d/reference-run", False),
    ],
)
def test_the_target_is_guessed_from_the_names(first: str, second: str, swapped: bool) -> None:
    assert guess_order(first, second) == ((second, first) if swapped else (first, second))
