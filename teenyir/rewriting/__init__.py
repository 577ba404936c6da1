"""Passes and the rewriting engine.

Comes in: IR, and rows that say how an operation may be rewritten. Goes out: IR that no row fits
any more, with the locations of what it was. Read `base` (what a pass is, and the session that it
gets), `engine` (rows, tables, the worklist), `dce` (what nobody can notice), `locations`.
"""
