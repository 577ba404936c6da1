"""The commands: teeny-opt, teeny-run, teeny-translate, teeny-update-checks."""
