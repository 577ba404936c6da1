"""The floors as SSA dialects, one file a floor: what a value is there, and what the verifier holds true."""
