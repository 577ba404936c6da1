"""From the text of a pipeline to passes that are ready to run, and back to text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass

from teenyir.diagnostics import CompileError, Diagnostic, PipelineError, did_you_mean, error, note
from teenyir.pipeline.options import OptionInfo, convert, format_option, format_value, option_infos
from teenyir.pipeline.order import ORDER, Order, Placed, check_order
from teenyir.pipeline.registry import (
    FLOOR_ENDS,
    PIPELINES,
    NamedPipeline,
    dialect_thunks,
    pass_thunks,
)
from teenyir.pipeline.text import PIPELINE_FILE, ElementText, OptionText, parse_pipeline_text

ROOT = "builtin.module"
ANY = "any"
"""The anchor for every operation that is isolated from above."""


@dataclass(frozen=True)
class Nested:
    """Passes for the operations named `anchor` directly inside the current one, one by one."""

    anchor: str
    elements: tuple[ModulePass | Nested, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(element_text, self.elements))})"

    def passes(self) -> Iterator[ModulePass]:
        """The passes in order, nested ones included."""
        for element in self.elements:
            if isinstance(element, Nested):
                yield from element.passes()
            else:
                yield element


def element_text(element: ModulePass | Nested) -> str:
    """The text that recreates a pass or a nested pipeline."""
    return str(element) if isinstance(element, Nested) else pass_text(element)


def pass_text(pass_: ModulePass) -> str:
    """The text that recreates a pass: its name and the options that are not at their default."""
    options = [
        format_option(info.name, value)
        for info in option_infos(type(pass_))
        if (value := getattr(pass_, info.field)) != info.default
    ]
    return f"{pass_.name}{{{' '.join(options)}}}" if options else pass_.name


@dataclass
class Registry:
    """What there is by name, and lazily: passes and named pipelines, and the dialects of the IR."""

    passes: dict[str, Callable[[], type[ModulePass]]] = field(default_factory=pass_thunks)
    pipelines: dict[str, NamedPipeline] = field(default_factory=lambda: dict(PIPELINES))
    dialects: dict[str, Callable[[], Dialect]] = field(default_factory=dialect_thunks)
    order: list[Order] = field(default_factory=lambda: list(ORDER))
    """Which passes must come before which."""

    def names(self) -> list[str]:
        """Everything that can be named, sorted."""
        return sorted({*self.passes, *self.pipelines})

    def pass_type(self, name: str) -> type[ModulePass]:
        """The class of a pass. Raises `PipelineError` if it cannot be imported."""
        try:
            return self.passes[name]()
        except ImportError as e:
            raise PipelineError(error(f"pass '{name}' cannot be loaded: {e}")) from e


def build_pipeline(
    text: str, registry: Registry | None = None, file: str = PIPELINE_FILE
) -> Nested:
    """The pipeline that `text` spells, with `builtin.module` round it.

    Raises `PipelineError` with a caret in `text`, which stands in `file`; for passes in a wrong
    order, too.
    """
    builder = _Builder(registry or Registry())
    elements = parse_pipeline_text(text, file)
    if len(elements) == 1 and elements[0].name == ROOT and elements[0].nested is not None:
        elements = elements[0].nested
    pipeline = Nested(ROOT, tuple(builder.build(elements)))
    check_order(builder.placed, builder.registry.order)
    return pipeline


def build_target_pipeline(
    target: str, floor: str | None = None, registry: Registry | None = None
) -> Nested:
    """The pipeline that compiles for `target`, such as `cuda{capability=sm_80}`.

    It ends at `floor`, or at the bottom if that is None. Raises `PipelineError`.
    """
    registry = registry or Registry()
    element, *more = parse_pipeline_text(target) or (None,)
    if element is None or more or element.nested is not None:
        raise PipelineError(error(f"'{target}' is not a target"))
    named = registry.pipelines.get(element.name)
    if named is None or not named.is_target:
        targets = [name for name, p in registry.pipelines.items() if p.is_target]
        hint = did_you_mean(element.name, targets) or f"; there is {', '.join(sorted(targets))}"
        raise PipelineError(error(f"unknown target '{element.name}'{hint}", element.span.location))
    if floor is None:
        return build_pipeline(target, registry)
    cut = replace(named, text=_up_to(named.text, floor, element.name))
    pipelines = registry.pipelines | {element.name: cut}
    return build_pipeline(target, replace(registry, pipelines=pipelines))


def target_floors(target: str) -> tuple[str, ...]:
    """The floors that a target's pipeline passes, from the top. Raises `PipelineError`."""
    build_target_pipeline(target)
    named = PIPELINES[parse_pipeline_text(target)[0].name]
    names = {element.name for element in parse_pipeline_text(named.text)}
    return tuple(floor for floor, ends in FLOOR_ENDS.items() if names & set(ends))


def _up_to(text: str, floor: str, target: str) -> str:
    """The part of a target's pipeline that ends on a floor."""
    elements = parse_pipeline_text(text)
    last = [i for i, element in enumerate(elements) if element.name in FLOOR_ENDS[floor]]
    if not last:
        raise PipelineError(error(f"the target '{target}' does not pass the {floor} floor"))
    if last[-1] + 1 == len(elements):
        return text
    return text[: elements[last[-1] + 1].span.start].rstrip().removesuffix(",")


@dataclass
class _Builder:
    registry: Registry
    expanding: tuple[str, ...] = ()
    """The named pipelines whose text is being built, outermost first."""
    outermost: ElementText | None = None
    """What names the first of them."""
    placed: list[Placed] = field(default_factory=list[Placed])
    """The passes so far, each where the user's own text says so."""

    def build(self, elements: Iterable[ElementText]) -> Iterator[ModulePass | Nested]:
        for element in elements:
            if element.nested is not None:
                self._check_anchor(element)
                yield Nested(element.name, tuple(self.build(element.nested)))
            elif element.name in self.registry.pipelines:
                yield from self._expand(element, self.registry.pipelines[element.name])
            elif element.name in self.registry.passes:
                yield self._pass(element)
            else:
                raise self._unknown(element)

    def _check_anchor(self, element: ElementText) -> None:
        if "." not in element.name and element.name != ANY:
            if element.name in self.registry.names():
                message = f"'{element.name}' is a pass, and passes nest in operations only"
            else:
                message = f"'{element.name}' is neither the name of an operation nor '{ANY}'"
            raise self._error(message, element)

    def _unknown(self, element: ElementText) -> PipelineError:
        if "." in element.name:
            message = f"expected '(' and passes for '{element.name}'"
            return PipelineError(error(message, element.span.location, *self._notes()))
        hint = did_you_mean(element.name, self.registry.names())
        return self._error(f"unknown pass '{element.name}'{hint}", element)

    def _error(
        self, message: str, part: ElementText | OptionText, *notes: Diagnostic
    ) -> PipelineError:
        # what a named pipeline hands on is wrong where the user wrote it
        place = (self.outermost or part).span.location
        return PipelineError(error(message, place, *notes, *self._notes()))

    def _notes(self) -> tuple[Diagnostic, ...]:
        return tuple(note(f"in the named pipeline '{name}'") for name in reversed(self.expanding))

    def _pass(self, element: ElementText) -> ModulePass:
        try:
            pass_type = self.registry.pass_type(element.name)
        except PipelineError as e:
            raise self._error(e.diagnostics[0].message, element) from e
        values = self._options(element, option_infos(pass_type))
        self.placed.append(Placed(element.name, (self.outermost or element).span.location))
        try:
            return pass_type(**values)
        except (ValueError, TypeError) as e:
            raise self._error(f"pass '{element.name}': {e}", element) from e
        except CompileError as e:
            first = e.diagnostics[0]
            message = f"pass '{element.name}': {first.message}"
            raise self._error(message, element, *first.notes) from e

    def _expand(self, element: ElementText, named: NamedPipeline) -> Iterator[ModulePass | Nested]:
        if element.name in self.expanding:
            raise self._error(f"the named pipeline '{element.name}' contains itself", element)
        infos = [OptionInfo(key, type(default), default) for key, default in named.options.items()]
        values = named.options | {
            key.replace("_", "-"): value for key, value in self._options(element, infos).items()
        }
        text = named.text
        for key in sorted(values, key=len, reverse=True):
            text = text.replace(f"${key}", format_value(values[key]))
        expanding = (*self.expanding, element.name)
        inner = _Builder(self.registry, expanding, self.outermost or element, self.placed)
        yield from inner.build(parse_pipeline_text(text))

    def _options(self, element: ElementText, infos: Sequence[OptionInfo]) -> dict[str, Any]:
        """The values of the options that are given, by the names of their fields."""
        by_name = {info.name: info for info in infos}
        values: dict[str, Any] = {}
        for option in element.options:
            name = option.key.replace("_", "-")
            info = by_name.get(name)
            if info is None:
                raise self._error(_unknown_option(element.name, option.key, by_name), option)
            if info.field in values:
                raise self._error(f"option '{name}' is given twice", option)
            try:
                values[info.field] = convert(option.value, info.type)
            except ValueError as e:
                raise self._error(f"option '{name}' of '{element.name}': {e}", option) from None
        missing = [info for info in infos if info.required and info.field not in values]
        if missing:
            raise self._error(f"'{element.name}' needs the option '{missing[0]}'", element)
        return values | {
            info.field: info.default
            for info in infos
            if info.default is None and info.field not in values
        }


def _unknown_option(name: str, key: str, known: Iterable[str]) -> str:
    known = sorted(known)
    if not known:
        return f"'{name}' takes no options, but was given '{key}'"
    hint = did_you_mean(key, known) or f"; it has {', '.join(known)}"
    return f"'{name}' has no option '{key}'{hint}"
