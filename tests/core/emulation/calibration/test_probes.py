"""The kit: small, the same each time, and made of numbers that its formats have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from builders.simulated_chip import A2, NUMPY, SimulatedChip, write_results

from core.emulation.calibration.kit import digest_of, read_kit, write_kit
from core.emulation.calibration.probes import probes
from core.emulation.calibration.reading import read_results
from core.errors import InputError

ALL = probes()


def test_probes_are_the_same_each_time_and_named_once() -> None:
    assert digest_of(ALL) == digest_of(probes())
    assert len({probe.name for probe in ALL}) == len(ALL)


@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.name)
def test_operands_are_numbers_of_their_format(probe) -> None:  # type: ignore[no-untyped-def]
    for operand in probe.operands:
        assert operand.dtype == np.float32
        assert np.array_equal(operand.astype(NUMPY[probe.dtype]).astype(np.float32), operand)


def test_huge_products_cancel_and_what_is_left_is_exact_in_every_format() -> None:
    for probe in ALL:
        if probe.name.endswith(("_short", "_blocks", "_long", "_deep")):
            left, right = (part.astype(np.float64) for part in probe.matrices())
            exact = left @ right
            assert np.abs(left).max() * np.abs(right).max() >= 2**29
            for held in NUMPY.values():
                assert np.array_equal(exact.astype(held).astype(np.float64), exact)
            # Even plain float32 sums, one product after the other, lose what the huge ones hide.
            held_sums = np.zeros(exact.shape, np.float32)
            for place in range(left.shape[1]):
                held_sums += np.float32(left[:, place, np.newaxis] * right[place])
            assert (held_sums != exact).mean() > 0.3


def test_a_kit_is_written_small_and_read_back(tmp_path: Path) -> None:
    place = tmp_path / "探针 kit"
    write_kit(str(place))
    assert sum(file.stat().st_size for file in place.iterdir()) < 2_000_000
    read, digest = read_kit(str(place))
    assert digest == digest_of(ALL)
    for one, other in zip(read, ALL, strict=True):
        assert (one.name, one.group, one.operation, one.shape) == (
            other.name,
            other.group,
            other.operation,
            other.shape,
        )
        assert all(np.array_equal(first, second) for first, second in zip(one.operands, other.operands))
    assert compile((place / "run_probes.py").read_text(encoding="utf-8"), "run_probes.py", "exec")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a kit with results of all probes that are no product."""
    write_kit(str(tmp_path / "kit"))
    quick = [probe for probe in ALL if probe.operation not in ("matmul", "convolution")]
    write_results(tmp_path / "kit", A2.results(quick))
    return tmp_path / "kit"


def read_all(place: Path) -> None:
    found, digest = read_kit(str(place))
    read_results(str(place), found, digest)


def test_results_and_failures_are_read(kit: Path) -> None:
    found, digest = read_kit(str(kit))
    measured = read_results(str(kit), found, digest)
    assert measured.device == "Ascend910B2"
    assert set(measured.results) | set(measured.failures) == {probe.name for probe in ALL}
    assert measured.failures["float16_short"] == "RuntimeError: not supported"
    wanted = SimulatedChip({}).summed(next(one for one in ALL if one.name == "sum_float32").operands[0])
    assert np.array_equal(measured.results["sum_float32"], wanted)


def edited(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


RESULT, OPERAND = "sum_float32.result.npy", "sum_float32.operand0.npy"


@pytest.mark.parametrize(
    ("code", "damage"),
    [
        ("calibration_no_probes", lambda kit: (kit / "probes.json").unlink()),
        ("calibration_no_results", lambda kit: (kit / "device.json").unlink()),
        ("calibration_json", lambda kit: (kit / "probes.json").write_text("{")),
        ("calibration_json", lambda kit: (kit / "probes.json").write_text("[" * 100_000)),
        ("calibration_json", lambda kit: (kit / "device.json").write_bytes(b"\xff\xfe")),
        ("calibration_json", lambda kit: edited(kit / "device.json", format="something else")),
        ("calibration_json", lambda kit: edited(kit / "device.json", results=[1])),
        ("calibration_json", lambda kit: edited(kit / "probes.json", probes=[{"name": "../../etc/passwd"}])),
        ("calibration_json", lambda kit: edited(kit / "probes.json", probes=7)),
        ("calibration_version", lambda kit: edited(kit / "probes.json", version=2)),
        ("calibration_other_probes", lambda kit: edited(kit / "device.json", digest="0")),
        (
            "calibration_operands_changed",
            lambda kit: np.save(kit / OPERAND, np.ones(3, "f4")),
        ),
        ("calibration_file_broken", lambda kit: (kit / OPERAND).unlink()),
        ("calibration_file_broken", lambda kit: (kit / RESULT).unlink()),
        ("calibration_file_broken", lambda kit: (kit / RESULT).write_bytes(b"\x93NUMPY")),
        ("calibration_file_broken", lambda kit: np.save(kit / RESULT, np.ones(16))),
        (
            "calibration_file_broken",
            lambda kit: np.save(kit / RESULT, [{}], allow_pickle=True),
        ),
        (
            "calibration_wrong_shape",
            lambda kit: np.save(kit / RESULT, np.ones((4, 4), "f4")),
        ),
        ("calibration_nothing_ran", lambda kit: edited(kit / "device.json", results={})),
    ],
)
def test_what_is_missing_foreign_or_damaged_is_named_with_a_remedy(kit: Path, code: str, damage) -> None:  # type: ignore[no-untyped-def]
    damage(kit)
    with pytest.raises(InputError) as error:
        read_all(kit)
    assert error.value.problem.code == code
    assert "problem." not in error.value.problem.sentence()


def test_nothing_is_written_over(kit: Path) -> None:
    before = sorted(kit.iterdir())
    for used in (kit, kit / "probes.json"):
        with pytest.raises(InputError) as error:
            write_kit(str(used))
        assert error.value.problem.code == "calibration_folder_used"
    assert sorted(kit.iterdir()) == before
