"""Compile the message catalogues: every ``resources/messages/<language>/ulpscope.po`` to its ``.mo``."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

CATALOGUES = Path(__file__).resolve().parents[1] / "resources" / "messages"


def compiled(source: Path) -> bytes:
    """Return the bytes of the ``.mo`` file of *source*, the same for the same entries.

    Raises
    ------
    babel.messages.pofile.PoFileError
        If *source* is not a valid catalogue.
    """
    with source.open("rb") as stream:
        catalogue = read_po(stream, locale=source.parent.name, abort_invalid=True)
    # The header would else hold the time of compiling.
    catalogue.creation_date = catalogue.revision_date = datetime(2000, 1, 1, tzinfo=UTC)
    target = io.BytesIO()
    write_mo(target, catalogue)
    return target.getvalue()


def main() -> None:
    """Compile all catalogues in place and say what was done."""
    for source in sorted(CATALOGUES.glob("*/*.po")):
        content = compiled(source)
        source.with_suffix(".mo").write_bytes(content)
        print(f"{source.parent.name}: {len(content)} bytes from {source}")


if __name__ == "__main__":
    main()
