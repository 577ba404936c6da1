"""Passes on the kernel floor: ranges and the values that depend on them."""
