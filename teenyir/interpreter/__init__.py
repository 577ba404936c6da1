"""What each floor means, on numpy: the oracle for every pass."""
