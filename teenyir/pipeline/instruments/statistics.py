"""The counters that passes keep, as a table."""

from __future__ import annotations

from collections import Counter


def statistics_report(statistics: Counter[tuple[str, str]]) -> str:
    """The counters by pass and name, sorted by pass, with a final newline."""
    rule = f"===-{'-' * 73}-==="
    lines = [rule, f"{'... Pass statistics report ...':^81}".rstrip(), rule]
    passes = sorted({name for name, _ in statistics})
    for pass_name in passes:
        lines.append(pass_name)
        counters = sorted((c, n) for (name, c), n in statistics.items() if name == pass_name)
        lines += [f"  {number:8} {counter}" for counter, number in counters]
    return "\n".join(lines) + "\n"
