"""From text to tokens: words cut into the longest pieces that a vocabulary has (WordPiece).

Text is cleaned and split as BERT's tokenizer for lower-case text does it: J. Devlin et al., BERT:
Pre-training of Deep Bidirectional Transformers, 2019, and Y. Wu et al., Google's Neural Machine
Translation System, 2016, section 4.1.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST_WORD = 100
"""Longer words are unknown."""

CHINESE = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
]
"""Code points of Chinese characters, each a word."""


class Tokenizer:
    """A vocabulary, and texts as the numbers of its entries."""

    def __init__(self, entries: Sequence[str]) -> None:
        self.numbers: Mapping[str, int] = {entry: k for k, entry in enumerate(entries)}

    def __call__(self, text: str, most: int) -> list[int]:
        """At most so many numbers, with those of the begin and the end of a text."""
        pieces = [piece for word in words(text) for piece in self.pieces(word)]
        return [self.numbers[piece] for piece in ["[CLS]", *pieces[: most - 2], "[SEP]"]]

    def pieces(self, word: str) -> list[str]:
        """The longest entries that a word starts with, one after the other."""
        if len(word) > LONGEST_WORD:
            return ["[UNK]"]
        found: list[str] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self.numbers:
                    found.append(prefix + word[start:end])
                    start = end
                    break
            else:
                return ["[UNK]"]
        return found

    def batch(self, texts: Sequence[str], most: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The numbers of several texts, [texts, tokens], and which of them are no padding."""
        rows = [self(text, most) for text in texts]
        longest = max(map(len, rows))
        ids = np.full((len(rows), longest), self.numbers["[PAD]"], np.int32)
        for row, numbers in zip(ids, rows, strict=True):
            row[: len(numbers)] = numbers
        lengths = np.array([len(numbers) for numbers in rows])
        return ids, np.arange(longest) < lengths[:, np.newaxis]


def words(text: str) -> list[str]:
    """A text in lower case without accents, split at blanks and around punctuation."""
    spaced = "".join(_spaced(character) for character in text)
    plain = unicodedata.normalize("NFD", spaced)
    lower = "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()
    return [word for part in lower.split() for word in _split(part)]


def _spaced(character: str) -> str:
    """Blanks are one kind, controls nothing, and Chinese characters stand alone."""
    category = unicodedata.category(character)
    if character in "\t\n\r" or category == "Zs":
        return " "
    if category.startswith("C") or character == "\ufffd":
        return ""
    is_chinese = any(low <= ord(character) <= high for low, high in CHINESE)
    return f" {character} " if is_chinese else character


def _split(part: str) -> Iterator[str]:
    """What stands between punctuation, and each mark."""
    word = ""
    for character in part:
        if not is_mark(character):
            word += character
            continue
        if word:
            yield word
        yield character
        word = ""
    if word:
        yield word


def is_mark(character: str) -> bool:
    """Whether it is punctuation; of ASCII all that is neither a letter nor a digit is."""
    if character.isascii():
        return not character.isalnum() and character.isprintable()
    return unicodedata.category(character).startswith("P")
