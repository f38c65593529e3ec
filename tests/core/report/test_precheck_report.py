"""The report of a pre-check: all of it stands in each form, and nothing of the evidence becomes markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest
from builders.prechecks import EVIDENCE, HOSTILE, report_of

from core.messages import LANGUAGES, render, text
from core.precheck.telling import first_cause, headline_of
from core.records.precheck import Entry, Item, Outcome, PrecheckReport, PrecheckTable, Standing
from core.report.precheck_report import SUFFIXES, write_precheck
from core.store.prechecks import sign

ENTRY = Entry(Outcome.PASS, "same by ls -U", "order.png", "李雷", "2026-01-02")
REPORT = report_of(entries={"dataset.order": ENTRY})
SIGNATURE = sign(PrecheckTable(report=REPORT), "Han Meimei")
BARE = HOSTILE.split("\u202e")[0]
"""What is left of it where controls are blanks."""


class _Page(HTMLParser):
    """What a browser would see: tags and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def sheets(path: Path) -> dict[str, list[list[object]]]:
    book = openpyxl.load_workbook(path)
    for sheet in book:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
    return {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}


def written(folder: Path, suffix: str, report: PrecheckReport = REPORT, language: str = "en") -> Path:
    place = folder / f"report{suffix}"
    assert write_precheck(str(place), report, SIGNATURE, language) == str(place)
    return place


def words_of(place: Path) -> str:
    """Return all that the file says, as one text."""
    if place.suffix == ".xlsx":
        return "\n".join(str(cell) for rows in sheets(place).values() for row in rows for cell in row if cell)
    said = place.read_text("utf-8")
    if place.suffix == ".html":
        page = _Page()
        page.feed(said)
        return page.text
    if place.suffix == ".json":
        said = json.dumps(json.loads(said), ensure_ascii=False)
    return re.sub(r"\\(?=[^\w\s]|_)", "", said)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_form_says_everything(tmp_path: Path, suffix: str, language: str) -> None:
    said = words_of(written(tmp_path, suffix, language=language))
    for check in REPORT.checks:
        assert text(f"precheck.check.{check.group}.{check.name}", language) in said
        assert render(check.message, language) in said
    for outcome in Outcome:
        assert text(f"precheck.outcome.{outcome}", language) in said or suffix in (".json", ".md")
    for words in (
        "Han Meimei",
        SIGNATURE.digest,
        EVIDENCE[0].path,
        EVIDENCE[0].digest,
        ENTRY.remark,
        ENTRY.name,
    ):
        assert words in said
    assert "0.002" in said
    for problem in (*REPORT.problems, *EVIDENCE[1].problems):
        assert problem.sentence(language).split(".")[0][:20] in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_headline_counts_what_was_not_done(language: str) -> None:
    said = render(headline_of(REPORT), language)
    counts = REPORT.counts
    assert sum(counts.values()) == len(REPORT.checks)
    assert [int(number) for number in re.findall(r"\d+", said)] == [
        counts[outcome] for outcome in (Outcome.FAIL, Outcome.PASS, Outcome.NOT_DONE)
    ]
    assert text("precheck.check.hyper_parameters.learning_rate", language) in first_cause(REPORT, language)


def test_nothing_of_the_evidence_becomes_markup(tmp_path: Path) -> None:
    said = written(tmp_path, ".html").read_text("utf-8")
    page = _Page()
    page.feed(said)
    assert "script" not in page.tags
    assert not page.addresses  # nothing is fetched, nothing can be clicked
    assert BARE in page.text
    assert "\u202e" not in said
    assert "\x1b" not in said
    rows = [line for line in written(tmp_path, ".md").read_text("utf-8").splitlines() if "HYPERLINK" in line]
    assert rows
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 8 for row in rows)  # a table of seven columns
    assert not any(re.search(r"(?<!\\)<script", row) for row in rows)
    cells = [cell for row in sheets(written(tmp_path, ".xlsx"))["Compared"] for cell in row]
    assert any(isinstance(cell, str) and cell.startswith("=HYPERLINK") for cell in cells)


def test_fails_come_first_and_by_cause(tmp_path: Path) -> None:
    report = report_of()
    ranks = [check.rank for check in report.failures]
    assert len(ranks) == 2
    assert ranks == sorted(ranks)
    titles = [text(f"precheck.check.{check.group}.{check.name}", "en") for check in report.failures]
    for suffix in (".html", ".md"):
        said = words_of(written(tmp_path, suffix, report))
        assert said.index(titles[0]) < said.index(titles[1])
    rows = sheets(written(tmp_path, ".xlsx", report))["Differences"][1:]
    assert [row[0] for row in rows] == [titles[0], *[titles[1]] * 20]


def test_json_holds_what_scripts_rely_on(tmp_path: Path) -> None:
    said = json.loads(written(tmp_path, ".json").read_text())
    assert said["counts"] == {str(outcome): count for outcome, count in REPORT.counts.items()}
    (rate,) = (check for check in said["checks"] if check["id"] == "hyper_parameters.learning_rate")
    assert (rate["group"], rate["result"], rate["rank"]) == ("hyper_parameters", "fail", 1)
    assert rate["effect"]
    assert rate["remedy"]
    item, equal = rate["items"]
    assert (item["target"], item["standing"], equal["standing"]) == ("0.002", "differs", "equal")
    assert item["golden_place"] == {"path": "gpu.zip", "line": 7, "member": "env.json"}
    (order,) = (check for check in said["checks"] if check["id"] == "dataset.order")
    assert (order["result"], order["found"]) == ("pass", "fail")
    assert order["entry"] == {
        "result": "pass",
        "remark": ENTRY.remark,
        "evidence": ENTRY.evidence,
        "name": ENTRY.name,
        "date": ENTRY.date,
    }
    assert said["target_evidence"][0]["sha256"] == "ab" * 32
    assert said["signature"]["name"] == "Han Meimei"
    assert len(said["problems"]) == 2


def test_values_beyond_what_a_cell_can_hold(tmp_path: Path) -> None:
    items = (Item("n", "x" * 40_000, "\udc80\x00", Standing.DIFFERS),)
    check = next(check for check in REPORT.checks if check.id == "hyper_parameters.learning_rate")
    others = tuple(one for one in REPORT.checks if one is not check)
    report = PrecheckReport((type(check)(**{**vars(check), "items": items}), *others))
    for suffix in SUFFIXES:
        assert written(tmp_path, suffix, report).stat().st_size > 1000


def test_an_unsigned_report_leaves_room_to_sign(tmp_path: Path) -> None:
    place = tmp_path / "report.md"
    write_precheck(str(place), REPORT)
    assert "________" in place.read_text("utf-8")


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    for suffix in SUFFIXES:
        with pytest.raises(OSError):  # a file stands where the folder should
            write_precheck(str(blocked / f"report{suffix}"), REPORT)
    assert [place.name for place in tmp_path.iterdir()] == ["file"]
