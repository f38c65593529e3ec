"""Mapping files: the official forms, told apart by what they hold, and pairs picked by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from core.errors import Problem
from core.match.mapping import ApiRule, Mapping, split_item
from core.records.names import OperatorKind, parse_operator_name

_MOST_BYTES = 4 << 20
_DEEPEST = 32
"""Lists and dictionaries within each other; the known forms have three."""
_PAIRS = "ulpscope_pairs"
_VERSION = 1
_API_TYPES = frozenset(
    (
        *("Torch", "Tensor", "Functional", "NPU", "VF", "Aten", "Distributed", "MindSpeed", "Triton"),
        *("Mint", "MintFunctional", "MintDistributed", "Primitive", "Jit", "API"),
    )
)
_SLOT_LISTS = (
    ("ms_args", "pt_args", "input"),
    ("ms_outputs", "pt_outputs", "output"),
    ("ms_output", "pt_output", "output"),
    ("ms_parameters", "pt_parameters", "parameters"),
    ("ms_parameters_grad", "pt_parameters_grad", "parameters_grad"),
)


class _Wrong(Exception):
    """A file that cannot be used; carries the code and parameters of its problem."""

    def __init__(self, code: str, **parameters: str | int) -> None:
        super().__init__(code)
        self.code, self.parameters = code, parameters


def load_mapping(paths: Iterable[str | Path]) -> Mapping:
    """Read mapping files, of any of the known forms each; later ones win.

    ``cell_mapping``, ``api_mapping``, ``data_mapping`` and ``layer_mapping`` files of the official tool (yaml
    or JSON) and those of :func:`save_pairs`. What is wrong with a file stands in ``problems``; the others
    count.
    """
    return reduce(Mapping.joined, (_load(Path(path)) for path in paths), Mapping())


def save_pairs(path: str | Path, pairs: Dictionary[str, str]) -> None:
    """Write *pairs*, golden by target names of calls, so that :func:`load_mapping` reads them back.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    listed = [{"target": target, "golden": golden} for target, golden in pairs.items()]
    text = json.dumps({_PAIRS: _VERSION, "pairs": listed}, ensure_ascii=False, indent=1)
    Path(path).write_text(text + "\n", encoding="utf-8")


def _load(path: Path) -> Mapping:
    try:
        mapping, ignored = _understand(_parse(path))
    except _Wrong as wrong:
        return Mapping(problems=(Problem(wrong.code, str(path), wrong.parameters),))
    if ignored:
        problem = Problem("mapping_entries", str(path), {"count": len(ignored), "first": ignored[0]})
        return replace(mapping, problems=(problem,))
    return mapping


def _parse(path: Path) -> Any:
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise _Wrong("mapping_unreadable", reason=error.strerror or type(error).__name__) from None
    if len(data) > _MOST_BYTES:
        raise _Wrong("mapping_too_large", limit=_MOST_BYTES >> 20)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Wrong("mapping_wrong", reason=str(error)) from None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass  # yaml's flow form begins alike
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise _Wrong("mapping_no_yaml") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # builds plain values only, written in C
    try:
        # An alias may stand for a text that holds aliases: a few lines that unfold to gigabytes.
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                raise _Wrong("mapping_alias", line=event.start_mark.line + 1)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise _Wrong("mapping_deep", line=event.start_mark.line + 1)
        return yaml.load(text, Loader=loader)  # one of the two safe loaders
    except yaml.YAMLError as error:
        raise _Wrong("mapping_wrong", reason=" ".join(str(error).split())) from None
    except (ValueError, RecursionError) as error:
        raise _Wrong("mapping_wrong", reason=type(error).__name__) from None


def _understand(content: Any) -> tuple[Mapping, list[str]]:
    """Return what *content* says and the entries that say nothing."""
    if isinstance(content, dict) and _PAIRS in content:
        if content[_PAIRS] != _VERSION:
            raise _Wrong("mapping_version", version=str(content[_PAIRS]))
        content = content.get("pairs")
    if isinstance(content, list):
        return _from_list(content)
    if isinstance(content, dict):
        return _from_dictionary(content)
    raise _Wrong("mapping_unknown")


def _from_list(entries: list[Any]) -> tuple[Mapping, list[str]]:
    rules: list[ApiRule] = []
    picked: dict[str, str] = {}
    ignored = []
    for entry in entries:
        pair = _pair(entry)
        if pair is not None:
            picked[pair[0]] = pair[1]
        elif isinstance(entry, dict) and (rule := _api_rule(entry)) is not None:
            rules.append(rule)
        else:
            ignored.append(_shown(entry))
    if entries and not rules and not picked:
        raise _Wrong("mapping_unknown")
    return Mapping(apis=tuple(rules), picked=picked), ignored


def _pair(entry: Any) -> tuple[str, str] | None:
    if isinstance(entry, dict):
        entry = [entry.get("target"), entry.get("golden")]
    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(name, str) and name for name in entry):
        return entry[0], entry[1]
    return None


def _api_rule(entry: dict[Any, Any]) -> ApiRule | None:
    old, new = entry.get("ms_api"), entry.get("pt_api")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    slots: dict[str, str] = {}
    for ours, theirs, group in _SLOT_LISTS:
        left, right = entry.get(ours) or [], entry.get(theirs) or []
        if not isinstance(left, list) or not isinstance(right, list) or len(left) != len(right):
            return None
        slots.update({f"{group}.{a}": f"{group}.{b}" for a, b in zip(left, right)})
    listed = any(key in entry for lists in _SLOT_LISTS for key in lists[:2])
    return ApiRule(old, new, slots if listed else None)


def _from_dictionary(entries: dict[Any, Any]) -> tuple[Mapping, list[str]]:
    cells: dict[str, str] = {}
    layers: dict[str, dict[str, str]] = {}
    items: dict[str, str] = {}
    picked: dict[str, str] = {}
    rules: list[ApiRule] = []
    ignored = []
    for key, value in entries.items():
        if isinstance(value, dict) and _all_texts(value):
            layers[str(key)] = {str(old): new for old, new in value.items()}
        elif not isinstance(key, str) or not isinstance(value, str) or not key or not value:
            ignored.append(_shown(key))
        elif split_item(key) and split_item(value):
            items[key] = value
        elif _is_call(key) and _is_call(value):
            picked[key] = value
        elif key.partition(".")[0] in _API_TYPES:
            rules.append(ApiRule(key, value))
        else:
            cells[_without_type(key)] = _without_type(value)
    if entries and len(ignored) == len(entries):
        raise _Wrong("mapping_unknown")
    mapping = Mapping(cells=cells, apis=tuple(rules), layers=layers, items=items, picked=picked)
    return mapping, ignored


def _all_texts(children: dict[Any, Any]) -> bool:
    return all(isinstance(value, str) and value for value in children.values())


def _is_call(name: str) -> bool:
    return parse_operator_name(name).kind is not OperatorKind.OTHER


def _without_type(name: str) -> str:
    return name.removeprefix("Cell.").removeprefix("Module.")


def _shown(entry: Any) -> str:
    text = str(entry)
    return text if len(text) <= 80 else text[:77] + "..."
