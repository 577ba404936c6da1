"""From Python to the graph floor: names, places, structures, and what is refused."""

import functools
import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest

import teenyir as ty
from teenyir.dialects import graph
from teenyir.frontend.errors import user_place
from teenyir.rewriting.locations import place_of
from teenyir.tools.command import run_command

HERE = str(Path(__file__))
X = ty.Spec((2, 3), ty.float32)


def ops(traced: ty.Traced) -> list[str]:
    return [op.name for op in traced.entry.body.block.ops]


def line_of(text: str) -> int:
    """The number of this file's first line that contains `text`, which is not this one."""
    lines = Path(HERE).read_text().splitlines()
    return next(k for k, line in enumerate(lines, 1) if text in line and "line_of(" not in line)


def refusal(function, *specs) -> str:
    with pytest.raises(ty.CompileError) as caught:
        ty.trace(function, *(specs or (X,)))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.location is not None
    assert diagnostic.location.file == HERE
    return diagnostic.message


def test_a_traced_function_is_one_function_named_main():
    traced = ty.trace(lambda x: ty.exp(x), X)
    assert ops(traced) == ["graph.exp", "func.return"]
    assert traced.entry.sym_name.data == "main"
    assert "func.func @main(%x: tensor<2x3xf32>" in traced.as_text()
    assert traced.parameters == {}


def test_inputs_take_the_names_of_the_parameters():
    traced = ty.trace(lambda left, right: left + right, X, X)
    assert traced.input_names == ["left", "right"]
    assert traced.input_specs == [X, X]


def test_more_inputs_than_names_are_numbered():
    assert ty.trace(lambda *xs: xs[0] + xs[1], X, X).input_names == ["arg0", "arg1"]


def test_an_example_array_is_a_spec():
    traced = ty.trace(lambda x: x, np.zeros((4, 5), np.int8))
    assert traced.input_specs == [ty.Spec((4, 5), ty.int8)]


def test_nests_of_inputs_and_outputs():
    def function(pair, named):
        return {"a": pair[0] + 1, "b": [named["x"], (pair[1],)]}

    traced = ty.trace(function, (X, X), {"x": X})
    assert traced.input_names == ["pair.0", "pair.1", "named.x"]
    assert traced.output_names == ["a", "b.0", "b.1.0"]
    assert traced.outputs.build([1, 2, 3]) == {"a": 1, "b": [2, (3,)]}


@pytest.mark.parametrize(
    ("result", "names", "built"),
    [
        (lambda x: x, ["output"], 1),
        (lambda x: (x, x), ["output0", "output1"], (1, 2)),
        (lambda x: [x], ["output"], [1]),
        (lambda x: {"y": x}, ["y"], {"y": 1}),
    ],
)
def test_names_of_outputs(result, names, built):
    traced = ty.trace(result, X)
    assert traced.output_names == names
    assert traced.outputs.build(range(1, 1 + len(names))) == built


def test_arrays_become_parameters_under_the_names_of_their_variables():
    weight = np.ones((3, 2), np.float32)

    def function(x, offset=np.zeros(2, np.float32)):  # noqa: B008
        return x @ weight + offset + x @ np.full((3, 2), 2, np.float32)

    traced = ty.trace(function, X)
    assert list(traced.parameters) == ["weight", "offset", "constant2"]
    assert traced.parameters["weight"] is weight
    assert graph.is_parameter(traced.entry) == [False, True, True, True]


def test_arrays_in_containers_and_partials_have_names_too():
    def function(x, *, scale):
        return x * params["layers"][0] * scale

    params = {"layers": [np.ones(3, np.float32)]}
    traced = ty.trace(functools.partial(function, scale=np.ones(3, np.float32)), X)
    assert sorted(traced.parameters) == ["params.layers.0", "scale"]


def test_scalars_become_constants():
    half = np.float32(0.5)
    traced = ty.trace(lambda x: x * half + np.array(1, np.float32), X)
    assert traced.parameters == {}
    assert ops(traced).count("graph.constant") == 2


def test_an_array_is_lifted_once():
    table = np.ones(3, np.float32)
    traced = ty.trace(lambda x: x + table + table, X)
    assert list(traced.parameters) == ["table"]


def test_an_array_on_the_left_of_an_operator():
    table = np.ones((2, 2), np.float32)
    traced = ty.trace(lambda x: (table @ x, table[:, :1] + x, table[:, :1] < x), X)
    assert [op for op in ops(traced) if op in ("graph.dot", "graph.add", "graph.compare")] == [
        "graph.dot",
        "graph.add",
        "graph.compare",
    ]


def test_ops_carry_the_user_s_place():
    def function(x):
        y = ty.exp(x)
        return ty.softmax(y + 1)  # the softmax

    traced = ty.trace(function, X)
    exp = traced.entry.body.block.first_op
    place = place_of(exp.location)
    assert (place.file, place.line, place.col) == (HERE, line_of("y = ty.exp(x)"), 13)
    lines = {place_of(op.location).line for op in traced.entry.body.block.ops if op is not exp}
    assert line_of("# the softmax") in lines


def test_a_module_s_ops_are_named_after_it():
    model = ty.nn.Sequential(ty.nn.Linear(3, 4), ty.nn.ReLU())
    traced = ty.trace(model, X)
    text = str(traced.entry.body.block.first_op.location)
    assert text.startswith('loc("0"(')
    assert HERE in text


def test_dims_reach_the_function():
    n, m = ty.Dim("N", min=1, max=64, step=4), ty.Dim("M")
    traced = ty.trace(lambda x, y: (x[1:], y.reshape(-1)), ty.Spec((n, 3)), ty.Spec((m, n)))
    text = traced.as_text()
    assert "graph.symbols = #graph.symbols<[N in 1..64 step 4, M in 0..]>" in text
    assert "#graph.dims<[N - 1, 3]>" in text
    assert "#graph.dims<[M * N]>" in text
    assert traced.input_specs == [ty.Spec((n, 3)), ty.Spec((m, n))]


def test_a_slice_beyond_the_range_of_its_extent_takes_the_whole():
    few = ty.Spec((ty.Dim("N", min=1, max=8),))
    text = ty.trace(lambda x: (x[:8], x[:9], x[-8:], x[-9:], x[8:]), few).as_text()
    assert "return %x, %x, %x, %x, " in text
    assert "-> tensor<0xf32>" in text


def test_a_dim_that_no_input_has_by_itself_is_refused():
    n = ty.Dim("N")
    assert "N is never an extent by itself" in refusal(lambda x: x, ty.Spec((n * 2,)))
    assert "N is never an extent by itself" in refusal(lambda x: x * n)
    assert "N is never an extent by itself" in refusal(lambda x: ty.zeros((n,)))


def test_one_name_with_two_ranges_is_refused():
    specs = ty.Spec((ty.Dim("N", 1),)), ty.Spec((ty.Dim("N", 2),))
    assert "two extents are called N" in refusal(lambda x, y: x, *specs)


def test_unused_parameters_are_left_out():
    class Model(ty.nn.Module):
        def __init__(self):
            self.used, self.unused = np.ones(3, np.float32), np.ones(3, np.float32)

        def forward(self, x):
            return x + self.used

    assert list(ty.trace(Model(), X).parameters) == ["used"]


def test_a_module_has_its_arrays_back_after_tracing():
    layer = ty.nn.Linear(3, 4)

    def fails(x):
        layer(x)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ty.trace(fails, X)
    assert isinstance(layer.weight, np.ndarray)


def test_traces_nest():
    def outer(x):
        inner = ty.trace(lambda y: y * 2, X)
        assert ops(inner) == ["graph.constant", "graph.broadcast", "graph.mul", "func.return"]
        return x + 1

    assert "graph.add" in ops(ty.trace(outer, X))


KEPT = []


def leak(x):
    KEPT.append(x)
    return x


REFUSED = {
    "bool": (lambda x: x if x.sum() > 0 else -x, "use ty.where"),
    "and": (lambda x: (x > 0) and x, "use ty.where"),
    "int": (lambda x: int(x.sum()), "astype(ty.int64)"),
    "float": (lambda x: float(x.sum()), "astype(ty.float64)"),
    "complex": (lambda x: complex(x.sum()), "not supported"),
    "index": (lambda x: range(x.sum()), "x.shape[0]"),
    "item": (lambda x: x.sum().item(), "return the tensor"),
    "np.asarray": (lambda x: np.asarray(x), "the function of the same name on ty"),
    "np.exp": (lambda x: np.exp(x), "use ty.exp"),
    "np.sum": (lambda x: np.sum(x), "use ty.sum"),
    "np.add.reduce": (lambda x: np.add.reduce(x), "use ty.add"),
    "setitem": (lambda x: x.__setitem__(0, 1), "not written to"),
    "string": (lambda x: x + "a", "got str"),
    "list": (lambda x: ty.add(x, [1.0, 2.0, 3.0]), "ty.asarray"),
    "complex array": (lambda x: x + np.ones(3, np.complex64), "complex64 cannot be part"),
    "None": (lambda x: None, "returned None"),
    "broadcast": (lambda x: x + ty.zeros((4,)), "do not broadcast: 3 and 4 differ"),
    "matmul": (lambda x: x @ x, "matmul of [2, 3] and [2, 3]: 3 and 2 differ"),
    "matmul scalar": (lambda x: x @ 1.0, "no scalars"),
    "divide": (lambda x: x.astype(ty.int32) / 2, "/ takes floats"),
    "exp of int": (lambda x: ty.exp(x.astype(ty.int32)), "exp: takes floats"),
    "T": (lambda x: x.reshape(1, 2, 3).T, "use .mT"),
    "axis": (lambda x: x.sum(axis=2), "axis 2 is outside of the 2 axes"),
    "axis twice": (lambda x: x.sum(axis=(0, -2)), "an axis is named twice"),
    "reshape": (lambda x: x.reshape(4), "has 6 elements"),
    "reshape -1": (lambda x: x.reshape(-1, 4), "do not divide by 4"),
    "reshape -1 -1": (lambda x: x.reshape(-1, -1), "only one extent"),
    "squeeze": (lambda x: x.squeeze(0), "is not 1"),
    "concat": (lambda x: ty.concat([x, x[0]]), "one rank"),
    "concat extents": (lambda x: ty.concat([x, x[:, 1:]]), "differ on another axis than 0"),
    "stack": (lambda x: ty.stack([]), "stack of nothing"),
    "where": (lambda x: ty.where(x, x, x), "takes booleans"),
    "pad": (lambda x: ty.pad(x, ((1, 1),)), "1 pairs for 2 axes"),
    "pad negative": (lambda x: ty.pad(x, -1), "negative"),
    "max of none": (lambda x: x[:0].max(), "max of no elements"),
    "mean of int": (lambda x: x.astype(ty.int32).mean(), "mean takes floats"),
    "step 0": (lambda x: x[::0], "step of a slice"),
    "gelu": (
        lambda x: ty.gelu(x, approximate="no"),
        "the approximate of gelu is one of 'none', 'tanh', got",
    ),
    "int power": (lambda x: x.astype(ty.int32) ** -1, "is no integer"),
    "module outside": (lambda x: ty.nn.Linear(4, 2)(x), "Linear of 4 features got extents [2, 3]"),
    "conv": (lambda x: ty.conv(x, np.ones((2, 2), np.float32)), "1 groups of 2 channels"),
    "dtype": (lambda x: x.astype("complex64"), "is not a dtype of tensors"),
    "full": (lambda x: ty.full((2,), 300, dtype=ty.int8), "outside of int8"),
    "asarray": (lambda x: ty.asarray([[1], [1, 2]]), "no tensor"),
    "no output": (lambda x: (), "returned no tensor"),
    "masked": (lambda x: x + np.ma.ones(3, np.float32), "masked array"),
    "axis of float": (lambda x: x.sum(axis=1.0), "the axis of sum is an integer"),
    "stride": (lambda x: ty.max_pool(x[None], 2, stride="a"), "the stride of max_pool is an"),
    "arange of str": (
        lambda x: ty.arange("a"),
        "the start of arange is an integer or a ty.Dim or a number",
    ),
    "long arange": (lambda x: ty.arange(0, 1, 1e-30), "too many elements"),
    "arange of nan": (lambda x: ty.arange(float("nan")), "too many elements"),
    "arange by 0": (lambda x: ty.arange(3, 4, 0), "the step of arange is 0"),
    "asarray of 2**70": (lambda x: ty.asarray([2**70]), "of 64 bits"),
    "dtype None": (lambda x: x.astype(None), "is not a dtype"),
    "format": (lambda x: f"{x.sum():.2f}", "the format '.2f'"),
    "round to digits": (lambda x: round(x, 2), "ty.round"),
    "huge": (lambda x: x + 10**400, "of 401 digits"),
    "dim of bool": (lambda x: (x > 0) & ty.Dim("Q"), "does not go with bool"),
    "asarray of tensors": (lambda x: ty.asarray([x, x]), "while it is traced"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_at_the_user_s_line(case):
    function, message = REFUSED[case]
    assert message in refusal(function)
    assert inspect.getsourcefile(function) == HERE


def test_a_symbolic_extent_is_not_iterated():
    n = ty.Dim("N")
    spec = ty.Spec((n, 3))
    assert "a constant extent, this is N" in refusal(lambda x: [row for row in x], spec)
    assert "a constant extent, this is N" in refusal(lambda x: len(x), spec)
    traced = ty.trace(lambda x: [row for row in x], X)
    assert len(traced.output_names) == 2


def test_a_tensor_of_another_trace_is_refused():
    ty.trace(leak, X)
    assert "belongs to another traced function" in refusal(lambda x: x + KEPT[0])


def test_tensors_exist_only_while_tracing():
    with pytest.raises(ty.CompileError, match=re.escape("only inside a function that ty.trace")):
        ty.zeros((3,))
    with pytest.raises(ty.CompileError, match=re.escape("ty.trace(module, spec)")):
        ty.nn.ReLU()(np.ones(3))


def test_errors_render_with_the_line_and_a_caret():
    def function(x):
        return x @ x  # the fault

    with pytest.raises(ty.CompileError) as caught:
        ty.trace(function, X)
    text = str(caught.value)
    assert text.splitlines()[0].startswith(f"{HERE}:{line_of('# the fault')}:16: error: matmul")
    assert text.splitlines()[-1].strip() == "^~~~~"


def test_parse_takes_text_and_paths(tmp_path):
    text = ty.trace(lambda x: (x, ty.exp(x)), X).as_text()
    again = ty.parse(text)
    assert again.as_text() == text
    assert again.output_names == ["output0", "output1"]
    assert again.outputs.build([1, 2]) == (1, 2)
    (tmp_path / "a.mlir").write_text(text)
    assert ty.parse(tmp_path / "a.mlir").as_text() == text
    assert ty.parse(str(tmp_path / "a.mlir")).input_specs == [X]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "unknown operation 'nonsense'"),
        ("absent.mlir", "cannot read absent.mlir"),
        ("builtin.module {}", "this: none"),
        ("func.func @a() { func.return }\nfunc.func @b() { func.return }", "this: @a, @b"),
        ("func.func @a(%x: f32) { func.return }", "is no tensor: f32"),
    ],
)
def test_parse_refuses(text, message):
    with pytest.raises(ty.CompileError) as caught:
        ty.parse(text)
    assert message in str(caught.value)


def test_parameters_are_of_the_line_that_traces():
    model = ty.nn.Linear(3, 2)
    traced = ty.trace(model, ty.Spec((1, 3), ty.float32))
    files = {place_of(argument.location).file for argument in traced.entry.body.block.args}
    assert files == {HERE}


def test_an_array_without_a_name_and_one_called_so_are_kept_apart():
    constant0 = np.full(3, 5, np.float32)
    program = ty.trace(lambda x: x + np.ones(3, np.float32) + constant0, ty.Spec((3,)))
    assert program.parameters["constant0"].tolist() == [1, 1, 1]
    assert program.parameters["constant0_1"].tolist() == [5, 5, 5]


AROUND_ITSELF: list[object] = []
AROUND_ITSELF.append(AROUND_ITSELF)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: AROUND_ITSELF, "perhaps one holds itself"),
        (lambda x: {1: x, "1": x}, "two tensors of a dict are called '1'"),
        (lambda x: {"a": {"b": x}, "a.b": x}, "two tensors of a dict are called 'a.b'"),
    ],
)
def test_nests_whose_tensors_have_no_names_of_their_own(result, message):
    assert message in refusal(result)


def test_a_tensor_does_nothing_when_its_function_is_traced_no_more():
    ty.trace(leak, X)
    for use in (lambda x: x[0], lambda x: x.at[0].set(1.0), lambda x: x.at[0].get()):
        with pytest.raises(ty.TraceError, match="only inside a function that"):
            use(KEPT[0])
        assert "belongs to another traced function" in refusal(lambda _, use=use: use(KEPT[0]))


def test_what_python_rounds_is_rounded():
    traced = ty.trace(lambda x: [f(x) for f in (math.floor, math.ceil, math.trunc)], X)
    x = np.array([[-1.5, 0.5, 2.5]] * 2, np.float32)
    floor, ceil, trunc = traced.lower("interpret{floor=graph}").compile()(x)
    assert np.array_equal(floor, np.floor(x)) and np.array_equal(ceil, np.ceil(x))
    assert np.array_equal(trunc, np.trunc(x))


def test_an_array_is_not_written_to_with_a_tensor():
    def body(x):
        total = np.zeros((2, 3), np.float32)
        total += x
        return total

    assert "use a = a + x" in refusal(body)


def test_a_command_has_no_line_of_the_user_s():
    assert run_command("teeny-run", user_place) is None
