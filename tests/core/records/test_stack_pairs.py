"""Two call stacks laid beside each other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records.stack_pairs import Agreement, FramePair, pair_stacks
from core.records.stacks import Frame, calling_frame, encode_stack, is_own

SAME, MOVED, CHANGED = Agreement.SAME, Agreement.MOVED, Agreement.CHANGED


def frame(function: str, line: int = 1, code: str = "", path: str = "/job/model.py") -> Frame:
    return Frame(path, line, function, code or f"{function}()")


FRAMES = st.lists(
    st.builds(frame, st.sampled_from("abc"), st.integers(1, 3), st.sampled_from(["", "x"])), max_size=8
)


def agreements(pairs: list[FramePair]) -> list[Agreement]:
    return [pair.agreement for pair in pairs]


def test_equal_stacks_agree_whatever_folder_they_lie_in() -> None:
    target = [frame("forward", path="/root/npu/job/model.py"), frame("step", path="/root/npu/job/loop.py")]
    golden = [frame("forward", path="D:\\gpu\\job\\model.py"), frame("step", path="D:\\gpu\\job\\loop.py")]
    assert agreements(pair_stacks(target, golden)) == [SAME, SAME]


def test_a_frame_more_on_one_side_leaves_a_gap_and_shifts_nothing() -> None:
    target = [frame("gelu"), frame("forward"), frame("checkpoint"), frame("step")]
    golden = [frame("gelu"), frame("forward"), frame("step")]
    pairs = pair_stacks(target, golden)
    assert agreements(pairs) == [SAME, SAME, Agreement.TARGET_ONLY, SAME]
    assert pairs[2] == FramePair(target[2], None, Agreement.TARGET_ONLY)
    assert agreements(pair_stacks(golden, target))[2] is Agreement.GOLDEN_ONLY


def test_a_line_that_moved_is_told_from_code_that_changed() -> None:
    target = [frame("forward", 10, "F.gelu(x, approximate='tanh')"), frame("step", 4)]
    golden = [frame("forward", 10, "F.gelu(x)"), frame("step", 9)]
    assert agreements(pair_stacks(target, golden)) == [CHANGED, MOVED]


def test_one_function_in_place_of_another_is_a_change_in_one_row() -> None:
    target = [frame("npu_gelu", path="/lib/a.py"), frame("forward")]
    golden = [frame("gelu", path="/lib/b.py"), frame("forward")]
    assert agreements(pair_stacks(target, golden)) == [CHANGED, SAME]


def test_of_several_frames_of_one_function_the_likeliest_is_taken() -> None:
    recursive = [frame("walk", line, f"walk({line})") for line in (1, 2, 3)]
    pairs = pair_stacks(recursive, recursive[1:])
    assert agreements(pairs) == [Agreement.TARGET_ONLY, SAME, SAME]


@given(FRAMES, FRAMES)
def test_all_frames_stand_once_and_in_order(target: list[Frame], golden: list[Frame]) -> None:
    pairs = pair_stacks(target, golden)
    assert [pair.target for pair in pairs if pair.target is not None] == target
    assert [pair.golden for pair in pairs if pair.golden is not None] == golden
    for pair in pairs:
        assert (pair.target is None) == (pair.agreement is Agreement.GOLDEN_ONLY)
        assert (pair.golden is None) == (pair.agreement is Agreement.TARGET_ONLY)


@given(FRAMES)
def test_a_stack_agrees_with_itself(frames: list[Frame]) -> None:
    assert set(agreements(pair_stacks(frames, frames))) <= {SAME}


def test_deep_recursion_is_paired_in_no_time() -> None:
    target = [frame("walk", at % 7) for at in range(3_000)]
    golden = [frame("walk", at % 5) for at in range(2_900)]
    began = time.perf_counter()
    pairs = pair_stacks(target, golden)
    assert time.perf_counter() - began < 5
    assert sum(pair.target is not None for pair in pairs) == 3_000


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/workspace/train/model.py", True),
        ("C:\\work\\model.py", True),
        ("/home/torch_user/model.py", True),
        ("/opt/conda/lib/python3.11/site-packages/transformers/models/x.py", False),
        ("/usr/lib/python3/dist-packages/x.py", False),
        ("/usr/lib/python3.11/threading.py", False),
        ("C:\\Python311\\Lib\\threading.py", False),
        ("C:\\venv\\Lib\\site-packages\\torch\\nn\\modules\\module.py", False),
        ("/build/pytorch/torch/nn/modules/module.py", False),
        ("<frozen importlib>", False),
        ("", False),
    ],
)
def test_code_of_the_framework_is_told_by_its_path(path: str, own: bool) -> None:
    assert is_own(Frame(path, 1, "f", "f()")) is own


def test_the_innermost_own_frame_made_the_call() -> None:
    library = frame("inner", path="/opt/site-packages/torch/nn/modules/module.py")
    assert calling_frame(encode_stack([library, frame("forward"), frame("step")])) == frame("forward")
    assert calling_frame(encode_stack([library])) == library
