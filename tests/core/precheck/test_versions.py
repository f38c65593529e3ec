"""The rows on installed software, vendor software and accelerators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages import render
from core.precheck.checks import packages, vendor
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.machine import maker_of
from core.precheck.software.packages import PackageClass, package_table
from core.precheck.software.releases import Likeness, likeness, tells_release
from core.precheck.software.variables import Maker
from core.records.evidence import Device, Evidence, EvidenceKind, Place, Version
from core.records.precheck import Outcome, Standing


def side_of(*devices: str, **versions: str) -> Side:
    """Return a side with software, by names with ``_`` for ``-``, and devices."""
    place = Place("pip.txt", 1)
    told = tuple(
        Version(name.replace("__", ":").replace("_", "-"), text, place) for name, text in versions.items()
    )
    found = tuple(Device(name, "65536 MB", Place("smi.txt")) for name in devices)
    return Side((Evidence("pip.txt", (EvidenceKind.PACKAGES,), versions=told, devices=found),))


def standing_of(found: Finding, name: str) -> Standing:
    return next(item.standing for item in found.items if item.name == name)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("2.1", "2.1.0", Likeness.SAME),
        ("v2.1.0", "2.1.0", Likeness.SAME),
        ("1.0-rc1", "1.0rc1", Likeness.SAME),
        ("8.0.RC1", "8.0.rc1", Likeness.SAME),
        ("2.1.0+cu121", "2.1.0+cpu", Likeness.LOCAL),
        ("2.1.0+cu121", "2.1.0", Likeness.LOCAL),
        ("2.1.0.post3", "2.1.0", Likeness.DIFFERENT),
        ("2.1.0", "2.10.0", Likeness.DIFFERENT),
        ("0.14.0+gitaaaa111", "0.14.0+gitbbbb222", Likeness.COMMIT),
        ("0.14.0+gitaaaa111", "0.14.0+aaaa1112223", Likeness.SAME),
        ("1a2b3c4", "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", Likeness.SAME),
        ("20240101", "20240102", Likeness.DIFFERENT),
        ("unknown", "1.0", Likeness.DIFFERENT),
        ("", "", Likeness.UNKNOWN),
        ("@ file:///croot/numpy_1/work", "@ file:///croot/numpy_1/work", Likeness.UNKNOWN),
        ("@core_v0.8.0", "@core_v0.12.0", Likeness.DIFFERENT),
        ("@core_v0.8.0", "@core_v0.8.0", Likeness.SAME),
        ("@main", "@main", Likeness.UNKNOWN),
        ("@core_v0.8.0", "0.8.0", Likeness.UNKNOWN),
        ("@core_v0.8.0", "1a2b3c4", Likeness.UNKNOWN),
    ],
)
def test_versions_are_compared_as_releases(one: str, other: str, expected: Likeness) -> None:
    assert (likeness(one, other), likeness(other, one)) == (expected, expected)


RELEASES = st.lists(st.integers(0, 40), min_size=1, max_size=4)


@given(one=RELEASES, other=RELEASES)
def test_numbers_decide_and_zeros_at_the_end_do_not(one: list[int], other: list[int]) -> None:
    def bare(numbers: list[int]) -> list[int]:
        return bare(numbers[:-1]) if numbers and numbers[-1] == 0 else numbers

    alike = likeness(".".join(map(str, one)), ".".join(map(str, other)))
    assert (alike is Likeness.SAME) == (bare(one) == bare(other))


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_has_a_likeness(one: str, other: str) -> None:
    assert likeness(one, other) is likeness(other, one)
    assert likeness(one, one) in (Likeness.SAME, Likeness.UNKNOWN)
    assert (likeness(one, one) is Likeness.SAME) or not tells_release(one)


@pytest.mark.parametrize(
    ("spelled", "known", "kind"),
    [
        ("Flash_Attn", "flash-attn", PackageClass.NUMERIC),
        ("Transformers", "transformers", PackageClass.NUMERIC),
        ("megatron.core", "megatron-core", PackageClass.NUMERIC),
        ("Megatron-LM", "megatron-core", PackageClass.NUMERIC),
        ("torch_npu", "torch-npu", PackageClass.DEVICE),
        ("nvidia-cublas-cu12", "nvidia-cublas-cu12", PackageClass.DEVICE),
        ("pip", "pip", PackageClass.TOOLS),
        ("our-own-thing", "our-own-thing", PackageClass.OTHER),
    ],
)
def test_the_table_knows_packages_by_their_names(spelled: str, known: str, kind: PackageClass) -> None:
    table = package_table()
    assert (table.known_name(spelled), table.class_of(table.known_name(spelled))) == (known, kind)


def test_spellings_and_local_versions_do_not_count() -> None:
    pair = Pair(
        side_of(torch="2.1.0+cpu", Transformers="4.37.2", numpy="1.26", pip="24.0"),
        side_of(torch="2.1.0+cu121", transformers="4.37.2", numpy="1.26.0", pip="23.1", my_tool="1"),
    )
    found = packages.packages(pair)
    assert (found.result, found.message.parameters) == (Outcome.PASS, {"count": 4})
    assert {item.name: item.standing for item in found.items} == {
        "numpy": Standing.EQUAL, "torch": Standing.REMARK, "Transformers": Standing.EQUAL,
        "my-tool": Standing.REMARK, "pip": Standing.REMARK,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["accelerate", "flash_attn", "transformers", "apex", "deepspeed", "numpy"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_package_on_one_side_alone_fails(name: str, swapped: bool) -> None:
    with_it, without_it = side_of(torch="2.1.0", **{name: "1.0"}), side_of(torch="2.1.0")
    found = packages.packages(Pair(without_it, with_it) if swapped else Pair(with_it, without_it))
    assert found.result is Outcome.FAIL
    expected = Standing.GOLDEN_ONLY if swapped else Standing.TARGET_ONLY
    assert standing_of(found, name.replace("_", "-")) is expected


def test_another_version_or_commit_fails_and_is_told() -> None:
    pair = Pair(
        side_of(torch="2.1.0", peft="0.10.0", git__Megatron_LM="1a2b3c4d"),
        side_of(torch="2.2.0", peft="0.10.0", git__Megatron_LM="99aabb00"),
    )
    found = packages.packages(pair)
    assert (found.result, found.message.parameters["count"]) == (Outcome.FAIL, 2)
    assert "torch 2.1.0 / 2.2.0" in render(found.message, "en")
    assert standing_of(found, "git:Megatron-LM") is Standing.DIFFERS


def test_what_belongs_to_one_kind_of_machine_counts_between_two_of_it() -> None:
    npu, gpu = side_of(torch="2.1.0", torch_npu="2.1.0.post3"), side_of(torch="2.1.0", triton="2.1.0")
    assert packages.packages(Pair(npu, gpu)).result is Outcome.PASS
    other = side_of(torch="2.1.0", torch_npu="2.1.0.post6")
    assert packages.packages(Pair(npu, other)).result is Outcome.FAIL


NPU = {"torch": "2.1.0", "torch_npu": "2.1.0.post3", "driver": "23.0.3"}
GPU = {"torch": "2.1.0+cu121", "driver": "535.104", "nvidia_nccl_cu12": "2.18.1"}


def test_what_the_other_machine_cannot_have_does_not_count() -> None:
    npu = side_of(**NPU, mindspeed="0.7", git__MindSpeed="1a2b3c4d")
    gpu = side_of(**GPU, flash_attn="2.5.8", transformer_engine="1.7", xformers="0.0.24")
    found = packages.packages(Pair(npu, gpu))
    assert found.result is Outcome.PASS
    assert standing_of(found, "flash-attn") is standing_of(found, "mindspeed") is Standing.REMARK
    assert standing_of(found, "driver") is Standing.REMARK
    found = packages.packages(Pair(side_of(**GPU), gpu))  # another GPU could have it
    assert (found.result, standing_of(found, "flash-attn")) == (Outcome.FAIL, Standing.GOLDEN_ONLY)
    nothing = Pair(side_of(our_tool="1", mindspeed="0.7"), side_of("NVIDIA A100", our_tool="1", xformers="1"))
    assert packages.packages(nothing).result is Outcome.NOT_DONE  # nothing that computes is in both
    found = packages.packages(Pair(npu, side_of(**GPU, apex="0.1")))  # both kinds have one
    assert (found.result, standing_of(found, "apex")) == (Outcome.FAIL, Standing.GOLDEN_ONLY)


def test_a_package_without_a_version_leaves_the_row_open() -> None:
    address = "@ file:///croot/numpy_1/work"
    side = side_of(torch="2.1.0", numpy=address)
    found = packages.packages(Pair(side, side))
    assert (found.result, standing_of(found, "numpy")) == (Outcome.NOT_DONE, Standing.UNKNOWN)
    assert "numpy" in render(found.message, "en")
    known = Side((*side.evidence, *side_of(numpy="1.26.4").evidence, *side.evidence))
    assert packages.packages(Pair(known, known)).result is Outcome.PASS
    other = side_of(torch="2.2.0", numpy=address)
    assert packages.packages(Pair(side, other)).result is Outcome.FAIL
    unlisted = side_of(torch="2.1.0", our_tool=address)
    assert packages.packages(Pair(unlisted, unlisted)).result is Outcome.PASS


def test_nvcc_tells_the_toolkit_of_a_gpu() -> None:
    npu = side_of("Ascend 910B3", torch="2.1.0", torch_npu="2.1.0", cann="8.0.RC1")
    found = vendor.vendor(Pair(npu, side_of("NVIDIA A100", torch="2.1.0", nvcc="12.1")))
    assert found.result is Outcome.PASS
    assert "12.1" in {item.golden for item in found.items}


@pytest.mark.parametrize(
    ("target", "golden", "lacking"),
    [
        (Side(), side_of(torch="2"), "target"),
        (side_of(torch="2"), Side(), "golden"),
        (Side(), Side(), "both"),
        (side_of(driver="23"), side_of(torch="2"), "target"),
    ],
)
def test_without_lists_nothing_is_done(target: Side, golden: Side, lacking: str) -> None:
    found = packages.packages(Pair(target, golden))
    assert (found.result, found.message.code) == (Outcome.NOT_DONE, f"precheck.without.packages.{lacking}")


def test_vendor_software_is_laid_side_by_side() -> None:
    pair = Pair(
        side_of(torch="2.1.0", torch_npu="2.1.0.post3", cann="8.0.RC1", driver="23.0.3"),
        side_of(torch="2.1.0+cu121", driver="535.104", nvidia_nccl_cu12="2.18.1"),
    )
    found = vendor.vendor(pair)
    assert found.result is Outcome.PASS
    told = {item.name: (item.target, item.golden, item.standing) for item in found.items}
    assert told["cann ↔ cuda"] == ("8.0.RC1", "12.1", Standing.REMARK)
    assert told["driver"] == ("23.0.3", "535.104", Standing.REMARK)
    assert told["hccl ↔ nccl"] == ("", "2.18.1", Standing.REMARK)


@pytest.mark.parametrize("plugin", ["2.2.0", "2.1.1", "1.11.0.post4"])
def test_a_torch_npu_of_another_torch_fails_on_either_side(plugin: str) -> None:
    bad = side_of(torch="2.1.0", torch_npu=plugin, cann="8.0.RC1")
    good = side_of(torch="2.1.0", torch_npu="2.1.0.post8", cann="8.0.RC1")
    for pair in (Pair(bad, good), Pair(good, bad)):
        found = vendor.vendor(pair)
        assert found.result is Outcome.FAIL
        assert standing_of(found, "torch_npu / torch") is Standing.DIFFERS
    assert vendor.vendor(Pair(good, good)).result is Outcome.PASS


def test_two_machines_of_one_kind_have_one_toolkit() -> None:
    sides = [
        side_of(torch="2.1.0", torch_npu="2.1.0", cann=cann, driver=cann) for cann in ("8.0.RC1", "8.0.RC2")
    ]
    found = vendor.vendor(Pair(*sides))
    assert found.result is Outcome.FAIL
    assert standing_of(found, "cann") is Standing.DIFFERS
    assert standing_of(found, "driver") is Standing.REMARK


def test_a_toolkit_that_is_not_told_leaves_the_row_open() -> None:
    golden = side_of(torch="2.1.0+cu121")
    for target, code in (
        (side_of(torch="2.1.0", torch_npu="2.1.0"), "precheck.without.toolkit.target"),
        (side_of(numpy="1"), "precheck.without.vendor.target"),
    ):
        found = vendor.vendor(Pair(target, golden))
        assert (found.result, found.message.code) == (Outcome.NOT_DONE, code)


def test_accelerators_are_listed_and_a_mixed_side_fails() -> None:
    npu, gpu = side_of(*["Ascend 910B3"] * 8), side_of(*["NVIDIA A100-SXM4-80GB"] * 8)
    found = vendor.devices(Pair(npu, gpu))
    assert found.result is Outcome.PASS
    (item,) = found.items
    assert (item.target, item.standing) == ("8 × Ascend 910B3 (65536 MB)", Standing.REMARK)
    printed = Evidence("a", (EvidenceKind.DEVICES,), devices=(Device("NVIDIA A100", "81920MiB", Place("a")),))
    (item,) = vendor.devices(Pair(npu, Side((printed,)))).items
    assert item.golden == "1 × NVIDIA A100 (81920 MiB)"
    found = vendor.devices(Pair(side_of("Ascend 910B3", "Ascend 910B4"), gpu))
    assert found.result is Outcome.FAIL
    assert "Ascend 910B4" in render(found.message, "en")
    assert vendor.devices(Pair(npu, npu)).items[0].standing is Standing.EQUAL
    assert vendor.devices(Pair(npu, Side())).message.code == "precheck.without.devices.golden"


@pytest.mark.parametrize(
    ("side", "maker"),
    [
        (side_of("910B3"), Maker.NPU),
        (side_of("NVIDIA H800"), Maker.GPU),
        (side_of("910B3", "NVIDIA H800"), None),
        (side_of(torch="2.1.0+cu121", torch_npu="2.1.0"), Maker.NPU),
        (side_of(torch="2.1.0+cu121"), Maker.GPU),
        (side_of(torch="2.1.0"), None),
        (Side(), None),
    ],
)
def test_the_kind_of_machine(side: Side, maker: Maker | None) -> None:
    assert maker_of(side) is maker
