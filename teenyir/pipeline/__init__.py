"""From text to IR, through passes, and back to text.

Comes in: IR as text, and a pipeline as text. Goes out: IR, or diagnostics. Read `ir` with `parse`
and `verify` (what IR is), `registry` (the tables of dialects, passes and named pipelines), `text`,
`options` and `build` (a pipeline from its text), `manager` (the loop), `instruments` (what watches
it), then `plugins`, `installed` and `expected`.
"""
