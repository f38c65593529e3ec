"""Training logs in and beside the folders of dumps."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.formats.logs.nearby import logs_near
from core.progress import run_to_end

DATA = Path(__file__).parents[3] / "data" / "logs"
EVENTS = next(DATA.glob("events*"))


def test_tables_and_events_are_found(tmp_path: Path) -> None:
    run = tmp_path / "job" / "dump"
    (run / "step0").mkdir(parents=True)
    (run / "step0" / "dump.json").write_text('{"data": {"loss": 1}}')
    (run / "compare_result_20240101.csv").write_text("NPU Name,Bench Name,Cosine\na,b,1.0\n")
    (run / "statistic.csv").write_text("Op Type,Op Name,Max Value\nAdd,a,1.0\n")
    (run / "notes.txt").write_text("nothing of interest\n")
    shutil.copy(DATA / "loss.csv", run / "loss.csv")
    (run / "loss.tsv").write_text("step\tloss\n1\t2.0\n")
    (run.parent / "train.log").write_text("step 1 loss: 2.0\n")
    shutil.copy(EVENTS, run / EVENTS.name)
    (run.parent / "tensorboard" / "v0").mkdir(parents=True)
    shutil.copy(EVENTS, run.parent / "tensorboard" / "v0" / "events.out.tfevents.1.a.0")
    shutil.copy(EVENTS, run.parent / "tensorboard" / "v0" / "events.out.tfevents.2.a.0")
    (run / "tb_megatron").mkdir()
    shutil.copy(EVENTS, run / "tb_megatron" / "events.out.tfevents.4.a.0")
    (run.parent / "logs").mkdir()
    (run.parent / "logs" / "events.out.tfevents.3.a.0").write_bytes(b"no events")
    found = run_to_end(logs_near([str(run)]))
    assert sorted(found) == sorted(
        str(path)
        for path in (
            run / "loss.csv", run / "loss.tsv", run.parent / "train.log", run / EVENTS.name,
            run.parent / "tensorboard" / "v0", run / "tb_megatron" / "events.out.tfevents.4.a.0",
        )
    )  # fmt: skip


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert run_to_end(logs_near([str(tmp_path / "gone" / "dump"), ""])) == []
