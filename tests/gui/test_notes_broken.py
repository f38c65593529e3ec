"""Notes whose file was broken: the next decision says where the file is kept, and saves what was sound."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from core.messages import text
from core.records.notes import Notes
from core.records.result import CellResult
from core.store.notes import DIRECTORY_VARIABLE, load_notes, save_notes
from gui.main_window import MainWindow


def test_a_broken_file_is_kept_and_told_of(
    loaded: MainWindow, show: Callable[..., None], cell: CellResult
) -> None:
    info = loaded.session.info
    assert info is not None
    pair = (info.target_path, info.golden_path)
    save_notes(*pair, Notes())
    (place,) = Path(os.environ[DIRECTORY_VARIABLE]).rglob("*.json")
    broken = json.dumps({"remarks": {"a": "sound", "b": 3}, "pairs": [1]})
    place.write_text(broken, "utf-8")
    show(cell)
    assert not loaded.notice.isVisible()  # looking at the pair changes nothing
    loaded.session.suspects.remark("c", "new")
    (aside,) = place.parent.glob("*.broken")
    assert aside.read_text("utf-8") == broken
    assert loaded.notice.sentence == text("gui.diagnosis.notes_broken", path=str(aside))
    assert load_notes(*pair).remarks == {"a": "sound", "c": "new"}
    loaded.notice.dismiss()
    loaded.session.suspects.remark("c", "newer")
    assert not loaded.notice.isVisible()
    assert list(place.parent.glob("*.broken")) == [aside]
