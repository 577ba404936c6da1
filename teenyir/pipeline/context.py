"""The context that IR is parsed in: every dialect by name, imported when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.ir import Dialect

from teenyir.pipeline.registry import dialect_thunks


def make_context(
    dialects: Mapping[str, Callable[[], Dialect]] | None = None, *, allow_unregistered: bool = False
) -> Context:
    """A context that knows `dialects`, by default all of ours and xDSL's.

    Each is imported when it is used.
    """
    context = Context(allow_unregistered=allow_unregistered)
    for name, thunk in (dialects if dialects is not None else dialect_thunks()).items():
        context.register_dialect(name, partial(_with_own_resources, thunk))
    return context


def _with_own_resources(thunk: Callable[[], Dialect]) -> Dialect:
    """A dialect whose blobs (`dense_resource<name>`) are those of one context.

    xDSL keeps them in the dialect, of which there is one in a process: a second module that had the
    same name for a blob would get another one.
    """
    dialect = thunk()
    if not dialect.has_interface(OpAsmDialectInterface):
        return dialect
    # the dialects that have blobs have no other interface
    operations, attributes = list(dialect.operations), list(dialect.attributes)
    return Dialect(dialect.name, operations, attributes, [OpAsmDialectInterface()])
