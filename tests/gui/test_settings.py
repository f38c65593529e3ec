"""What is remembered comes back; what is broken does not."""

from __future__ import annotations

import json
from dataclasses import fields
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QSettings

from core.metrics.pictures.kinds import Difference, Part
from gui.paths import pair_label, short_names
from gui.session import guess_order
from gui.settings import RECENT_LIMIT, Settings, SettingsFile
from gui.tensors.layouts import Layouts
from gui.tensors.looks import HeatLooks
from gui.tensors.scales import ColourMap, Extent, Scale


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


NAMES = tuple(field.name for field in fields(Settings))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
JSON = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
)
NEARLY = st.dictionaries(
    st.sampled_from(["values", "absolute"]),
    st.lists(
        st.floats() | st.none() | st.lists(st.integers(-2, 3), max_size=2) | st.integers(-2, 9), max_size=4
    ),
)


@pytest.fixture(scope="module")
def ini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings") / "a.ini"


@settings(max_examples=150)
@given(name=st.sampled_from(NAMES), value=JSON | NEARLY)
def test_whatever_is_written_there_can_be_worked_with(ini: Path, name: str, value: object) -> None:
    """Each value is as it was written or the default, and what reads it does not mind."""
    store = QSettings(str(ini), QSettings.Format.IniFormat)
    store.clear()
    written = json.dumps(value)
    store.setValue(f"window/{name}", written)
    loaded = SettingsFile(store).load()
    plain = Settings()
    assert json.dumps(getattr(loaded, name)) in (written, json.dumps(getattr(plain, name)))
    assert all(getattr(loaded, other) == getattr(plain, other) for other in NAMES if other != name)
    for low, high in loaded.heat_limits.values():
        assert isfinite(high - low)
        assert low < high
    for key in loaded.tensor_layouts:
        for shape in ((), (0,), (5,), (3, 4), (2, 3, 4)):
            plane = Layouts(loaded).plane(key, shape)
            assert plane.fits(shape)
            assert all(type(size) is int for size in plane.size(shape))
    looks = HeatLooks(loaded, QObject())
    wanted = (looks.difference, looks.part, looks.scale, looks.extent, looks.colour_map)
    kinds = (Difference, Part, Scale, Extent, ColourMap)
    assert all(isinstance(word, kind) for word, kind in zip(wanted, kinds))


@pytest.mark.parametrize(
    "limits", [{"values": None}, {"values": ["a", None]}, {"values": [1.0]}, {"values": [2.0, 1.0]}]
)
def test_odd_ranges_are_none(ini: Path, limits: object) -> None:
    store = QSettings(str(ini), QSettings.Format.IniFormat)
    store.setValue("window/heat_limits", json.dumps(limits))
    assert SettingsFile(store).load().heat_limits == {}
