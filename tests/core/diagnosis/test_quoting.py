"""The pre-check quoted by a diagnosis: its fails, the likeliest cause first, and never in a result file."""

from __future__ import annotations

from builders.prechecks import FOUND, report_of

from core.diagnosis.quoting import quote, quotes_of
from core.messages import Message
from core.precheck.finding import Finding
from core.records.diagnosis import Diagnosis
from core.records.precheck import Entry, Outcome
from core.store.diagnoses import decode_diagnosis, encode_diagnosis


def said(code: str) -> Finding:
    return Finding(Outcome.FAIL, Message(code))


def test_fails_are_quoted_by_cause() -> None:
    report = report_of(
        {"dataset.order": said("b"), "hyper_parameters.batch": said("a"), "flow.launch": said("c")}
    )
    assert quotes_of(report) == (Message("a"), Message("b"), Message("c"))


def test_without_a_fail_nothing_is_quoted() -> None:
    assert quotes_of(report_of({"versions.packages": FOUND["versions.packages"]})) == ()


def test_what_a_person_entered_is_quoted_instead() -> None:
    entries = {
        "dataset.order": Entry(Outcome.PASS, "same"),
        "flow.launch": Entry(Outcome.FAIL, "other image"),
    }
    (quoted,) = quotes_of(report_of({"dataset.order": said("b")}, entries))
    assert quoted.code == "precheck.entered.fail"
    assert quoted.parameters["remark"] == "other image"


def test_result_files_hold_no_quotes() -> None:
    diagnosis = quote(Diagnosis(()), report_of({"dataset.order": said("b")}))
    assert diagnosis.quotes == (Message("b"),)
    assert decode_diagnosis(encode_diagnosis(diagnosis)) == Diagnosis(())
