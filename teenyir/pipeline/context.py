"""The context that IR is parsed in: every dialect by name, imported when first used."""

from __future__ import annotations

from xdsl.context import Context

from teenyir.pipeline.registry import dialect_thunks


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context that knows every dialect, ours and xDSL's; each is imported when it is used."""
    context = Context(allow_unregistered=allow_unregistered)
    for name, thunk in dialect_thunks().items():
        context.register_dialect(name, thunk)
    return context
