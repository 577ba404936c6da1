"""Text to IR: xDSL's parser, with a place for every operation and for every error."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    RankedStructure,
    StringAttr,
    TensorType,
    UnknownLoc,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import (
    AttributeInvT,
    Data,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import (
    DiagnosticException,
    MultipleSpansParseError,
    UnregisteredConstructException,
)
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from teenyir.diagnostics import Diagnostic, Location, ParseError, did_you_mean, error, note
from teenyir.pipeline.context import make_context
from teenyir.pipeline.limits import DEEPEST_NESTING, TOO_DEEP, deep_recursion

_MESSAGES = {
    "Could not parse entire input!": "expected an operation",
}
"""Messages of xDSL's parser in the words of ours."""

LONGEST_QUOTE = 500
"""Characters of the input that a message repeats."""

_SPEAKING = (ValueError, OverflowError, DiagnosticException, UnregisteredConstructException)
"""Exceptions whose messages are written for users."""


_STRING = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
_STRING_START = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+')


class _Lexer(MLIRLexer):
    """xDSL's lexer, which takes exponential time on a string that does not end."""

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        text = self.input.content
        if _STRING.match(text, start_pos) is not None:
            return super()._lex_string_literal(start_pos)
        match = _STRING_START.match(text, start_pos)
        assert match is not None
        if text[match.end() : match.end() + 1] == "\\":
            span = Span(match.end(), match.end() + 2, self.input)
            raise XdslParseError(span, "unknown escape sequence in a string")
        span = Span(start_pos, start_pos + 1, self.input)
        raise XdslParseError(span, "this string does not end on its line")


DenseType: TypeAlias = RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType]


class _Bits(Parser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """A hexadecimal element of a dense literal."""

    def to_type(
        self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType
    ) -> int | float | tuple[int, int] | tuple[float, float]:
        if not isinstance(type, AnyFloat):
            return super().to_type(parser, type)
        bits = self.to_int(parser)
        if bits >> type.bitwidth:
            parser.raise_error(f"{self.span.text} has more bits than {type}", self.span)
        return type.unpack(bits.to_bytes(type.size, "little"), 1)[0]


class LocatedParser(Parser):
    """xDSL's parser, which gives each operation without a location its place in the text.

    It remembers where a value is first used, so that an undefined one is reported there, and
    refuses text that nests too deeply for a recursive compiler.
    """

    def __init__(self, context: Context, text: str, name: str) -> None:
        # What `Parser.__init__` does, with a lexer of ours.
        AttrParser.__init__(self, ParserState(_Lexer(Input(text, name))), context)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._file = StringAttr(name)
        self._line_starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._line_starts.append(at + 1)
            at = text.find("\n", at + 1)
        self._first_uses: dict[tuple[str, int], Span] = {}
        self._depth = 0
        self.operation_starts: list[int] = []
        """Where the operations around the current token begin, outermost first."""

    def location_at(self, position: int) -> FileLineColLoc:
        """The IR location of a position in the text."""
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        self.operation_starts.append(start)
        op = super().parse_operation()
        self.operation_starts.pop()
        if isinstance(op.location, UnknownLoc):
            op.location = self.location_at(start)
        return op

    def parse_optional_region(
        self, arguments: Sequence[Parser.Argument] | None = None
    ) -> Region | None:
        if self._depth == DEEPEST_NESTING:
            self.raise_error(f"regions nest deeper than {DEEPEST_NESTING}")
        self._depth += 1
        region = super().parse_optional_region(arguments)
        self._depth -= 1
        return region

    def _parse_dense_literal_type(self) -> DenseType:
        # xDSL's own builds a constraint for each literal, which takes a millisecond
        type = self.expect(self.parse_optional_type, "Dense attribute must be typed!")
        if not isinstance(type, VectorType | TensorType | MemRefType):
            self.raise_error("Expected memref, vector or tensor type")
        dense = cast(DenseType, type)
        element = cast(object, dense.element_type)
        if not isinstance(element, IntegerType | IndexType | AnyFloat | ComplexType):
            self.raise_error(f"Expected elements of integers, indices or floats, not {type}")
        if DYNAMIC_INDEX in dense.get_shape():
            self.raise_error("Dense literal attribute should have a static shape.")
        return dense

    def _parse_tensor_literal_element(self) -> Parser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        # `0x7F800000` among floats is their bits, as the printer and MLIR have it
        if element.span.text.startswith("0x"):
            return _Bits(element.is_negative, element.value, element.span)
        return element

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault((operand.operand_name, operand.index), operand.span)
        return super().resolve_operand(operand, type)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        stack = self._parser_state.dialect_stack
        op_type = self.ctx.get_optional_op(name, dialect_stack=stack)
        if op_type is not None:
            return op_type
        start = self.lexer.input.content.find(name, self.operation_starts[-1])
        self.raise_error(self._unknown_operation(name), start, start + len(name))

    def _unknown_operation(self, name: str) -> str:
        dialect_name, dot, _ = name.partition(".")
        if not dot:
            return f"unknown operation '{_shortened(name)}'"
        dialect = self.ctx.get_optional_dialect(dialect_name)
        if dialect is None:
            hint = did_you_mean(dialect_name, self.ctx.registered_dialect_names)
            return f"unknown operation '{name}': there is no dialect '{dialect_name}'{hint}"
        hint = did_you_mean(name, [op.name for op in dialect.operations])
        return f"unknown operation '{name}'{hint}"

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> UnregisteredAttr | ParametrizedAttribute | Data[Any]:
        find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        if "." in attr_name and find(attr_name) is None:
            end = self._current_token.span.start
            start = self.lexer.input.content.rfind(attr_name, 0, end) - 1  # with its `!` or `#`
            message = self._unknown_attribute(attr_name, is_type)
            self.raise_error(message, start, start + 1 + len(attr_name))
        return super()._parse_dialect_type_or_attribute_body(
            attr_name, is_type, is_opaque, starting_opaque_pos
        )

    def _unknown_attribute(self, name: str, is_type: bool) -> str:
        unknown = f"unknown type '!{name}'" if is_type else f"unknown attribute '#{name}'"
        dialect_name = name.partition(".")[0]
        dialect = self.ctx.get_optional_dialect(dialect_name)
        if dialect is None:
            hint = did_you_mean(dialect_name, self.ctx.registered_dialect_names)
            return f"{unknown}: there is no dialect '{dialect_name}'{hint}"
        known = [a.name for a in dialect.attributes if issubclass(a, TypeAttribute) == is_type]
        return f"{unknown}{did_you_mean(name, known)}"

    def undefined_values(self) -> list[tuple[str, Span]]:
        """The values that are used and not defined (so far), with their first uses."""
        undefined: list[tuple[str, Span]] = []
        for name, uses in self.forward_ssa_references.items():
            for index in uses:
                if (span := self._first_uses.get((name, index))) is not None:
                    undefined.append((span.text, span))
        return undefined


def parse_module(text: str, filename: str = "<string>", context: Context | None = None) -> ModuleOp:
    """The module that `text` spells; operations outside of any module are put into one.

    Every operation gets a location: the one written, or its place in the text. Raises
    `ParseError` with one or more diagnostics, each with a place.
    """
    if context is None:
        context = make_context()
    parser: LocatedParser | None = None
    try:
        with deep_recursion():
            parser = LocatedParser(context, text, filename)
            module = parser.parse_module()
            first = module.body.block.first_op
            if isinstance(module.location, UnknownLoc) and first is not None:
                module.location = first.location
            return module
    except XdslParseError as e:
        undefined = _undefined(parser) if _is_about_undefined(e) else ()
        raise ParseError(*(undefined or (_diagnostic_of(e),))) from None
    except RecursionError:
        raise ParseError(error(TOO_DEEP, _place(parser, filename, text))) from None
    except Exception as e:
        raise ParseError(error(_describe(e), _place(parser, filename, text))) from e


def _shortened(text: str) -> str:
    """The text, or its beginning if it is long: names and literals may be of any length."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _describe(e: Exception) -> str:
    """One line for an exception that is not a diagnostic, out of an attribute's parser, say."""
    message = _shortened(" ".join(str(e).split()))
    if "set_int_max_str_digits" in message:
        return "this integer has more digits than any type has room for"
    if message and isinstance(e, _SPEAKING):
        return message
    return f"the parser of this text failed with {type(e).__name__}: {message}".removesuffix(": ")


def _is_about_undefined(e: XdslParseError) -> bool:
    return e.msg.startswith("values used but not defined")


def _undefined(parser: LocatedParser | None) -> tuple[Diagnostic, ...]:
    values = parser.undefined_values() if parser is not None else []
    return tuple(
        error(f"use of undefined value '{name}'", _location_of(span))
        for name, span in sorted(values, key=lambda v: v[1].start)
    )


def _diagnostic_of(e: XdslParseError) -> Diagnostic:
    notes: list[Diagnostic] = []
    if isinstance(e, MultipleSpansParseError):
        for span, message in e.refs:
            notes.append(note(message or e.ref_text or "see here", _location_of(span)))
    message = _shortened(" ".join(_MESSAGES.get(e.msg, e.msg).split()))
    return error(message, _location_of(e.span), *notes)


def _location_of(span: Span[str] | Span[bytes]) -> Location:
    content = span.input.content
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    return Location.in_text(span.input.name, text, span.start, span.len)


def _place(parser: LocatedParser | None, filename: str, text: str) -> Location:
    """The last token that was consumed: an attribute is refused when its text has been read."""
    if parser is None:
        return Location.in_text(filename, text, 0)
    end = parser.pos
    start = parser.operation_starts[-1] if parser.operation_starts else 0
    lexer = _Lexer(Input(text, filename))
    lexer.pos = start
    span = Span(start, start + 1, lexer.input)
    while True:
        before = lexer.pos
        try:
            token = lexer.lex()
        except XdslParseError:
            # `1..4` is read as raw text: the lexer knows no token for its second dot
            lexer.pos = max(lexer.pos, before + 1)
            continue
        if token.span.start >= end or token.kind == MLIRTokenKind.EOF:
            return _location_of(span)
        span = token.span
