"""Facts of machines, as data."""
