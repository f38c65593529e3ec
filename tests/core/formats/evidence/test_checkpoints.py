"""Checkpoints of every layout: only the weights, each with the checksum of its elements."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
import zipfile
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from core.formats.evidence.read import read_evidence
from core.formats.evidence.weights.statistics import TOLD
from core.formats.tensors import open_tensor
from core.progress import Progress, run_to_end
from core.records.evidence import Evidence, EvidenceKind, Given, WeightTable


def read(path: Path, kind: EvidenceKind | None = None) -> tuple[Evidence, ...]:
    return run_to_end(read_evidence(Given(str(path), kind)))


def table(path: Path, kind: EvidenceKind | None = None) -> WeightTable:
    (found,) = read(path, kind)
    assert found.kinds == (EvidenceKind.WEIGHTS,)
    assert found.weights is not None
    return found.weights


def digest(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


W = {"layer.weight": np.arange(12, dtype=np.float32).reshape(3, 4), "layer.bias": np.ones(3, np.float16)}


class Stored:
    """A tensor in torch's pickle: `_rebuild_tensor_v2` over a persistent storage."""

    def __init__(self, array: np.ndarray[Any, Any], key: str) -> None:
        self.array, self.key = array, key


class Named:
    """A global of another module, and optionally a call of it with arguments and state."""

    def __init__(self, name: str, *arguments: object, state: object = None, called: bool = True) -> None:
        self.name, self.arguments, self.state, self.called = name, arguments, state, called


def pickled(value: object, arrays: dict[str, np.ndarray[Any, Any]]) -> bytes:
    """Return *value* as torch pickles it, protocol 2; a pickler of our own, as torch is not needed here."""
    words = {
        "float32": "FloatStorage",
        "float16": "HalfStorage",
        "int64": "LongStorage",
        "uint8": "ByteStorage",
    }

    def text(item: str) -> bytes:
        raw = item.encode()
        return b"X" + struct.pack("<I", len(raw)) + raw

    def put(item: object) -> bytes:
        if isinstance(item, np.ndarray):
            key = str(len(arrays))
            arrays[key] = item
            steps = [stride // item.itemsize for stride in item.strides]
            storage = b"(" + text("storage") + f"ctorch\n{words[item.dtype.name]}\n".encode() + text(key)
            storage += text("cpu") + put(item.size) + b"tQ"
            shape, strides = (b"(" + b"".join(map(put, part)) + b"t" for part in (item.shape, steps))
            rest = b"\x89ccollections\nOrderedDict\n)R"
            return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + put(0) + shape + strides + rest + b"tR"
        if isinstance(item, Named):
            module, _, name = item.name.rpartition(".")
            made = f"c{module}\n{name}\n".encode()
            if item.called:
                made += b"(" + b"".join(map(put, item.arguments)) + b"tR"
            return made + (put(item.state) + b"b" if item.state is not None else b"")
        if isinstance(item, dict):
            return b"}(" + b"".join(put(key) + put(held) for key, held in item.items()) + b"u"
        if isinstance(item, (list, tuple)):
            inner = b"".join(map(put, item))
            return b"](" + inner + b"e" if isinstance(item, list) else b"(" + inner + b"t"
        if isinstance(item, str):
            return text(item)
        if isinstance(item, bool) or item is None:
            return {True: b"\x88", False: b"\x89", None: b"N"}[item]
        if isinstance(item, int):
            return b"J" + struct.pack("<i", item)
        assert isinstance(item, float)
        return b"G" + struct.pack(">d", item)

    return b"\x80\x02" + put(value) + b"."


def save(path: Path, value: object) -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    data = pickled(value, arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as made:
        made.writestr("archive/data.pkl", data)
        for key, array in arrays.items():
            made.writestr(f"archive/data/{key}", array.tobytes())


def assert_is(found: WeightTable, weights: dict[str, np.ndarray[Any, Any]]) -> None:
    assert dict(zip(found.keys, found.digests)) == {key: digest(array) for key, array in weights.items()}
    assert dict(zip(found.keys, found.shapes)) == {key: array.shape for key, array in weights.items()}
    assert dict(zip(found.keys, found.dtypes)) == {key: array.dtype.name for key, array in weights.items()}
    assert np.isnan(found.statistics).all()
    assert found.statistics.shape == (len(weights), 4)
    for key, file, member in zip(found.keys, found.files, found.members):
        with open_tensor(file, member=member) as handle:
            assert np.array_equal(handle.read(), weights[key])


def test_one_file_of_safetensors(tmp_path: Path) -> None:
    save_file(W, tmp_path / "model.safetensors")
    assert_is(table(tmp_path / "model.safetensors"), W)
    assert_is(table(tmp_path), W)
    assert table(tmp_path).step == -1


def test_one_torch_file(tmp_path: Path) -> None:
    save(tmp_path / "weights.pt", W)
    assert_is(table(tmp_path / "weights.pt"), W)


def test_the_optimizer_and_random_states_are_left_out(tmp_path: Path) -> None:
    moments = {"state": {"0": {"exp_avg": W["layer.weight"], "step": 3}}, "param_groups": [{"lr": 0.1}]}
    save(
        tmp_path / "checkpoint-500" / "all.pt",
        {"model": W, "optimizer": moments, "rng_state": np.zeros(8, np.uint8), "iteration": 500},
    )
    found = table(tmp_path / "checkpoint-500" / "all.pt")
    assert_is(found, W)
    assert found.step == 500
    assert found.members == ("model.layer.weight", "model.layer.bias")


def test_a_bare_state_keeps_its_prefixes(tmp_path: Path) -> None:
    weights = {"model.embed.weight": W["layer.weight"], "lm_head.weight": W["layer.weight"] * 2}
    save_file(weights, tmp_path / "a.safetensors")
    assert_is(table(tmp_path / "a.safetensors"), weights)


def test_hugging_face_in_parts_with_one_missing(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint-70"
    folder.mkdir()
    save_file({"a.weight": W["layer.weight"]}, folder / "model-00001-of-00002.safetensors")
    names = {"a.weight": "model-00001-of-00002.safetensors", "b.weight": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    (found,) = read(folder)
    assert found.weights is not None
    assert found.weights.keys == ("a.weight",)
    assert found.weights.step == 70
    assert [problem.code for problem in found.problems] == ["file_missing"]
    assert found.problems[0].path.endswith("model-00002-of-00002.safetensors")


def test_an_index_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    save_file(W, tmp_path / "secret.safetensors")
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": "../secret.safetensors"}})
    )
    (found,) = read(folder)
    assert found.weights is None
    assert [problem.code for problem in found.problems] == ["weights_index_broken"]


def megatron_state(weights: dict[str, np.ndarray[Any, Any]]) -> dict[str, object]:
    """Return what Megatron-LM saves, with the classes that it saves beside the weights."""
    state = Named("numpy.core.multiarray._reconstruct", Named("numpy.ndarray", called=False), (0,),
                  Named("_codecs.encode", "b", "latin1"),
                  state=(1, (624,), Named("numpy.dtype", "u4", False, True, state=(3, "<", None)), False,
                         Named("_codecs.encode", "\x01\x02", "latin1")))  # fmt: skip
    return {
        "args": Named(
            "argparse.Namespace", state={"lr": 0.1, "params_dtype": Named("torch.float32", called=False)}
        ),
        "checkpoint_version": 3.0,
        "iteration": 100,
        "model": weights,
        "optimizer": {"fp32_from_fp16_params": [[W["layer.weight"]]]},
        "rng_state": [
            {"np_rng_state": ("MT19937", state, 624, 0, 0.0), "torch_rng_state": np.zeros(8, np.uint8)}
        ],
        "model_type": Named("megatron.core.enums.ModelType", 1),
    }


def test_megatron(tmp_path: Path) -> None:
    inside = {"embedding.weight": W["layer.weight"], "layer._extra_state": np.zeros(4, np.uint8)}
    for iteration in (90, 100):
        save(tmp_path / f"iter_{iteration:07d}" / "mp_rank_00" / "model_optim_rng.pt", megatron_state(inside))
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("90\n")
    found = table(tmp_path)
    assert found.step == 90
    assert_is(found, {"embedding.weight": W["layer.weight"]})


def test_megatron_of_two_ranks(tmp_path: Path) -> None:
    for rank in range(2):
        file = tmp_path / "iter_0000010" / f"mp_rank_{rank:02d}" / "model_optim_rng.pt"
        save(file, megatron_state({"embedding.weight": W["layer.weight"] + rank}))
    found = table(tmp_path / "iter_0000010")
    assert found.keys == ("mp_rank_00/embedding.weight", "mp_rank_01/embedding.weight")
    assert found.digests[0] == digest(W["layer.weight"])
    assert found.digests[1] == digest(W["layer.weight"] + 1)


def test_deepspeed(tmp_path: Path) -> None:
    save(
        tmp_path / "global_step30" / "mp_rank_00_model_states.pt",
        {
            "module": W,
            "buffer_names": [],
            "lr_scheduler": None,
            "ds_config": {"train_batch_size": 8},
            "global_steps": 30,
        },
    )
    (tmp_path / "latest").write_text("global_step30")
    found = table(tmp_path)
    assert found.step == 30
    assert_is(found, W)


def test_stage_three_of_zero_is_told(tmp_path: Path) -> None:
    save(tmp_path / "zero_pp_rank_0_mp_rank_00_model_states.pt", {"module": {"a": np.empty(0, np.float16)}})
    (found,) = read(tmp_path)
    assert found.weights is None
    assert [problem.code for problem in found.problems] == ["weights_partitioned"]


def test_a_distributed_checkpoint_is_told(tmp_path: Path) -> None:
    (tmp_path / ".metadata").write_bytes(b"\x80\x02")
    (tmp_path / "__0_0.distcp").write_bytes(b"x")
    (found,) = read(tmp_path)
    assert [problem.code for problem in found.problems] == ["weights_distributed"]


def mindspore(weights: dict[str, np.ndarray[Any, Any]], pieces: int = 1) -> bytes:
    def field(number: int, raw: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(raw)) + raw

    def varint(value: int) -> bytes:
        out = bytearray()
        while True:
            out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
            value >>= 7
            if not value:
                return bytes(out)

    words = {"float32": "Float32", "float16": "Float16"}
    raw = b""
    for key, array in weights.items():
        content = array.tobytes()
        size = -(-len(content) // pieces)
        for at in range(0, len(content), size):
            dims = b"".join(varint(1 << 3) + varint(size) for size in array.shape)
            tensor = dims + field(2, words[array.dtype.name].encode()) + field(3, content[at : at + size])
            raw += field(1, field(1, key.encode()) + field(2, tensor))
    return raw


@pytest.mark.parametrize("pieces", [1, 3])
def test_mindspore(tmp_path: Path, pieces: int) -> None:
    file = tmp_path / "net-1_100.ckpt"
    file.write_bytes(
        mindspore(
            {**W, "adam_m.layer.weight": W["layer.weight"], "global_step": np.ones(1, np.float32)}, pieces
        )
    )
    found = table(file)
    assert dict(zip(found.keys, found.digests)) == {key: digest(array) for key, array in W.items()}
    assert dict(zip(found.keys, found.shapes)) == {key: array.shape for key, array in W.items()}
    cut = tmp_path / "cut.ckpt"
    cut.write_bytes(file.read_bytes()[:-5])
    (broken,) = read(cut)
    assert [problem.code for problem in broken.problems] == ["weights_mindspore_broken"]


STATISTICS = {
    "a.weight": {"max": 1.0, "min": -1.0, "mean": 0.5, "norm": 2.0},
    "a.bias": {"max": 3.0, "min": 0.0, "mean": 1.0, "norm": 4.0},
}


@pytest.mark.parametrize("form", ["json", "csv"])
def test_statistics(tmp_path: Path, form: str) -> None:
    file = tmp_path / "step3" / "rank0" / f"weight.{form}"
    file.parent.mkdir(parents=True)
    if form == "json":
        file.write_text(json.dumps(STATISTICS))
    else:
        rows = [f"{key},{','.join(map(str, told.values()))}" for key, told in STATISTICS.items()]
        file.write_text("\n".join(["weight_name,max,min,mean,norm", *rows]) + "\n")
    found = table(file)
    assert found.keys == ("a.weight", "a.bias")
    assert found.statistics.tolist() == [[1.0, -1.0, 0.5, 2.0], [3.0, 0.0, 1.0, 4.0]]
    assert found.step == 3
    assert found.digests == ("", "")
    assert found.files == ("", "")


def test_nan_in_statistics_is_kept(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text('{"a.weight": {"max": NaN, "min": NaN, "mean": NaN, "norm": NaN}}')
    assert table(tmp_path / "w.json").keys == ("a.weight",)


def test_checksums_by_key_are_marked_as_told(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(json.dumps({"a.weight": "AB" * 16, "a.bias": "cd" * 16}))
    assert table(tmp_path / "w.json").digests == (TOLD + "ab" * 16, TOLD + "cd" * 16)


@pytest.mark.parametrize("kept", [0, 1, 7, 40, 100, 180])
def test_a_file_that_is_being_written_is_a_problem(tmp_path: Path, kept: int) -> None:
    save_file(W, tmp_path / "a.safetensors")
    whole = (tmp_path / "a.safetensors").read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(whole[:kept])
    (found,) = read(tmp_path / "cut.safetensors")
    assert found.problems
    assert found.weights is None or len(found.weights.keys) < 2


def test_a_large_tensor_tells_its_progress(tmp_path: Path) -> None:
    save_file({"a": np.zeros((40 << 20) // 4, np.float32)}, tmp_path / "a.safetensors")
    told: list[Progress] = []
    run_to_end(read_evidence(Given(str(tmp_path / "a.safetensors"))), told.append)
    assert len({progress.done for progress in told}) >= 3
    assert told[-1].total == 40 << 20


def test_only_weights_are_read_where_weights_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("hello\n")
    (found,) = read(tmp_path / "train.log", EvidenceKind.WEIGHTS)
    assert found.kinds == ()
    assert [problem.code for problem in found.problems] == ["evidence_not_kind"]


def test_a_class_that_is_not_on_the_list_is_refused_by_name(tmp_path: Path) -> None:
    save(tmp_path / "a.pt", {"model": W, "config": Named("my_project.config.Config", state={"x": 1})})
    (found,) = read(tmp_path / "a.pt")
    assert found.weights is None
    assert [problem.code for problem in found.problems] == ["pickle_refused"]
    assert found.problems[0].parameters["name"] == "my_project.config.Config"


def test_a_real_namespace_is_inert(tmp_path: Path) -> None:
    raw = pickle.dumps({"args": Namespace(lr=0.1, nested=Namespace(a=[1, 2])), "s": {1, 2}}, protocol=2)
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as made:
        made.writestr("archive/data.pkl", raw)
    (found,) = read(tmp_path / "a.pt")
    assert found.kinds == ()
    assert [problem.code for problem in found.problems] == ["weights_none"]
