"""Initial weights that are not known as a whole: ranks, parts, two checkpoints, files that break off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from builders.checkpoints import Array, write_safetensors

from core.precheck.checks.weights import initial
from core.precheck.finding import Finding
from core.precheck.gathering import gather
from core.precheck.pair import Pair
from core.progress import run_to_end
from core.records.evidence import Given
from core.records.precheck import Outcome, Standing

RANDOM = np.random.default_rng(1)
LAYOUTS = (
    "iter_0000000/mp_rank_{rank:02}/model.safetensors",
    "run/checkpoints/iter_0000000/mp_rank_{rank:02}/model.safetensors",
    "global_step0/tp_rank_{rank:02}_pp_rank_000/model.safetensors",
    "rank_{rank}/model.safetensors",
    "rank_{rank}/llama_rank_{rank}-0_1.safetensors",
    "model_rank{rank}.safetensors",
    "model-rank-{rank}.safetensors",
    "model_world_size_2_rank_{rank}.safetensors",
)


def weights() -> dict[str, Array]:
    return {"layer.weight": RANDOM.normal(size=(8, 8)).astype("f4"), "layer.bias": np.zeros(8, "f4")}


def found(target: Sequence[Path], golden: Sequence[Path]) -> Finding:
    sides = [run_to_end(gather(Given(str(path)) for path in paths)).side for paths in (target, golden)]
    return run_to_end(initial(Pair(*sides)))


def ranks(folder: Path, layout: str, tensors: Sequence[dict[str, Array]]) -> list[Path]:
    return [write_safetensors(folder / layout.format(rank=rank), held) for rank, held in enumerate(tensors)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_rank_counts_whoever_names_it(tmp_path: Path, layout: str) -> None:
    first, second, other = weights(), weights(), weights()
    sides = {"t": (first, second), "same": (first, second), "g": (first, other)}
    files = {name: ranks(tmp_path / name, layout, held) for name, held in sides.items()}
    for target, golden in ((["t"], ["g"]), (["t"], ["same"])):
        folders = [[tmp_path / name for name in names] for names in (target, golden)]
        results = [found(*folders), found(files[target[0]], files[golden[0]])]
        for result in results:
            assert result.result is (Outcome.FAIL if golden == ["g"] else Outcome.PASS)
            assert len(result.items) == 4
            differing = [item.name for item in result.items if item.standing is Standing.DIFFERS]
            assert len(differing) == (golden == ["g"])
    alone = found(files["t"][:1], files["g"][:1])
    assert alone.result is Outcome.NOT_DONE
    assert alone.message.code == "precheck.weights.initial.not_whole.parts"
    assert alone.message.parameters["path"] == str(files["t"][1])


def test_one_rank_alone_is_the_whole(tmp_path: Path) -> None:
    held = weights()
    ranks(tmp_path / "t", LAYOUTS[0], [held])
    whole = write_safetensors(tmp_path / "g" / "model.safetensors", held)
    assert found([tmp_path / "t"], [whole]).result is Outcome.PASS


def test_other_ranks_are_not_done(tmp_path: Path) -> None:
    whole = {"qkv.weight": RANDOM.normal(size=(8, 8)).astype("f4"), "norm.weight": np.ones(8, "f4")}
    for count in (2, 4):
        parts = [whole | {"qkv.weight": part} for part in np.split(whole["qkv.weight"], count)]
        ranks(tmp_path / str(count), LAYOUTS[0], parts)
    assert found([tmp_path / "2"], [tmp_path / "4"]).result is Outcome.NOT_DONE
    assert found([tmp_path / "4"], [tmp_path / "2"]).result is Outcome.NOT_DONE


def test_a_weight_that_one_rank_lacks_fails(tmp_path: Path) -> None:
    first, second = weights(), weights()
    ranks(tmp_path / "t", LAYOUTS[0], [first, {"layer.weight": second["layer.weight"]}])
    ranks(tmp_path / "g", LAYOUTS[0], [first, second])
    assert found([tmp_path / "t"], [tmp_path / "g"]).result is Outcome.FAIL


def test_a_rank_whose_folder_holds_nothing_is_not_whole(tmp_path: Path) -> None:
    held = weights()
    for side in "tg":
        ranks(tmp_path / side, LAYOUTS[0], [held])
        (tmp_path / side / "iter_0000000" / "mp_rank_01").mkdir()
    assert found([tmp_path / "t"], [tmp_path / "g"]).result is Outcome.NOT_DONE


def test_the_rank_of_an_adapter_is_no_part(tmp_path: Path) -> None:
    held = {"a.lora_A.weight": RANDOM.normal(size=(8, 4)).astype("f4")}
    for rank in (8, 16):
        write_safetensors(tmp_path / f"lora_rank{rank}.safetensors", held)
    paths = [tmp_path / "lora_rank8.safetensors"], [tmp_path / "lora_rank16.safetensors"]
    assert found(*paths).result is Outcome.PASS


@pytest.mark.parametrize("turned", [False, True])
def test_two_checkpoints_of_a_side_are_told(tmp_path: Path, turned: bool) -> None:
    one, other = weights(), weights()
    paths = [
        write_safetensors(tmp_path / name / "a.safetensors", held)
        for name, held in (("one", one), ("other", {f"module.{key}": value for key, value in other.items()}))
    ]
    golden = write_safetensors(tmp_path / "golden.safetensors", one)
    both = paths[::-1] if turned else paths
    result = found(both, [golden])
    assert result.result is Outcome.NOT_DONE
    assert result.message.code == "precheck.weights.initial.twice.target"
    assert {result.message.parameters["path"], result.message.parameters["other"]} == set(map(str, paths))
    assert found([golden], both).message.code == "precheck.weights.initial.twice.golden"
    copy = write_safetensors(tmp_path / "copy.safetensors", one)
    assert found([paths[0], copy], [golden]).result is Outcome.PASS


def test_one_folder_of_two_checkpoints_is_told(tmp_path: Path) -> None:
    one, other = weights(), weights()
    for name, held in (("model_a", one), ("model_b", other)):
        write_safetensors(tmp_path / "t" / f"{name}.safetensors", held)
    golden = write_safetensors(tmp_path / "golden.safetensors", one)
    assert found([tmp_path / "t"], [golden]).message.code == "precheck.weights.initial.twice.target"


@pytest.mark.parametrize("index", [False, True])
def test_a_numbered_part_that_is_missing_is_told(tmp_path: Path, index: bool) -> None:
    names = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    for side in "tg":
        write_safetensors(tmp_path / side / names[0], {"a.weight": np.ones(4, "f4")})
        if index:
            told = {"weight_map": {"a.weight": names[0], "b.weight": names[1]}}
            (tmp_path / side / "model.safetensors.index.json").write_text(json.dumps(told))
    result = found([tmp_path / "t"], [tmp_path / "g"])
    assert result.result is Outcome.NOT_DONE
    assert result.message.parameters["path"] == str(tmp_path / "t" / names[1])
    for side in "tg":
        write_safetensors(tmp_path / side / names[1], {"b.weight": np.full(4, 2, "f4")})
    assert found([tmp_path / "t"], [tmp_path / "g"]).result is Outcome.PASS
    files = [[tmp_path / side / name for name in names] for side in "tg"]
    assert found(files[0], files[1]).result is Outcome.PASS
    assert found(files[0][:1], files[1]).result is Outcome.NOT_DONE


@pytest.mark.parametrize("left", [40, 200, 400])
def test_a_file_that_breaks_off_is_told_and_never_passes(tmp_path: Path, left: int) -> None:
    held = {f"layer{number}.weight": RANDOM.normal(size=8).astype("f4") for number in range(20)}
    whole = write_safetensors(tmp_path / "whole.safetensors", held)
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(whole.read_bytes()[: -left if left < 400 else left])
    for target, golden in (([cut], [cut]), ([cut], [whole]), ([whole], [cut])):
        result = found(target, golden)
        assert result.result is Outcome.NOT_DONE
        assert result.message.parameters["path"] == str(cut)
        assert len(result.remarks) == 1


def test_what_differs_fails_though_the_file_breaks_off(tmp_path: Path) -> None:
    held = weights()
    whole = write_safetensors(tmp_path / "whole.safetensors", held)
    cut = write_safetensors(tmp_path / "cut.safetensors", held | {"layer.weight": held["layer.weight"] * 2})
    cut.write_bytes(cut.read_bytes()[:-8])
    assert found([cut], [whole]).result is Outcome.FAIL
