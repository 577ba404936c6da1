"""`ty.jit`: traces and compiles where it is called, once for every size of a batch."""

import copy
import pickle
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest

import teenyir as ty
from teenyir import nn


def rows(count: int, columns: int = 3) -> np.ndarray:
    return np.arange(count * columns, dtype=np.float32).reshape(count, columns)


class Counted:
    """A function that counts how often it is traced."""

    def __init__(self, function):
        self.function = function
        self.times = 0

    def __call__(self, *inputs):
        self.times += 1
        return self.function(*inputs)


def test_one_program_serves_every_number_of_rows():
    function = Counted(lambda x: x * 2 + 1)
    fast = ty.jit(function)
    for count in (4, 1, 9):
        assert np.array_equal(fast(rows(count)), rows(count) * 2 + 1)
    assert function.times == 1


def test_other_columns_and_other_dtypes_are_other_programs():
    function = Counted(lambda x: x + x)
    fast = ty.jit(function)
    assert fast(rows(2, 3)).shape == (2, 3)
    assert fast(rows(2, 5)).shape == (2, 5)
    assert fast(rows(2, 3).astype(np.int32)).dtype == np.int32
    assert function.times == 3


def test_a_function_that_needs_the_number_gets_a_program_for_it():
    def unrolled(x):
        total = x[0]
        for row in range(1, x.shape[0]):
            total = total + x[row]
        return total

    fast = ty.jit(unrolled)
    for count in (2, 3, 2):
        assert np.array_equal(fast(rows(count)), rows(count).sum(axis=0))


def test_a_square_matrix_and_no_rows_at_all():
    fast = ty.jit(lambda x: x @ x)
    assert np.array_equal(fast(rows(3)), rows(3) @ rows(3))
    assert ty.jit(lambda x: x.sum(axis=0))(rows(0)).tolist() == [0, 0, 0]


def test_rows_that_belong_together_share_the_name():
    fast = ty.jit(lambda x, y: x + y)
    assert "[N, 3]" in fast.trace(rows(2), rows(2)).as_text()
    assert np.array_equal(fast(rows(1), rows(4)), rows(1) + rows(4))
    with pytest.raises(ty.CompileError, match=r"2.*5|5.*2"):
        fast(rows(2), rows(5))


def test_nests_and_names():
    fast = ty.jit(lambda x, state: {"y": x + state["h"], "h": state["h"] * 2})
    out = fast(rows(2), {"h": rows(2)})
    assert np.array_equal(out["y"], rows(2) * 2)
    assert np.array_equal(fast(state={"h": rows(3)}, x=rows(3))["h"], rows(3) * 2)


def test_a_model_and_its_stages():
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    weights = {"0.weight": np.ones((2, 3), np.float32), "0.bias": np.zeros(2, np.float32)}
    model.load_state_dict(weights)
    fast = ty.jit(model, target="cpu")
    assert np.array_equal(fast(rows(4)), rows(4).sum(axis=1, keepdims=True) * [1, 1])
    lowered = fast.lower(rows(8))
    assert "out %out: !kernel.buf<[N, 2] x f32>" in lowered.as_text("kernel")
    assert "[8, 3]" in fast.lower(ty.Spec((8, 3), ty.float32)).as_text("kernel")


def test_as_a_decorator():
    @ty.jit
    def double(x):
        return x * 2

    assert np.array_equal(double(rows(2)), rows(2) * 2)


def test_threads_that_come_at_once_compile_once():
    function = Counted(lambda x: x - 1)
    fast = ty.jit(function)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(fast(rows(5)))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and all(np.array_equal(y, rows(5) - 1) for y in found)
    assert function.times == 1


@pytest.mark.parametrize(
    ("inputs", "named", "message"),
    [
        ((1.5,), {}, "got float"),
        ((rows(1), rows(1)), {"x": rows(1)}, "do not suit the function"),
        ((), {"z": rows(1)}, "missing a required argument"),
        ((), {"x": rows(1), "y": rows(1)}, "keyword-only"),
    ],
)
def test_inputs_that_do_not_suit_are_trace_errors(inputs, named, message):
    def function(x, *, y=None):
        return x

    with pytest.raises(ty.TraceError, match=message):
        ty.jit(function)(*inputs, **named)


def test_the_error_is_that_of_the_shapes_that_were_given():
    with pytest.raises(ty.TraceError, match=r"\[2, 3\]"):
        ty.jit(lambda x: x @ x)(rows(2))


@ty.jit
def decorated(x):
    """Doubles."""
    return x * 2


class Doubling:
    @ty.jit
    def decorated(x):
        return x * 2


def halved(x):
    return x / 2


def test_what_is_pickled_is_the_function():
    for fast in (decorated, Doubling.decorated):
        assert pickle.loads(pickle.dumps(fast)) is fast
    assert (decorated.__name__, decorated.__doc__) == ("decorated", "Doubles.")
    for fast in (ty.jit(halved), copy.deepcopy(ty.jit(halved))):
        again = pickle.loads(pickle.dumps(fast))
        assert np.array_equal(again(rows(2)), rows(2) / 2)


def test_code_is_not_pickled_and_its_copy_is_itself():
    lowered = ty.trace(halved, rows(2)).lower()
    compiled = lowered.compile()
    with pytest.raises(ty.CompileError, match="pickle what it is compiled of"):
        pickle.dumps(compiled)
    assert copy.copy(compiled) is compiled and copy.deepcopy(compiled) is compiled
    again = pickle.loads(pickle.dumps(lowered)).compile()
    assert np.array_equal(again(rows(2)), rows(2) / 2)


def test_threads_trace_one_model_at_once():
    model = nn.Linear(3, 2)
    found: list[object] = []

    def traced():
        try:
            found.append(ty.trace(model, rows(1)).input_names)
        except ty.CompileError as problem:
            found.append(problem)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=traced) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [["x"]] * 8


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


def test_nests_come_and_go_as_they_are():
    pair = ty.jit(lambda pair: Pair(pair.b, pair.a + 1))(Pair(rows(1), rows(2)))
    assert isinstance(pair, Pair) and pair.a.shape == (2, 3)
    swapped = ty.jit(lambda given: {1: given[2], 2: given[1]})({1: rows(1), 2: rows(2)})
    assert swapped[1].shape == (2, 3) and swapped[2].shape == (1, 3)


def test_masks_are_not_lost():
    masked = np.ma.masked_array(rows(2), rows(2) > 1)
    fast = ty.jit(lambda x: x + 1)
    with pytest.raises(ty.TraceError, match="mask"):
        fast(masked)
    fast(rows(2))
    with pytest.raises(ty.CompileError, match="mask"):
        fast(masked)
    with pytest.raises(ty.CompileError, match="mask"):
        fast(rows(2), out=np.ma.masked_array(rows(2)))
