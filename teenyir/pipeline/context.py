"""The context that IR is parsed in: every dialect by name, imported when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.context import Context
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
        context.register_dialect(name, thunk)
    return context
