"""The rows on data sets: pass, fail and not done, from files as people have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from core.messages import render
from core.precheck.checks import dataset, shards
from core.precheck.finding import Finding
from core.precheck.gathering import gather
from core.precheck.pair import Pair, Side
from core.progress import Work, run_to_end
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Outcome, Standing

Examine = Callable[[Pair], Finding | Work[Finding]]


def examined(examine: Examine, pair: Pair) -> Finding:
    found = examine(pair)
    return found if isinstance(found, Finding) else run_to_end(found)


def side_of(*given: Path | Given) -> Side:
    paths = [one if isinstance(one, Given) else Given(str(one)) for one in given]
    return run_to_end(gather(paths)).side


def written(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def standings(found: Finding) -> dict[str, Standing]:
    return {item.name: item.standing for item in found.items}


@pytest.fixture
def pair_of(tmp_path: Path) -> Callable[[str, str, str], Pair]:
    """Return a function that makes a pair of two texts, read as evidence."""

    def make(target: str, golden: str, suffix: str = ".txt") -> Pair:
        sides = []
        for name, text in (("target", target), ("golden", golden)):
            sides.append(side_of(written(tmp_path / f"{name}{suffix}", text)) if text else Side())
        return Pair(*sides)

    return make


PairOf = Callable[..., Pair]
DIGESTS = [f"{letter * 32}" for letter in "0123456789abcdef"]


def md5_list(names: Mapping[str, str]) -> str:
    return "".join(f"{digest}  {name}\n" for name, digest in names.items())


@pytest.mark.parametrize("examine", [dataset.files, dataset.order, dataset.checksums, shards.shards])
@pytest.mark.parametrize("lacking", ["target", "golden", "both"])
def test_evidence_that_is_missing_is_not_done(examine: Examine, lacking: str, pair_of: PairOf) -> None:
    both = {
        dataset.checksums: md5_list({"a.bin": DIGESTS[1]}),
        shards.shards: json.dumps({"node0": ["a"], "node1": ["b"]}),
    }.get(examine, json.dumps({"files": ["a.bin", "b.bin"]}))
    suffix = ".txt" if examine is dataset.checksums else ".json"
    target = "" if lacking in ("target", "both") else both
    golden = "" if lacking in ("golden", "both") else both
    found = examined(examine, pair_of(target, golden, suffix))
    assert (found.result, found.items) == (Outcome.NOT_DONE, ())
    assert found.message.code.endswith(lacking)
    assert render(found.message, "en") != found.message.code


def test_the_same_files_in_other_places_pass(pair_of: PairOf) -> None:
    pair = pair_of("/data1/set/a.bin\n/data1/set/b.bin\n", "./b.bin\n./a.bin\n")
    found = examined(dataset.files, pair)
    assert found.result is Outcome.PASS
    assert render(found.message, "en") == "Both sides have the same 2 files."
    assert [render(remark, "en") for remark in found.remarks] == [
        "/data1/set/ of the target was taken for ./ of the golden."
    ]
    assert set(standings(found).values()) == {Standing.EQUAL}
    assert found.target_files[0].endswith("target.txt")


def test_missing_and_extra_files_fail_and_are_named(pair_of: PairOf) -> None:
    found = examined(dataset.files, pair_of("d/a.bin\nd/b.bin\nd/x.bin\n", "d/a.bin\nd/b.bin\nd/c.bin\n"))
    assert found.result is Outcome.FAIL
    assert standings(found)["d/c.bin"] is Standing.GOLDEN_ONLY
    assert standings(found)["d/x.bin"] is Standing.TARGET_ONLY
    assert "1 missing on the target, 1 only there" in render(found.message, "en")


def test_two_lists_of_the_same_files_do_not_count_twice(tmp_path: Path) -> None:
    sums = md5_list({"./a.bin": DIGESTS[1], "./b.bin": DIGESTS[2]})
    listed = written(tmp_path / "files.txt", "/data/a.bin\n/data/b.bin\n")
    target = side_of(written(tmp_path / "sums.txt", sums), listed)
    for golden in (side_of(tmp_path / "sums.txt"), side_of(listed), target):
        assert examined(dataset.files, Pair(target, golden)).result is Outcome.PASS


def test_folders_are_looked_into(tmp_path: Path) -> None:
    for side in ("target", "golden"):
        for name in ("a.bin", "sub/b.bin"):
            written(tmp_path / side / name, "1234")
    sides = [Given(str(tmp_path / side), EvidenceKind.DATA) for side in ("target", "golden")]
    assert examined(dataset.files, Pair(*map(side_of, sides))).result is Outcome.PASS
    written(tmp_path / "target" / "a.bin", "12")
    found = examined(dataset.files, Pair(*map(side_of, sides)))
    assert found.result is Outcome.FAIL
    assert [(item.name, item.target, item.golden) for item in found.items[:1]] == [("a.bin", "2", "4")]


def test_the_order_is_a_row_of_its_own(cases: Path) -> None:
    folder = cases / "precheck" / "C67_file_order"
    pair = Pair(side_of(folder / "tgt.json"), side_of(folder / "gold.json"))
    expected = json.loads((folder / "expect.json").read_text())["verdict"]
    assert examined(dataset.files, pair).result is Outcome.PASS
    found = examined(dataset.order, pair)
    assert found.result == expected
    sentence = render(found.message, "en")
    assert "first at position 1: part-2.jsonl on the target, part-1.jsonl on the golden" in sentence
    assert "as text (part-10 before part-2)" in render(found.remarks[0], "en")


def test_sorting_as_text_and_as_numbers(pair_of: PairOf) -> None:
    natural = json.dumps({"files": [f"part-{n}.bin" for n in (1, 2, 3, 10)]})
    as_text = json.dumps({"files": [f"part-{n}.bin" for n in (1, 10, 2, 3)]})
    found = examined(dataset.order, pair_of(natural, as_text, ".json"))
    assert found.result is Outcome.FAIL
    assert render(found.remarks[0], "en").startswith("The target sorts numbers as numbers")
    assert [item.name for item in found.items] == ["#2", "#3", "#4"]
    assert examined(dataset.order, pair_of(natural, natural, ".json")).result is Outcome.PASS


def test_a_list_of_checksums_tells_no_order_of_reading(pair_of: PairOf) -> None:
    names = {"a.bin": DIGESTS[1], "b.bin": DIGESTS[2]}
    assert examined(dataset.order, pair_of(md5_list(names), md5_list(names))).result is Outcome.NOT_DONE


def test_checksums_of_other_tools_and_spellings(pair_of: PairOf) -> None:
    target = md5_list({"data/a.bin": DIGESTS[1], "data/b.bin": DIGESTS[10], "data/c.bin": DIGESTS[2]})
    golden = "".join(
        f"MD5 hash of D:\\set\\{name}:\r\n{digest.upper()}\r\nCertUtil: -hashfile command completed.\r\n"
        for name, digest in (("a.bin", DIGESTS[1]), ("b.bin", DIGESTS[10]), ("c.bin", DIGESTS[2]))
    )
    found = examined(dataset.checksums, pair_of(target, golden))
    assert (found.result, found.message.parameters) == (Outcome.PASS, {"count": 3, "algorithm": "md5"})
    found = examined(dataset.checksums, pair_of(target, golden.replace("2" * 32, "3" * 32)))
    assert found.result is Outcome.FAIL
    assert [(item.name, item.standing) for item in found.items[:1]] == [("data/c.bin", Standing.DIFFERS)]


def test_a_missing_file_fails_the_checksums_too(pair_of: PairOf) -> None:
    names = {"a.bin": DIGESTS[1], "b.bin": DIGESTS[2]}
    found = examined(dataset.checksums, pair_of(md5_list(dict([*names.items()][:1])), md5_list(names)))
    assert found.result is Outcome.FAIL
    assert standings(found) == {"b.bin": Standing.GOLDEN_ONLY, "a.bin": Standing.EQUAL}


def test_checksums_of_two_algorithms_do_not_compare(pair_of: PairOf) -> None:
    pair = pair_of(md5_list({"a.bin": "1" * 32}), md5_list({"a.bin": "1" * 64}))
    found = examined(dataset.checksums, pair)
    assert (found.result, found.message.parameters) == (
        Outcome.NOT_DONE,
        {"target": "md5", "golden": "sha256"},
    )


def test_shards(cases: Path) -> None:
    folder = cases / "precheck" / "C73_shards"
    pair = Pair(side_of(folder / "tgt.json"), side_of(folder / "gold.json"))
    expected = json.loads((folder / "expect.json").read_text())
    found = examined(shards.shards, pair)
    assert found.result is Outcome.FAIL
    assert found.message.parameters == {
        "duplicated": ", ".join(expected["duplicated"]),
        "never_read": ", ".join(expected["never_read"]),
    }
    assert render(found.message, "en") == "On the target more than one node reads c; no node reads b."


def test_a_golden_with_the_same_fault_is_named_too(pair_of: PairOf) -> None:
    bad = json.dumps({"node0": ["a", "c"], "node1": ["c", "d"]})
    found = examined(shards.shards, pair_of(bad, bad, ".json"))
    assert found.result is Outcome.FAIL
    assert [render(remark, "en") for remark in found.remarks] == ["On the golden more than one node reads c."]
    good = json.dumps({"node0": ["a", "b"], "node1": ["c", "d"]})
    found = examined(shards.shards, pair_of(good, bad, ".json"))
    assert render(found.message, "en") == "On the golden more than one node reads c; no node reads b."
    found = examined(shards.shards, pair_of(good, good, ".json"))
    assert found.result is Outcome.PASS
    assert [remark.code for remark in found.remarks] == ["precheck.dataset.shards.whole_unknown"]


def test_a_list_of_all_files_shows_what_neither_side_reads(tmp_path: Path) -> None:
    spread = written(tmp_path / "nodes.json", json.dumps({"node0": ["a.bin"], "node1": ["b.bin", "c.bin"]}))
    whole = written(tmp_path / "files.txt", "".join(f"/data/{name}.bin\n" for name in "abcd"))
    found = examined(shards.shards, Pair(side_of(spread, whole), side_of(spread)))
    assert found.result is Outcome.FAIL
    assert render(found.message, "en") == "On the target no node reads /data/d.bin."
    (tmp_path / "files.txt").write_text("a.bin\nb.bin\nc.bin\n")
    told = examined(shards.shards, Pair(side_of(spread, whole), side_of(spread)))
    assert (told.result, told.remarks) == (Outcome.PASS, ())
    other = written(tmp_path / "other.txt", "x/1.bin\nx/2.bin\n")
    assert examined(shards.shards, Pair(side_of(spread, other), side_of(spread))).result is Outcome.PASS


def test_nodes_that_swapped_their_files_fail(pair_of: PairOf) -> None:
    pair = pair_of(
        json.dumps({"node0": ["a"], "node1": ["b"]}), json.dumps({"node0": ["b"], "node1": ["a"]}), ".json"
    )
    found = examined(shards.shards, pair)
    assert (found.result, found.message.parameters) == (Outcome.FAIL, {"nodes": 2})


def test_preprocessing_compares_settings(pair_of: PairOf) -> None:
    golden = (
        "per_device_train_batch_size: 2\noutput_dir: o\ncutoff_len: 4096\npacking: true\ntemplate: qwen\n"
    )
    target = golden.replace("packing: true", "packing: false")
    assert examined(dataset.preprocessing, pair_of(golden, golden, ".yaml")).result is Outcome.PASS
    found = examined(dataset.preprocessing, pair_of(target, golden, ".yaml"))
    assert found.result is Outcome.FAIL
    assert standings(found)["packing"] is Standing.DIFFERS
    workers = golden + "dataloader_num_workers: 8\n"
    found = examined(dataset.preprocessing, pair_of(workers, golden, ".yaml"))
    assert found.result is Outcome.PASS
    assert standings(found)["loading_workers"] is Standing.REMARK
    assert examined(dataset.preprocessing, Pair(Side(), Side())).result is Outcome.NOT_DONE
