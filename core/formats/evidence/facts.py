"""What is printed about a machine: packages, versions, variables, devices; one file may hold several."""

from __future__ import annotations

from core.formats.evidence.devices import DeviceLines
from core.formats.evidence.environment import EnvironmentLines
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.package_lines import PackageLines
from core.formats.evidence.version_lines import VersionLines
from core.records.evidence import Evidence, EvidenceKind

_MOST_LINES = 50_000
"""Lines that are looked at; a list of packages or variables has some hundreds."""
_LINES_OF_A_LOG = 20_000
_FEWEST = 50
"""Lines of a text for each one that tells of software or a device, at most."""
_GIVEN_UP = 5000
"""Lines without software or a device after which no more are looked at."""


def read_facts(file: EvidenceFile, *, log: bool = False) -> Evidence | None:
    """Return what *file* prints about software, variables and devices; ``None`` if it prints nothing of them.

    Parameters
    ----------
    file
        The text.
    log
        It is a training log: few of its lines, at its start, tell anything. Of any other text so few are
        taken for chance.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    packages, versions = PackageLines(file), VersionLines(file)
    devices, environment = DeviceLines(file), EnvironmentLines(file)
    lines = taken = 0
    most_lines = _LINES_OF_A_LOG if log else _MOST_LINES
    for number, line in file.lines():
        lines += bool(line.strip())
        if number > most_lines or (number > _GIVEN_UP and not (packages.any or versions.any or devices.any)):
            break
        # What a heading announced goes before what a line looks like on its own.
        if packages.take(number, line) or devices.take(number, line) or versions.take(number, line):
            taken += 1
            continue
        environment.take(number, line)
    # `name=version` is a package or a variable: the names of variables are in capitals.
    variables = environment.found()
    dense = log or taken * _FEWEST >= lines
    software = (*packages.found(), *versions.found()) if dense else ()
    if not software and not variables:
        software = packages.packed
    listed = devices.found() if dense else ()
    kinds = [
        kind
        for kind, found in (
            (EvidenceKind.PACKAGES, software),
            (EvidenceKind.ENVIRONMENT, variables),
            (EvidenceKind.DEVICES, listed),
        )
        if found
    ]
    if not kinds:
        return None
    return Evidence(file.path, tuple(kinds), versions=software, environment=variables, devices=listed)
