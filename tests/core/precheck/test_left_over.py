"""State that an earlier run left: checkpoints of one side, other ones, restarts, and who would tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.logged_runs import falling_loss, logged
from builders.settings import saying
from builders.settings import script as whole_script

from core.precheck.checks.left_over import left_over
from core.precheck.pair import Pair, Side
from core.records.curves import LoggedRun, Resume
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting
from core.records.precheck import Outcome, Standing

LOSS = falling_loss(200)
PASS, FAIL, NOT_DONE = Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE


def log(run: LoggedRun) -> Evidence:
    return Evidence(run.path, (EvidenceKind.LOG,), log=run)


def logs(target: LoggedRun, golden: LoggedRun) -> Pair:
    return Pair(Side((log(target),)), Side((log(golden),)))


def sides(target: tuple[Evidence, ...], golden: tuple[Evidence, ...]) -> Pair:
    return Pair(Side(target), Side(golden))


def script(*settings: tuple[str, str]) -> Evidence:
    at = Place("train.sh", 4)
    return Evidence(
        "train.sh",
        (EvidenceKind.SCRIPT,),
        settings=tuple(Setting(name, value, at, Dialect.MEGATRON) for name, value in settings),
    )


def test_a_checkpoint_that_one_side_loads_fails() -> None:
    plain = script(("lr", "1e-4"), ("resume_from_checkpoint", "None"))
    loading = script(("lr", "1e-4"), ("load", "/old/checkpoints"))
    assert left_over(Pair(Side((plain,)), Side((plain,)))).result is Outcome.PASS
    found = left_over(Pair(Side((loading,)), Side((plain,))))
    assert found.message.code == "precheck.flow.left_over.fail.target"
    assert found.message.parameters == {"name": "load", "value": "/old/checkpoints"}
    assert found.items[0].target_place == Place("train.sh", 4)
    assert left_over(Pair(Side((plain,)), Side((loading,)))).result is Outcome.FAIL
    both = left_over(Pair(Side((loading,)), Side((loading,))))
    assert (both.result, both.message.code) == (Outcome.PASS, "precheck.flow.left_over.both")
    steps = [script(("load", "/old"), ("ckpt-step", step)) for step in ("100", "200")]
    assert left_over(Pair(Side((steps[0],)), Side((steps[1],)))).result is Outcome.FAIL


def test_a_setting_of_one_side_and_the_log_of_the_other_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(" loading checkpoint from /data/old at iteration 4000\n")
    other = logged(LOSS, path=str(path))
    found = left_over(Pair(Side((script(("load", "/data/old")),)), Side((log(other),))))
    assert (found.result, found.message.code) == (Outcome.PASS, "precheck.flow.left_over.both")


@pytest.mark.parametrize(
    "line",
    [
        " loading checkpoint from /data/old at iteration 4000",
        "successfully loaded checkpoint from /data/old at iteration 4000",
        "Resuming training from checkpoint with epoch 3 and global step 12",
        "could not find arguments in the checkpoint ...",
    ],
)
def test_logs_tell_of_old_checkpoints(tmp_path: Path, line: str) -> None:
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    old.write_text(f"starting\n{line}\niteration 1\n")
    new.write_text("starting\nWARNING: will not load any checkpoints and will start from random\n")
    found = left_over(logs(logged(LOSS, path=str(old)), logged(LOSS, path=str(new))))
    assert found.result is Outcome.FAIL
    assert found.items[0].target_place == Place(str(old), 2)


def test_a_restart_of_one_side_fails() -> None:
    run = logged(LOSS, path="gone.log")
    again = replace(run, resumes=(Resume(100, 20),))
    assert left_over(logs(run, run)).result is Outcome.PASS
    assert left_over(logs(again, run)).result is Outcome.FAIL
    assert left_over(logs(again, again)).result is Outcome.PASS


CONSOLE = log(logged(LOSS, path="gone.log"))
NUMBERS = log(replace(logged(LOSS, path="loss.csv"), forms=("table",)))
LINES = log(replace(logged(LOSS, path="trainer_log.jsonl"), forms=("trainer",)))
MODEL = saying(Dialect.MODEL, EvidenceKind.CONFIG, "config.json", hidden_size=16)
PYTHON = saying(Dialect.PLAIN, EvidenceKind.CONFIG, "conf.py", batch=4)


@pytest.mark.parametrize("silent", [NUMBERS, LINES, MODEL, PYTHON], ids=lambda item: item.path)
def test_evidence_that_would_not_show_it_never_passes(silent: Evidence) -> None:
    for pair, lacking in (
        (sides((silent,), (silent,)), "both"),
        (sides((CONSOLE,), (silent,)), "golden"),
        (sides((silent,), (whole_script(),)), "target"),
        (sides((silent, whole_script(load="/x/llama")), (silent,)), "golden"),
    ):
        found = left_over(pair)
        assert found.result is NOT_DONE
        assert found.message.code == f"precheck.flow.left_over.untold.{lacking}"
    assert left_over(sides((silent, CONSOLE), (silent, whole_script()))).result is PASS


@pytest.mark.parametrize(
    ("target", "golden", "result"),
    [
        ("/npu/ckpt/llama2-7b", "/gpu/models/Llama2-7B", PASS),
        ("/d/llama2-7b-chat", "/d/llama2-7b", FAIL),
        ("/d/llama2-7b-tp8-pp1", "/d/llama2-7b-tp1-pp1", PASS),
        ("out/run1/checkpoint-500", "out/run1/checkpoint-600", FAIL),
        ("$LOAD", "/d/llama2-7b", NOT_DONE),
    ],
)
def test_checkpoints_are_one_by_their_names_wherever_they_lie(
    target: str, golden: str, result: Outcome
) -> None:
    scripts = []
    for place in (target, golden):
        made = whole_script(load=place)
        known = [said._replace(known=not str(said.value).startswith("$")) for said in made.settings]
        scripts.append(replace(made, settings=tuple(known)))
    found = left_over(sides((scripts[0],), (scripts[1],)))
    assert found.result is result
    if result is FAIL:
        assert found.message.code == "precheck.flow.left_over.other"


def test_a_log_of_one_side_names_another_checkpoint_than_the_settings_of_the_other(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(" loading checkpoint from /data/llama2-7b-chat at iteration 4000\n")
    said = log(logged(LOSS, path=str(path)))
    assert left_over(sides((whole_script(load="/d/llama2-7b"),), (said,))).result is FAIL
    assert left_over(sides((whole_script(load="/d/llama2-7b-chat"),), (said,))).result is PASS


def test_a_log_that_found_nothing_to_load_takes_nothing_up(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("WARNING: will not load any checkpoints and will start from random\n")
    empty = whole_script(load="/out/exp1"), log(logged(LOSS, path=str(path)))
    assert left_over(sides(empty, (whole_script(),))).result is PASS


def trainer(*, overwrite: bool = False) -> Evidence:
    said: dict[str, bool] = {"overwrite_output_dir": True} if overwrite else {}
    made = saying(Dialect.HUGGING_FACE, EvidenceKind.CONFIG, "run.yaml", output_dir="out")
    more = (Setting(name, value, Place("run.yaml", 2), Dialect.HUGGING_FACE) for name, value in said.items())
    return replace(made, settings=(*made.settings, *more))


def test_who_does_not_overwrite_may_take_up_what_lies_there() -> None:
    found = left_over(sides((trainer(overwrite=True),), (trainer(),)))
    assert (found.result, found.items[0].standing) == (FAIL, Standing.TARGET_ONLY)
    both = trainer(overwrite=True)
    assert left_over(sides((both,), (both,))).result is PASS
    # the log of the other side would say that something was taken up
    assert left_over(sides((both,), (trainer(), CONSOLE))).result is PASS


def test_settings_do_not_tell_of_a_restart() -> None:
    again = log(replace(logged(LOSS, path="gone.log"), resumes=(Resume(100, 20),)))
    assert left_over(sides((again,), (whole_script(),))).result is NOT_DONE
    assert left_over(sides((again,), (CONSOLE,))).result is FAIL
