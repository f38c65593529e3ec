"""Make the screenshots of the documents from the real window on the bundled pair and a run of four ranks.

    python docs/images/make_screenshots.py [FOLDER]

Needs no display (Qt's offscreen platform), but the fonts of the system; Chinese needs a CJK font.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

import numpy as np  # noqa: E402
from PySide6.QtCore import QDeadlineTimer, QSettings  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from core.messages import set_language  # noqa: E402
from gui.application import make_window  # noqa: E402
from gui.looks.theme import Theme  # noqa: E402
from gui.main_window import MainWindow  # noqa: E402
from gui.processes.work_state import Stage  # noqa: E402

_SIZE = (1680, 1050)
_DETAIL = (1400, 760)
_OF_A_CALL = ("tensors", "distributions", "elements")
"""Tabs that are shown in a window of their own."""
_LONGEST = 30_000
"""Milliseconds that opening the pair may take, and again what is worked out beside it."""
_SETTLE = 1_000
"""Milliseconds to draw after that."""


def wait(application: QApplication, milliseconds: int, done: object = None) -> None:
    """Let the window live until *done* says so, or the time is up."""
    deadline = QDeadlineTimer(milliseconds)
    while not deadline.hasExpired() and not (callable(done) and done()):
        application.processEvents()


def is_settled(window: MainWindow) -> bool:
    """Whether all pictures are there, and nothing is being looked for."""
    return window.session.pictures.idle and window.session.overflow.stage is not Stage.WORKING


def turn_to(application: QApplication, window: MainWindow, tab: str) -> None:
    """Go to *tab* of the overflow page, and wait for what is to be seen there."""
    window.actions_registry[f"tab_{tab}"].trigger()
    wait(
        application, _LONGEST, lambda: window.pages.overflow is not None and not window.pages.overflow.working
    )


def replay(application: QApplication, window: MainWindow) -> None:
    """Go to the emulation page, and replay all calls under the profile it offers first."""
    window.actions_registry["page_emulation"].trigger()
    assert window.pages.emulation is not None
    window.pages.emulation.replay()
    wait(application, _LONGEST, lambda: window.session.emulation.stage is not Stage.WORKING)


def look_at_curves(application: QApplication, window: MainWindow) -> None:
    """Wait for the verdict on the curves, and look at the finding that matters most."""
    state = window.session.curves
    wait(application, _LONGEST, lambda: state.stage is Stage.READY and state.service.idle)
    state.choose(0)
    assert window.pages.curves is not None
    assert window.pages.curves.curves is not None
    window.pages.curves.curves.picture.canvas.fit()


def look_at_trends(application: QApplication, window: MainWindow) -> None:
    """Wait for the verdict on the layers; the first bad cell is looked at by itself."""
    wait(application, _LONGEST, lambda: window.pages.curves is not None and window.pages.curves.readable)
    wait(application, 8 * _SETTLE)


def detail_of(application: QApplication, window: MainWindow, tab: str) -> QWidget:
    """Return a detail window of the call on show, at *tab*, once all of it is drawn."""
    from gui.pages.detail import Tab

    window.actions_registry["open_detail"].trigger()
    (made,) = window.details.windows
    made.resize(*_DETAIL)
    made.card.tabs.setCurrentIndex(Tab[tab.upper()])
    wait(application, _SETTLE)
    wait(application, _LONGEST, lambda: is_settled(window))
    return made


def shoot(
    application: QApplication, place: Path, theme: str, language: str, paths: list[str], tab: str = ""
) -> None:
    """Open *paths* (none: the empty window), go to what *tab* names, and save it as *place*."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["ULPSCOPE_CACHE_DIR"] = os.environ["ULPSCOPE_DATA_DIR"] = home
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, home)
        set_language(language)
        window = make_window(application)
        scheme = application.findChild(Theme)
        assert scheme is not None
        scheme.set_mode(theme)
        window.resize(*_SIZE)
        window.start(paths)
        window.resize(*_SIZE)
        alone = tab in ("curves", "trends", "precheck")  # with nothing that is compared
        wait(application, _LONGEST, lambda: bool(window.session.result_path) or not paths or alone)
        wait(application, _SETTLE)
        wait(application, _LONGEST, lambda: is_settled(window))
        if tab == "emulation":
            replay(application, window)
        elif tab == "curves":
            look_at_curves(application, window)
        elif tab == "trends":
            look_at_trends(application, window)
        elif tab == "precheck":
            wait(application, _LONGEST, lambda: window.session.precheck.stage is Stage.READY)
        elif tab and tab not in _OF_A_CALL:
            turn_to(application, window, tab)
        shown = detail_of(application, window, tab) if tab in _OF_A_CALL else window
        wait(application, _SETTLE)
        shown.grab().save(str(place))
        window.close()
        window.deleteLater()
        wait(application, 200)
    print(place)


def copied_pair(target: Path, golden: Path, folder: str) -> list[str]:
    """Return a pair under names and in a place as a user has them."""
    place = Path(tempfile.gettempdir()) / folder
    pair = []
    for side, name in ((target, "npu_dump"), (golden, "gpu_dump")):
        shutil.copytree(side, place / name, dirs_exist_ok=True)
        pair.append(str(place / name))
    return pair


def training_logs(folder: str) -> list[str]:
    """Return two logs of a made-up training: the target has a spike and drifts away."""
    random = np.random.default_rng(7)
    step = np.arange(1, 1001)
    golden = (2.1 + 8.4 * step**-0.38) * (1 + 0.006 * random.standard_normal(len(step)))
    drift = 1 + 0.035 * np.clip((step - 480) / 520, 0, 1)
    target = golden * drift * (1 + 0.0012 * random.standard_normal(len(step)))
    target[211] *= 1.13
    place = Path(tempfile.gettempdir()) / folder
    place.mkdir(exist_ok=True)
    made = []
    for name, losses in (("npu_train.log", target), ("gpu_train.log", golden)):
        lines = [
            f" iteration {at:8}/    1000 | consumed samples: {at * 64:12} | learning rate: {1e-4:.6E} |"
            f" global batch size:    64 | lm loss: {loss:.6E} | loss scale: 1.0 |"
            f" grad norm: {0.8 + 4 / at:.3f} |"
            for at, loss in zip(step.tolist(), losses.tolist())
        ]
        (place / name).write_text("\n".join(lines) + "\n", "utf-8")
        made.append(str(place / name))
    return made


def monitors(folder: str) -> list[str]:
    """Return what two monitors wrote of a made-up training: one layer leaves, those before it follow."""
    random = np.random.default_rng(3)
    parts = ("self_attention.linear_qkv", "self_attention.linear_proj", "mlp.linear_fc1", "mlp.linear_fc2")
    names = [f"decoder.layers.{layer}.{part}.weight" for layer in range(24) for part in parts]
    steps = np.arange(120)
    golden = np.exp(-steps / 200) * (1 + 0.05 * random.standard_normal((len(names), len(steps))))
    away = 0.01 * np.clip(steps - 60, 0, None) * np.where(np.arange(len(names)) < 54, 0.5, 0)[:, np.newaxis]
    away[53] *= 2
    target = golden * (1 + away) * (1 + 0.002 * random.standard_normal(golden.shape))
    place = Path(tempfile.gettempdir()) / folder
    made = []
    for side, norms in (("npu_monitor", target), ("gpu_monitor", golden)):
        rank = place / side / "Dec03_21-34-40-rank0-1a2b3c4d"
        rank.mkdir(parents=True, exist_ok=True)
        rows = [f"0,{name},{step},{norm:.6f}" for step in steps for name, norm in zip(names, norms[:, step])]
        (rank / "grad_reduced_0-119.csv").write_text("\n".join(["vpp_stage,name,step,norm", *rows]) + "\n")
        made.append(str(place / side))
    return made


_SCRIPT = """#!/bin/bash
source /usr/local/Ascend/ascend-toolkit/set_env.sh
export HCCL_DETERMINISTIC={deterministic}
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nproc_per_node 8 pretrain_gpt.py \\
    --tensor-model-parallel-size 2 --micro-batch-size 2 --global-batch-size {batch} \\
    --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 4096 \\
    --lr {rate} --min-lr 1e-6 --lr-decay-style cosine --lr-warmup-fraction 0.01 --train-iters 1000 \\
    --weight-decay 0.1 --adam-beta1 0.9 --adam-beta2 {beta} --clip-grad 1.0 --seed 1234 \\
    --attention-dropout 0 --hidden-dropout 0 --bf16{more}
"""
_PACKAGES = """Package      Version
------------ -----------
torch        2.1.0{suffix}
numpy        1.26.4
transformers {transformers}
accelerate   0.30.1
"""


def evidence(folder: str) -> list[str]:
    """Return scripts and package lists of a made-up training: the sides differ in a few settings."""
    place = Path(tempfile.gettempdir()) / folder
    place.mkdir(exist_ok=True)
    made = []
    for side, rate, beta, more, suffix, transformers in (
        ("npu", "0.002", "0.95", " --use-flash-attn", "+cpu", "4.40.1"),
        ("gpu", "0.001", "0.95", "", "+cu121", "4.41.2"),
    ):
        files = {
            "train.sh": _SCRIPT.format(
                deterministic="true" if side == "npu" else "false", batch=64, rate=rate, beta=beta, more=more
            ),
            "pip_list.txt": _PACKAGES.format(suffix=suffix, transformers=transformers),
            "files.txt": "".join(f"data/part-{number:02}.bin\n" for number in range(12)),
        }
        for name, words in files.items():
            (place / f"{side}_{name}").write_text(words, "utf-8")
            made.append(str(place / f"{side}_{name}"))
    return made


def main() -> None:
    """Make all of them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication([])
    demo, ranks = PROJECT / "resources" / "demo", PROJECT / "tests" / "data" / "msprobe" / "four_ranks"
    pair = copied_pair(demo / "target", demo / "golden", "dumps")
    logs, layers = training_logs("logs_of_two_runs"), monitors("monitors_of_two_runs")
    scripts = evidence("evidence_of_two_runs")
    four = copied_pair(ranks / "overflow", ranks / "golden", "dumps_of_four_ranks")
    for name, theme, language, paths, tab in (
        ("window-light", "light", "en", pair, ""),
        ("window-dark", "dark", "en", pair, ""),
        ("window-zh", "light", "zh_CN", pair, ""),
        ("empty-light", "light", "en", [], ""),
        ("empty-dark", "dark", "zh_CN", [], ""),
        ("overflow-light", "light", "en", four, "births"),
        ("headroom-light", "light", "en", pair, "headroom"),
        ("emulation-light", "light", "en", pair, "emulation"),
        ("emulation-dark", "dark", "en", pair, "emulation"),
        ("curves-light", "light", "en", logs, "curves"),
        ("curves-dark", "dark", "en", logs, "curves"),
        ("trends-light", "light", "en", layers, "trends"),
        ("precheck-light", "light", "en", scripts, "precheck"),
        ("precheck-zh", "dark", "zh_CN", scripts, "precheck"),
        ("tensors-light", "light", "en", pair, "tensors"),
        ("histograms-light", "light", "en", pair, "distributions"),
        ("elements-dark", "dark", "en", pair, "elements"),
    ):
        shoot(application, folder / f"{name}.png", theme, language, paths, tab)


if __name__ == "__main__":
    main()
