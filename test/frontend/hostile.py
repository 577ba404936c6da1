"""What nobody should pass, and a call of everything public that something of it can be put into.

`CALLS` has what a function takes where copies of one tensor will not do, options in a dict at the
end; `MADE` what layers are
made with, by the names of parameters, and `OTHERWISE` by the names of layers.
"""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

import teenyir as ty
from teenyir import nn

SECONDS = 20
"""Of a processor, that a call may take."""


def _leaked() -> ty.Tensor:
    """A tensor whose function is traced no more."""
    found: list[ty.Tensor] = []
    ty.trace(lambda x: found.append(x) or x, ty.Spec((2,)))
    return found[0]


VALUES: dict[str, Any] = {
    "None": None,
    "a word": "a",
    "no word": "",
    "a fraction": 1.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "-1": -1,
    "0": 0,
    "7": 7,
    "2**60": 2**60,
    "2**63": 2**63,
    "10**12": 10**12,
    "-10**12": -(10**12),
    "10**400": 10**400,
    "True": True,
    "an integer of numpy": np.int64(3),
    "a float of numpy": np.float32(2),
    "a bool of numpy": np.bool_(True),
    "nothing in a list": [],
    "one in a list": [1],
    "six in a row": (1, 2, 3, 4, 5, 6),
    "words in a list": ["a"],
    "fractions in a list": [1.5, 1.5],
    "None in a list": [None],
    "negative ones": (-1, -1),
    "zeros": (0, 0),
    "large ones": (10**12, 10**12),
    "a dict": {},
    "an object": object(),
    "integers in an array": np.array([1, 2]),
    "a matrix": np.ones((2, 2), np.float32),
    "nothing in an array": np.array([]),
    "an array of rank 0": np.array(1),
    "words in an array": np.array(["a"]),
    "None in an array": np.array([None]),
    "a complex number": 1j,
    "bytes": b"x",
    "a function": lambda *_: 0,
    "a type": int,
    "a range": range(3),
    "a dim": ty.Dim("N", min=1),
    "a module": nn.ReLU(),
    "a spec": ty.Spec((2,)),
    "a mask": np.ma.masked_array([1.0, 2.0], [True, False]),
    "bytes the other way": np.ones(2, ">f4"),
    "records": np.zeros(2, [("a", "i4")]),
    "a date": np.datetime64("2020-01-01"),
    "uneven lists": [[1, 2], [3]],
    "a slice": slice(None),
    "...": ...,
    "a set": {1},
    "a tensor of another program": _leaked(),
}


class Tensor(NamedTuple):
    """A tensor that is made where it is used."""

    make: Callable[[], ty.Tensor]


def t(*shape: int, dtype: str = "float32") -> Tensor:
    """A tensor of ones."""
    return Tensor(lambda: ty.ones(shape, dtype=dtype))


LINE, SQUARE, IMAGE, VECTOR = t(2, 4, 6), t(4, 4), t(2, 4, 6, 6), t(4)
PLACES, TRUE = t(4, dtype="int64"), t(dtype="bool")
KERNEL = """kernel.func @same(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}"""


key = Tensor(lambda: ty.random.key(0))

CALLS: dict[str, tuple[Any, ...]] = {
    "adaptive_avg_pool": (IMAGE, 2),
    "adaptive_max_pool": (IMAGE, 2),
    "adaptive_max_pool_with_indices": (IMAGE, 4),
    "arange": (4,),
    "asarray": ([1, 2],),
    "astype": (VECTOR, "float64"),
    "attention_weights": (IMAGE, IMAGE),
    "avg_pool": (IMAGE, 2),
    "batch_norm": (LINE, VECTOR, VECTOR),
    "bitcast": (VECTOR, "int32"),
    "broadcast_shapes": ((2, 1), (1, 3)),
    "broadcast_to": (VECTOR, (2, 4)),
    "clip": (VECTOR, 0.0, 1.0),
    "concat": ([VECTOR, VECTOR],),
    "cond": (TRUE, lambda a: a, lambda a: a, VECTOR),
    "conv": (LINE, t(4, 4, 2)),
    "conv_transpose": (LINE, t(4, 4, 2)),
    "cosine_embedding_loss": (SQUARE, SQUARE, VECTOR),
    "cross_entropy": (SQUARE, PLACES),
    "ctc_loss": (t(5, 2, 4), t(2, 3, dtype="int64"), *[t(2, dtype="int64")] * 2),
    "custom_call": (KERNEL, VECTOR),
    "cumulative_prod": (VECTOR,),
    "cumulative_sum": (VECTOR,),
    "dynamic_slice": (SQUARE, [0, 0], [2, 2]),
    "dynamic_update_slice": (SQUARE, t(2, 2), [0, 0]),
    "einsum": ("ij,jk->ik", SQUARE, SQUARE),
    "embedding": (PLACES, SQUARE),
    "eye": (3,),
    "fold": (lambda a, b: [a + b], [SQUARE], [0.0]),
    "fori_loop": (0, 3, lambda i, a: a, VECTOR),
    "fractional_max_pool": (IMAGE, t(2, 4, 2), 2, {"output_size": 2}),
    "full": ((2, 2), 1.0),
    "full_like": (VECTOR, 1.0),
    "global_avg_pool": (IMAGE,),
    "global_max_pool": (IMAGE,),
    "group_norm": (LINE, 2),
    "instance_norm": (LINE,),
    "lexsort": ([VECTOR, VECTOR],),
    "linspace": (0.0, 1.0, 5),
    "lp_pool": (IMAGE, 2.0, 2),
    "max_pool": (IMAGE, 2),
    "max_pool_with_indices": (IMAGE, 2),
    "max_unpool": (IMAGE, t(2, 4, 6, 6, dtype="int64"), (12, 12)),
    "meshgrid": (VECTOR, VECTOR),
    "moveaxis": (SQUARE, 0, 1),
    "multi_margin_loss": (SQUARE, PLACES),
    "multilabel_margin_loss": (SQUARE, t(4, 4, dtype="int64")),
    "nll_loss": (SQUARE, PLACES),
    "one_hot": (PLACES, 4),
    "ones": ((2, 2),),
    "pad": (SQUARE, 1),
    "permute_dims": (SQUARE, (1, 0)),
    "prelu": (LINE, VECTOR),
    "random.bernoulli": (key, 0.5, (3,)),
    "random.bits": (key, (3,)),
    "random.categorical": (key, VECTOR),
    "random.exponential": (key, (3,)),
    "random.fold_in": (key, 1),
    "random.gumbel": (key, (3,)),
    "random.integers": (key, 0, 5, (3,)),
    "random.key": (0,),
    "random.normal": (key, (3,)),
    "random.split": (key, 2),
    "random.threefry2x32": (key, t(3, dtype="uint32"), t(3, dtype="uint32")),
    "random.uniform": (key, (3,)),
    "repeat": (VECTOR, 2),
    "reshape": (SQUARE, (2, 8)),
    "roll": (VECTOR, 1),
    "scaled_dot_product_attention": (IMAGE, IMAGE, IMAGE),
    "scan": ("add", SQUARE),
    "searchsorted": (VECTOR, VECTOR),
    "split": (VECTOR, 2),
    "stack": ([VECTOR, VECTOR],),
    "swapaxes": (SQUARE, 0, 1),
    "take": (VECTOR, PLACES),
    "take_along_axis": (SQUARE, t(4, 4, dtype="int64")),
    "tile": (VECTOR, 2),
    "top_k": (VECTOR, 2),
    "transpose": (SQUARE, (1, 0)),
    "unravel_index": (PLACES, (2, 2)),
    "view": (VECTOR, "int32"),
    "where": (t(4, dtype="bool"), VECTOR, VECTOR),
    "while_loop": (lambda a: a.sum() < 5.0, lambda a: a, VECTOR),
    "zeros": ((2, 2),),
}

MADE: dict[str, Any] = {
    **dict.fromkeys(("in_features", "in1_features", "in2_features", "num_features"), 4),
    **dict.fromkeys(("in_channels", "out_channels", "num_channels", "input_size"), 4),
    **dict.fromkeys(("hidden_size", "num_embeddings", "embedding_dim", "embed_dim", "d_model"), 4),
    **dict.fromkeys(("kernel_size", "num_groups", "groups", "output_size", "num_heads"), 2),
    **dict.fromkeys(("nhead", "upscale_factor", "downscale_factor", "norm_type"), 2),
    **dict.fromkeys(("padding", "dim", "num_layers"), 1),
    "cutoffs": [2, 4],
    "dim_feedforward": 8,
    "n_classes": 6,
    "normalized_shape": 6,
    "num_decoder_layers": 1,
    "num_encoder_layers": 1,
    "out_features": 3,
    "size": 3,
    "threshold": 0.1,
    "unflattened_size": (2, 2),
    "value": 0.5,
}

OTHERWISE: dict[str, dict[str, Any]] = {
    "Fold": {"output_size": 4, "stride": 2},
    "FractionalMaxPool2d": {"_random_samples": np.full((2, 4, 2), 0.5, np.float32)},
    "FractionalMaxPool3d": {"_random_samples": np.full((2, 4, 3), 0.5, np.float32)},
    "TransformerDecoder": {"decoder_layer": nn.TransformerDecoderLayer(4, 2, 8)},
    "TransformerEncoder": {"encoder_layer": nn.TransformerEncoderLayer(4, 2, 8)},
    "Transformer": {"d_model": 4, "nhead": 2},
    "Upsample": {"size": 3},
    "UpsamplingBilinear2d": {"size": 3},
    "UpsamplingNearest2d": {"size": 3},
}

INPUTS = [
    *([(2, 4, 6)], [(2, 4, 6, 6)], [(2, 4, 4, 4, 4)], [(3, 4)], [(4,)], [(2, 8, 4)], [(4, 4, 4)]),
    *([(2, 4)] * 2, [(2, 4)] * 3, [(2, 4), (2, 4), (2,)], [(2, 2, 4)] * 2, [(2, 2, 4)] * 3),
]
INTEGERS = [
    *([], [(2, 4)], [(2,)], [(2, 4, 3)], [(2, 4, 3, 3)], [(2, 4, 3, 3, 3)]),
    [(2, 3), (2,), (2,)],
]
FORWARD = [
    *([ty.Spec(shape) for shape in shapes] for shapes in INPUTS),
    [ty.Spec((2, 3), "int64")],
    *(
        [ty.Spec(shape), *(ty.Spec(each, "int64") for each in others)]
        for shape in ((2, 4), (2, 6), (2, 4, 3), (2, 4, 3, 3), (2, 4, 3, 3, 3), (5, 2, 4))
        for others in INTEGERS[1:]
    ),
]
"""Inputs, some of which a layer takes."""


class Late(BaseException):
    """A call that has not come back."""


@contextmanager
def in_time(seconds: float) -> Generator[None]:
    """Raises Late where what is done takes so long of a processor."""

    def stop(*_: Any) -> None:
        raise Late

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fault(action: Callable[[], Any]) -> str | None:
    """How a call ends other than it should: with a result, or with a diagnostic."""
    try:
        with in_time(SECONDS):
            action()
    except ty.CompileError as error:
        assert str(error)
    except Late:
        return "does not come back"
    except Exception as error:
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
            return None  # of a function that is passed
        return f"{type(error).__name__}: {error}"[:200]
    return None


def functions() -> dict[str, Callable[..., Any]]:
    """Every function of `ty` and `ty.random` that a traced function calls."""
    found: dict[str, Callable[..., Any]] = {}
    for home, prefix in ((ty, ""), (ty.random, "random.")):
        for name in dir(home):
            function = getattr(home, name)
            if not isinstance(function, FunctionType) or name.startswith("_"):
                continue
            of = function.__module__
            if of == home.__name__ or (home is ty and of.startswith("teenyir.frontend.")):
                found[prefix + name] = function
    for name in ("jit", "load_onnx", "parse", "trace"):
        del found[name]
    return found


def layers() -> dict[str, type[nn.Module]]:
    """Every layer that is made with something."""
    found = {name: getattr(nn, name) for name in nn.__all__}
    return {name: cls for name, cls in found.items() if isinstance(cls, type)}


def parameters(thing: Callable[..., Any]) -> list[inspect.Parameter]:
    signature = inspect.signature(thing).parameters.values()
    return [p for p in signature if p.kind is not p.VAR_KEYWORD]


def called(thing: object, name: str, place: int, value: Any) -> None:
    """Calls a method with a value in one place, and zeros and defaults in the others."""
    known = parameters(getattr(thing, name))
    if known[place].kind is inspect.Parameter.KEYWORD_ONLY:
        getattr(thing, name)(**{known[place].name: value})
        return
    needed = [p for p in known if p.kind is not p.KEYWORD_ONLY]
    given = [
        0 if p.default is p.empty else p.default for p in needed if p.kind is not p.VAR_POSITIONAL
    ]
    getattr(thing, name)(*given[:place], value, *given[place + 1 :])


def methods(thing: object) -> dict[str, list[inspect.Parameter]]:
    """The methods of a thing's class that take something, operators among them."""
    found: dict[str, list[inspect.Parameter]] = {}
    for name in dir(type(thing)):
        method = getattr(type(thing), name)
        own = callable(method) and method is not getattr(object, name, None)
        if own and (name.startswith("__") or not name.startswith("_")):
            found[name] = [] if name in _BY_PYTHON else parameters(getattr(thing, name))
    return {name: known for name, known in found.items() if known}


_BY_PYTHON = {
    *("__class__", "__init__", "__init_subclass__", "__subclasshook__", "__new__"),
    *("__reduce_ex__", "__array_ufunc__", "__array_function__", "__format__", "__deepcopy__"),
    "of",  # of expressions, which nobody has
}
"""Methods whose arguments Python and numpy see to."""


def program() -> ty.Traced:
    """A small one, of any number of rows."""
    return ty.trace(lambda x: {"a": x + 1, "b": x[0]}, ty.Spec((ty.Dim("N", min=1), 2)))


THINGS: dict[str, Callable[[], object]] = {
    "Dim": lambda: ty.Dim("N", min=1),
    "an expression": lambda: ty.Dim("N", min=1) // 2 + 1,
    "Spec": lambda: ty.Spec((2,)),
    "Traced": program,
    "Lowered": lambda: program().lower(),
    "Compiled": lambda: program().lower().compile(),
    "Jit": lambda: ty.jit(lambda x: x),
    "Linear": lambda: nn.Linear(2, 2),
    "Sequential": lambda: nn.Sequential(nn.ReLU()),
    "ModuleList": lambda: nn.ModuleList([nn.ReLU()]),
    "ModuleDict": lambda: nn.ModuleDict({"a": nn.ReLU()}),
    "ParameterList": lambda: nn.ParameterList([np.ones(2)]),
    "ParameterDict": lambda: nn.ParameterDict({"a": np.ones(2)}),
}
"""What has methods, besides tensors."""
