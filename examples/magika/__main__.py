"""`python -m examples.magika FILE...`: what each file is, and how sure the network is."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter

from examples.lines import printable
from examples.magika.identify import Config, content_of, identify, network, published_config
from teenyir.diagnostics import CompileError, InputError


def main() -> int:
    """Identify the files of the command line that can be read; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.magika", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    files: list[Path] = parser.parse_args().files
    try:
        config = published_config()
        contents = dict(readable(files, config))
        if not contents:
            return 1
        start = perf_counter()
        compiled = network().lower().compile()
        ready = perf_counter()
        answers = identify(list(contents.values()), compiled, config)
    except CompileError as problem:
        print(problem, file=sys.stderr)
        return 1
    done = perf_counter()
    names = [printable(str(file)) for file in contents]
    width = max(map(len, names))
    for name, answer in zip(names, answers, strict=True):
        print(
            f"{name:{width}}  {answer.label:12} {answer.score * 100:5.1f} %  {answer.description}"
        )
    print(f"compiled in {ready - start:.1f} s, run in {done - ready:.3f} s", file=sys.stderr)
    return int(contents.keys() != set(files))


def readable(files: Iterable[Path], config: Config) -> Iterator[tuple[Path, bytes]]:
    """Files with what is in them; of those that cannot be read, what is wrong is printed."""
    for file in files:
        try:
            yield file, content_of(file, config)
        except InputError as problem:
            print(problem, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
