"""The rows on environment variables, overflow modes and float32 in fewer bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages import render
from core.precheck.checks import environment, special_values
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.variables import Maker, VariableClass, acts_as, variable_table
from core.records.evidence import Device, Dialect, Evidence, EvidenceKind, Place, Setting, Variable
from core.records.precheck import Outcome, Standing

NPU, GPU = {"ASCEND_RT_VISIBLE_DEVICES": "0"}, {"CUDA_VISIBLE_DEVICES": "0"}


def side_of(
    variables: Mapping[str, str],
    *,
    device: str = "",
    script: bool = False,
    settings: Mapping[str, bool] | None = None,
) -> Side:
    place = Place("script.sh" if script else "env.txt", 1)
    told = tuple(Variable(name, value, place) for name, value in variables.items())
    devices = (Device(device, "", place),) if device else ()
    said = tuple(Setting(name, value, place, Dialect.PLAIN) for name, value in (settings or {}).items())
    kinds = (EvidenceKind.SCRIPT,) * script + (EvidenceKind.ENVIRONMENT,)
    return Side((Evidence(place.path, kinds, environment=told, devices=devices, settings=said),))


def environments(target: Mapping[str, str], golden: Mapping[str, str]) -> Finding:
    return environment.environment(Pair(side_of(target), side_of(golden)))


def standings(found: Finding) -> dict[str, Standing]:
    return {item.name: item.standing for item in found.items}


@pytest.mark.parametrize("name", ["INF_NAN_MODE_ENABLE", "CLOSE_MATMUL_K_SHIFT", "HCCL_DETERMINISTIC"])
def test_a_variable_that_changes_numbers_fails(name: str) -> None:
    found = environments({**NPU, name: "0"}, {**NPU, name: "1"})
    assert (found.result, standings(found)[name]) == (Outcome.FAIL, Standing.DIFFERS)
    assert f"{name} 0 / 1" in render(found.message, "en")
    (item,) = [item for item in found.items if item.name == name]
    assert (item.target, item.golden) == ("0", "1")  # never the wrong way round


def test_there_are_no_rows_for_what_neither_side_sets() -> None:
    found = environments({"HOME": "/a", "PATH": "/b"}, {"HOME": "/c", "PATH": "/b"})
    assert found.result is Outcome.PASS
    assert standings(found) == {"HOME": Standing.REMARK, "PATH": Standing.EQUAL}


def test_variables_of_two_makers_are_one_row() -> None:
    found = environments(
        {**NPU, "HCCL_DETERMINISTIC": "true", "HCCL_ALGO": "level0:ring"},
        {**GPU, "NCCL_DETERMINISTIC": "1", "NCCL_ALGO": "Tree"},
    )
    assert found.result is Outcome.PASS
    assert standings(found) == {
        "HCCL_DETERMINISTIC ↔ NCCL_DETERMINISTIC": Standing.EQUAL,
        "HCCL_ALGO ↔ NCCL_ALGO": Standing.REMARK,
        "ASCEND_RT_VISIBLE_DEVICES ↔ CUDA_VISIBLE_DEVICES": Standing.EQUAL,
    }
    found = environments({**NPU, "HCCL_DETERMINISTIC": "false"}, {**GPU, "NCCL_DETERMINISTIC": "1"})
    assert found.result is Outcome.FAIL


@pytest.mark.parametrize(
    ("target", "golden", "standing", "shown"),
    [
        ({**NPU, "INF_NAN_MODE_ENABLE": "1"}, GPU, Standing.EQUAL, "1"),
        ({**NPU, "INF_NAN_MODE_ENABLE": "0"}, GPU, Standing.DIFFERS, "1"),
        ({**NPU, "INF_NAN_MODE_ENABLE": "0"}, NPU, Standing.DIFFERS, "1"),
        ({**NPU, "CLOSE_MATMUL_K_SHIFT": "1"}, NPU, Standing.DIFFERS, "0"),
        ({**NPU, "CLOSE_MATMUL_K_SHIFT": "1"}, GPU, Standing.REMARK, ""),
        ({**NPU, "CLOSE_MATMUL_K_SHIFT": "0"}, NPU, Standing.EQUAL, "0"),
        ({"CLOSE_MATMUL_K_SHIFT": "1"}, {"HOME": "/"}, Standing.DIFFERS, "0"),
        ({**NPU, "HCCL_DETERMINISTIC": "True"}, GPU, Standing.EQUAL, "true"),
        ({"PYTHONHASHSEED": "0"}, {"HOME": "/"}, Standing.TARGET_ONLY, ""),
        ({**NPU, "TASK_QUEUE_ENABLE": "2"}, NPU, Standing.REMARK, ""),
        ({**NPU, "MY_OWN": "2"}, NPU, Standing.REMARK, ""),
    ],
)
def test_a_variable_on_one_side_meets_the_default_of_the_other(
    target: dict[str, str], golden: dict[str, str], standing: Standing, shown: str
) -> None:
    name = [*target][-1]
    for pair in ((target, golden), (golden, target)):
        found = environments(*pair)
        (item,) = [item for item in found.items if item.name == name]
        mine, theirs = (item.target, item.golden) if pair[0] is target else (item.golden, item.target)
        assert (mine, theirs) == (target[name], shown)
        swapped = {Standing.TARGET_ONLY: Standing.GOLDEN_ONLY} if pair[0] is not target else {}
        assert item.standing is swapped.get(standing, standing)
        counts = standing not in (Standing.EQUAL, Standing.REMARK)
        assert found.result is (Outcome.FAIL if counts else Outcome.PASS)


def test_both_names_on_one_side_do_not_hide_each_other() -> None:
    found = environments(
        {**NPU, "HCCL_DETERMINISTIC": "true", "NCCL_DETERMINISTIC": "1"}, {**GPU, "NCCL_DETERMINISTIC": "0"}
    )
    assert standings(found)["NCCL_DETERMINISTIC"] is Standing.DIFFERS
    assert standings(found)["HCCL_DETERMINISTIC"] is Standing.REMARK


def test_what_a_script_sets_holds_before_its_surroundings() -> None:
    inner = side_of({"CLOSE_MATMUL_K_SHIFT": "1"}, script=True)
    outer = side_of({"CLOSE_MATMUL_K_SHIFT": "0", "HOME": "/"})
    target = Side((*inner.evidence, *outer.evidence))
    found = environment.environment(Pair(target, side_of({"CLOSE_MATMUL_K_SHIFT": "1"})))
    assert found.result is Outcome.PASS


@pytest.mark.parametrize(
    ("target", "golden", "lacking"), [({}, NPU, "target"), (NPU, {}, "golden"), ({}, {}, "both")]
)
def test_without_variables_nothing_is_done(
    target: dict[str, str], golden: dict[str, str], lacking: str
) -> None:
    for examine, code in (
        (environment.environment, "precheck.without.environment"),
        (special_values.special_values, "precheck.without.special_values"),
    ):
        sides = [side_of(found) if found else Side() for found in (target, golden)]
        found = examine(Pair(*sides))
        assert (found.result, found.message.code) == (Outcome.NOT_DONE, f"{code}.{lacking}")


VARIABLES = st.dictionaries(
    st.sampled_from(
        [name for switch in variable_table().switches for name in switch.names] + ["HOME", "MINE"]
    ),
    st.sampled_from(["0", "1", "true", "off", "ring", ""]),
    min_size=1,
    max_size=8,
)


@given(target=VARIABLES, golden=VARIABLES)
def test_every_variable_of_both_sides_is_listed_once_with_its_value(
    target: dict[str, str], golden: dict[str, str]
) -> None:
    found = environments(target, golden)
    mine = [name for item in found.items for name in item.name.split(" ↔ ")[:1] if item.target_place]
    theirs = [name for item in found.items for name in item.name.split(" ↔ ")[-1:] if item.golden_place]
    assert (sorted(mine), sorted(theirs)) == (sorted(target), sorted(golden))
    for item in found.items:
        if item.target_place:
            assert item.target == target[item.name.split(" ↔ ")[0]]
        if item.golden_place:
            assert item.golden == golden[item.name.split(" ↔ ")[-1]]
    assert environments(target, target).result is Outcome.PASS
    assert found.result is environments(golden, target).result


def test_the_table_is_sound() -> None:
    table = variable_table()
    names = [name for switch in table.switches for name in switch.names]
    assert len(names) == len(set(names))
    assert {switch.kind for switch in table.switches}.isdisjoint((VariableClass.OTHER, VariableClass.NOISE))
    assert (table.maker_of("HCCL_BUFFSIZE"), table.maker_of("NCCL_DEBUG")) == (Maker.NPU, Maker.GPU)
    assert table.maker_of("CUDA_DEVICE_MAX_CONNECTIONS") is None
    assert acts_as("True") == acts_as("on") == acts_as("1") != acts_as("0")


@pytest.mark.parametrize(
    ("target", "mode"),
    [
        (side_of({**NPU, "INF_NAN_MODE_ENABLE": "0"}), "saturation"),
        (side_of({**NPU, "INF_NAN_MODE_FORCE_DISABLE": "1"}), "saturation"),
        (side_of(NPU, device="Ascend 910A"), "saturation"),
        (side_of({**NPU, "INF_NAN_MODE_ENABLE": "1"}, device="Ascend 310P3"), "saturation"),
        (side_of({**NPU, "INF_NAN_MODE_ENABLE": "0"}, device="Ascend 950PR"), "INF_NAN"),
        (side_of({**NPU, "INF_NAN_MODE_ENABLE": "1"}, device="Ascend 910B3"), "INF_NAN"),
        (side_of(NPU, device="Ascend 910B3"), "INF_NAN"),
    ],
)
def test_overflow_modes_by_chip_and_variable(target: Side, mode: str) -> None:
    found = special_values.special_values(Pair(target, side_of(GPU)))
    (item,) = [item for item in found.items if item.name == "overflow_mode"]
    assert item.target.split(" ")[0] == mode
    assert found.result is (Outcome.PASS if mode == "INF_NAN" else Outcome.FAIL)


@pytest.mark.parametrize(
    ("target", "golden", "name", "standing"),
    [
        (side_of(NPU), side_of(GPU), "float32_products", Standing.EQUAL),
        (side_of(NPU), side_of(GPU), "float32_convolutions", Standing.REMARK),
        (side_of(NPU), side_of({**GPU, "NVIDIA_TF32_OVERRIDE": "1"}), "float32_products", Standing.DIFFERS),
        (side_of(NPU), side_of({**GPU, "NVIDIA_TF32_OVERRIDE": "0"}), "float32_convolutions",
         Standing.DIFFERS),
        (side_of({**NPU, "ACL_ALLOW_HF32": "11"}), side_of(GPU), "float32_products", Standing.DIFFERS),
        (side_of({**NPU, "ACL_ALLOW_HF32": "10"}), side_of(GPU), "float32_products", Standing.EQUAL),
        (side_of({**NPU, "ALLOW_HF32": "1"}), side_of({**GPU, "NVIDIA_TF32_OVERRIDE": "1"}),
         "float32_products", Standing.REMARK),
        (side_of(NPU), side_of({**GPU, "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}), "float32_products",
         Standing.DIFFERS),
        (side_of(NPU), side_of(GPU, settings={"allow_tf32": True}), "float32_products", Standing.DIFFERS),
        (side_of(NPU), side_of(GPU, settings={"allow_tf32": False}), "float32_products", Standing.EQUAL),
    ],
)  # fmt: skip
def test_float32_in_fewer_bits(target: Side, golden: Side, name: str, standing: Standing) -> None:
    found = special_values.special_values(Pair(target, golden))
    assert standings(found)[name] is standing
    assert (found.result is Outcome.FAIL) == (standing is Standing.DIFFERS)


def test_a_script_alone_does_not_tell_what_is_not_set() -> None:
    found = special_values.special_values(Pair(side_of(NPU, script=True), side_of(GPU)))
    assert (found.result, found.message.code) == (Outcome.NOT_DONE, "precheck.without.special_values.target")
    known = {**NPU, "INF_NAN_MODE_ENABLE": "0"}
    assert (
        special_values.special_values(Pair(side_of(known, script=True), side_of(GPU))).result is Outcome.FAIL
    )


def test_a_switch_that_only_the_machine_knows_is_no_default() -> None:
    (known,) = side_of(NPU, settings={"allow_hf32": True}).evidence
    unset = [setting._replace(value="$HF32", known=False) for setting in known.settings]
    target = Side((replace(known, settings=tuple(unset)),))
    for pair in (Pair(target, side_of(GPU)), Pair(side_of(GPU), target)):
        found = special_values.special_values(pair)
        assert standings(found)["float32_products"] is Standing.UNKNOWN
        assert found.result is Outcome.NOT_DONE


def test_a_value_that_only_the_machine_knows_is_no_pass() -> None:
    open_side = side_of({**NPU, "CLOSE_MATMUL_K_SHIFT": "$SHIFT"}, script=True)
    for golden in ({**NPU, "CLOSE_MATMUL_K_SHIFT": "1"}, NPU):
        found = environment.environment(Pair(open_side, side_of(golden)))
        assert (found.result, standings(found)["CLOSE_MATMUL_K_SHIFT"]) == (
            Outcome.NOT_DONE,
            Standing.UNKNOWN,
        )
    known = side_of({**NPU, "CLOSE_MATMUL_K_SHIFT": "$SHIFT", "INF_NAN_MODE_ENABLE": "0"}, script=True)
    assert environment.environment(Pair(known, side_of(NPU))).result is Outcome.FAIL


@pytest.mark.parametrize("value", ["$MODE", "$(cat mode)", "${MODE}", "`cat mode`"])
@pytest.mark.parametrize(
    ("machine", "name"),
    [
        (NPU, "INF_NAN_MODE_ENABLE"),
        (NPU, "INF_NAN_MODE_FORCE_DISABLE"),
        (NPU, "ALLOW_HF32"),
        (GPU, "NVIDIA_TF32_OVERRIDE"),
        (GPU, "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"),
    ],
)
def test_a_mode_that_only_the_machine_knows_is_no_pass(
    machine: dict[str, str], name: str, value: str
) -> None:
    pair = Pair(side_of({**machine, name: value}), side_of(GPU))
    assert special_values.special_values(pair).result is Outcome.NOT_DONE


def test_an_environment_of_no_known_machine_is_no_pass() -> None:
    bare = {"PATH": "/bin", "HOME": "/root"}
    for target, golden, lacking in ((bare, bare, "both"), (bare, GPU, "target"), (NPU, bare, "golden")):
        found = special_values.special_values(Pair(side_of(target), side_of(golden)))
        code = f"precheck.without.special_values.{lacking}"
        assert (found.result, found.message.code) == (Outcome.NOT_DONE, code)
    told = special_values.special_values(Pair(side_of(bare, device="Ascend 910B3"), side_of(GPU)))
    assert told.result is Outcome.PASS


def test_scripts_that_set_nothing_that_counts_are_no_pass() -> None:
    script, whole = side_of({"HOSTNAME": "a"}, script=True), side_of({"HOSTNAME": "b"})
    for pair in (Pair(script, script), Pair(script, whole), Pair(whole, script)):
        found = environment.environment(pair)
        assert (found.result, found.message.code) == (
            Outcome.NOT_DONE,
            "precheck.versions.environment.partial",
        )
    assert environment.environment(Pair(whole, whole)).result is Outcome.PASS
    said = side_of({"HCCL_DETERMINISTIC": "true"}, script=True)
    assert environment.environment(Pair(said, said)).result is Outcome.PASS
