"""The pass manager: passes, sessions, textual pipelines, instruments, diagnostics."""
