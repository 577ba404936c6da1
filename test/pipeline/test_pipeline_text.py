"""Pipelines as text: what parses, what prints, and that printing recreates."""

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import Operation

from teenyir.diagnostics import PipelineError
from teenyir.pipeline.build import Nested, Registry, build_pipeline, build_target_pipeline
from teenyir.pipeline.options import format_value
from teenyir.pipeline.registry import NamedPipeline
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class Everything(Pass):
    """A pass with an option of each type."""

    name = "everything"

    number: int
    ratio: float = 0.5
    text: str = ""
    flag: bool = False
    choice: Literal["one", "two"] = "one"
    sizes: tuple[int, ...] = (1, 2)
    names: tuple[str, ...] = ()
    pair: tuple[int, float] = (0, 0.0)
    maybe: int | None = None
    maybe_text: str | None = None

    def run(self, op: Operation, session: Session) -> None:
        pass


@dataclass(frozen=True)
class Nothing(Pass):
    """A pass without options."""

    name = "nothing"

    def run(self, op: Operation, session: Session) -> None:
        pass


REGISTRY = Registry(
    {"everything": lambda: Everything, "nothing": lambda: Nothing},
    {
        "both": NamedPipeline(
            "Both", "nothing,everything{number=$number text=$text}", {"number": 7, "text": "a b"}
        ),
        "loop": NamedPipeline("Itself", "nothing,loop"),
        "wrong": NamedPipeline("Names what there is not", "func.func(nonesuch)"),
        "target": NamedPipeline("A target", "optimize-graph,nothing", {"level": 1}, is_target=True),
        "optimize-graph": NamedPipeline("A step", "nothing,nothing"),
    },
    {},
)

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
numbers = st.floats(allow_nan=False)
everything = st.builds(
    Everything,
    number=st.integers(),
    ratio=numbers,
    text=words,
    flag=st.booleans(),
    choice=st.sampled_from(["one", "two"]),
    sizes=st.lists(st.integers(), max_size=4).map(tuple),
    names=st.lists(words, max_size=3).map(tuple),
    pair=st.tuples(st.integers(), numbers),
    maybe=st.none() | st.integers(),
    maybe_text=st.none() | words,
)
passes = everything | st.just(Nothing())
anchors = st.sampled_from(["func.func", "any", "kernel.func", "builtin.module"])
pipelines = st.recursive(
    st.builds(Nested, anchors, st.lists(passes, max_size=3).map(tuple)),
    lambda inner: st.builds(Nested, anchors, st.lists(passes | inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(st.lists(passes | pipelines, max_size=3))
def test_printing_gives_text_that_recreates_the_pipeline(elements: list[Pass | Nested]):
    pipeline = Nested("builtin.module", tuple(elements))
    assert build_pipeline(str(pipeline), REGISTRY) == pipeline


@given(st.text(max_size=40))
def test_any_text_is_a_pipeline_or_a_diagnostic_with_a_place(text: str):
    try:
        build_pipeline(text, REGISTRY)
    except PipelineError as e:
        assert e.diagnostics[0].location is not None


def one(text: str) -> Pass:
    (element,) = build_pipeline(text, REGISTRY).elements
    assert isinstance(element, Pass)
    return element


@pytest.mark.parametrize(
    "text, expected",
    [
        ("everything{number=1}", Everything(1)),
        (" everything { number=0x10  flag } ", Everything(16, flag=True)),
        ("everything{number=1 flag=false ratio=2}", Everything(1, ratio=2.0)),
        ("everything{number=1 sizes= names=}", Everything(1, sizes=())),
        ('everything{number=1 names=a,"b,c",d{e,f}}', Everything(1, names=("a", "b,c", "d{e,f}"))),
        ("everything{number=1 text=cuda{x=sm_80 y=1}}", Everything(1, text="cuda{x=sm_80 y=1}")),
        ('everything{number=1 text="a \\"b\\" }"}', Everything(1, text='a "b" }')),
        ("everything{number=1 maybe-text=x maybe=3}", Everything(1, maybe=3, maybe_text="x")),
        ("everything{number=1 maybe_text=x maybe}", Everything(1, maybe_text="x")),
        ("everything{number=1 pair=1,2.5 choice=two}", Everything(1, pair=(1, 2.5), choice="two")),
    ],
)
def test_options(text: str, expected: Everything):
    assert one(text) == expected


@pytest.mark.parametrize(
    "text, column, message",
    [
        ("everything", 1, "'everything' needs the option 'number=integer'"),
        ("everything{number}", 12, "expected a value, an integer"),
        ("everything{number=x}", 12, "expected an integer, not 'x'"),
        ("everything{number=1 flag=maybe}", 21, "expected a boolean (true or false), not 'maybe'"),
        ("everything{number=1 choice=three}", 21, "expected one of 'one', 'two', not 'three'"),
        ("everything{number=1 pair=1}", 21, "expected 2 values, not 1"),
        ("everything{number=1 number=2}", 21, "option 'number' is given twice"),
        ("everything{nunber=1}", 12, "has no option 'nunber'; did you mean 'number'?"),
        ("everything{number=1", 20, "expected '}'"),
        ('everything{text="x', 19, "expected '\"'"),
        ("everything{number=1}(nothing)", 12, "an anchor takes no options"),
        ("nothing{}x", 10, "expected ',' or the end, not 'x'"),
        ("nothing nothing", 9, "expected ',' or the end, not 'n'"),
        ("nothin", 1, "unknown pass 'nothin'; did you mean 'nothing'?"),
        ("func(nothing)", 1, "'func' is neither the name of an operation nor 'any'"),
        ("loop", 1, "the named pipeline 'loop' contains itself"),
        ("both{number=x}", 6, "option 'number' of 'both': expected an integer, not 'x'"),
    ],
)
def test_errors(text: str, column: int, message: str):
    with pytest.raises(PipelineError) as caught:
        build_pipeline(text, REGISTRY)
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.location is not None
    if text != "loop":
        assert (diagnostic.location.col, diagnostic.location.text) == (column, text)


def test_an_error_inside_a_named_pipeline_names_it():
    with pytest.raises(PipelineError, match="note: in the named pipeline 'wrong'"):
        build_pipeline("wrong", REGISTRY)


def test_named_pipelines_take_options():
    text = 'nothing,everything{number=7 text="a b"}'
    assert build_pipeline("both", REGISTRY) == build_pipeline(text, REGISTRY)
    text = "nothing,everything{number=2 text=cuda{x=1}}"
    given_options = build_pipeline("both{text=cuda{x=1} number=2}", REGISTRY)
    assert given_options == build_pipeline(text, REGISTRY)


def test_the_outer_module_is_optional():
    expected = build_pipeline("nothing", REGISTRY)
    assert build_pipeline("builtin.module(nothing)", REGISTRY) == expected
    assert build_pipeline("", REGISTRY) == build_pipeline("builtin.module()", REGISTRY)


def test_a_target_is_cut_at_a_floor():
    assert len(build_target_pipeline("target{level=2}", None, REGISTRY).elements) == 3
    assert len(build_target_pipeline("target", "graph", REGISTRY).elements) == 2
    with pytest.raises(PipelineError, match="the target 'target' does not pass the uop floor"):
        build_target_pipeline("target", "uop", REGISTRY)
    with pytest.raises(PipelineError, match="unknown target 'both'; there is target"):
        build_target_pipeline("both", None, REGISTRY)


def test_strings_that_look_like_other_things_are_quoted():
    assert format_value("a,b") == '"a,b"'
    assert format_value("") == '""'
    assert format_value("cuda{capability=sm_80}") == "cuda{capability=sm_80}"
