"""The rewriting engine: location propagation and the worklist driver."""
