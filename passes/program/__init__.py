"""Passes on the program level: launches, buffers, the arena."""
