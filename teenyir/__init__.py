"""Compiler infrastructure you can read: a tensor program walks down a tower of SSA dialects."""
