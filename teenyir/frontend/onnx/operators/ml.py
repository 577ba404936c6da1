"""The operators of classical models, `ai.onnx.ml`, on numbers."""

from __future__ import annotations

import numpy as np

from teenyir.dialects import dtypes
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.core import Array, as_tensor
from teenyir.frontend.creation import full
from teenyir.frontend.elementwise import add, astype, divide, equal, greater, multiply, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, expand_dims
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.scores import transformed
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

ML = "ai.onnx.ml"


@operator("Binarizer", domain=ML)
def binarizer(node: Node, x: Tensor) -> Tensor:
    """1 where an element is greater than a threshold, otherwise 0."""
    threshold = node.number("threshold", 0.0)
    limit = threshold if x.dtype.kind == "float" else int(threshold)
    return astype(greater(x, limit), x.dtype)


@operator("Scaler", domain=ML)
def scaler(node: Node, x: Tensor) -> Tensor:
    """Moved and scaled, one number a feature."""
    wide = astype(x, dtypes.FLOAT32)
    offset = np.array(node.numbers("offset", [0.0]), np.float32)
    scale = np.array(node.numbers("scale", [1.0]), np.float32)
    return multiply(wide - as_tensor(offset), as_tensor(scale))


@operator("Normalizer", domain=ML)
def normalizer(node: Node, x: Tensor) -> Tensor:
    """Each row divided by its greatest element, or by one of its norms."""
    wide = astype(x, dtypes.FLOAT32)
    kind = node.choice("norm", "MAX", ("MAX", "L1", "L2"))
    if kind == "MAX":
        size = reductions.max(wide, axis=-1, keepdims=True)
    elif kind == "L1":
        size = reductions.sum(elementwise.abs(wide), axis=-1, keepdims=True)
    else:
        squares = reductions.sum(elementwise.square(wide), axis=-1, keepdims=True)
        size = elementwise.sqrt(squares)
    return divide(wide, where(equal(size, 0.0), 1.0, size))


@operator("Imputer", domain=ML)
def imputer(node: Node, x: Tensor) -> Tensor:
    """A value of its own for each feature where an element is missing."""
    if x.dtype.kind == "float":
        values = np.array(node.numbers("imputed_value_floats"), x.dtype.numpy())
        missing = node.number("replaced_value_float", float("nan"))
        gone = elementwise.isnan(x) if np.isnan(missing) else equal(x, missing)
    else:
        values = np.array(node.integers("imputed_value_int64s"), x.dtype.numpy())
        gone = equal(x, node.integer("replaced_value_int64", 0))
    return where(gone, as_tensor(values), x)


@operator("FeatureVectorizer", domain=ML)
def feature_vectorizer(node: Node, *parts: Tensor) -> Tensor:
    """Features one after the other."""
    return concat([astype(part, dtypes.FLOAT32) for part in parts], axis=-1)


@operator("LinearRegressor", domain=ML)
def linear_regressor(node: Node, x: Tensor) -> Tensor:
    """A sum of features times coefficients."""
    targets = node.integer("targets", 1)
    weights = np.array(node.numbers("coefficients"), np.float32).reshape(targets, -1)
    found = astype(x, dtypes.FLOAT32) @ as_tensor(weights.T.copy())
    if "intercepts" in node:
        found = add(found, as_tensor(np.array(node.numbers("intercepts"), np.float32)))
    return transformed(node, found)


@operator("OneHotEncoder", domain=ML)
def one_hot_encoder(node: Node, x: Tensor) -> Tensor:
    """For each element a new last axis, which is 1 where the element is the category there."""
    if "cats_int64s" not in node:
        fail("its categories are no numbers")
    if not node.flag("zeros", True):
        fail("an element that is no category would be an error; a program has 0 for it (zeros=1)")
    categories = np.array(node.integers("cats_int64s"), np.int64)
    column = expand_dims(x if x.dtype == dtypes.INT64 else astype(x, dtypes.INT64), axis=x.ndim)
    return astype(equal(column, as_tensor(categories)), dtypes.FLOAT32)


@operator("LabelEncoder", since=2, domain=ML)
def label_encoder(node: Node, x: Tensor) -> Tensor:
    """Numbers in place of others, by a table."""
    keys, values = _column(node, "keys"), _column(node, "values")
    if keys.size != values.size:
        fail(f"{keys.size} keys and {values.size} values")
    default = _default(node, values)
    found = full(x.shape, default.item(), dtype=as_tensor(values).dtype)
    for key, value in zip(keys[::-1], values[::-1], strict=True):
        is_key = elementwise.isnan(x) if key != key else equal(x, key.item())
        found = where(is_key, value.item(), found)
    return found


def _column(node: Node, what: str) -> Array:
    if f"{what}_tensor" in node:
        return node.array(f"{what}_tensor").reshape(-1)
    if f"{what}_int64s" in node:
        return np.array(node.integers(f"{what}_int64s"), np.int64)
    if f"{what}_floats" in node:
        return np.array(node.numbers(f"{what}_floats"), np.float32)
    fail(f"its {what} are no numbers")


def _default(node: Node, values: Array) -> Array:
    if "default_tensor" in node:
        return node.array("default_tensor").reshape(-1)[0]
    if values.dtype == np.int64:
        return np.array(node.integer("default_int64", -1), np.int64)
    return np.array(node.number("default_float", -0.0), np.float32)
