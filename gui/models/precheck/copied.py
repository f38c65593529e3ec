"""Lines of cells as text for the clipboard."""

from __future__ import annotations

from collections.abc import Sequence

from core.report.markdown import markdown_rule, markdown_text


def tab_separated(lines: Sequence[Sequence[str]]) -> str:
    """Return *lines* with tabs between cells, each cell on one line."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines)


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return *lines* as a table of Markdown, the first of them its heading; empty for none."""
    if not lines:
        return ""
    heading, *rows = (f"| {' | '.join(map(markdown_text, line))} |\n" for line in lines)
    return heading + markdown_rule([False] * len(lines[0])) + "".join(rows)
