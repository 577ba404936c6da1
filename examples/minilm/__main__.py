"""`python -m examples.minilm SENTENCE...`: how alike sentences are, each with each."""

import argparse
import sys
from time import perf_counter

from examples.lines import printable
from examples.minilm.encoder import embedded, program, published, tokenizer
from teenyir.diagnostics import CompileError

SENTENCES = [
    "A man is playing the guitar.",
    "Someone plays a string instrument.",
    "The stock market fell sharply today.",
    "Shares lost much of their value.",
    "How do I bake bread at home?",
    "What is a good recipe for a loaf?",
]


def main() -> int:
    """Compare the sentences of the command line, or six of our own; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.minilm", description=__doc__)
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE")
    sentences: list[str] = parser.parse_args().sentences or SENTENCES
    try:
        encoder, words = published(), tokenizer()
        start = perf_counter()
        compiled = program(encoder).lower().compile()
        ready = perf_counter()
        vectors = embedded(sentences, compiled, words)
    except CompileError as problem:
        print(problem, file=sys.stderr)
        return 1
    done = perf_counter()
    for cosines, sentence in zip(vectors @ vectors.T, sentences, strict=True):
        print("".join(f"{cosine:6.2f}" for cosine in cosines), "", printable(sentence))
    print(f"compiled in {ready - start:.1f} s, run in {done - ready:.3f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
