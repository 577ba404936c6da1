"""Sentences compared by a published encoder, against transformers' encoder and tokenizer."""

import json
from pathlib import Path

import numpy as np
import pytest

from examples import wheels
from examples.minilm import encoder, tokens
from teenyir.diagnostics import InputError
from teenyir.interpreter import run

REFERENCE = Path(__file__).parent / "minilm_reference"
PAIRS = json.loads((REFERENCE / "sentences.json").read_text(encoding="utf-8"))
TEXTS = [pair["text"] for pair in PAIRS]
with np.load(REFERENCE / "vectors.npz") as _file:
    VECTORS = _file["vectors"]


@pytest.mark.long
def test_texts_are_cut_into_the_recorded_tokens():
    cut = encoder.tokenizer()
    assert [cut(text, 256) for text in TEXTS] == [pair["tokens"] for pair in PAIRS]


@pytest.mark.long
def test_vectors_are_those_of_float64():
    """Compiled once, for texts of every length together; interpreted for three short ones."""
    traced, cut = encoder.program(encoder.published()), encoder.tokenizer()
    compiled = traced.lower().compile()
    found = encoder.embedded(TEXTS, compiled, cut)
    assert found.shape == VECTORS.shape == (len(TEXTS), encoder.FEATURES)
    np.testing.assert_allclose(found, VECTORS, atol=2e-6)

    ids, mask = cut.batch(TEXTS[:3], encoder.MOST_TOKENS)
    given = {**traced.parameters, "ids": ids, "mask": mask}
    np.testing.assert_allclose(run(traced.module, given)[0], VECTORS[:3], atol=2e-6)

    cosines = found @ found.T
    nearest = np.argmax(cosines[:6, :6] - np.eye(6), axis=1)
    assert nearest.tolist() == [1, 0, 3, 2, 5, 4]


def test_words_are_cut_into_the_longest_pieces():
    cut = tokens.Tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "unit", "##s", "##it", "!"])
    assert cut.pieces("units") == ["unit", "##s"]
    assert cut.pieces("unites") == ["[UNK]"]
    assert cut("Units!", 9) == [2, 5, 6, 8, 3]
    assert cut("Units!", 3) == [2, 5, 3]
    ids, mask = cut.batch(["unit", "!!!"], 9)
    assert ids.tolist() == [[2, 5, 3, 0, 0], [2, 8, 8, 8, 3]]
    assert mask.tolist() == [[True] * 3 + [False] * 2, [True] * 5]


def test_a_word_of_a_million_letters_is_unknown_at_once():
    cut = tokens.Tokenizer(["[UNK]", "[CLS]", "[SEP]", "a", "##a"])
    assert cut("a" * 1_000_000, 8) == [1, 0, 2]
    assert cut("a" * tokens.LONGEST_WORD, 200) == [1, 3, *[4] * 99, 2]


def test_text_is_split_at_blanks_and_marks():
    assert tokens.words("Déjà-vu,\u00a0北京\x00 ok\u3000“x”") == [
        *("deja", "-", "vu", ",", "北", "京", "ok", "“", "x", "”")
    ]


def test_a_wheel_that_there_is_not_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("TEENYIR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InputError, match="pip cannot download magika==0"):
        wheels.read("magika==0", "x")
