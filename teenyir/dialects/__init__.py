"""The floors as SSA dialects, one file a floor: what a value is there, what its verifier checks."""
