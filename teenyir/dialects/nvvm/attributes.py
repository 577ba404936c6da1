"""Attributes of nvvm ops, in MLIR's two spellings: `#nvvm<shfl_kind bfly>`, `#nvvm.shape<..>`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import auto
from typing import Any, ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, StringAttr, i32
from xdsl.dialects.llvm import TargetFeaturesAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

# --- `#nvvm<kind word>` ---------------------------------------------------------------------------


class ShflKind(StrEnum):
    BFLY = auto()
    UP = auto()
    DOWN = auto()
    IDX = auto()


@irdl_attr_definition
class ShflKindAttr(EnumAttribute[ShflKind], SpacedOpaqueSyntaxAttribute):
    """Which lane a shuffle reads: `#nvvm<shfl_kind bfly>`."""

    name = "nvvm.shfl_kind"


class VoteKind(StrEnum):
    ANY = auto()
    ALL = auto()
    BALLOT = auto()
    UNI = auto()


@irdl_attr_definition
class VoteKindAttr(EnumAttribute[VoteKind], SpacedOpaqueSyntaxAttribute):
    """What a vote tells: `#nvvm<vote_sync_kind ballot>`."""

    name = "nvvm.vote_sync_kind"


class ReduxKind(StrEnum):
    ADD = auto()
    AND = auto()
    MAX = auto()
    MIN = auto()
    OR = auto()
    UMAX = auto()
    UMIN = auto()
    XOR = auto()


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    """What combines the values of the lanes: `#nvvm<redux_kind add>`."""

    name = "nvvm.redux_kind"


class MatchKind(StrEnum):
    ANY = auto()
    ALL = auto()


@irdl_attr_definition
class MatchKindAttr(EnumAttribute[MatchKind], SpacedOpaqueSyntaxAttribute):
    """Which lanes are told: `#nvvm<match_sync_kind any>`."""

    name = "nvvm.match_sync_kind"


class LoadCacheModifier(StrEnum):
    CA = auto()
    CG = auto()
    CS = auto()
    LU = auto()
    CV = auto()


@irdl_attr_definition
class LoadCacheModifierAttr(EnumAttribute[LoadCacheModifier], SpacedOpaqueSyntaxAttribute):
    """Which caches a load goes through: `#nvvm<load_cache_modifier cg>`."""

    name = "nvvm.load_cache_modifier"


# --- `#nvvm.kind<word>` ---------------------------------------------------------------------------


class Bracketed:
    """Has an attribute of a word print it in angle brackets."""

    enum_type: ClassVar[type[StrEnum]]
    data: Any

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)


class MMALayout(StrEnum):
    ROW = auto()
    COL = auto()


@irdl_attr_definition
class MMALayoutAttr(Bracketed, EnumAttribute[MMALayout]):
    """Row- or column-major: `#nvvm.mma_layout<row>`."""

    name = "nvvm.mma_layout"


class MMAType(StrEnum):
    F16 = auto()
    BF16 = auto()
    TF32 = auto()
    F32 = auto()
    F64 = auto()
    S32 = auto()
    U8 = auto()
    S8 = auto()
    U4 = auto()
    S4 = auto()
    B1 = auto()


@irdl_attr_definition
class MMATypeAttr(Bracketed, EnumAttribute[MMAType]):
    """The elements of a factor, which its registers do not tell: `#nvvm.mma_type<bf16>`."""

    name = "nvvm.mma_type"


class MMAIntOverflow(StrEnum):
    SATFINITE = auto()
    WRAPPED = auto()


@irdl_attr_definition
class MMAIntOverflowAttr(Bracketed, EnumAttribute[MMAIntOverflow]):
    """What a sum of integers does beyond its type: `#nvvm.mma_int_overflow<wrapped>`."""

    name = "nvvm.mma_int_overflow"


class LdStMatrixEltType(StrEnum):
    B16 = auto()
    B8 = auto()


@irdl_attr_definition
class LdStMatrixEltTypeAttr(Bracketed, EnumAttribute[LdStMatrixEltType]):
    """The elements that `ldmatrix` moves: `#nvvm.ld_st_matrix_elt_type<b16>`."""

    name = "nvvm.ld_st_matrix_elt_type"


class FPRoundingMode(StrEnum):
    NONE = auto()
    RN = auto()
    RM = auto()
    RP = auto()
    RZ = auto()
    RNA = auto()
    RS = auto()


@irdl_attr_definition
class FPRoundingModeAttr(Bracketed, EnumAttribute[FPRoundingMode]):
    """How a conversion rounds, `rna` to the nearest and ties away: `#nvvm.fp_rnd_mode<rna>`."""

    name = "nvvm.fp_rnd_mode"


class MemScope(StrEnum):
    CTA = auto()
    CLUSTER = auto()
    GPU = auto()
    SYS = auto()


@irdl_attr_definition
class MemScopeAttr(Bracketed, EnumAttribute[MemScope]):
    """The threads for which memory is ordered, a block's or more: `#nvvm.mem_scope<cta>`."""

    name = "nvvm.mem_scope"


class ProxyKind(StrEnum):
    ALIAS = auto()
    ASYNC = auto()
    ASYNC_GLOBAL = "async.global"
    ASYNC_SHARED = "async.shared"


@irdl_attr_definition
class ProxyKindAttr(Bracketed, EnumAttribute[ProxyKind]):
    """The ways of accessing memory that are ordered: `#nvvm.proxy_kind<async.shared>`."""

    name = "nvvm.proxy_kind"


class SharedSpace(StrEnum):
    CTA = auto()
    CLUSTER = auto()


@irdl_attr_definition
class SharedSpaceAttr(Bracketed, EnumAttribute[SharedSpace]):
    """Whose shared memory, a block's or a cluster's: `#nvvm.shared_space<cta>`."""

    name = "nvvm.shared_space"


# --- shapes ---------------------------------------------------------------------------------------


class ShapeAttr(ParametrizedAttribute):
    """Named sizes: `<m = 16, n = 8>`."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def size() -> Attribute:
            name = parser.parse_identifier()
            if name != next(names, None):
                parser.raise_error(f"unexpected size '{name}'")
            parser.parse_punctuation("=")
            return IntegerAttr(parser.parse_integer(allow_boolean=False), i32)

        names = iter(cls.sizes())
        return parser.parse_comma_separated_list(parser.Delimiter.ANGLE, size)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            pairs = zip(self.sizes(), self.numbers, strict=True)
            printer.print_string(", ".join(f"{name} = {number}" for name, number in pairs))

    @classmethod
    def sizes(cls) -> tuple[str, ...]:
        """The names of the sizes, in order."""
        raise NotImplementedError

    @property
    def numbers(self) -> tuple[int, ...]:
        """The sizes, in order."""
        values: list[IntegerAttr[I32]] = [getattr(self, name) for name in self.sizes()]
        return tuple(value.value.data for value in values)


@irdl_attr_definition
class MMAShapeAttr(ShapeAttr):
    """The product that a warp computes at once: `#nvvm.shape<m = 16, n = 8, k = 16>`."""

    name = "nvvm.shape"

    m: IntegerAttr[I32]
    n: IntegerAttr[I32]
    k: IntegerAttr[I32]

    def __init__(self, m: int, n: int, k: int):
        super().__init__(*(IntegerAttr(size, i32) for size in (m, n, k)))

    @classmethod
    def sizes(cls) -> tuple[str, ...]:
        return ("m", "n", "k")


@irdl_attr_definition
class LdStMatrixShapeAttr(ShapeAttr):
    """The small matrices that `ldmatrix` moves: `#nvvm.ld_st_matrix_shape<m = 8, n = 8>`."""

    name = "nvvm.ld_st_matrix_shape"

    m: IntegerAttr[I32]
    n: IntegerAttr[I32]

    def __init__(self, m: int = 8, n: int = 8):
        super().__init__(*(IntegerAttr(size, i32) for size in (m, n)))

    @classmethod
    def sizes(cls) -> tuple[str, ...]:
        return ("m", "n")


ATTRIBUTES: tuple[type[Attribute], ...] = (
    *(ShflKindAttr, VoteKindAttr, ReduxKindAttr, MatchKindAttr, LoadCacheModifierAttr),
    *(MMALayoutAttr, MMATypeAttr, MMAIntOverflowAttr, LdStMatrixEltTypeAttr),
    *(MMAShapeAttr, LdStMatrixShapeAttr, FPRoundingModeAttr),
    *(MemScopeAttr, ProxyKindAttr, SharedSpaceAttr),
)


def target_of(function: Operation) -> tuple[str, tuple[str, ...]]:
    """The processor and the features that an `llvm.func` names, each empty where there is none.

    They are properties, which xDSL's parser leaves among the attributes.
    """
    named = {**function.attributes, **function.properties}
    cpu, features = named.get("target_cpu"), named.get("target_features")
    return (
        cpu.data if isinstance(cpu, StringAttr) else "",
        tuple(feature.data for feature in features.features)
        if isinstance(features, TargetFeaturesAttr)
        else (),
    )
