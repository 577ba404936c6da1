"""The commands: teeny-opt, teeny-run, teeny-translate, teeny-tune,
teeny-update-checks."""
