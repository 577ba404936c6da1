"""Damaged IR: whatever is done to a golden's text, it is IR or a diagnostic with a place."""

import random
import re
from pathlib import Path

import pytest

from teenyir.diagnostics import CompileError
from teenyir.pipeline.ir import parse_module, print_module, verify_module

TEST = Path(__file__).parents[1]
TOKEN = re.compile(r"\s+|[\w.%@#!^]+|.", re.DOTALL)
COMMENT = re.compile(r"^// (?!-----).*$", re.MULTILINE)


def parts() -> list[list[str]]:
    """The tokens of each part of each golden test."""
    texts = [COMMENT.sub("", path.read_text()) for path in sorted(TEST.rglob("*.mlir"))]
    found = [part for text in texts for part in text.split("// -----\n")]
    return [TOKEN.findall(part) for part in found if 20 < len(part) < 3000]


PARTS = parts()
POOL = sorted({token for part in PARTS for token in part})


def mutated(random: random.Random) -> str:
    tokens = list(random.choice(PARTS))
    for _ in range(random.randint(1, 3)):
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(4):
            case 0:
                tokens[at] = ""
            case 1:
                tokens[at] = random.choice(POOL)
            case 2:
                tokens[at] = random.choice(POOL) + tokens[at]
            case _:
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_damaged_ir_is_ir_or_a_diagnostic_with_a_place(seed: int):
    generator = random.Random(seed)
    for _ in range(60):
        text = mutated(generator)
        try:
            module = parse_module(text, "damaged.mlir")
            verify_module(module)
        except CompileError as e:
            assert all(d.location is not None for d in e.diagnostics), text
            assert " failed with " not in e.render(), f"{e}\n{text}"
        else:
            printed = print_module(module)
            assert print_module(parse_module(printed)) == printed
