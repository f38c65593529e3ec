"""yaml as a tree, from its events: nothing is built that the text names, and no alias is unfolded here."""

from __future__ import annotations

from typing import Any

from core.formats.evidence.documents.nodes import DEEPEST, Leaf, Node, Row, Table
from core.formats.evidence.documents.scalars import yaml_scalar
from core.formats.evidence.unreadable import Unreadable

_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
)


def parse_yaml(text: str) -> Node | None:
    """Return *text* as one tree, ``None`` if it is empty; of several documents the later ones hold.

    Raises
    ------
    Unreadable
        If it is no yaml, is nested too deeply, or holds tags, which would build objects.
    """
    import yaml  # type: ignore[import-untyped]

    builder, documents = _Builder(), list[Node]()
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
            if isinstance(event, yaml.DocumentEndEvent) and builder.root is not None:
                documents.append(builder.root)
                builder = _Builder()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = " ".join(str(getattr(error, "problem", "") or "").split())
        if "nesting depth" in reason:
            raise Unreadable("settings_deep", line=mark.line + 1 if mark else 0) from None
        line = mark.line + 1 if mark else 0
        raise Unreadable("settings_broken", form="YAML", line=line, reason=reason) from None
    except (ValueError, RecursionError) as error:
        raise Unreadable("settings_broken", form="YAML", line=0, reason=type(error).__name__) from None
    return _together(documents)


def _together(documents: list[Node]) -> Node | None:
    """Return *documents* as one: what two of them say is noted as said twice."""
    root = documents[0] if documents else None
    for document in documents[1:]:
        if isinstance(root, Table) and isinstance(document, Table):
            for name, node in document.members.items():
                root.put(name, node, document.lines.get(name, node.line))
    return root


class _Builder:
    """Puts the events together; an alias is the same node again."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._open: list[Row | Table] = []
        self._keys: list[tuple[str, int] | None] = []
        """Of each open section the name that waits for its value."""
        self._named: dict[str, Node] = {}

    def take(self, event: Any) -> None:
        import yaml

        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._named:
                raise Unreadable("settings_broken", form="YAML", line=line, reason=f"*{event.anchor}")
            self._place(self._named[event.anchor], line)
        elif isinstance(event, yaml.ScalarEvent):
            self._check(event, line)
            text = event.tag == "tag:yaml.org,2002:str" or event.style or len(event.value) > 1000
            if self._open and isinstance(self._open[-1], Table) and self._keys[-1] is None:
                text = True  # a name, as it is spelt: `on` is none
            self._named_place(event, Leaf(event.value if text else yaml_scalar(event.value), line))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check(event, line)
            if len(self._open) >= DEEPEST:
                raise Unreadable("settings_deep", line=line)
            mapping = isinstance(event, yaml.MappingStartEvent)
            node: Row | Table = Table(line=line) if mapping else Row(line=line)
            self._named_place(event, node)
            self._open.append(node)
            self._keys.append(None)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._keys.pop()
            node = self._open.pop()
            if isinstance(node, Table) and "<<" in node.members:
                _merge(node)

    def _check(self, event: Any, line: int) -> None:
        if event.tag not in (None, "!") and event.tag not in _PLAIN_TAGS:
            raise Unreadable("settings_tag", tag=str(event.tag)[:100], line=line)

    def _named_place(self, event: Any, node: Node) -> None:
        if event.anchor is not None:
            self._named[event.anchor] = node
        self._place(node, node.line)

    def _place(self, node: Node, line: int) -> None:
        if not self._open:
            self.root = node
            return
        above = self._open[-1]
        if isinstance(above, Row):
            above.items.append(node)
        elif (key := self._keys[-1]) is None:
            name = str(node.value) if isinstance(node, Leaf) else "?"
            self._keys[-1] = (name, line)
        else:
            above.put(key[0], node, key[1])
            self._keys[-1] = None


def _merge(table: Table) -> None:
    """Take over what ``<<`` names, where the section does not say it itself."""
    merged = table.members.pop("<<")
    table.lines.pop("<<", None)
    table.twice = [(name, line) for name, line in table.twice if name != "<<"]
    for source in merged.items if isinstance(merged, Row) else [merged]:
        if isinstance(source, Table) and source is not table:
            for name, node in source.members.items():
                if name not in table.members:
                    table.members[name] = node
                    table.lines[name] = source.lines.get(name, 0)
