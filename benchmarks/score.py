"""How often the diagnosis is right on pairs whose answer is known, beside the official search's answers.

    python -m benchmarks.score CASES

CASES is a folder with dumps and ``expected.json``; see ``tests/builders/scored_cases.py``. Prints each miss,
and found/total for each kind of evidence.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from tests.builders.scored_cases import answers, expected


def main() -> int:
    cases = Path(sys.argv[1])
    misses = 0
    for innocent, title in ((False, "planted faults named first"), (True, "innocent pairs left alone")):
        found, total = Counter[str](), Counter[str]()
        for answer in answers(cases, innocent):
            total[answer.evidence] += 1
            found[answer.evidence] += answer.right
            if not answer.right:
                misses += 1
                print(f"  miss: {answer.case} ({answer.evidence}) named {answer.said or 'nothing'}")
        each = ", ".join(f"{evidence} {found[evidence]}/{total[evidence]}" for evidence in total)
        print(f"{title}: {found.total()}/{total.total()} ({each})")
        print(f"  official search, one answer a case: {_official(cases, innocent)}")
    return int(misses > 0)


def _official(cases: Path, innocent: bool) -> str:
    """Return found/total of the recorded answers of the official first-difference search."""
    asked = [case for case in expected(cases) if bool(case.get("no_error")) == innocent]
    known = [case for case in asked if "official_first_difference" in case]
    if innocent:
        right = [case for case in known if case["official_first_difference"] is None]
    else:
        right = [case for case in known if case["official_first_difference"] in case["first"]]
    return f"{len(right)}/{len(known)}"


if __name__ == "__main__":
    sys.exit(main())
