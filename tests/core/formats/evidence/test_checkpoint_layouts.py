"""Which files of a folder are the checkpoint, and which rank each is of: no part is left out silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.formats.evidence.weights.layout import find_checkpoint
from core.formats.evidence.weights.parts import missing_parts, rank_in


def laid(folder: Path, *names: str) -> list[str]:
    for name in names:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return [str(folder / name) for name in names]


def chosen(folder: Path) -> list[tuple[str, str]]:
    checkpoint = find_checkpoint(str(folder))
    assert checkpoint is not None
    return [(Path(path).relative_to(folder).as_posix(), head) for path, head in checkpoint.files]


@pytest.mark.parametrize(
    ("there", "kept"),
    [
        (["model.safetensors", "model.fp16.safetensors"], ["model.safetensors"]),
        (["model.fp16.safetensors"], ["model.fp16.safetensors"]),
        (["model.safetensors", "pytorch_model.bin"], ["model.safetensors"]),
        (
            ["adapter_model.safetensors", "pytorch_model.bin"],
            ["adapter_model.safetensors", "pytorch_model.bin"],
        ),
        (["adapter_model.bin", "model.safetensors"], ["adapter_model.bin", "model.safetensors"]),
        (["model_a.safetensors", "model_b.safetensors"], ["model_a.safetensors", "model_b.safetensors"]),
    ],
)
def test_formats_of_the_same_weights_count_once(tmp_path: Path, there: list[str], kept: list[str]) -> None:
    laid(tmp_path, *there)
    assert chosen(tmp_path) == [(name, "") for name in kept]


def test_an_adapter_beside_an_index_counts(tmp_path: Path) -> None:
    laid(tmp_path, "model-00001-of-00001.safetensors", "adapter_model.safetensors")
    (tmp_path / "model.safetensors.index.json").write_text(
        '{"weight_map": {"a": "model-00001-of-00001.safetensors"}}'
    )
    assert [name for name, _ in chosen(tmp_path)] == [
        "model-00001-of-00001.safetensors",
        "adapter_model.safetensors",
    ]


@pytest.mark.parametrize(
    ("names", "heads"),
    [
        (["consolidated.00.pth", "consolidated.01.pth"], ["rank_00/", "rank_01/"]),
        (["model_rank0.pt", "model_rank1.pt"], ["rank0/", "rank1/"]),
        (["net_rank_0-1_10.ckpt", "net_rank_1-1_10.ckpt"], ["rank_0/", "rank_1/"]),
        (["mp_rank_00/model_optim_rng.pt", "mp_rank_01/model_optim_rng.pt"], ["mp_rank_00/", "mp_rank_01/"]),
        (["mp_rank_00_model_states.pt", "mp_rank_01_model_states.pt"], ["mp_rank_00/", "mp_rank_01/"]),
        (["mp_rank_00_model_states.pt", "layer_0_expert_0_mp_rank_00_model_states.pt"], ["", ""]),
        (["rank_0/a_rank_0-1_2.ckpt", "rank_1/a_rank_1-1_2.ckpt"], ["rank_0/", "rank_1/"]),
        (["consolidated.00.pth"], [""]),
    ],
)
def test_ranks_go_before_the_names(tmp_path: Path, names: list[str], heads: list[str]) -> None:
    files = laid(tmp_path, *names)
    assert sorted(chosen(tmp_path)) == sorted(zip(names, heads))
    assert missing_parts(files) == []
    if len(set(heads)) > 1:
        assert missing_parts(files[:1]) == files[1:]


def test_a_rank_without_weights_is_a_part_of_the_model_only_where_its_name_says_so(tmp_path: Path) -> None:
    laid(tmp_path / "data", "rank_0/a.ckpt", "rank_1/train.log")
    laid(tmp_path / "model", "mp_rank_00/model_optim_rng.pt", "mp_rank_01/train.log")
    for name, count in (("data", 0), ("model", 1)):
        checkpoint = find_checkpoint(str(tmp_path / name))
        assert checkpoint is not None
        assert len(checkpoint.problems) == count


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("mp_rank_00_001", "mp_rank_00_001"),
        ("tp_rank_00_pp_rank_001", "tp_rank_00_pp_rank_001"),
        ("model_world_size_8_rank_3.pt", "rank_3"),
        ("lora_rank8.safetensors", ""),
        ("ranking_2.pt", ""),
        ("frank_1.pt", ""),
        ("consolidated.01.pth", "rank_01"),
    ],
)
def test_the_rank_in_a_name(name: str, rank: str) -> None:
    assert rank_in(name) == rank
