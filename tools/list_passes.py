"""`teeny-opt --list-passes`: every pass and named pipeline, its options and one line on it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.passes import ModulePass

from teenyir.diagnostics import PipelineError
from teenyir.pipeline.build import Registry
from teenyir.pipeline.options import OptionInfo, format_option, option_infos, type_name
from teenyir.pipeline.registry import PASSES, NamedPipeline

INDENT = 40


def list_passes(registry: Registry) -> str:
    """The listing: named pipelines, teenyir's passes, xDSL's passes, and their order, sorted."""
    ours = [name for name in registry.passes if name in PASSES]
    theirs = [name for name in registry.passes if name not in PASSES]
    lines = ["Named pipelines:"]
    for name in sorted(registry.pipelines):
        lines += _pipeline(name, registry.pipelines[name])
    for title, names in (("teenyir's passes:", ours), ("xDSL's passes:", theirs)):
        lines += ["", title]
        for name in sorted(names):
            lines += _pass(name, registry)
    lines += ["", "Order, where a pipeline has both passes:"]
    for order in sorted(registry.order, key=lambda o: (o.first, o.then)):
        lines.append(_row(f"{order.first} before {order.then}", order.reason))
    return "\n".join(lines) + "\n"


def _pipeline(name: str, pipeline: NamedPipeline) -> Iterator[str]:
    yield _row(name, pipeline.help)
    for option, default in pipeline.options.items():
        yield f"      {format_option(option, default)}"


def _pass(name: str, registry: Registry) -> Iterator[str]:
    try:
        pass_type = registry.pass_type(name)
    except PipelineError as e:
        yield _row(name, f"(not available: {e.diagnostics[0].message})")
        return
    yield _row(name, first_line(pass_type))
    for info in option_infos(pass_type):
        yield f"      {_option(info)}"


def _option(info: OptionInfo) -> str:
    kind = type_name(info.type)
    return f"{info.name}=... ({kind})" if info.required else f"{info} ({kind})"


def _row(name: str, text: str) -> str:
    return f"  {name:{INDENT - 4}}  {text}".rstrip()


def first_line(pass_type: type[ModulePass]) -> str:
    """The first sentence of a pass's docstring; empty if it has none of its own."""
    text = pass_type.__dict__.get("__doc__") or ""
    if text.startswith(f"{pass_type.__name__}("):  # what `dataclass` makes up
        return ""
    return " ".join(text.strip().split("\n\n")[0].split())
