"""Replay of calls in odd circumstances: formats, in-place, what is missing, what is not defined."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from builders.dumps import call
from builders.reading import read_only_cell, write_dump
from builders.replay_answers import raw, write_calls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.emulation.replay.replaying import replay_call
from core.emulation.replay.work import replay_all
from core.emulation.terms.outcome import NotReplayed, Replay, ReplayVerdict
from core.progress import run_to_end

DRAW = np.random.default_rng(5)
BF16 = ml_dtypes.bfloat16


def normal(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.asarray(DRAW.standard_normal(shape)).astype(dtype)


def replays(folder: Path, calls: Mapping[str, Any], **options: Any) -> list[Replay]:
    dump = read_only_cell(write_calls(folder / "step0" / "rank0", dict(calls)))
    return run_to_end(replay_all(dump, **options))


def replay_one(folder: Path, name: str, body: Any, **options: Any) -> Replay:
    (found,) = replays(folder, {name: body}, **options)
    return found


def wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float64)


def test_autocast_casts_operands_of_products_first(tmp_path: Path) -> None:
    x, weight = normal(4, 64), normal(8, 64)
    low = wide(x.astype(BF16)) @ wide(weight.astype(BF16)).T
    found = replay_one(tmp_path, "Functional.linear.0.forward", call([x, weight, None], [low.astype(BF16)]))
    assert found.verdict is ReplayVerdict.RIGHT
    assert found.slots[0].dtype == "bfloat16"
    full = (wide(x) @ wide(weight).T).astype(np.float32)
    found = replay_one(tmp_path, "Functional.linear.0.forward", call([x, weight, None], [full]))
    assert found.verdict is ReplayVerdict.RIGHT
    found = replay_one(
        tmp_path, "Functional.linear.0.forward", call([x, weight, None], [low.astype(np.float32)])
    )
    assert found.verdict is ReplayVerdict.WRONG  # a float32 output that was computed in bf16


def test_a_number_may_be_rounded_to_the_format_of_the_tensor(tmp_path: Path) -> None:
    x = normal(300, dtype=BF16)
    for factor in (0.1, wide(np.array(0.1, BF16))):
        body = call([x, 0.1], [(wide(x) * factor).astype(BF16)])
        assert replay_one(tmp_path, "Tensor.__mul__.0.forward", body).verdict is ReplayVerdict.RIGHT
    body = call([x, 0.1], [(wide(x) * 0.103).astype(BF16)])
    assert replay_one(tmp_path, "Tensor.__mul__.0.forward", body).verdict is ReplayVerdict.WRONG


def test_in_place(tmp_path: Path) -> None:
    x, y = normal(9), normal(9)
    after = x + y
    name = "Tensor.add_.0.forward"
    assert replay_one(tmp_path, name, call([x, y], [after])).verdict is ReplayVerdict.RIGHT
    assert replay_one(tmp_path, name, call([x, y], [x - y])).verdict is ReplayVerdict.WRONG
    overwritten = replay_one(tmp_path, name, call([after, y], [after]))
    assert overwritten.reason is NotReplayed.IN_PLACE_OVERWRITTEN
    relu = call([np.abs(x)], [np.abs(x)], {"inplace": True})
    assert replay_one(tmp_path, "Functional.relu.0.forward", relu).verdict is ReplayVerdict.RIGHT


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Distributed.all_reduce.0.forward", NotReplayed.COMMUNICATION),
        ("Torch.bernoulli.0.forward", NotReplayed.RANDOM),
        ("Functional.dropout.0.forward", NotReplayed.RANDOM),
        ("Functional.fancy.0.forward", NotReplayed.UNSUPPORTED_OPERATOR),
        ("my.project.ops.fancy.0.forward", NotReplayed.UNSUPPORTED_OPERATOR),
        ("Functional.linear.0.forward", NotReplayed.AMBIGUOUS_ARGUMENTS),
        ("Functional.relu.0.backward", NotReplayed.MISSING_TENSOR),
        ("Module.net.Block.forward.0", NotReplayed.COMPOSITE_MODULE),
        ("saved.0.debug", NotReplayed.UNSUPPORTED_OPERATOR),
    ],
)
def test_reasons(tmp_path: Path, name: str, reason: NotReplayed) -> None:
    found = replay_one(tmp_path, name, call([normal(3)], [normal(3)]))
    assert (found.verdict, found.reason) == (ReplayVerdict.NOT_REPLAYED, reason)
    assert found.slots == ()


def test_shapes_memory_and_missing_files(tmp_path: Path) -> None:
    x = normal(3, 4)
    found = replay_one(tmp_path, "Torch.exp.0.forward", call([x], [normal(4, 3)]))
    assert found.reason is NotReplayed.SHAPE_MISMATCH
    found = replay_one(tmp_path, "Torch.exp.0.forward", call([x], [np.exp(x)]), memory_limit=100)
    assert found.reason is NotReplayed.TOO_LARGE
    query = normal(1, 2, 64, 4)
    body = call([query] * 3, [query])
    name = "Functional.scaled_dot_product_attention.0.forward"
    assert replay_one(tmp_path, name, body, memory_limit=200_000).reason is NotReplayed.TOO_LARGE
    assert replay_one(tmp_path, name, body).verdict is ReplayVerdict.WRONG
    dump = read_only_cell(write_calls(tmp_path / "gone" / "step0", {"Torch.exp.0.forward": call([x], [x])}))
    for file in Path(dump.data_dir).iterdir():
        file.write_bytes(b"")
    assert replay_call(dump, 0).reason is NotReplayed.UNREADABLE
    for file in Path(dump.data_dir).iterdir():
        file.unlink()
    assert replay_call(dump, 0).reason in (NotReplayed.UNREADABLE, NotReplayed.MISSING_TENSOR)


def test_an_epsilon_nobody_knows_is_no_proof_against_a_module(tmp_path: Path) -> None:
    x = normal(5, 8) * np.float32(0.01)

    def normalized(eps: float) -> np.ndarray[Any, Any]:
        centred = wide(x) - wide(x).mean(-1, keepdims=True)
        return (centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)).astype(np.float32)

    ones, zeros = np.ones(8, np.float32), np.zeros(8, np.float32)
    parameters = {"parameters": {"weight": ones, "bias": zeros}}
    name = "Module.ln.LayerNorm.forward.0"
    found = replay_one(tmp_path, name, call([x], [normalized(1e-6)]) | parameters)
    assert found.verdict is ReplayVerdict.RIGHT
    assert "eps=1e-06" in found.assumed
    found = replay_one(tmp_path, name, call([x], [normalized(3e-4)]) | parameters)
    assert found.reason is NotReplayed.AMBIGUOUS_ARGUMENTS
    linear = call([x], [x @ normal(8, 8)]) | {"parameters": {"weight": normal(8, 8)}}
    found = replay_one(tmp_path, "Module.fc.Linear.forward.0", linear)
    assert found.verdict is ReplayVerdict.WRONG  # a linear layer has nothing to guess
    lora = call([x], [x]) | {"parameters": {"weight": normal(8, 8), "lora_A": normal(8, 8)}}
    assert replay_one(tmp_path, "Module.fc.Linear.forward.0", lora).reason is NotReplayed.COMPOSITE_MODULE


def test_convolution_and_pooling_modules_find_their_geometry(tmp_path: Path) -> None:
    x, weight = normal(1, 2, 9, 9), normal(3, 2, 3, 3)
    padded = np.pad(wide(x), ((0, 0), (0, 0), (1, 1), (1, 1)))
    made = np.zeros((1, 3, 5, 5))
    for row in range(5):
        for column in range(5):
            window = padded[0, :, 2 * row : 2 * row + 3, 2 * column : 2 * column + 3]
            made[0, :, row, column] = (wide(weight) * window).sum((1, 2, 3))
    body = call([x], [made.astype(np.float32)]) | {"parameters": {"weight": weight}}
    found = replay_one(tmp_path, "Module.c.Conv2d.forward.0", body)
    assert found.verdict is ReplayVerdict.RIGHT
    assert {"stride=2", "padding=1"} <= set(found.assumed)
    pooled = x[:, :, :8, :8].reshape(1, 2, 4, 2, 4, 2).max((3, 5))
    found = replay_one(tmp_path, "Module.p.MaxPool2d.forward.0", call([x], [pooled]))
    assert found.verdict is ReplayVerdict.RIGHT


def attention(q: Any, k: Any, v: Any, scale: float, hidden: Any) -> np.ndarray[Any, Any]:
    scores = np.where(hidden, -np.inf, np.einsum("bnsd,bntd->bnst", wide(q), wide(k)) * scale)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bnst,bntd->bnsd", powers / powers.sum(-1, keepdims=True), wide(v))


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
def test_fused_attention_of_the_npu(tmp_path: Path, layout: str) -> None:
    q, k, v = (normal(2, heads, 6, 4, dtype=np.float16) for heads in (4, 2, 2))
    hidden = np.triu(np.ones((6, 6), bool), 1)
    made = attention(q, np.repeat(k, 2, 1), np.repeat(v, 2, 1), 0.5, hidden).astype(np.float16)

    def laid_out(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if layout == "BNSD":
            return x
        x = x.transpose(0, 2, 1, 3)
        if layout == "BSND":
            return np.ascontiguousarray(x)
        x = x.reshape(2, 6, -1)
        return np.ascontiguousarray(x if layout == "BSH" else x.transpose(1, 0, 2))

    body = call(
        [laid_out(q), laid_out(k), laid_out(v), 4, layout],
        [laid_out(made), normal(2, 4, 6, 8), normal(2, 4, 6, 8), None, 0, 0, 0],
        {"atten_mask": hidden, "scale": 0.5, "pre_tockens": 65536, "next_tockens": 0, "keep_prob": 1.0},
    )
    name = "NPU.npu_fusion_attention.0.forward"
    found = replay_one(tmp_path, name, body)
    assert (found.verdict, found.detail) == (ReplayVerdict.RIGHT, "")
    body["output"][0] = laid_out(attention(q, np.repeat(k, 2, 1), np.repeat(v, 2, 1), 0.5, hidden * 0 > 0))
    body["output"][0] = body["output"][0].astype(np.float16)
    assert replay_one(tmp_path, name, body).verdict is ReplayVerdict.WRONG  # the mask was not applied


def test_other_fused_operators_of_the_npu(tmp_path: Path) -> None:
    x = normal(3, 8, dtype=np.float16)
    gamma = normal(8, dtype=np.float16)
    rms = 1.0 / np.sqrt((wide(x) ** 2).mean(-1, keepdims=True) + 1e-6)
    first, second = np.split(wide(x), 2, -1)
    swiglu = first / (1.0 + np.exp(-first)) * second
    half = np.concatenate([-second, first], -1)
    cosine, sine = normal(3, 8, dtype=np.float16), normal(3, 8, dtype=np.float16)
    pairs = np.stack([-wide(x)[:, 1::2], wide(x)[:, ::2]], -1).reshape(3, 8)
    fast = wide(x) / (1.0 + np.exp(-1.702 * wide(x)))
    table: dict[str, Any] = {
        "NPU.npu_rms_norm.0.forward": (
            [x, gamma, 1e-6], [wide(x) * rms * wide(gamma), rms.astype(np.float32)],
        ),
        "NPU.npu_swiglu.0.forward": ([x], [swiglu]),
        "NPU.npu_rotary_mul.0.forward": ([x, cosine, sine], [wide(x) * wide(cosine) + half * wide(sine)]),
        "NPU.npu_rotary_mul.1.forward": (
            [x, cosine, sine, "interleave"], [wide(x) * wide(cosine) + pairs * wide(sine)],
        ),
        "NPU.fast_gelu.0.forward": ([x], [fast]),
    }  # fmt: skip
    calls = {
        name: call(given, [out if out.dtype == np.float32 else out.astype(np.float16) for out in outputs])
        for name, (given, outputs) in table.items()
    }
    assert [item.verdict for item in replays(tmp_path, calls)] == [ReplayVerdict.RIGHT] * len(calls)
    for body in calls.values():
        body["output"][0] = body["output"][0] * np.float16(1.02)
    assert [item.verdict for item in replays(tmp_path, calls)] == [ReplayVerdict.WRONG] * len(calls)


def test_legacy_dumps_leave_out_keywords(tmp_path: Path) -> None:
    x = normal(40)
    cubic = np.sqrt(2.0 / np.pi) * (wide(x) + 0.044715 * wide(x) ** 3)
    outputs = {
        "tanh": (0.5 * wide(x) * (1.0 + np.tanh(cubic)), ReplayVerdict.RIGHT),
        "other": (wide(x) * 0.5, ReplayVerdict.WRONG),
        "rows": (np.exp(wide(x)) / np.exp(wide(x)).sum(), ReplayVerdict.RIGHT),
        "clamped": (np.maximum(wide(x), 0.3), ReplayVerdict.NOT_REPLAYED),
    }
    apis = {"tanh": "gelu_0", "other": "gelu_1", "rows": "softmax_0", "clamped": "clamp_0"}
    folder = tmp_path / "rank0"
    (folder / "dump").mkdir(parents=True)
    lines = []
    for word, (made, _) in outputs.items():
        prefix = "Torch" if word == "clamped" else "Functional"
        for slot, array in (("input.0", x), ("output", made.astype(np.float32))):
            name = f"{prefix}_{apis[word]}_forward_{slot}"
            np.save(folder / "dump" / f"{name}.npy", array)
            lines.append(json.dumps([name, 1, [], "torch.float32", [40], [1.0, 1.0, 1.0]]))
    (folder / "dump.pkl").write_text("\n".join(lines) + "\n")
    dump = read_only_cell(folder)
    found = run_to_end(replay_all(dump))
    assert [item.verdict for item in found] == [verdict for _, verdict in outputs.values()]
    assert found[0].assumed == ("approximate=tanh",)


def test_backward_of_a_reshape_is_a_reshape(tmp_path: Path) -> None:
    grad = normal(2, 3, 4)
    body = {"input": [grad], "output": [grad.reshape(6, 4)]}
    name = "Functional.linear.0.backward"
    assert replay_one(tmp_path, name, body).verdict is ReplayVerdict.RIGHT
    body["output"] = [grad.reshape(6, 4)[::-1].copy()]
    assert replay_one(tmp_path, name, body).reason is NotReplayed.MISSING_TENSOR


def test_progress_and_chosen_rows(tmp_path: Path) -> None:
    x = normal(3)
    calls = {f"Torch.exp.{index}.forward": call([x], [np.exp(x)]) for index in range(4)}
    dump = read_only_cell(write_calls(tmp_path / "step0", calls))
    work = replay_all(dump, [2, 0])
    seen = [next(work), next(work)]
    assert [(item.done, item.total) for item in seen] == [(0, 2), (1, 2)]
    with pytest.raises(StopIteration) as end:
        next(work)
    assert [item.operator for item in end.value.value] == [2, 0]


_names = st.sampled_from(
    [
        "Functional.layer_norm", "Functional.conv2d", "Torch.cat", "Tensor.__getitem__", "Torch.einsum",
        "Functional.embedding", "Functional.cross_entropy", "Torch.max", "Tensor.view", "Torch.norm",
        "Functional.scaled_dot_product_attention", "Functional.max_pool2d", "Tensor.permute", "Torch.clamp",
        "NPU.npu_fusion_attention", "Functional.batch_norm", "Torch.split", "Functional.adaptive_avg_pool2d",
        "Torch._foreach_add", "Functional.pad", "Tensor.scatter", "Functional.group_norm", "Functional.gelu",
    ]
)  # fmt: skip
_tensors = st.builds(
    lambda shape, kind: np.ones(shape, kind),
    st.lists(st.integers(0, 3), max_size=4).map(tuple),
    st.sampled_from([np.float32, np.int64, np.bool_, np.float16]),
)
_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), st.text(max_size=4),
    st.just(raw({})), st.just(raw({"type": "slice", "value": [0, None, 2]})),
)  # fmt: skip
_values = st.recursive(st.one_of(_tensors, _scalars), lambda inner: st.lists(inner, max_size=3), max_leaves=4)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    _names,
    st.lists(_values, max_size=6),
    st.dictionaries(st.sampled_from(["dim", "weight", "eps", "x"]), _values, max_size=2),
    st.lists(_tensors, min_size=1, max_size=2),
)
def test_odd_arguments_never_raise(
    tmp_path: Path, name: str, args: list[Any], keywords: dict[str, Any], outputs: list[Any]
) -> None:
    calls = {
        f"{name}.0.forward": call(args, outputs, keywords),
        f"{name}.0.backward": {"input": outputs, "output": [*args, *outputs]},
    }
    for item in replays(tmp_path, calls):
        assert item.verdict is not ReplayVerdict.NOT_REPLAYED or item.reason is not NotReplayed.NONE


def test_a_dump_without_calls(tmp_path: Path) -> None:
    assert run_to_end(replay_all(read_only_cell(write_dump(tmp_path, {})))) == []
