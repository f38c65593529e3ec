"""What ``-o`` refuses before any work is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import InputError
from core.report.files import check_output


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_link_to_a_dump_is_no_output(tmp_path: Path) -> None:
    for name in ("tensor.npy", "weights.safetensors", "dump.json", "golden.csv"):
        (tmp_path / name).write_bytes(b"precious")
        link = tmp_path / f"{name}.link.csv"
        link.symlink_to(tmp_path / name)
        with pytest.raises(InputError) as refused:
            check_output(str(link), (str(tmp_path / "golden.csv"),))
        assert refused.value.problem.code == "output_is_input"
    (tmp_path / "other.csv").write_text("old")
    (tmp_path / "fine.csv").symlink_to(tmp_path / "other.csv")
    check_output(str(tmp_path / "fine.csv"), (str(tmp_path / "golden.csv"),))
    check_output(str(tmp_path), ())


def test_no_name_and_no_file(tmp_path: Path) -> None:
    for output, code in (("", "output_empty"), (os.devnull, "output_not_a_file")):
        with pytest.raises(InputError) as refused:
            check_output(output, ())
        assert refused.value.problem.code == code
