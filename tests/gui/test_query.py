"""The filter box against a plain reading of each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages import render, set_language, text
from core.records.columns import StringPool
from core.records.notes import Notes
from core.records.result import CellResult, Verdict
from core.records.stacks import Frame, decode_stack, encode_stack
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.pair.remarks import with_notes
from gui.models.pair.texts import Texts
from gui.models.search.query import Filter, parse_query
from gui.models.search.stack_search import stacks_holding
from gui.models.search.text_search import texts_holding


def rows_of(text: str, cell: CellResult, facts: Facts) -> list[int]:
    return np.flatnonzero(Filter(text=text).mask(cell, facts)).tolist()


def name(facts: Facts, row: int) -> str:
    return facts.operators[int(facts.operator[row])] or facts.operators[int(facts.golden_operator[row])]


def test_words_are_anded_over_operator_and_slot(cell: CellResult, facts: Facts) -> None:
    found = rows_of("GELU output", cell, facts)
    wanted = [
        row
        for row in range(len(facts))
        if "gelu" in name(facts, row).lower() and "output" in facts.slots[int(facts.slot[row])]
    ]
    assert found == wanted
    assert found


@pytest.mark.parametrize(
    ("text", "column", "test"),
    [
        ("err>1e-4", "error", lambda value: value > 1e-4),
        ("err<=3e-7", "error", lambda value: value <= 3e-7),
        ("cos<0.9999999999", "cosine", lambda value: value < 0.9999999999),
        ("rmse>=0.0001", "rmse", lambda value: value >= 0.0001),
        ("count=6144", "count", lambda value: value == 6144),
    ],
)
def test_metrics_are_compared(cell: CellResult, facts: Facts, text: str, column: str, test: object) -> None:
    values = getattr(cell.rows, column).tolist()
    assert rows_of(text, cell, facts) == [row for row, value in enumerate(values) if test(value)]  # type: ignore[operator]


def test_verdicts(cell: CellResult, facts: Facts) -> None:
    differs = np.flatnonzero(cell.rows.verdict == Verdict.DIFFERS).tolist()
    assert rows_of("verdict:differs", cell, facts) == differs
    assert len(rows_of("verdict:introduced", cell, facts)) == 1
    both = rows_of("verdict:equal,close", cell, facts)
    assert both == np.flatnonzero(np.isin(cell.rows.verdict, (Verdict.EQUAL, Verdict.CLOSE))).tolist()


@pytest.mark.parametrize("spelling", ["bf16", "bfloat16", "torch.bfloat16", "BFloat16"])
def test_a_dtype_has_many_names(cell: CellResult, facts: Facts, spelling: str) -> None:
    found = rows_of(f"dtype:{spelling}", cell, facts)
    assert found
    assert {facts.dtypes[int(facts.dtype[row])] for row in found} == {"bfloat16"}


def test_shapes_fit_from_the_left(cell: CellResult, facts: Facts) -> None:
    assert rows_of("shape:2x12x256", cell, facts) == rows_of("shape:2x12 shape:*x*x256", cell, facts)
    assert not rows_of("shape:2x12x256x1", cell, facts)
    assert not rows_of("shape:2x1", cell, facts)  # 12 does not begin with 1


def test_a_minus_turns_a_term_round(cell: CellResult, facts: Facts) -> None:
    inside, outside = rows_of("gelu", cell, facts), rows_of("-gelu", cell, facts)
    assert sorted(inside + outside) == list(range(len(facts)))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("err>x", "needs a number"),
        ("verdict:wrong", "no verdict"),
        ("dtype:", "not finished"),
        ("err>", "number"),
        ("foo:bar", "There is no field or metric “foo”"),
        ("-foo：bar", "verdict:  type:  name:  module:"),
        ("rank:1", "no field or metric “rank”"),
        ("ulp>10", "no field or metric “ulp”"),
        ("ulp=1", "no field or metric “ulp”"),
        ("err:1", "“err” goes with <"),
        ("type=gelu", "“type” goes with :"),
    ],
)
def test_what_makes_no_sense_is_said_and_filters_nothing(
    cell: CellResult, facts: Facts, text: str, part: str
) -> None:
    errors = parse_query(text).errors
    assert len(errors) == 1
    assert part in render(errors[0])
    assert len(rows_of(text, cell, facts)) == len(facts)


def test_quotes_keep_a_text_together(cell: CellResult, facts: Facts) -> None:
    found = rows_of('"linear.1.forward"', cell, facts)
    assert {name(facts, row) for row in found} == {"Functional.linear.1.forward"}


def test_subtree_and_chips_join_in(cell: CellResult, facts: Facts) -> None:
    node = facts.hierarchy.names.index("Module.model.transformer.h.14.mlp.MLP")
    chosen = Filter(text="gelu", categories=frozenset({Category.INTRODUCED}), node=node)
    assert np.count_nonzero(chosen.mask(cell, facts)) == 1
    assert np.count_nonzero(chosen.mask_without_categories(cell, facts)) > 1


@given(st.text(max_size=60))
def test_any_text_is_either_understood_or_reported(text: str) -> None:
    query = parse_query(text)
    for error in query.errors:
        assert render(error) != error.code


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("category", list(Category))
def test_verdicts_go_by_the_words_on_show(
    cell: CellResult, facts: Facts, category: Category, language: str
) -> None:
    word = text(f"gui.category.{category.name.lower()}", language)
    plain = rows_of(f"verdict:{category.name.lower()}", cell, facts)
    assert rows_of(f'verdict:"{word}"', cell, facts) == plain
    assert rows_of(f"verdict：{word.replace(' ', '_').upper()}", cell, facts) == plain
    assert not parse_query(f'verdict:"{word}"').errors


def test_several_verdicts_in_another_script(cell: CellResult, facts: Facts) -> None:
    assert rows_of("verdict:相等，接近", cell, facts) == rows_of("verdict:equal,close", cell, facts)
    assert rows_of("-verdict:有差异", cell, facts) == rows_of("-verdict:differs", cell, facts)


def test_an_unknown_verdict_offers_the_words_on_show() -> None:
    set_language("zh_CN")
    try:
        assert "引入差异" in render(parse_query("verdict:坏").errors[0])
    finally:
        set_language("en")


def test_types_are_exact_in_any_case_or_with_a_star(cell: CellResult, facts: Facts) -> None:
    gelu = [row for row in range(len(facts)) if ".gelu." in name(facts, row)]
    assert rows_of("type:GELU", cell, facts) == gelu
    linear = [row for row in range(len(facts)) if ".linear." in name(facts, row)]
    assert rows_of("type:gelu,linear", cell, facts) == sorted(gelu + linear)
    assert rows_of("type:layer*", cell, facts) == rows_of("type:layer_norm,LayerNorm", cell, facts)
    assert not rows_of("type:gel", cell, facts)


def test_sides(cell: CellResult, facts: Facts) -> None:
    rows = cell.rows
    alone = np.flatnonzero(rows.golden_operator < 0).tolist()
    assert rows_of("side:target", cell, facts) == alone
    assert rows_of("side:golden", cell, facts) == np.flatnonzero(rows.target_operator < 0).tolist()
    assert rows_of("-side:both", cell, facts) == rows_of("side:target,golden", cell, facts)
    assert rows_of("type:npu_fusion_attention", cell, facts) == alone


def test_directions(cell: CellResult, facts: Facts) -> None:
    backward = [row for row in range(len(facts)) if ".backward" in name(facts, row)]
    assert rows_of("dir:backward", cell, facts) == backward
    assert len(rows_of("dir:forward,backward", cell, facts)) == len(facts)


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ("model.py", lambda stack: "model.py" in stack),
        ("MODEL.PY:71", lambda stack: "model.py:71\n" in stack),
        ('"f.gelu(h, self"', lambda stack: "F.gelu(h, self" in stack),
        ("loop.py,nowhere", lambda stack: "loop.py" in stack),
        ("71", lambda stack: "71" in stack),
        ('""', None),
    ],
)
def test_text_in_a_stack(cell: CellResult, facts: Facts, wanted: str, fits: object) -> None:
    if fits is None:
        assert parse_query(f"stack:{wanted}").errors
        return
    found = []
    for row, at in enumerate(cell.rows.target_operator.tolist()):
        dump, operator = (cell.target, at) if at >= 0 else (cell.golden, int(cell.rows.golden_operator[row]))
        text = dump.stacks[int(dump.operators.stack[operator])]
        frames = [
            f"{frame.path}:{frame.line}\n{frame.function}\n{frame.code}" for frame in decode_stack(text)
        ]
        if text and fits("\n".join(frames)):  # type: ignore[operator]
            found.append(row)
    assert rows_of(f"stack:{wanted}", cell, facts) == found
    assert 0 < len(found) < len(facts)


def test_several_shapes_and_brackets(cell: CellResult, facts: Facts) -> None:
    both = sorted(set(rows_of("shape:2x12x64", cell, facts)) | set(rows_of("shape:2x12x256", cell, facts)))
    assert rows_of("shape:2x12x64,2x12x256", cell, facts) == both
    assert rows_of("shape:(2,12,64)", cell, facts) == rows_of("shape:[2,12,64]", cell, facts)
    assert rows_of("shape:(2,12,64)", cell, facts) == rows_of("shape:2x12x64", cell, facts)


def test_an_unknown_word_offers_those_there_are() -> None:
    (error,) = parse_query("side:left").errors
    assert "target, golden, both" in render(error)


TEXTS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=9))


@given(TEXTS, st.text("aAbB.1_é中", min_size=1, max_size=3))
def test_texts_are_searched_as_one(texts: list[str], needle: str) -> None:
    packed, wanted = Texts.of(texts), needle.lower()
    plain = [wanted in text.replace("\u212a", "?").replace("\u0130", "?").lower() for text in texts]
    assert texts_holding(packed, wanted).tolist() == [*plain, False]


FIELD = st.text('ab7,"[]:\\é中 ', max_size=4)
FRAMES = st.lists(st.builds(Frame, FIELD, st.integers(0, 99), FIELD, FIELD), max_size=3)


@given(st.lists(FRAMES, max_size=4), st.text('ab7,"[]:\\é中 ', min_size=1, max_size=3))
def test_stacks_are_searched_as_they_are_read(stacks: list[list[Frame]], wanted: str) -> None:
    pool = StringPool.of(map(encode_stack, stacks))
    found = stacks_holding(pool, wanted)
    assert not found[-1]
    for frames, there in zip(stacks, found):
        read = "\n".join(f"{at.path}:{at.line}\n{at.function}\n{at.code}" for at in frames)
        assert there == (wanted in read)


@pytest.mark.parametrize(
    "word", ["at::add", "C:\\runs", "c:/runs", '"foo:bar"', "-at::add", "model.py:7", "->"]
)
def test_a_colon_that_names_no_field_is_text(word: str) -> None:
    query = parse_query(word)
    assert not query.errors
    assert query.terms[0].field == ""


def test_names_alone(cell: CellResult, facts: Facts) -> None:
    wanted = [row for row in range(len(facts)) if "output" in name(facts, row).lower()]
    assert rows_of("name:output", cell, facts) == wanted  # no slot is looked at
    gelu = [row for row in range(len(facts)) if "gelu" in name(facts, row).lower()]
    assert gelu
    assert rows_of("name:GELU", cell, facts) == rows_of("name:*gelu*", cell, facts) == gelu


def test_modules_with_all_that_lies_in_them(cell: CellResult, facts: Facts) -> None:
    tree = facts.hierarchy
    inside = []
    for row in range(len(facts)):
        node, path = int(tree.node_of_row[row]), []
        while node >= 0:
            path.append(node)
            node = int(tree.parent[node])
        if any(tree.is_module[at] and "h.14.mlp" in tree.names[at].lower() for at in path):
            inside.append(row)
    assert rows_of("module:h.14.mlp", cell, facts) == inside
    assert 0 < len(inside) < len(facts)
    assert rows_of("module:h.14.mlp gelu", cell, facts)
    assert not rows_of("module:gelu", cell, facts)  # which is the name of a call, and of no module


@pytest.mark.parametrize("spelling", ["(2, 12, 64)", "[2, 12, 64]", "torch.Size([2, 12, 64])", "( 2,12,64 )"])
def test_shapes_as_python_prints_them(cell: CellResult, facts: Facts, spelling: str) -> None:
    plain = rows_of("shape:2x12x64", cell, facts)
    assert rows_of(f"shape:{spelling}", cell, facts) == plain
    assert rows_of(f"gelu -shape:{spelling},(9, 9) err>0", cell, facts) == rows_of(
        "gelu -shape:2x12x64 err>0", cell, facts
    )
    assert plain


def test_a_shape_without_dimensions_is_a_scalar(cell: CellResult, facts: Facts) -> None:
    scalars = [
        row
        for row in range(len(facts))
        if "()" in (facts.shapes[int(facts.shape[row])], facts.shapes[int(facts.golden_shape[row])])
    ]
    assert rows_of("shape:()", cell, facts) == scalars


def test_a_star_is_any_note(cell: CellResult, facts: Facts) -> None:
    noted = with_notes(facts, Notes(remarks={facts.operators[int(facts.operator[0])]: "seen"}))
    assert (
        rows_of("note:*", cell, noted) == rows_of("note:any", cell, noted) == rows_of("note:see", cell, noted)
    )
    assert rows_of("note:*", cell, noted)
